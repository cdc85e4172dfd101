"""Parses the Content-Type and Content-Disposition fields of MIME parts."""

from __future__ import annotations

import re
from email.message import Message
from email.utils import collapse_rfc2231_value
from functools import lru_cache
from typing import NamedTuple

from ingest.mail.headers import decode_words
from ingest.text.clean import decode

_PARAMETERS = re.compile(
    r"\s*([^\s;\"/]+/[^\s;\"/]+|[^\s;\"/]+)\s*"
    r"((?:;\s*[\w-]+=(?:\"[^\"\\]*\"|[^\s;\"\\<>']+)\s*)*);?\s*",
    re.ASCII,
)
"""The usual form of a content field; any other is left to the library."""
_PARAMETER = re.compile(r";\s*([\w-]+)=(?:\"([^\"]*)\"|([^\s;]+))", re.ASCII)


class ContentField(NamedTuple):
    """A parsed content field."""

    kind: str
    charset: str | None
    boundary: bytes | None
    name: str
    filename: str
    is_flowed: bool = False
    """Whether lines were broken for width alone (RFC 3676)."""
    drops_space: bool = False
    """Whether the space at such a break is to be dropped (DelSp)."""


@lru_cache(maxsize=1024)
def content_field(field: str) -> ContentField:
    """Return a parsed Content-Type or Content-Disposition; cached, since most repeat."""
    simple = _PARAMETERS.fullmatch(field) if field.isascii() else None
    if simple is None:
        return _awkward_content(field)
    found: dict[str, str] = {}
    if simple[2]:
        for name, quoted, plain in _PARAMETER.findall(simple[2]):
            found.setdefault(name.lower(), quoted or plain)
    charset, boundary = found.get("charset"), found.get("boundary")
    return ContentField(
        simple[1].lower(),
        charset and charset.lower(),
        boundary.rstrip().encode("ascii") if boundary else None,
        decode_words(found.get("name", "")),
        decode_words(found.get("filename", "")),
        found.get("format", "").lower() == "flowed",
        found.get("delsp", "").lower() == "yes",
    )


def _awkward_content(field: str) -> ContentField:
    """Let the library read parameters in parts, in other languages, with comments or escapes."""
    if not field.isascii():
        field = decode(field.encode("utf-8", "surrogateescape"))
    message = Message()
    message["content-type"] = field
    kind = field.partition(";")[0].strip().lower()
    try:
        boundary = message.get_boundary()
        charset = message.get_content_charset()
        name, filename = (
            decode_words(collapse_rfc2231_value(message.get_param(one, ""))).strip()
            for one in ("name", "filename")
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return ContentField(kind, None, None, "", "")
    encoded = boundary.encode("utf-8", "replace") if boundary else None
    return ContentField(kind, charset, encoded, name, filename)

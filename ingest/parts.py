"""Takes a MIME message apart into the text of its body and what is attached."""

from __future__ import annotations

from dataclasses import dataclass, field
from email.message import Message

from ingest.clean import clean, clean_line, decode
from ingest.headers import decode_words

DEPTH = 20
"""Levels of MIME nesting that are followed."""
PARTS = 1000
"""Parts of one message that are looked at."""
# Seals on what is read anyway; they hold nothing to read themselves.
_SEALS = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_BODY = frozenset({"text/plain", "text/html", "text/enriched", "text/x-amp-html"})


@dataclass(slots=True)
class Contents:
    """What a message is made of."""

    body: list[str] = field(default_factory=list)
    hidden: int = 0
    attachments: list[tuple[str, Message]] = field(default_factory=list)
    """Each with its part number, as in IMAP: "2", or "2.1" within part 2."""
    is_plain: bool = False
    """Whether the body was written as plain text, not as HTML."""
    refused: int = 0
    """Parts beyond the limits."""

    @property
    def text(self) -> str:
        """The body, its parts one below the other."""
        return "\n\n".join(self.body)


def take_apart(message: Message, number: str = "") -> Contents:
    """Return the contents of `message`, whose parts are numbered below `number`."""
    contents = Contents()
    _walk(message, number, 0, contents)
    return contents


def file_name(part: Message) -> str:
    """Return the name an attachment was given, without folders; may be empty."""
    try:
        name = part.get_filename() or ""
    except (LookupError, TypeError, ValueError, AttributeError):
        return ""
    return clean_line(decode_words(name)).replace("\\", "/").rpartition("/")[2][:255]


def payload(part: Message) -> bytes:
    """Return the bytes of a part, its transfer encoding undone as far as that goes."""
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AssertionError):
        return b""
    return data if isinstance(data, bytes) else b""


def charset(part: Message) -> str | None:
    """Return the declared character set of a part, if any."""
    try:
        return part.get_content_charset()
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def _walk(part: Message, number: str, depth: int, into: Contents) -> None:
    kind = part.get_content_type()
    inner = _children(part)
    if inner is not None and kind == "message/delivery-status":
        into.body.append("\n".join(_status_lines(inner)))
    elif inner is not None and part.get_content_maintype() == "multipart":
        if depth >= DEPTH:
            into.refused += 1
        elif kind == "multipart/alternative":
            _walk_alternatives(inner, number, depth, into)
        else:
            for index, child in _numbered(inner, number, into):
                _walk(child, index, depth + 1, into)
    elif kind in _SEALS:
        return
    elif _is_body(part, kind):
        _add_body(part, kind, into)
    else:
        into.attachments.append((number or "1", part))


def _children(part: Message) -> list[Message] | None:
    # Without asking first, the library would decode a text by any codec the mail names.
    inner = part.get_payload() if part.is_multipart() else None
    if not isinstance(inner, list):
        return None
    return [child for child in inner if isinstance(child, Message)]


def _numbered(children: list[Message], number: str, into: Contents) -> list[tuple[str, Message]]:
    """Return the children with their part numbers, no more than the limit allows."""
    into.refused += max(0, len(children) - PARTS)
    prefix = f"{number}." if number else ""
    return [(f"{prefix}{i}", child) for i, child in enumerate(children[:PARTS], 1)]


def _walk_alternatives(children: list[Message], number: str, depth: int, into: Contents) -> None:
    """Take the plain text of several versions of one body, else the richest one with text."""
    versions = []
    for index, child in _numbered(children, number, into):
        version = Contents()
        _walk(child, index, depth + 1, version)
        into.attachments += version.attachments
        into.refused += version.refused
        if version.text.strip():
            versions.append(version)
    if versions:
        chosen = next((version for version in versions if version.is_plain), versions[-1])
        into.body += chosen.body
        into.hidden += chosen.hidden
        into.is_plain = chosen.is_plain


def _is_body(part: Message, kind: str) -> bool:
    if kind not in _BODY or part.is_multipart():
        return False
    named = "content-disposition" in part or "name" in str(part.get("content-type", ""))
    return not named or (part.get_content_disposition() != "attachment" and not file_name(part))


def _add_body(part: Message, kind: str, into: Contents) -> None:
    text = decode(payload(part), charset(part) or "us-ascii")
    if kind == "text/plain":
        text, hidden = clean(text)
        into.is_plain = True
    else:
        from ingest.markup import html_text

        text, hidden = html_text(text)
    into.hidden += hidden
    if text.strip():
        into.body.append(text.strip("\n"))


def _status_lines(blocks: list[Message]) -> list[str]:
    """Return the fields of a delivery report."""
    fields = [field for block in blocks for field in block.raw_items()]
    return [clean_line(f"{name}: {value}") for name, value in fields]

"""Pages that a browser saved whole (.webarchive), and bookmarks that it exported."""

from __future__ import annotations

import plistlib
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from html import unescape
from typing import Any
from xml.parsers.expat import ExpatError

from ingest.files import UnreadableError
from ingest.html.text import html_items
from ingest.item import Reason
from ingest.layout.tables import RECORDS
from ingest.origin import Origin
from ingest.sieve import Read, Scope, moment
from ingest.text.clean import clean_line, decode

_HREF = re.compile(r"HREF=\"([^\"<>]*)\"", re.IGNORECASE)
_ADDED = re.compile(r"ADD_DATE=\"(\d{1,17})\"", re.IGNORECASE)
_PARTS = re.compile(
    r"<(?:(H3)\b[^<>]*>([^<]*)</H3|(A)\b([^<>]*)>([^<]*)</A|(/DL)|(DD)>([^<]*))", re.IGNORECASE
)
_DAMAGED = (
    *(plistlib.InvalidFileException, ExpatError, ValueError, KeyError, TypeError),
    *(AttributeError, OverflowError),
)
_SECONDS = 10**11
"""Above it, a moment is in microseconds since 1970."""


def webarchive_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the page of an archive of Safari's. Raises UnreadableError."""
    try:
        main = plistlib.loads(data)["WebMainResource"]
        content, encoding = main["WebResourceData"], main.get("WebResourceTextEncodingName")
    except _DAMAGED as error:
        raise UnreadableError(Reason.CORRUPT, "It is damaged; save the page again.") from error
    if not isinstance(content, bytes):
        raise UnreadableError(Reason.EMPTY, "It holds no page.")
    charset = encoding if isinstance(encoding, str) else None
    yield from html_items(content, replace(origin, charset=charset), scope)


def bookmark_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield exported bookmarks as one document, a record each. Raises UnreadableError.

    The form is Netscape's bookmark file, which every browser writes.
    """
    del scope
    lines: list[str] = []
    folders: list[str] = []
    for part in _PARTS.finditer(decode(data)):
        if part[1]:
            folders.append(_words(part[2]))
        elif part[6]:
            del folders[-1:]
        elif part[3]:
            lines.append(" - ".join(_said(part, folders)))
        elif lines and (said := _words(part[8])):
            lines[-1] += f" - {said}"
    if not lines:
        raise UnreadableError(Reason.EMPTY, "It holds no bookmark.")
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line) + 1
    records = tuple(starts) if len(starts) <= RECORDS else ()
    yield origin.document("\n".join(lines), records=records)


def _said(part: re.Match[Any], folders: list[str]) -> Iterator[str]:
    yield _words(part[5]) or "without title"
    if found := _HREF.search(part[4]):
        yield _words(found[1])
    if any(folders):
        yield f"in {' / '.join(filter(None, folders))}"
    if (added := _ADDED.search(part[4])) and (when := _moment(int(added[1]))):
        yield f"added {when:%Y-%m-%d}"


def _moment(number: int) -> datetime | None:
    return moment(number / 1e6 if number > _SECONDS else number)


def _words(markup: str) -> str:
    return clean_line(unescape(markup)).strip()

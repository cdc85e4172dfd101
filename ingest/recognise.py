"""Tells a file's format by what it holds; its name decides only between kinds of text."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

from ingest.clean import looks_binary
from ingest.item import Kind

HEAD = 4096
"""Bytes from the start of a file that suffice to tell its format."""


class Format(Enum):
    """What a reader is chosen by."""

    MBOX = "mbox"
    MAIL = "mail"
    CALENDAR = "calendar"
    LINES = "JSON lines"
    JSON = "JSON"
    TABLE = "CSV"
    TEXT = "text"
    HTML = "HTML"
    PDF = "PDF"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"


DOCUMENT = frozenset({Kind.DOCUMENT})
ENTRIES = frozenset({Kind.EVENT, Kind.TASK})

_BY_SUFFIX = {
    ".csv": Format.TABLE,
    ".tsv": Format.TABLE,
    ".json": Format.JSON,
    ".jsonl": Format.LINES,
    ".ndjson": Format.LINES,
    ".htm": Format.HTML,
    ".html": Format.HTML,
    ".xhtml": Format.HTML,
    ".ics": Format.CALENDAR,
    ".ical": Format.CALENDAR,
    ".icalendar": Format.CALENDAR,
    ".eml": Format.MAIL,
}
# Names that no mail program and no calendar gives to its files.
_DOCUMENT_SUFFIXES = frozenset(
    {".pdf", ".htm", ".html", ".csv", ".tsv", ".json", ".jsonl", ".epub", ".rtf"}
    | {".doc", ".docx", ".odt", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".ods"}
    | {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".tif", ".tiff", ".mp3", ".mp4", ".mov"}
)
_MAGIC = (
    (b"PK\x03\x04", "a zip or an office document; save it as PDF or text"),
    (b"PK\x05\x06", "an empty zip"),
    (b"\xd0\xcf\x11\xe0", "an old office document or Outlook message; save it as PDF or text"),
    (b"{\\rtf", "rich text; save it as PDF or text"),
    (b"!BDN", "an Outlook mailbox; export it as mbox"),
    (b"\x1f\x8b", "compressed; unpack it"),
    (b"BZh", "compressed; unpack it"),
    (b"\xfd7zXZ", "compressed; unpack it"),
    (b"7z\xbc\xaf", "compressed; unpack it"),
    (b"Rar!", "compressed; unpack it"),
    (b"SQLite format 3", "a database"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"\x7fELF", "a program"),
    (b"%!PS", "PostScript; save it as PDF"),
    (b"// <!-- <mdb:mork", "an index of Thunderbird's; the mail is in the file beside it"),
)
_WORDLESS = ("a picture", "a program")
"""What holds no text that a question could match, so that skipping it is no gap."""
_TEXT_MAGIC = (b"{\\rtf", b"%!PS", b"// <!-- <mdb:mork")
_CARD = re.compile(rb"\s*BEGIN:VCARD\b", re.IGNORECASE)
_CALENDAR = re.compile(rb"\s*BEGIN:(?:VCALENDAR|VEVENT|VTODO)\b", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.{0,1000}?-->\s*)*<(?:!doctype html|html|head|body)\b", re.I | re.S
)
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_MAIL_NAMES = re.compile(
    rb"^(?:Return-Path|Received|Delivered-To|From|Date|Message-ID|MIME-Version|X-[!-9;-~]+):",
    re.IGNORECASE | re.MULTILINE,
)
ENVELOPE = re.compile(
    # The line git puts before a patch looks like an envelope and is none.
    rb"From (?![0-9a-f]{40} Mon Sep 17 00:00:00 2001)"
    rb"(?:[^\r\n]*\d\d?:\d\d[^\r\n]*\d{4}[^\r\n]*|[^ \r\n]*[ ]*)\r?\n(?=[!-9;-~]+:|>From )"
)
"""The line before a message in an mbox, where a header field follows it."""


def recognise(head: bytes, path: Path) -> Format:
    """Return the format of the file that begins with `head` (its first `HEAD` bytes)."""
    suffix = path.suffix.lower()
    if not head:
        return Format.EMPTY
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    bare = head.removeprefix(b"\xef\xbb\xbf")
    if bare.startswith(_TEXT_MAGIC):
        return Format.UNSUPPORTED
    if ENVELOPE.match(bare):
        return Format.MBOX
    # Before what looks binary: mail may hold a stray zero byte.
    if _begins_like_mail(bare, path):
        return Format.MAIL
    if looks_binary(head):
        return Format.UNSUPPORTED
    if _CALENDAR.match(bare):
        return Format.CALENDAR
    if _CARD.match(bare):
        return Format.UNSUPPORTED
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if _HTML.match(bare):
        return Format.HTML
    return Format.TEXT


def name_says_document(path: Path) -> bool:
    """Say whether the name alone rules out mail and calendars, so that filters need not open it."""
    return path.suffix.lower() in _DOCUMENT_SUFFIXES


def kinds_of(form: Format) -> frozenset[Kind]:
    """Return what a file of this format can hold."""
    match form:
        case Format.MBOX | Format.MAIL:
            return frozenset(Kind)
        case Format.CALENDAR:
            return ENTRIES
        case _:
            return DOCUMENT


def describe_unsupported(head: bytes) -> tuple[str, frozenset[Kind]]:
    """Return the remedy for a file that no reader takes, and what it could have held.

    A picture or program could have held nothing: it is reported, and is no gap in the reading.
    """
    if _CARD.match(head):
        return "Address cards are not read yet.", frozenset({Kind.CONTACT})
    for magic, words in _MAGIC:
        if head.startswith(magic):
            if words in _WORDLESS:
                return f"This is {words}; it is not read.", frozenset()
            kinds = frozenset({Kind.MAIL}) | DOCUMENT if "Outlook" in words else DOCUMENT
            return f"This is {words}.", kinds
    return "Its format is not read; save it as PDF or text.", DOCUMENT


def _begins_like_mail(head: bytes, path: Path) -> bool:
    """Say whether `head` opens with header fields, among them ones that only mail has."""
    fields = 0
    for line in head.splitlines()[:40]:
        if line[:1] in (b" ", b"\t") and fields:
            continue
        if not _HEADER.match(line):
            if line:
                return False
            break
        fields += 1
    block = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0]
    names = {name.lower() for name in _MAIL_NAMES.findall(block)}
    maildir = path.parent.name in {"cur", "new"}
    return fields >= 3 and b"from:" in names and len(names) >= (1 if maildir else 2)

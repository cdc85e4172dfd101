"""Tells the format of a file by its content; the name decides only between kinds of text."""

from __future__ import annotations

import re
from enum import Enum
from pathlib import Path

from ingest.containers.chat_heads import begins_chat
from ingest.containers.envelopes import begins_message
from ingest.containers.note_heads import notes_in
from ingest.item import Kind
from ingest.text.clean import looks_binary

HEAD = 4096
"""Bytes at the start of a file that suffice to tell its format."""


class Format(Enum):
    """The format of a file, which chooses its reader."""

    MBOX = "mbox"
    MAIL = "mail"
    CALENDAR = "calendar"
    CARDS = "address cards"
    LINES = "JSON lines"
    JSON = "JSON"
    TABLE = "CSV"
    TEXT = "text"
    CHAT = "chat"
    LATEX = "LaTeX"
    NOTEBOOK = "notebook"
    EVERNOTE = "Evernote"
    JOPLIN = "Joplin"
    KEEP = "Google Keep"
    KEEP_PAGE = "Google Keep, as a page"
    WEBARCHIVE = "web archive"
    BOOKMARKS = "bookmarks"
    HTML = "HTML"
    PDF = "PDF"
    RTF = "RTF"
    EPUB = "EPUB"
    DOCX = "Word"
    PPTX = "PowerPoint"
    XLSX = "Excel"
    DOC = "Word 97"
    PPT = "PowerPoint 97"
    XLS = "Excel 97"
    ODT = "OpenDocument text"
    ODP = "OpenDocument slides"
    ODS = "OpenDocument sheets"
    SEALED = "encrypted office document"
    OUTLOOK = "Outlook message"
    PST = "Outlook mailbox"
    TNEF = "packed by Outlook"
    ARCHIVE = "archive"
    TAR = "tar"
    PACKED = "compressed"
    ZIP = "zip, its use not told yet"
    OLE = "OLE, its use not told yet"
    PICTURE = "picture"
    DATABASE = "SQLite"
    FOREIGN = "what an installed reader takes"
    UNSUPPORTED = "unsupported"
    EMPTY = "empty"


DOCUMENT = frozenset({Kind.DOCUMENT})
ENTRIES = frozenset({Kind.EVENT, Kind.TASK})
CONTACT = frozenset({Kind.CONTACT})
MESSAGE = frozenset({Kind.MESSAGE})

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
    ".vcf": Format.CARDS,
    ".vcard": Format.CARDS,
    ".eml": Format.MAIL,
    ".emlx": Format.MAIL,
    ".ipynb": Format.NOTEBOOK,
    ".tex": Format.LATEX,
    ".latex": Format.LATEX,
    ".ltx": Format.LATEX,
}
_BY_MAGIC = (
    (b"PK\x03\x04", Format.ZIP),
    (b"PK\x05\x06", Format.ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format.OLE),
    (b"{\\rtf", Format.RTF),
    (b"!BDN", Format.PST),
    (b"SQLite format 3\0", Format.DATABASE),
    (b"\x78\x9f\x3e\x22", Format.TNEF),
    (b"\x1f\x8b\x08", Format.PACKED),
    (b"BZh", Format.PACKED),
    (b"\xfd7zXZ\0", Format.PACKED),
)
_BY_PARTS = (
    (rb"xl/workbook\.bin", Format.XLS),
    (rb"xl/", Format.XLSX),
    (rb"word/", Format.DOCX),
    (rb"ppt/", Format.PPTX),
)
"""Members by which a Microsoft Office document is recognised, in order of trial."""
_BY_MIMETYPE = {
    b"application/epub+zip": Format.EPUB,
    b"application/vnd.oasis.opendocument.text": Format.ODT,
    b"application/vnd.oasis.opendocument.presentation": Format.ODP,
    b"application/vnd.oasis.opendocument.graphics": Format.ODP,
    b"application/vnd.oasis.opendocument.spreadsheet": Format.ODS,
}
_BY_STREAM = (
    ("encryptedpackage", Format.SEALED),
    ("__properties_version1.0", Format.OUTLOOK),
    ("worddocument", Format.DOC),
    ("powerpoint document", Format.PPT),
    ("workbook", Format.XLS),
    ("book", Format.XLS),
)
# Suffixes that no mail program and no calendar uses.
_DOCUMENT_SUFFIXES = frozenset(
    {".pdf", ".htm", ".html", ".csv", ".tsv", ".jsonl", ".epub", ".rtf", ".tex", ".ipynb"}
    | {".doc", ".docx", ".odt", ".ppt", ".pptx", ".odp", ".xls", ".xlsx", ".xlsb", ".ods"}
    | {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".tif", ".tiff", ".mp3", ".mp4", ".mov"}
)
_LOG = "what a running program has not yet moved into its database; close the program"
_MAGIC = (
    (b"PK", "a document of a program that is not known; save it as PDF or text"),
    (b"\xd0\xcf\x11\xe0", "a document of a program that is not known; save it as PDF or text"),
    (b"\x1f\x8b", "compressed; unpack it"),
    (b"7z\xbc\xaf", "compressed; unpack it"),
    (b"Rar!", "compressed; unpack it"),
    (b"SQLite format 3", "a database"),
    (b"\x37\x7f\x06\x82", _LOG),
    (b"\x37\x7f\x06\x83", _LOG),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"BM", "a picture"),
    (b"\x7fELF", "a program"),
    (b"%!PS", "PostScript; save it as PDF"),
    (b"// <!-- <mdb:mork", "an index of Thunderbird's; let Thunderbird download the folder"),
)
_PICTURE = re.compile(rb"\x89PNG|\xff\xd8\xff|II\*\0|MM\0\*|RIFF....WEBP", re.DOTALL)
_WORDLESS = ("a picture", "a program")
"""Formats without text that a question could match: to skip them is no gap."""
_TEXT_MAGIC = (b"%!PS", b"// <!-- <mdb:mork")
_CARD = re.compile(rb"\s*(?:[\w-]+\.)?BEGIN:VCARD\b", re.IGNORECASE)
_CALENDAR = re.compile(rb"\s*BEGIN:(?:VCALENDAR|VEVENT|VTODO|VJOURNAL)\b", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.{0,1000}?-->\s*)*<(?:!doctype html|html|head|body)\b", re.I | re.S
)
_TABLE_ONLY = re.compile(rb"\s*<(?:table|div|p|meta|title|h[1-6]|font|center)\b", re.IGNORECASE)
"""The beginning of an HTML page that a program saved under the name of an office document."""
_OFFICE = (".doc", ".xls", ".ppt", ".docx", ".xlsx", ".pptx")
_LATEX = re.compile(rb"(?:\s|%[^\n]*\n)*\\(?:documentclass|documentstyle)\b")
_NOTEBOOK = re.compile(rb"\s*\{.{0,2000}\"(?:cell_type|nbformat)\"\s*:", re.S)
_FLAT_ODF = re.compile(rb"<office:document\b[^>]{0,8000}office:mimetype=\"([\w./-]+)\"")
_HEADER = re.compile(rb"[!-9;-~]+[ \t]*:")
_MAIL_NAMES = re.compile(
    rb"^(?:Return-Path|Received|Delivered-To|From|Date|Message-ID|MIME-Version|X-[!-9;-~]+):",
    re.IGNORECASE | re.MULTILINE,
)


def recognise(head: bytes, path: Path) -> Format:
    """Return the format of the file that begins with `head` (its first `HEAD` bytes)."""
    suffix = path.suffix.lower()
    if not head:
        return Format.EMPTY
    if b"%PDF-" in head[:1024]:
        return Format.PDF
    bare = head.removeprefix(b"\xef\xbb\xbf")
    form = _by_magic(bare, suffix)
    if form is not None:
        return form
    if (notes := notes_in(bare, path)) is not None:
        return Format(notes)
    if bare.startswith(_TEXT_MAGIC):
        return Format.UNSUPPORTED
    if begins_message(bare.lstrip(b"\r\n")):
        return Format.MBOX
    # Before what looks binary: mail may hold a stray zero byte.
    if _begins_like_mail(bare, path):
        return Format.MAIL
    if looks_binary(head):
        return Format.UNSUPPORTED
    if _CALENDAR.match(bare):
        return Format.CALENDAR
    if _CARD.match(bare):
        return Format.CARDS
    if begins_chat(bare, suffix):
        return Format.CHAT
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    if suffix in _OFFICE and _TABLE_ONLY.match(bare):
        return Format.HTML
    return _by_words(bare)


def _by_magic(head: bytes, suffix: str) -> Format | None:
    """Return the format that the first bytes alone give away."""
    if head[257:262] == b"ustar" or (suffix == ".tar" and looks_binary(head)):
        return Format.TAR
    for magic, form in _BY_MAGIC:
        if head.startswith(magic):
            return form
    return None


def _by_words(head: bytes) -> Format:
    """Return the format of a text by its first words."""
    if _HTML.match(head):
        return Format.HTML
    if _LATEX.match(head):
        return Format.LATEX
    if _NOTEBOOK.match(head):
        return Format.NOTEBOOK
    flat = _FLAT_ODF.search(head)
    return _BY_MIMETYPE.get(flat[1], Format.TEXT) if flat else Format.TEXT


def refine(form: Format, data: bytes) -> Format:
    """Return the use of a zip or OLE file; other formats are returned unchanged."""
    match form:
        case Format.ZIP:
            return _use_of_zip(data)
        case Format.OLE:
            return _use_of_ole(data)
        case _:
            return form


def _use_of_zip(data: bytes) -> Format:
    from ingest.containers.zips import Zip, directory_of, has_member

    directory = directory_of(data)
    if has_member(directory, rb"\[Content_Types\]\.xml"):
        for parts, form in _BY_PARTS:
            if has_member(directory, parts):
                return form
        return Format.UNSUPPORTED
    if has_member(directory, rb"mimetype"):
        kind = Zip(data).get("mimetype") or b""
        # Templates have a longer name.
        forms = (form for known, form in _BY_MIMETYPE.items() if kind.startswith(known))
        return next(forms, Format.UNSUPPORTED)
    if has_member(directory, rb"META-INF/container\.xml"):
        return Format.EPUB
    if has_member(directory, rb"(?:Index\.zip|Index/|index\.apxl|META-INF/MANIFEST\.MF)"):
        return Format.UNSUPPORTED
    return Format.ARCHIVE


def _use_of_ole(data: bytes) -> Format:
    from ingest.containers.ole import streams

    names = streams(data)
    return next((form for name, form in _BY_STREAM if name in names), Format.UNSUPPORTED)


def is_picture(head: bytes) -> bool:
    """Say whether a file that begins so is a picture whose words can be recognised."""
    return bool(_PICTURE.match(head))


def name_says_document(path: Path) -> bool:
    """Say whether the name alone rules out mail and calendars, so that filters need not open it."""
    return path.suffix.lower() in _DOCUMENT_SUFFIXES


def kinds_of(form: Format) -> frozenset[Kind]:
    """Return what a file of this format can hold."""
    match form:
        case Format.MBOX | Format.MAIL | Format.OUTLOOK | Format.PST:
            return frozenset(Kind)
        case Format.ARCHIVE | Format.TAR | Format.PACKED | Format.ZIP | Format.OLE | Format.TNEF:
            return frozenset(Kind)
        case Format.CALENDAR:
            return ENTRIES | DOCUMENT  # A note of a calendar is a document.
        case Format.CARDS:
            return CONTACT
        case Format.DATABASE:
            return ENTRIES | CONTACT | MESSAGE | DOCUMENT
        case Format.CHAT:
            return MESSAGE | DOCUMENT  # A diary may look like a chat until it is read.
        case _:
            return DOCUMENT


def describe_unsupported(head: bytes) -> tuple[str, frozenset[Kind]]:
    """Return the remedy for a file that no reader takes, and what it could have held.

    A picture or program could have held nothing: it is reported, but leaves no gap.
    """
    for magic, words in _MAGIC:
        if head.startswith(magic):
            if words in _WORDLESS:
                return f"This is {words}; it is not read.", frozenset()
            kinds = frozenset({Kind.MAIL}) | DOCUMENT if "Outlook" in words else DOCUMENT
            return f"This is {words}.", kinds
    return "Its format is not read; save it as PDF or text.", DOCUMENT


def _begins_like_mail(head: bytes, path: Path) -> bool:
    """Say whether `head` opens with header fields, some of them known from mail alone."""
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

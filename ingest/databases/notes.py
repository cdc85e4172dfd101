"""Apple Notes (`NoteStore.sqlite`): a document a note.

A note's text is a gzipped protocol buffer. Its fields are those that the Apple Cloud Notes Parser
documents: 2 the document, in it 3 the note, in it 2 the text.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line

Rows = Callable[[str], Iterator[dict[str, Any]]]
_BEGINS = datetime(2001, 1, 1, tzinfo=UTC)
_GZIP = b"\x1f\x8b"
_TEXT = (2, 3, 2)
"""The fields that lead to a note's text."""
_LARGEST = 64 << 20
"""Bytes of the longest note when unpacked."""
_TITLES = ("ZTITLE1", "ZTITLE")
_MOMENTS = ("ZMODIFICATIONDATE1", "ZMODIFICATIONDATE", "ZCREATIONDATE1")
_FOLDERS = ("ZTITLE2", "ZTITLE")


def apple(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the notes that are neither deleted nor locked; a locked one is named."""
    del tables
    there = {str(row["name"]) for row in rows("PRAGMA table_info(ZICCLOUDSYNCINGOBJECT)")}

    def either(names: tuple[str, ...], owner: str) -> str:
        known = [f"{owner}.{name}" for name in names if name in there]
        return f"COALESCE({', '.join(known)}, NULL)" if known else "NULL"

    folder = "LEFT JOIN ZICCLOUDSYNCINGOBJECT f ON f.Z_PK = n.ZFOLDER" if "ZFOLDER" in there else ""
    found = rows(
        f"SELECT {either(_TITLES, 'n')} AS title, {either(_MOMENTS, 'n')} AS moment, "  # noqa: S608 - names of columns above
        f"{either(_FOLDERS, 'f') if folder else 'NULL'} AS folder, "
        f"{either(('ZMARKEDFORDELETION',), 'n')} AS gone, d.ZDATA AS data "
        f"FROM ZICNOTEDATA d JOIN ZICCLOUDSYNCINGOBJECT n ON d.ZNOTE = n.Z_PK {folder}"
    )
    for row in found:
        if not row["gone"] and row["data"]:
            yield _note(row, origin, scope)


def _note(row: dict[str, Any], origin: Origin, scope: Scope) -> Read:
    title = clean_line(str(row["title"] or "")) or "Note without title"
    own = replace(origin, title=title, when=_moment(row["moment"]) or origin.when)
    if not scope.admits_date(own.when):
        return LeftOut()
    data = row["data"]
    if not isinstance(data, bytes) or not data.startswith(_GZIP):
        remedy = "The note is locked; unlock it in Notes, and copy it."
        return own.skipped(Reason.ENCRYPTED, remedy, title)
    try:
        text, hidden = clean(_text_in(data))
    except (zlib.error, ValueError, UnreadableError):
        return own.skipped(Reason.CORRUPT, "The note is damaged; open it in Notes.", title)
    folder = clean_line(str(row["folder"] or ""))
    return own.document(f"{text}\n\nFolder: {folder}" if folder else text, hidden, title=title)


def _moment(seconds: object) -> datetime | None:
    try:
        return _BEGINS + timedelta(seconds=seconds) if isinstance(seconds, int | float) else None
    except OverflowError:
        return None


def _text_in(data: bytes) -> str:
    """Return the text of a note. Raises ValueError and zlib.error."""
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    value: bytes = unpacker.decompress(data, _LARGEST)
    for wanted in _TEXT:
        value = next((held for number, held in _fields(value) if number == wanted), b"")
    return value.decode("utf-8", "replace").replace("\ufffc", "")


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the fields of a protocol buffer that have a length. Raises ValueError."""
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        kind = key & 7
        if kind == 0:
            _, at = _number(data, at)
        elif kind == 2:
            size, at = _number(data, at)
            if at + size > len(data):
                raise ValueError("a field that is longer than its message")
            yield key >> 3, data[at : at + size]
            at += size
        elif kind in (1, 5):
            at += 8 if kind == 1 else 4
        else:
            raise ValueError("a kind of field that there is not")


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return a number of variable length, and where the next thing begins."""
    value = shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
    raise ValueError("a number that does not end")

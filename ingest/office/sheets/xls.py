"""Excel workbooks of 1995 to 2003 and binary ones (xls, xlsb), read through python-calamine.

The library sets aside memory for the whole rectangle of a sheet and may abort the process when a
stranger's file makes it large: only a reading process that can be replaced should call it. Of a
container it believes all, so that it is given one made here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time, timedelta
from io import BytesIO
from struct import unpack_from
from types import TracebackType

from ingest.containers.ole import Ole, container_of
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.rows import Row
from ingest.layout.tables import Sheet, workbook_reads
from ingest.office.sealed import encrypted
from ingest.office.sheets.number_formats import elapsed, general
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_FILE_PASS = 0x2F
_EXTENT = re.compile(rb"\x00\x02([\x0a\x0e])\x00")
"""The record that holds the size of a sheet: kind 0x200, of 10 bytes or 14."""
_FIRST_RECORDS = 10
_MACROS = ("_VBA_PROJ".encode("utf-16-le"), b"vbaProject.bin")
_RECTANGLE = 30_000_000
"""Cells of the rectangle around all written cells of a sheet, empty cells included."""


def sheet_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the sheets of the workbook; raises UnreadableError when there is none."""
    from python_calamine import (
        CalamineError,
        CalamineWorkbook,
        PasswordError,
        SheetTypeEnum,
        SheetVisibleEnum,
    )

    is_zipped = data.startswith(b"PK")
    stream = b"" if is_zipped else _stream(data)
    source = data if is_zipped else container_of("Workbook", stream)
    with _PanicGuard():
        try:
            book = CalamineWorkbook.from_filelike(BytesIO(source))
        except PasswordError as error:
            raise encrypted() from error
        except CalamineError as error:
            raise _damaged() from error
    sheets = []
    for known in book.sheets_metadata:
        if known.typ not in (SheetTypeEnum.WorkSheet, SheetTypeEnum.DialogSheet):
            continue
        with _PanicGuard():
            try:
                sheet = book.get_sheet_by_name(known.name)
            except CalamineError as error:
                raise _damaged() from error
        is_hidden = known.visible is not SheetVisibleEnum.Visible
        is_sane = sheet.total_height * sheet.total_width <= _RECTANGLE
        rows = _rows(sheet.iter_rows()) if is_sane else ()
        sheets.append(Sheet(known.name, rows, is_hidden, is_whole=is_sane))
    has_macros = any(mark in data for mark in _MACROS)
    yield from workbook_reads(origin, sheets, ["macros"] if has_macros else [])


class _PanicGuard:
    """Turns a panic of the library into an error: it is no `Exception` and has no name."""

    def __enter__(self) -> None:
        """Do nothing yet."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Raise UnreadableError after a panic."""
        if kind is not None and kind.__name__ == "PanicException":
            raise _damaged() from error


def _stream(data: bytes) -> bytes:
    """Return the records of an old workbook. Raises UnreadableError when they are of no use."""
    ole = Ole(data)
    content = ole.stream("Workbook") or ole.stream("Book")
    if not content:
        raise _damaged()
    if _is_encrypted(content):
        raise encrypted()
    # The library sets memory aside for as many cells as a sheet claims to have.
    if any(_is_too_large(content, found) for found in _EXTENT.finditer(content)):
        raise UnreadableError(Reason.TOO_LARGE, "A sheet claims too many cells; save it again.")
    return content


def _is_too_large(content: bytes, found: re.Match[bytes]) -> bool:
    """Say whether a match is a record that gives a sheet more cells than are read."""
    if found.end() + found[1][0] > len(content):
        return False
    form = "<IIHH" if found[1] == b"\x0e" else "<4H"
    top, bottom, left, right = unpack_from(form, content, found.end())
    if top <= bottom and left <= right and (bottom - top) * (right - left) <= _RECTANGLE:
        return False
    at = 0
    while at < found.start():
        at += 4 + int(unpack_from("<H", content, at + 2)[0])
    return at == found.start()


def _is_encrypted(content: bytes) -> bool:
    """Say whether the first records of an old workbook declare a password."""
    at = 0
    for _ in range(_FIRST_RECORDS):
        if at + 4 > len(content):
            break
        kind, size = unpack_from("<HH", content, at)
        if kind == _FILE_PASS:
            return True
        at += 4 + size
    return False


def _rows(source: Iterable[Iterable[object]]) -> Iterator[Row]:
    for values in source:
        row = [(column, _shown(value)) for column, value in enumerate(values) if value != ""]
        if row:
            yield row


def _shown(value: object) -> str:
    match value:
        case str():
            return value.strip()
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if value.is_integer():
            return f"{value:.0f}"
        case int() | float():
            return general(repr(value))
        case datetime():
            form = "%Y-%m-%d" if value.time() == time() else "%Y-%m-%d %H:%M"
            return value.strftime(form + (":%S" if value.second else ""))
        case date():
            return value.isoformat()
        case timedelta():
            return elapsed(value.total_seconds())
        case time():
            return value.isoformat("seconds" if value.second else "minutes")
        case _:
            return str(value)


def _damaged() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "It is damaged or of an unknown kind; save it as xlsx.")

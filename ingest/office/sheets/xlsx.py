"""Excel workbooks (xlsx, xlsm): an item per sheet, its rows as records, values as last computed.

Hidden rows, which any filter makes, are marked in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.containers.xmltree import Element
from ingest.layout.rows import Row
from ingest.layout.tables import HIDDEN_ROW, Sheet, workbook_reads
from ingest.office.ooxml import A, Package, R, Relation, S, chart_text, drawn_text
from ingest.office.sheets.cells import Cell, around_rows, plain, rows_of, strings_of
from ingest.office.sheets.number_formats import Form, form_of, general
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_T = f"{S}t"
_COMMENT, _COLS, _MARGINS = f"{S}comment", f"{S}cols", f"{S}headerFooter"
_THREAD = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_ON = ("1", "true")
_HIDDEN = ("hidden", "veryHidden")
_CODES = re.compile(r'&"[^"]*"|&K[0-9A-F]{6}|&\d+|&[A-Za-z+]')


@dataclass(frozen=True, slots=True)
class _Workbook:
    """What the sheets of a workbook share."""

    package: Package
    strings: list[str]
    forms: list[Form]
    """By number of the style."""


def xlsx_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the sheets of the workbook; raises UnreadableError when there is none."""
    package = Package(data)
    name = package.main("xl/workbook.xml")
    root = package.part(name)
    relations = package.relations(name)
    properties = None if root is None else root.find(f"{S}workbookPr")
    from_1904 = properties is not None and properties.get("date1904") in _ON
    book = _Workbook(package, _strings(package, name), _forms(package, name, from_1904))
    nodes = [] if root is None else root.findall(f"{S}sheets/{S}sheet")
    sheets = [_sheet(node, relations.get(node.get(f"{R}id") or ""), book) for node in nodes]
    yield from workbook_reads(origin, sheets, ["macros"] if package.has_macros else [])


def _sheet(node: Element, relation: Relation | None, book: _Workbook) -> Sheet:
    flags: list[str] = []
    part = "" if relation is None else relation.target
    return Sheet(
        node.get("name") or "",
        _rows(book, part, flags),
        node.get("state") in _HIDDEN,
        flags,
        book.package.is_whole(part),
    )


def _strings(package: Package, main: str) -> list[str]:
    data = package.content(f"{main.rpartition('/')[0]}/sharedStrings.xml")
    return strings_of(data) if data else []


def _forms(package: Package, main: str, from_1904: bool) -> list[Form]:
    root = package.part(f"{main.rpartition('/')[0]}/styles.xml")
    if root is None:
        return []
    codes = {
        node.get("numFmtId"): node.get("formatCode") or ""
        for node in root.iterfind(f"{S}numFmts/{S}numFmt")
    }
    known: dict[str | None, Form] = {"0": general, None: general}
    forms = []
    for node in root.iterfind(f"{S}cellXfs/{S}xf"):
        number = node.get("numFmtId")
        if number not in known:
            code = codes.get(number)
            built_in = int(number) if number.isdecimal() and len(number) < 9 else 0
            known[number] = form_of(built_in if code is None else code, from_1904=from_1904)
        forms.append(known[number])
    return forms


def _rows(book: _Workbook, name: str, flags: list[str]) -> Iterator[Row]:
    """Yield the rows of a sheet, then its header, footer and notes; adds to `flags`."""
    data = book.package.beginning(name)
    if not data:
        return
    columns: dict[str, int] = {}
    for source in rows_of(data):
        row = _row(source.cells, book, columns)
        if row and source.is_hidden:
            flags.append("hidden rows")
            row.insert(0, HIDDEN_ROW)
        if row:
            yield row
    root = around_rows(data)
    if root is not None:
        if any(column.get("hidden") in _ON for column in root.iterfind(f"{_COLS}/*")):
            flags.append("hidden columns")
        for margins in root.iterfind(_MARGINS):
            yield from _margins(margins)
    yield from _around(book.package, name)


def _row(cells: list[Cell], book: _Workbook, columns: dict[str, int]) -> list[tuple[int, str]]:
    row: list[tuple[int, str]] = []
    strings, forms = book.strings, book.forms
    column = -1
    for letters, style, kind, raw in cells:
        if letters:
            known = columns.get(letters)
            column = columns.setdefault(letters, _column(letters)) if known is None else known
        else:
            column += 1
        if not raw:
            continue
        if kind in ("", "n"):
            number = int(style) if style else 0
            text = forms[number](raw) if number < len(forms) else general(raw)
        elif kind == "s":
            number = int(raw) if raw.isdecimal() else -1
            text = strings[number].strip() if 0 <= number < len(strings) else ""
        elif kind == "b":
            text = "TRUE" if raw == "1" else "FALSE"
        else:
            text = plain(raw).strip()
        if text:
            row.append((column, text))
    return row


def _column(letters: str) -> int:
    """Return the number of a column, A being 0."""
    number = 0
    for letter in letters[:3].upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def _margins(node: Element) -> Iterator[Row]:
    """Yield the header and footer of a sheet, without their codes."""
    for text in dict.fromkeys(child.text for child in node if child.text):
        yield from _note(_CODES.sub(" ", text).replace("&&", "&"))


def _around(package: Package, name: str) -> Iterator[Row]:
    """Yield comments, text boxes, charts and diagrams, a row each."""
    relations = package.relations(name)
    threads = package.following(relations, "threadedComment")
    for target in threads or package.following(relations, "comments"):
        root = package.part(target)
        for comment in () if root is None else root.iter(_COMMENT, f"{_THREAD}threadedComment"):
            words = " ".join(t.text or "" for t in comment.iter(_T, f"{_THREAD}text"))
            if words.strip():
                yield from _note(f"[Comment on {comment.get('ref')}: {words}]")
    for target in package.following(relations, "drawing"):
        root = package.part(target)
        for shape in () if root is None else root.iter("{*}sp"):
            yield from _note(" ".join(t.text or "" for t in shape.iter(f"{A}t")))
        inner = package.relations(target)
        for kind, text_of in (("chart", chart_text), ("diagramData", drawn_text)):
            for part in map(package.part, package.following(inner, kind)):
                yield from _note("" if part is None else text_of(part).replace("\n", " | "))


def _note(text: str) -> Iterator[Row]:
    """Yield text that lies in no cell."""
    if words := text.split():
        yield [(-1, " ".join(words))]

"""Excel workbooks (xlsx, xlsm): an item per sheet, its rows as records, values as last computed.

What stands on hidden sheets is counted and left out, and the first sheet that is shown says so.
Hidden rows, which any filter makes, are marked in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.cellformats import Form, form_of, general
from ingest.layout import TEXT_LIMIT
from ingest.ooxml import A, Package, R, S, chart_text, drawn_text
from ingest.origin import Origin
from ingest.sieve import Read, Scope
from ingest.tables import HIDDEN_ROW, Row, hidden_in, nothing_in, sheet_reads
from ingest.xmltree import Element, each

_ROW, _C, _V, _IS, _T, _RICH = f"{S}row", f"{S}c", f"{S}v", f"{S}is", f"{S}t", f"{S}r"
_COMMENT, _COLS, _MARGINS = f"{S}comment", f"{S}cols", f"{S}headerFooter"
_THREAD = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_DIGITS = "0123456789"
_ON = ("1", "true")
_HIDDEN = ("hidden", "veryHidden")
_CODES = re.compile(r'&"[^"]*"|&K[0-9A-F]{6}|&\d+|&[A-Za-z+]')


@dataclass(frozen=True, slots=True)
class _Book:
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
    book = _Book(package, _strings(package, name), _forms(package, name, from_1904))
    sheets = [] if root is None else root.findall(f"{S}sheets/{S}sheet")
    sheets.sort(key=lambda sheet: sheet.get("state") not in _HIDDEN)
    hidden = 0
    flags = ["macros"] if package.has_macros else []
    is_empty = True
    for sheet in sheets:
        relation = relations.get(sheet.get(f"{R}id") or "")
        if relation is None:
            continue
        if sheet.get("state") in _HIDDEN:
            hidden += hidden_in(_sheet(book, relation.target, []))
            flags.append("hidden sheet")
            continue
        own = [*flags]
        rows = _sheet(book, relation.target, own)
        for read in sheet_reads(origin, sheet.get("name") or "", rows, own, hidden):
            is_empty = False
            hidden = 0
            yield read
    if is_empty:
        raise nothing_in(origin)


def _strings(package: Package, main: str) -> list[str]:
    data = package.bytes(f"{main.rpartition('/')[0]}/sharedStrings.xml")
    if not data:
        return []
    found: list[str] = []
    size = 0
    for node in each(data, f"{S}si"):
        text = _string(node)
        size += len(text)
        # The texts beyond are lost to the sheets, which are cut at this length anyway.
        found.append(text if size <= TEXT_LIMIT else "")
    return found


def _string(node: Element) -> str:
    """Return a text in one piece; how its words are pronounced is not part of it."""
    if len(node) == 1 and node[0].tag == _T:
        return node[0].text or ""
    parts = (child if child.tag == _T else child.find(_T) for child in node.iterchildren(_T, _RICH))
    return "".join(part.text or "" for part in parts if part is not None)


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


def _sheet(book: _Book, name: str, flags: list[str]) -> Iterator[Row]:
    """Yield the rows of a sheet, then what is written on and around it; adds to `flags`."""
    data = book.package.bytes(name)
    if not data:
        return
    columns: dict[str, int] = {}
    for node in each(data, _ROW, _COLS, _MARGINS):
        if node.tag == _ROW:
            row = _row(node, book, columns)
            if row and node.get("hidden") in _ON:
                flags.append("hidden rows")
                row.insert(0, HIDDEN_ROW)
            if row:
                yield row
        elif node.tag == _COLS:
            if any(column.get("hidden") in _ON for column in node):
                flags.append("hidden columns")
        else:
            yield from _margins(node)
    yield from _around(book.package, name)


def _row(node: Element, book: _Book, columns: dict[str, int]) -> list[tuple[int, str]]:
    row: list[tuple[int, str]] = []
    strings, forms = book.strings, book.forms
    column = -1
    for cell in node:
        reference = cell.get("r")
        if reference is None:
            column += 1
        else:
            letters = reference.rstrip(_DIGITS)
            known = columns.get(letters)
            column = columns.setdefault(letters, _column(letters)) if known is None else known
        if not len(cell):
            continue
        value = cell.find(_V)
        raw = None if value is None else value.text
        kind = cell.get("t")
        if kind is None or kind == "n":
            if raw is None:
                continue
            style = cell.get("s")
            text = forms[int(style)](raw) if style and forms else general(raw)
        elif kind == "s":
            number = int(raw) if raw else -1
            text = strings[number] if 0 <= number < len(strings) else ""
        elif kind == "b":
            text = "TRUE" if raw == "1" else "FALSE"
        elif kind == "inlineStr":
            inline = cell.find(_IS)
            text = "" if inline is None else _string(inline)
        else:
            text = raw or ""
        if text and not text.isspace():
            row.append((column, text.strip()))
    return row


def _column(letters: str) -> int:
    """Return the number of a column, A being 0."""
    number = 0
    for letter in letters[:3].upper():
        number = number * 26 + ord(letter) - 64
    return number - 1


def _margins(node: Element) -> Iterator[Row]:
    """Yield what is printed above and below the sheet, without its codes."""
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
    """Yield what stands in no cell."""
    if words := text.split():
        yield [(-1, " ".join(words))]

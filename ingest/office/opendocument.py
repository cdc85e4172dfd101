"""OpenDocument texts, slides and sheets (odt, odp, ods), also flat ones that are one XML file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.containers.xmltree import Element
from ingest.layout.blocks import Layout, shown_target
from ingest.layout.rows import Row
from ingest.layout.tables import CELLS, HIDDEN_ROW, Sheet, workbook_reads
from ingest.office.odf_file import BASE, OFFICE, STYLE, TABLE, TEXT, OdfFile
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_DRAW, _SHOW = BASE % "drawing", BASE % "presentation"
_ABOUT = (BASE % "svg-compatible" + "title", BASE % "svg-compatible" + "desc")
_LINK = "{http://www.w3.org/1999/xlink}href"
_STYLE_NAME = f"{TEXT}style-name"
_P, _H, _LIST, _ITEM = f"{TEXT}p", f"{TEXT}h", f"{TEXT}list", f"{TEXT}list-item"
_HEADED = f"{TEXT}list-header"
_ROW, _CELL, _COVERED = f"{TABLE}table-row", f"{TABLE}table-cell", f"{TABLE}covered-table-cell"
_NOTE, _COMMENT, _BODY = f"{TEXT}note", f"{OFFICE}annotation", f"{TEXT}note-body"
_SIGNS = {f"{TEXT}tab": "\t", f"{TEXT}line-break": "\n", f"{TEXT}soft-page-break": ""}
_SILENT = frozenset(
    {f"{OFFICE}forms", f"{OFFICE}event-listeners", f"{TABLE}shapes"}
    | {f"{TEXT}{name}-decls" for name in ("sequence", "variable", "user-field")}
    | {f"{TEXT}note-citation", f"{TEXT}ruby-text", *_ABOUT}
)
_S, _C, _SPAN, _A = f"{TEXT}s", f"{TEXT}c", f"{TEXT}span", f"{TEXT}a"
_DRAWN_LINK = f"{_DRAW}a"
_SHEET, _PAGE_NOTES = f"{TABLE}table", f"{_SHOW}notes"
_HIDDEN = frozenset([f"{TEXT}tracked-changes", f"{TEXT}hidden-text", f"{TEXT}hidden-paragraph"])
_COUNT = re.compile("[0-9]{1,5}")
_ROWS_SPANNED = f"{TABLE}number-rows-spanned"
_REPEATED, _ROWS_REPEATED = f"{TABLE}number-columns-repeated", f"{TABLE}number-rows-repeated"
_DATE = f"{OFFICE}date-value"
_SPACES = 100
_COPIES = 1000
"""How often a repeated cell or row with content is written at most."""


def text_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the text in `data`; raises UnreadableError when there is none."""
    file = OdfFile(data)
    reader = _TextReader(file)
    margins: dict[str, dict[str, None]] = {"header": {}, "footer": {}}
    for root in file.roots:
        for kind, texts in margins.items():
            for node in root.iterfind(f"{OFFICE}master-styles/{STYLE}master-page/{STYLE}{kind}"):
                texts[reader.flat(node)] = None
    for text in margins["header"]:
        reader.layout.add(text)
    reader.blocks(file.body)
    for text in margins["footer"]:
        reader.layout.add(text)
    yield from reader.layout.reads(origin)


def slide_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the presentation or drawing in `data`, a page per slide."""
    file = OdfFile(data)
    reader = _TextReader(file)
    for number, page in enumerate(file.body.iter(f"{_DRAW}page")):
        if number:
            reader.layout.begin_page()
        style = page.get(f"{_DRAW}style-name")
        if file.property(style, "drawing-page", f"{_SHOW}visibility") == "hidden":
            reader.layout.flag("hidden slide")
            reader.layout.hidden += _length(page)
            continue
        reader.blocks(page)
    yield from reader.layout.reads(origin, paged=True, nothing="Its slides hold no text.")


def sheet_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the sheets of the workbook, with values as shown."""
    file = OdfFile(data)
    sheets = []
    for table in file.body.findall(f"*/{_SHEET}"):
        flags: list[str] = []
        rows = _rows(table, _TextReader(file), flags)
        name = table.get(f"{TABLE}name") or ""
        sheets.append(Sheet(name, rows, file.is_hidden(table), flags))
    yield from workbook_reads(origin, sheets, file.flags)


def _rows(table: Element, reader: _TextReader, flags: list[str]) -> Iterator[Row]:
    for node in table.iter(_ROW):
        row: list[tuple[int, str]] = []
        column = 0
        for cell in node.iterchildren(_CELL, _COVERED):
            count = _count(cell.get(_REPEATED))
            if len(cell) and (text := _shown(cell, reader)):
                row += [(column + n, text) for n in range(min(count, _COPIES))]
            column += count
        if not row:
            continue
        if node.get(f"{TABLE}visibility") in ("collapse", "filter"):
            flags.append("hidden rows")
            row.insert(0, HIDDEN_ROW)
        for _ in range(min(_count(node.get(_ROWS_REPEATED)), _COPIES, CELLS // len(row))):
            yield row
    for shape in table.iterfind(f"{TABLE}shapes"):
        for node in shape:
            if text := reader.flat(node):
                yield [(-1, text)]


def _shown(cell: Element, reader: _TextReader) -> str:
    """Return a cell as shown, but dates with the year first, as everywhere."""
    date = cell.get(_DATE)
    is_plain = len(cell) == 1 and not len(cell[0]) and cell[0].tag == _P
    text = _collapsed(cell[0].text).strip() if is_plain else reader.flat(cell)
    if date and text:
        remarks = text[text.index("[Comment") :] if "[Comment" in text else ""
        return f"{date[:16].replace('T00:00', '').replace('T', ' ')} {remarks}".strip()
    return text


def _count(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 9 else 1


class _TextReader:
    """Reads blocks and paragraphs."""

    def __init__(self, file: OdfFile) -> None:
        self.layout = file.layout()
        self._vanished = file.vanished
        self._after: list[str] = []
        self._notes = 0

    def blocks(self, parent: Element, mark: str = "") -> None:
        """Append the paragraphs, lists and tables within `parent`; `mark` begins an item."""
        for node in parent:
            tag = node.tag
            if tag in (_P, _H):
                self._paragraph(node, mark)
                mark = " " * len(mark)
            elif tag in (_ITEM, _HEADED):
                self.blocks(node, "- " if tag == _ITEM else "  ")
            elif tag == _SHEET:
                self._table(node)
            elif tag in _HIDDEN:
                self._count(node)
            elif tag == _PAGE_NOTES:
                text = self.flat(node)
                self.layout.add(f"Notes: {text}" if text else "")
            elif tag == _COMMENT:
                self._comment(node)
                self._flush()
            elif tag not in _SILENT:
                self.blocks(node, mark)

    def flat(self, parent: Element) -> str:
        """Return all paragraphs within `parent` on one line."""
        outer, self.layout = self.layout, Layout()
        after, self._after = self._after, []
        self.blocks(parent)
        self._after = after
        inner, self.layout = self.layout, outer
        outer.hidden += inner.hidden
        return " ".join(inner.text().split())

    def _paragraph(self, node: Element, mark: str) -> None:
        out: list[str] = []
        if node.get(_STYLE_NAME) in self._vanished:
            self._count(node)
            return
        self._inline(node, out)
        text = "".join(out).strip()
        self.layout.add(f"{mark.strip()} {text}".strip() if text else "", "item" if mark else "")
        self._flush()

    def _flush(self) -> None:
        after, self._after = self._after, []
        for block in after:
            self.layout.add(block)

    def _inline(self, parent: Element, out: list[str]) -> None:
        """Append what `parent` shows to `out`."""
        out.append(_collapsed(parent.text))
        for node in parent:
            self._node(node, out)
            out.append(_collapsed(node.tail))

    def _node(self, node: Element, out: list[str]) -> None:
        tag = node.tag
        if tag == _SPAN and node.get(_STYLE_NAME) not in self._vanished:
            self._inline(node, out)
        elif tag == _S:
            out.append(" " * min(_count(node.get(_C)), _SPACES))
        elif tag in _SIGNS:
            out.append(_SIGNS[tag])
        elif tag in _HIDDEN or node.get(_STYLE_NAME) in self._vanished:
            self._count(node)
        elif tag == _NOTE:
            self._notes += 1
            out.append(f" [note {self._notes}]")
            name = f"Note {self._notes}"
            body = node.find(_BODY)
            text = "" if body is None else self.flat(body)
            self._after.append(f"{name}: {text}")
        elif tag == _COMMENT:
            self._comment(node)
        elif tag == _A:
            said: list[str] = []
            self._inline(node, said)
            text = "".join(said)
            text = text if text.strip() else _described(node)
            out += (text, shown_target(node.get(_LINK) or "", text))
        elif tag == _DRAWN_LINK:
            text = self.flat(node) or _described(node)
            self._after.append(text + shown_target(node.get(_LINK) or "", text))
        elif tag.startswith(_DRAW):
            text = self.flat(node)
            self._after.append(text)
        elif tag not in _SILENT:
            self._inline(node, out)

    def _comment(self, node: Element) -> None:
        author = node.findtext("{http://purl.org/dc/elements/1.1/}creator") or ""
        words = " ".join(" ".join(p.itertext()) for p in node.iter(_P)).split()
        if words:
            self._after.append(f"[Comment{f' by {author}' if author else ''}: {' '.join(words)}]")

    def _table(self, table: Element) -> None:
        """Append a table, a line per row; one of a single column is only a frame."""
        rows = [row for row in table.iter(_ROW) if _owner(row) is table]
        cells = [list(row.iterchildren(_CELL, _COVERED)) for row in rows]
        if all(len(row) <= 1 for row in cells):
            for cell in (cell for row in cells for cell in row):
                self.blocks(cell)
            return
        left: dict[int, int] = {}
        """Rows in which a cell still goes on, by column."""
        for row in cells:
            covered = [at for at, cell in enumerate(row) if cell.tag == _COVERED and left.get(at)]
            left = {at: count - 1 for at, count in left.items() if count > 1}
            left |= {at: _rows_below(cell) for at, cell in enumerate(row) if _rows_below(cell)}
            self.layout.add_row([self.flat(cell) for cell in row], covered)
        self.layout.end_table()

    def _count(self, node: Element) -> None:
        self.layout.hidden += _length(node)


def _described(link: Element) -> str:
    """Return the description of a clickable picture; empty where there are words too."""
    if next(link.iter(_P), None) is not None:
        return ""
    texts = (" ".join("".join(node.itertext()).split()) for node in link.iter(*_ABOUT))
    return next(filter(None, texts), "")


def _rows_below(cell: Element) -> int:
    """Return in how many further rows a cell goes on."""
    said = cell.get(_ROWS_SPANNED) or ""
    return max(1, int(said)) - 1 if _COUNT.fullmatch(said) else 0


def _length(node: Element) -> int:
    return len("".join("".join(node.itertext()).split()))


def _owner(row: Element) -> Element | None:
    return next(row.iterancestors(_SHEET), None)


def _collapsed(text: str | None) -> str:
    """Return text with its white space as OpenDocument counts it: any run is one space."""
    if not text:
        return ""
    if "\n" not in text and "\t" not in text and "  " not in text:
        return text
    words = " ".join(text.split())
    return f"{' ' if text[0].isspace() else ''}{words}{' ' if words and text[-1].isspace() else ''}"

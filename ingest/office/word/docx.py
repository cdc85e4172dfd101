"""Word documents (docx, docm): text as it reads, with what is hidden left out and counted.

Insertions of tracked changes are kept, deletions are not. Numbers that Word counts itself are
written, since people ask for "clause 4.2". Notes and comments follow the paragraph they are on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from ingest.containers.xmltree import Element, parse
from ingest.files import UnreadableError
from ingest.layout.blocks import Layout
from ingest.office.ooxml import CHART, DIAGRAM, MC, Package, R, W, chart_text, drawn_text, link_of
from ingest.office.word.hidden_runs import count, is_hidden
from ingest.office.word.markup import may_hide, shortened_markup
from ingest.office.word.numbering import Numbering
from ingest.office.word.styles import Styles
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_P, _R, _T, _TBL, _TR, _TC = f"{W}p", f"{W}r", f"{W}t", f"{W}tbl", f"{W}tr", f"{W}tc"
_MOST_COLUMNS = 63
"""Columns of a table in Word, at most."""
_COUNT = re.compile("[0-9]{1,5}")
_RPR, _PPR, _VAL, _ID = f"{W}rPr", f"{W}pPr", f"{W}val", f"{W}id"
_DELETED = (f"{W}del", f"{W}moveFrom")
_TEXT = {
    f"{W}tab": "\t",
    f"{W}br": "\n",
    f"{W}cr": "\n",
    f"{W}noBreakHyphen": "-",
    f"{W}ptab": "\t",
}
_SILENT = frozenset(
    f"{W}{name}"
    for name in ("pPr", "rPr", "tblPr", "tblGrid", "instrText", "delText", "delInstrText", "rt")
)
_DRAWN = (f"{W}drawing", f"{W}pict", f"{W}object")
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}
_NUMBERED, _STYLED = f"{W}numPr", f"{W}pStyle"


def docx_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the document in `data`; raises UnreadableError when there is none."""
    package = Package(data)
    name = package.main("word/document.xml")
    reader = _PartReader(package, name, Styles(package, name.rpartition("/")[0]))
    layout = reader.layout
    if package.has_macros:
        layout.flag("macros")
    _add_all(package, "header", reader)
    reader.read()
    reader.add_rest()
    _add_all(package, "footer", reader)
    yield from layout.reads(origin)


def _add_all(package: Package, kind: str, main: _PartReader) -> None:
    """Append the headers or the footers, each once."""
    texts: dict[str, None] = {}
    for name in package.following(main.relations, kind):
        reader = _PartReader(package, name, main.styles)
        reader.read()
        texts[reader.layout.text()] = None
        main.layout.hidden += reader.layout.hidden
    for text in texts:
        main.layout.add(text)


class _PartReader:
    """Reads one part, and the notes and comments it refers to."""

    def __init__(self, package: Package, name: str, styles: Styles) -> None:
        self.layout = Layout()
        self.styles = styles
        self._package = package
        self._name = name
        self._may_hide = True
        """Whether runs can be hidden."""
        self._folder = name.rpartition("/")[0]
        self.relations = package.relations(name)
        self._after: list[str] = []
        """Notes, comments and text boxes to write after the paragraph."""
        self._counts = Counter[str]()
        self._told: set[str] = set()
        """Notes and comments that have been written, which might refer to themselves."""

    def read(self) -> None:
        """Append the whole part."""
        data = self._package.content(self._name)
        if data:
            short, self._may_hide = shortened_markup(data, bool(self.styles.vanished))
            try:
                root = parse(short)
            except UnreadableError:
                if short is data:
                    raise
                # Its markup was too unusual to be shortened.
                root = parse(data)
            self.blocks(root)
            self._may_hide = True

    def blocks(self, parent: Element) -> None:
        """Append the paragraphs and tables within `parent`."""
        for node in parent:
            if node.tag == _P:
                self._paragraph(node)
            elif node.tag == _TBL:
                self._table(node)
            elif node.tag in _DELETED:
                count(node, self.layout)
            elif node.tag == f"{W}altChunk":
                self._foreign(node)
            elif node.tag not in _SILENT:
                self.blocks(node)

    def add_rest(self) -> None:
        """Append notes and comments that no paragraph refers to."""
        for kind, name in (("footnotes", "Note"), ("endnotes", "Endnote"), ("comments", "")):
            for number, node in self._notes(kind).items():
                if f"{kind} {number}" in self._told or node.get(f"{W}type"):
                    continue
                if text := self._flat(node):
                    self.layout.add(f"{name}: {text}" if name else _remark(node, text))

    def _paragraph(self, node: Element) -> None:
        if len(node) == 1 and node[0].tag == _T and not self._after:
            # The usual case once the markup for looks is gone.
            self.layout.add(node[0].text or "")
            return
        text, is_item = self._line(node)
        self.layout.add(text, "item" if is_item else "")
        after, self._after = self._after, []
        for block in after:
            self.layout.add(block)

    def _line(self, paragraph: Element) -> tuple[str, bool]:
        """Return a paragraph's text, and whether it is an item of a list."""
        out: list[str] = []
        children = [*paragraph]
        properties = children[0] if children and children[0].tag == _PPR else None
        self._inline(children, out)
        text = "".join(out)
        label = None
        if properties is not None and self._may_count(properties):
            label = self._numbering.label(properties)
        return (f"{label} {text.strip()}", True) if label and text.strip() else (text, False)

    def _may_count(self, properties: Element) -> bool:
        """Say whether a paragraph may be numbered, before the lists are parsed for it."""
        for node in properties:
            if node.tag == _NUMBERED:
                return True
            if node.tag == _STYLED and node.get(_VAL) in self.styles.numbered:
                return True
        return False

    def _inline(self, parent: Iterable[Element], out: list[str]) -> None:
        """Append what `parent` shows to `out`."""
        for node in parent:
            tag = node.tag
            if tag == _T:
                out.append(node.text or "")
            elif tag == _R:
                if not (self._may_hide and is_hidden(node, self.styles, self.layout)):
                    self._inline(node, out)
            elif tag in _TEXT:
                out.append(_TEXT[tag])
            elif tag in _SILENT:
                continue
            elif tag in _DELETED:
                count(node, self.layout)
            elif tag == f"{W}hyperlink":
                self._link(node, out)
            elif tag in _NOTES:
                self._note(node, out)
            elif tag == f"{W}commentReference":
                self._comment(node)
            elif tag == f"{MC}AlternateContent":
                # It holds the same content twice, for older programs and newer ones.
                choice = node.find(f"{MC}Choice")
                self._inline(node if choice is None else choice, out)
            elif tag in _DRAWN:
                self._drawing(node)
            elif tag.endswith("}oMath"):
                out.append("".join(t.text or "" for t in node.iter("{*}t")))
            else:
                self._inline(node, out)

    def _link(self, node: Element, out: list[str]) -> None:
        said: list[str] = []
        self._inline(node, said)
        text = "".join(said)
        out += (text, link_of(self.relations.get(node.get(f"{R}id") or ""), text))

    def _note(self, node: Element, out: list[str]) -> None:
        kind, number = _NOTES[node.tag], node.get(_ID) or ""
        body = self._notes(kind).get(number)
        key = f"{kind} {number}"
        if body is None or key in self._told:
            return
        self._told.add(key)
        self._counts[kind] += 1
        name = f"{'Note' if kind == 'footnotes' else 'Endnote'} {self._counts[kind]}"
        out.append(f" [{name.lower()}]")
        self._after.append(f"{name}: {self._flat(body)}")

    def _comment(self, node: Element) -> None:
        number = node.get(_ID) or ""
        body = self._notes("comments").get(number)
        if body is not None and f"comments {number}" not in self._told:
            self._told.add(f"comments {number}")
            if text := self._flat(body):
                self._after.append(_remark(body, text))

    def _notes(self, kind: str) -> dict[str, Element]:
        """Return the notes of a kind by their identifiers."""
        if kind not in self._parts:
            data = self._package.content(f"{self._folder}/{kind}.xml") or b""
            self._may_hide |= may_hide(data)
            self._parts[kind] = {n.get(_ID) or "": n for n in parse(data)} if data else {}
        return self._parts[kind]

    def _flat(self, parent: Element) -> str:
        """Return the paragraphs within `parent` on one line."""
        after, self._after = self._after, []
        lines = [self._line(node)[0] for node in parent.iter(_P)]
        lines += self._after
        self._after = after
        return " ".join(" ".join(lines).split())

    def _drawing(self, node: Element) -> None:
        """Set aside the text boxes, charts and diagrams of a drawing until the paragraph ends."""
        for box in node.iter(f"{W}txbxContent"):
            if not any(above.tag == f"{W}txbxContent" for above in box.iterancestors()):
                self._box(box)
        for chart in node.iter(f"{CHART}chart"):
            self._drawn(chart.get(f"{R}id"), chart=True)
        for diagram in node.iter(DIAGRAM):
            self._drawn(diagram.get(f"{R}dm"), chart=False)

    def _box(self, box: Element) -> None:
        after, self._after = self._after, []
        outer, self.layout = self.layout, Layout()
        self.blocks(box)
        inner, self.layout = self.layout, outer
        self._after = [*after, inner.text()]
        outer.hidden += inner.hidden
        outer.flags |= inner.flags

    def _drawn(self, identifier: str | None, *, chart: bool) -> None:
        relation = self.relations.get(identifier or "")
        root = None if relation is None else self._package.part(relation.target)
        if root is not None:
            self._after.append(chart_text(root) if chart else drawn_text(root))

    def _foreign(self, node: Element) -> None:
        """Append an HTML page or a text that Word has not yet imported."""
        relation = self.relations.get(node.get(f"{R}id") or "")
        data = None if relation is None else self._package.content(relation.target)
        if data and b"<" in data and data[:2] != b"PK":
            from ingest.html.text import html_text
            from ingest.text.clean import decode

            text, hidden = html_text(decode(data))
            self.layout.hidden += hidden
            self.layout.add(text)

    def _table(self, table: Element) -> None:
        """Append a table, a line per row; one of a single column is only a frame."""
        rows = [list(row.iter(_TC)) for row in table.iter(_TR) if _owner(row, _TBL) is table]
        if all(len(row) <= 1 for row in rows):
            for cell in (cell for row in rows for cell in row):
                self.blocks(cell)
            return
        for row in table.iter(_TR):
            if _owner(row, _TBL) is table:
                self._row([cell for cell in row.iter(_TC) if _owner(cell, _TR) is row])
        self.layout.end_table()

    def _row(self, row: Sequence[Element]) -> None:
        """Append a row; one that is a single cell, as wide as the table, stays one."""
        cells: list[str] = []
        continued: list[int] = []
        for cell in row:
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            if merged is not None and merged.get(_VAL) != "restart":
                continued.append(len(cells))
            cells += [self._flat(cell)] + [""] * (_columns(cell) - 1 if len(row) > 1 else 0)
        self.layout.add_row(cells, continued)

    @cached_property
    def _parts(self) -> dict[str, dict[str, Element]]:
        return {}

    @cached_property
    def _numbering(self) -> Numbering:
        return Numbering(self._package.part(f"{self._folder}/numbering.xml"), self.styles.root)


def _remark(comment: Element, text: str) -> str:
    author = comment.get(f"{W}author") or ""
    return f"[Comment{f' by {author}' if author else ''}: {text}]"


def _columns(cell: Element) -> int:
    """Return how many columns a cell spans."""
    span = cell.find(f"{W}tcPr/{W}gridSpan")
    said = "" if span is None else span.get(_VAL) or ""
    return min(max(1, int(said)), _MOST_COLUMNS) if _COUNT.fullmatch(said) else 1


def _owner(node: Element, tag: str) -> Element | None:
    """Return the innermost element called `tag` that holds `node`."""
    return next(node.iterancestors(tag), None)

"""PowerPoint presentations (pptx, pptm): a page per slide, with its notes and comments.

Of a hidden slide the page is empty, so that the others keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingest.containers.xmltree import Element
from ingest.item import Reason
from ingest.layout.blocks import Layout
from ingest.office.ooxml import (
    CHART,
    DIAGRAM,
    MC,
    A,
    P,
    Package,
    R,
    chart_text,
    drawn_text,
    link_of,
)
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_SP, _GROUP, _FRAME = f"{P}sp", f"{P}grpSp", f"{P}graphicFrame"
_PLACEHOLDER = f"{P}nvSpPr/{P}nvPr/{P}ph"
_TITLES = ("title", "ctrTitle")
_MARGINS = ("ftr", "hdr", "dt", "sldNum")
SLIDES = 5000


def pptx_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the presentation in `data`; raises UnreadableError when there is none."""
    package = Package(data)
    name = package.main("ppt/presentation.xml")
    root, relations = package.part(name), package.relations(name)
    reader = _SlideReader(package)
    if package.has_macros:
        reader.layout.flag("macros")
    slides = () if root is None else root.findall(f"{P}sldIdLst/{P}sldId")
    is_first = True
    for slide in slides[:SLIDES]:
        relation = relations.get(slide.get(f"{R}id") or "")
        if relation is None:
            continue
        if not is_first:
            reader.layout.begin_page()
        is_first = False
        reader.slide(relation.target)
    yield from reader.layout.reads(origin, paged=True, nothing="Its slides hold no text.")
    if len(slides) > SLIDES:
        remedy = "Only its first slides are read; split it."
        yield origin.skipped(Reason.TOO_LARGE, remedy, f"after slide {SLIDES}")


class _SlideReader:
    """Reads one slide after another."""

    def __init__(self, package: Package) -> None:
        self.layout = Layout()
        self._package = package
        self._margins: set[str] = set()

    def slide(self, name: str) -> None:
        """Append what a slide shows, its comments and its notes."""
        root = self._package.part(name)
        if root is None:
            return
        self._relations = self._package.relations(name)
        if root.get("show") in ("0", "false"):
            self.layout.flag("hidden slide")
            self.layout.hidden += len("".join(drawn_text(root).split()))
            return
        tree = root.find(f"{P}cSld/{P}spTree")
        for shape in sorted(_shapes(tree), key=lambda shape: _kind(shape) not in _TITLES):
            self._shape(shape)
        for target in self._package.following(self._relations, "notesSlide"):
            self._notes(target)
        for target in self._package.following(self._relations, "comments"):
            self._comments(target)

    def _shape(self, shape: Element) -> None:
        if shape.tag == _FRAME:
            self._frame(shape)
            return
        kind = _kind(shape)
        lines = [self._line(paragraph) for paragraph in shape.iter(f"{A}p")]
        text = "\n".join(line for line in lines if line.strip())
        if kind in _MARGINS:
            # The same on each slide; once is enough. Numbers of slides are known anyway.
            if kind == "sldNum" or text in self._margins:
                return
            self._margins.add(text)
        self.layout.add(text)

    def _line(self, paragraph: Element) -> str:
        out: list[str] = []
        for node in paragraph:
            if node.tag == f"{A}br":
                out.append("\n")
                continue
            text = "".join(t.text or "" for t in node.iter(f"{A}t", "{*}oMath"))
            out.append(text)
            link = node.find(f"{A}rPr/{A}hlinkClick")
            if link is not None:
                out.append(link_of(self._relations.get(link.get(f"{R}id") or ""), text))
        return "".join(out)

    def _frame(self, frame: Element) -> None:
        """Append a table, a line per row, or the words of a chart or diagram."""
        for row in frame.iter(f"{A}tr"):
            cells = list(row.iter(f"{A}tc"))
            continued = [at for at, cell in enumerate(cells) if cell.get("vMerge") in ("1", "true")]
            lines = (" ".join(map(self._line, cell.iter(f"{A}p"))) for cell in cells)
            self.layout.add_row([" ".join(line.split()) for line in lines], continued)
        self.layout.end_table()
        for node in frame.iter(f"{CHART}chart", DIAGRAM):
            is_chart = node.tag != DIAGRAM
            relation = self._relations.get(node.get(f"{R}id" if is_chart else f"{R}dm") or "")
            root = None if relation is None else self._package.part(relation.target)
            if root is not None:
                self.layout.add((chart_text if is_chart else drawn_text)(root))

    def _notes(self, target: str) -> None:
        root = self._package.part(target)
        for shape in () if root is None else root.iter(_SP):
            if _kind(shape) not in (*_MARGINS, "sldImg"):
                text = drawn_text(shape)
                self.layout.add(f"Notes: {text}" if text else "")

    def _comments(self, target: str) -> None:
        root = self._package.part(target)
        for comment in () if root is None else root:
            words = " ".join(t.text or "" for t in comment.iter(f"{P}text", f"{A}t")).split()
            self.layout.add(f"[Comment: {' '.join(words)}]" if words else "")


def _shapes(tree: Element | None) -> Iterator[Element]:
    """Yield the shapes of a slide, those in groups too."""
    for node in () if tree is None else tree:
        if node.tag in (_GROUP, f"{MC}Choice"):
            yield from _shapes(node)
        elif node.tag == f"{MC}AlternateContent":
            choice = node.find(f"{MC}Choice")
            yield from _shapes(node if choice is None else choice)
        elif node.tag == f"{MC}Fallback":
            yield from _shapes(node)
        elif node.tag in (_SP, _FRAME, f"{P}cxnSp"):
            yield node


def _kind(shape: Element) -> str:
    """Return the role of a shape in the layout of the slide; empty where it has none."""
    place = shape.find(_PLACEHOLDER)
    return "" if place is None else place.get("type") or "body"

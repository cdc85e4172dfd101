"""Counts the numbered paragraphs of a Word document the way Word does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ingest.containers.xmltree import Element
from ingest.office.ooxml import W

_VAL = f"{W}val"
_LEVELS = 9
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MOST = 4000


class _Level:
    """How one level of a list is numbered."""

    def __init__(self, node: Element) -> None:
        self.form = _value(node, "numFmt") or "decimal"
        self.pattern = _value(node, "lvlText") or ""
        self.start = _number(_value(node, "start"), 1)
        self.is_plain = node.find(f"{W}isLgl") is not None


_List = tuple[str, dict[int, _Level]]


class Numbering:
    """The lists of a document, and the count of each."""

    def __init__(self, root: Element | None, styles: Element | None) -> None:
        """Take the numbering part and the styles, either of which may be missing."""
        nodes = () if root is None else root
        self._abstract = {node.get(f"{W}abstractNumId"): node for node in nodes}
        self._lists = {node.get(f"{W}numId"): node for node in nodes if node.tag == f"{W}num"}
        self._read: dict[str, _List | None] = {}
        self.by_style = {} if styles is None or not self._lists else dict(_by_style(styles))
        """List and level of the paragraphs of a style."""
        self._counts: dict[str, list[int]] = {}

    def label(self, properties: Element | None) -> str | None:
        """Return the number of a paragraph with these properties, and count it."""
        place = self._place(properties)
        found = None if place is None else self._list(place[0])
        if place is None or found is None:
            return None
        key, levels = found
        at = min(place[1], _LEVELS - 1)
        level = levels.get(at)
        if level is None or level.form == "bullet":
            return "-"
        counts = self._counts.setdefault(
            key, [levels[n].start - 1 if n in levels else 0 for n in range(_LEVELS)]
        )
        counts[at] += 1
        for above in range(at):
            # A level that was never counted shows as its first number.
            counts[above] = max(counts[above], levels[above].start if above in levels else 1)
        for below in range(at + 1, _LEVELS):
            counts[below] = levels[below].start - 1 if below in levels else 0
        if level.form == "none":
            return None

        def shown(match: re.Match[str]) -> str:
            number = int(match[1]) - 1
            form = levels[number].form if number in levels and not level.is_plain else "decimal"
            return _written(counts[number], form)

        return _PLACE.sub(shown, level.pattern) or None

    def _list(self, number: str) -> _List | None:
        """Return the counter of a list, and its levels."""
        if number not in self._read:
            node = self._lists.get(number)
            kind = None if node is None else _value(node, "abstractNumId")
            abstract = self._abstract.get(kind) if kind else None
            self._read[number] = None
            if node is not None and abstract is not None:
                # A list with levels of its own counts alone, others with all lists of their kind.
                own = node.findall(f"{W}lvlOverride")
                key = f"{kind}/{number}" if own else str(kind)
                self._read[number] = (key, dict(_levels(abstract, *own)))
        return self._read[number]

    def _place(self, properties: Element | None) -> tuple[str, int] | None:
        """Return the list and level of a paragraph, by itself or by its style."""
        if properties is None:
            return None
        style = self.by_style.get(_value(properties, "pStyle") or "")
        own = properties.find(f"{W}numPr")
        if own is None:
            return style
        number = _value(own, "numId")
        if number is None:
            return None if style is None else (style[0], _number(_value(own, "ilvl"), style[1]))
        return (number, _number(_value(own, "ilvl"), 0))


def _levels(*parents: Element) -> Iterable[tuple[int, _Level]]:
    for parent in parents:
        for node in parent.iterfind(f"{W}lvl"):
            yield _number(node.get(f"{W}ilvl"), 0), _Level(node)


def _by_style(styles: Element) -> Iterable[tuple[str, tuple[str, int]]]:
    for style in styles.iterfind(f"{W}style"):
        own = style.find(f"{W}pPr/{W}numPr")
        number = None if own is None else _value(own, "numId")
        if number is not None:
            yield style.get(f"{W}styleId") or "", (number, _number(_value(own, "ilvl"), 0))


def _value(node: Element, name: str) -> str | None:
    child = node.find(f"{W}{name}")
    return None if child is None else child.get(_VAL)


def _number(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 9 else default


def _written(number: int, form: str) -> str:
    match form:
        case "lowerLetter" | "upperLetter" if 0 < number <= _MOST:
            letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
            return letters if form == "lowerLetter" else letters.upper()
        case "lowerRoman" | "upperRoman" if 0 < number <= _MOST:
            letters = _roman(number)
            return letters if form == "lowerRoman" else letters.upper()
        case "decimalZero":
            return f"{number:02}"
        case _:
            return str(number)


def _roman(number: int) -> str:
    letters = ""
    for value, letter in _ROMAN:
        letters += letter * (number // value)
        number %= value
    return letters

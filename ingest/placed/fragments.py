"""Fragments of a page: words that stand close together on a line, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from statistics import median

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, from the foot of a page upwards: points, or dots of a picture."""
BoxOf = Callable[[int], Box | None]
"""Returns where the character at an index of a page's text stands; None for one that was added."""

HYPHEN = "\ufffe"
"""What pdfium gives for a hyphen at the end of a line; mostly the word goes on in the next one."""
_APART = 0.55
"""Heights of the letters by which two cells of a line are apart at least."""
SAME_LINE = 0.6
"""Share of the lower one's height in which two fragments of one line overlap."""
_BACK = 8
"""Lines above the last one to which a fragment may still belong: cells are drawn one by one."""
_SPREAD, _SPREAD_OUT = 0.5, 1.4
"""Heights that a character of a line with gaps takes, and how much more than in other lines."""
_SPREAD_LINES = 2
"""Lines with gaps of a page that holds a table, at least."""
_WORDS = 3
"""Words of a line that is wider than its letters, at least."""
_NEAR = 3
"""Lines before the last one that a line may stand beside: those of one cell."""
_WORD = re.compile(r"\S+")
_LINE = re.compile(r"\S[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Fragment:
    """Words of one line that stand close together: a cell, or a line of one."""

    text: str
    begin: int
    end: int
    """Where it stands in the page's text."""
    box: Box
    line: int
    """Which line of the page it stands on."""

    @property
    def left(self) -> float:
        """Its left end."""
        return self.box[0]

    @property
    def bottom(self) -> float:
        """Its lower end."""
        return self.box[1]

    @property
    def right(self) -> float:
        """Its right end."""
        return self.box[2]

    @property
    def top(self) -> float:
        """Its upper end."""
        return self.box[3]

    @property
    def height(self) -> float:
        """Height of its letters."""
        return self.box[3] - self.box[1]

    def is_beside(self, other: Fragment) -> bool:
        """Say whether it stands on the line of another one, to the right."""
        if self.left < other.right - 1:
            return False
        both = min(self.top, other.top) - max(self.bottom, other.bottom)
        return both > SAME_LINE * min(self.height, other.height)

    def joined(self, text: str, other: Fragment) -> Fragment:
        """Return it with the fragment that follows it in the page's text."""
        low, high = min(self.bottom, other.bottom), max(self.top, other.top)
        said = " ".join(text[self.begin : other.end].split())
        return replace(self, text=said, end=other.end, box=(self.left, low, other.right, high))


def fragments_of(text: str, box_of: BoxOf) -> list[Fragment]:
    """Return the fragments of a page in the order in which they were drawn.

    There are none where no line has gaps. To look at every word costs as much as to read the page.
    """
    fragments: list[Fragment] = []
    ends: list[Fragment] = []
    """The last fragment of each line."""
    if not _has_gaps(text, box_of):
        return fragments
    for begin, end, box in _close_together(text, box_of):
        fragment = Fragment(text[begin:end], begin, end, box, len(ends))
        for line in range(len(ends) - 1, max(-1, len(ends) - 1 - _BACK), -1):
            last = ends[line]
            if not fragment.is_beside(last):
                continue
            if last is fragments[-1] and box[0] - last.right <= _APART * fragment.height:
                fragment = fragments.pop().joined(text, fragment)
            ends[line] = fragment = replace(fragment, line=line)
            break
        else:
            ends.append(fragment)
        fragments.append(fragment)
    return fragments


def _close_together(text: str, box_of: BoxOf) -> Iterator[tuple[int, int, Box]]:
    """Yield where words begin and end that stand close together, and their box."""
    for line in _LINE.finditer(text):
        begin = end = -1
        left, bottom, right, top = 0.0, 0.0, 0.0, 0.0
        for word in _WORD.finditer(text, line.start(), line.end()):
            first, last = box_of(word.start()), box_of(word.end() - 1)
            if first is None or last is None or last[2] <= first[0] or first[3] <= first[1]:
                continue
            height = first[3] - first[1]
            goes_on = -height < first[0] - right <= _APART * height and bottom < first[3]
            if begin >= 0 and not (goes_on and last[2] > left):
                yield begin, end, (left, bottom, right, top)
                begin = -1
            if begin < 0:
                begin, left, bottom, top = word.start(), first[0], first[1], first[3]
            end, right = word.end(), last[2]
        if begin >= 0:
            yield begin, end, (left, bottom, right, top)


def _has_gaps(text: str, box_of: BoxOf) -> bool:
    """Say whether some lines of a page are wider than their letters, or stand beside others."""
    spread: list[float] = []
    beside = 0
    ends: list[Box] = []
    for line in _LINE.finditer(text):
        said = line.group().rstrip()
        first, last = box_of(line.start()), box_of(line.start() + len(said) - 1)
        if first is None or last is None or first[3] <= first[1]:
            continue
        beside += any(end[2] < first[0] and end[1] < first[3] - 1 < end[3] for end in ends)
        ends = [*ends[-_NEAR:], last]
        if said.count(" ") >= _WORDS - 1:
            spread.append((last[2] - first[0]) / (len(said) * (first[3] - first[1])))
    least = min(_SPREAD, _SPREAD_OUT * median(spread)) if spread else 0.0
    return beside + sum(one > least for one in spread) >= _SPREAD_LINES

"""What a summary reads of its scope: the parts that cover it best within so many tokens.

Nothing here asks a model. Each item's beginning comes first, then something of its end, then what
has most words in common with the whole, unlike what is chosen and away from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby

import numpy as np
import numpy.typing as npt

from engine.attention.compression import GAP_TOKENS, sentences_of, stretches
from engine.language.sentences import Span
from engine.language.tokens import content_words
from engine.retrieval.selection import OVERHEAD
from engine.values import Excerpt, Passage
from ingest.item import Item

PART_CHARACTERS = 400
"""A part is a run of sentences of about so many characters: a few sentences read on."""
OPENING, CLOSING = 0.25, 0.125
"""Shares of the tokens for beginnings and for ends."""
FIRST_ROUND = 0.6
"""Share of the tokens for the first part of every item: of many items there is room for no more."""
LAST = 5
"""The end of an item is the most central part of its last fifth: the very last may be references,
or a signature."""
SECTIONS = 10
"""Stretches of the scope over which the rest is spread."""
MOST_PASSAGES = 600
"""Most passages that are compared; of more, the first of each item and some between."""
MOST_TERMS = 2000
_FORWARDED = re.compile(r"\W*(?:fwd?|wg|tr|rv|enc|i|doorst)\s*:", re.IGNORECASE)
"""Begins the subject of a mail that passes another one on: what it repeats is what it is about."""


@dataclass(frozen=True, slots=True)
class TextPart:
    """A run of sentences of one passage."""

    passage: Passage
    span: Span
    """Offsets into the item's text."""

    @property
    def text(self) -> str:
        """The part itself, literally."""
        return self.passage.item.text[slice(*self.span)]


def own_words(passages: Mapping[int, Passage]) -> dict[int, Passage]:
    """Return what is left without the header fields of mail and the mail that it repeats.

    A mail that has nothing else stays whole. So does one that passes another on.
    """
    taken: dict[int, list[Span]] = {}
    for passage in passages.values():
        item = passage.item
        if id(item) not in taken:
            history = () if _FORWARDED.match(item.title) else item.quoted
            taken[id(item)] = [(0, item.body), *history]
    left = {at: tuple(_without(one, taken[id(one.item)])) for at, one in passages.items()}
    alive = {id(passages[at].item) for at, runs in left.items() if runs}
    found = {}
    for at, passage in passages.items():
        if id(passage.item) not in alive or left[at] == stretches(passage):
            found[at] = passage
        elif left[at]:
            found[at] = _excerpt([passage], left[at])
    return found


def _without(passage: Passage, taken: Sequence[Span]) -> Iterator[Span]:
    """Yield what a passage shows outside of the spans, without the blanks around it."""
    text = passage.item.text
    for begin, end in stretches(passage):
        borders = [(start, stop) for start, stop in taken if start < end and stop > begin]
        at = begin
        for start, stop in (*borders, (end, end)):
            piece = text[at:start] if start > at else ""
            if piece.strip():
                yield at + len(piece) - len(piece.lstrip()), at + len(piece.rstrip())
            at = max(at, stop)


def _excerpt(passages: Sequence[Passage], runs: Sequence[Span]) -> Excerpt:
    """Return stretches of one item, in order; where only blanks lie between two, they are one."""
    item = passages[0].item
    joined: list[Span] = []
    for begin, end in runs:
        if joined and not item.text[joined[-1][1] : begin].strip():
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    nameless = any(isinstance(one, Excerpt) and one.nameless for one in passages)
    return Excerpt(item, joined[0][0], joined[-1][1], tuple(joined), nameless)


def spread_out(passages: Mapping[int, Passage], most: int = MOST_PASSAGES) -> dict[int, Passage]:
    """Return at most so many passages: the first of every item, and others at even distances."""
    if len(passages) <= most:
        return dict(passages)
    first: dict[int, int] = {}
    for number, passage in passages.items():
        first.setdefault(id(passage.item), number)
    kept = _evenly(list(first.values()), most)
    others = set(passages) - set(first.values())
    kept += _evenly(sorted(others), most - len(kept))
    return {number: passages[number] for number in sorted(kept)}


def _evenly(numbers: Sequence[int], most: int) -> list[int]:
    count = min(most, len(numbers))
    return [numbers[at * len(numbers) // count] for at in range(count)]


def parts_of(passages: Sequence[Passage]) -> list[TextPart]:
    """Return the passages in parts, in order."""
    parts: list[TextPart] = []
    runs: tuple[int, int] | None = None
    for sentence in sentences_of(passages):
        begin, end = sentence.place.start, sentence.place.end
        of = sentence.number, sentence.run
        if of == runs and end - parts[-1].span[0] <= PART_CHARACTERS:
            parts[-1] = TextPart(parts[-1].passage, (parts[-1].span[0], end))
        else:
            parts.append(TextPart(passages[sentence.number], (begin, end)))
        runs = of
    return parts


def vectors(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return a row of length 1 for each text: its content words by tf-idf; 0 without any."""
    counted = [Counter(one for one in content_words(text) if not one.isdigit()) for text in texts]
    held = Counter(chain.from_iterable(counted))  # a word counts once for each text
    common = sorted(held, key=lambda word: (-held[word], word))[:MOST_TERMS]
    columns = {word: at for at, word in enumerate(common)}
    rows = np.zeros((len(texts), max(1, len(columns))))
    for row, words in zip(rows, counted, strict=True):
        for word, count in words.items():
            if word in columns:
                row[columns[word]] = (1 + np.log(count)) * np.log((1 + len(texts)) / held[word])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
    return rows


class Spread:
    """Scores texts by how central they are, unlike what is chosen, and away from it."""

    def __init__(self, texts: Sequence[str], items: Sequence[Item], topic: str = "") -> None:
        """Compare texts; each item counts alike, however long it is, and so does the topic."""
        rows = vectors([*texts, topic])
        self._rows = rows[:-1]
        self._sections = _sections(items)
        groups: dict[int, list[int]] = {}
        for number, item in enumerate(items):
            groups.setdefault(id(item), []).append(number)
        means = np.array([self._rows[numbers].mean(axis=0) for numbers in groups.values()])
        centre = means.mean(axis=0)
        centre /= max(float(np.linalg.norm(centre)), 1e-9)
        self.central = np.round(self._rows @ (centre + rows[-1]), 6)
        """How much each text has in common with all of them, and with the topic."""
        self._like = np.zeros(len(texts))
        self._full = np.zeros(len(texts))

    def choose(self, number: int, share: float) -> None:
        """Note a text that was chosen, and what share of a section's room it takes."""
        self._like = np.maximum(self._like, np.round(self._rows @ self._rows[number], 6))
        self._full += share * (self._sections == self._sections[number])

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """What is best to choose next: the highest."""
        found: npt.NDArray[np.float64] = self.central * (1 - self._like) / (1 + self._full)
        return found


def _sections(items: Sequence[Item]) -> npt.NDArray[np.int64]:
    """Return the section of each text: an item, or a stretch of one that is a large part of all."""
    found: list[int] = []
    first = 0
    for _, group in groupby(items, key=id):
        count = len(list(group))
        several = max(1, round(SECTIONS * count / len(items)))
        found += [first + at * several // count for at in range(count)]
        first += several
    return np.array(found, dtype=np.int64)


@dataclass
class PartChoice:
    """Parts that are chosen within a budget of tokens."""

    parts: Sequence[TextPart]
    costs: Sequence[int]
    budget: int
    topic: str = ""
    headings: Mapping[int, int] = field(default_factory=dict)
    """Tokens of the heading of an item, by its identity; else a usual heading."""
    left: int = 0
    """Tokens not spent yet."""
    chosen: set[int] = field(default_factory=set)
    _headed: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with nothing chosen."""
        self.left = self.budget
        items = [part.passage.item for part in self.parts]
        self._spread = Spread([part.text for part in self.parts], items, self.topic)
        groups: dict[int, list[int]] = {}
        for number, item in enumerate(items):
            groups.setdefault(id(item), []).append(number)
        central = self._spread.central
        self._items = sorted(groups.values(), key=lambda one: -max(central[one]))
        """The parts of each item, the most central item first."""

    def run(self) -> list[TextPart]:
        """Return the chosen parts in order; at least one, and all where they fit."""
        if self.full <= self.budget:
            return list(self.parts)
        self._begin()
        self._end()
        self._fill()
        if not self.chosen and self.parts:
            self.chosen.add(min(range(len(self.parts)), key=lambda one: self.costs[one]))
        return [self.parts[number] for number in sorted(self.chosen)]

    @property
    def full(self) -> int:
        """The tokens of everything, at most."""
        items = {id(part.passage.item) for part in self.parts}
        return sum(self.costs) + GAP_TOKENS * len(self.parts) + sum(map(self._heading, items))

    def _heading(self, item: int) -> int:
        return self.headings.get(item, OVERHEAD)

    def _begin(self) -> None:
        """Choose the first part of every item, then the second, and so on."""
        for turn in range(max(map(len, self._items), default=0)):
            share = OPENING if turn else FIRST_ROUND
            self._take([one[turn] for one in self._items if turn < len(one)], share)

    def _end(self) -> None:
        central = self._spread.central
        lasts = [one[-len(one) // LAST :] for one in self._items if len(one) >= LAST]
        ends = [max(one, key=lambda number: central[number]) for one in lasts]
        self._take(ends, CLOSING + 1 - self.left / self.budget)

    def _take(self, numbers: Iterable[int], share: float) -> None:
        """Choose parts in turn, until this share of the budget is spent."""
        for number in numbers:
            if self.budget - self.left + self.costs[number] > share * self.budget:
                return
            self._choose(number)

    def _fill(self) -> None:
        """Choose the best part that still fits, until none does, or all say what was chosen."""
        left = np.array([number not in self.chosen for number in range(len(self.parts))])
        while left.any():
            scores = np.where(left, self._spread.scores, -1.0)
            number = int(np.argmax(scores))
            if scores[number] <= 0:
                return
            left[number] = False
            self._choose(number)

    def _choose(self, number: int) -> None:
        """Choose a part if it fits. The first of an item pays for its heading."""
        item = id(self.parts[number].passage.item)
        cost = self.costs[number] + (GAP_TOKENS if item in self._headed else self._heading(item))
        if number in self.chosen or cost > self.left:
            return
        self.left -= cost
        self.chosen.add(number)
        self._headed.add(item)
        self._spread.choose(number, SECTIONS * cost / self.budget)


def as_passages(parts: Iterable[TextPart], by: Callable[[TextPart], int]) -> tuple[Passage, ...]:
    """Return neighbouring parts of one kind as one passage each, without gaps of blanks alone."""
    groups = (list(group) for _, group in groupby(parts, key=by))
    return tuple(_excerpt([p.passage for p in group], [p.span for p in group]) for group in groups)


def by_passage(part: TextPart) -> int:
    """Say which passage a part is of: what an answer cites."""
    return id(part.passage)


def by_item(part: TextPart) -> int:
    """Say which item a part is of: what a model reads, under one heading."""
    return id(part.passage.item)

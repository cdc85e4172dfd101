"""The values that travel from a question to its answer, all frozen."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from engine.answer_parts import Cited, ModelIds, Usage
from ingest.item import Filters, Item, Kind, Skipped

Grounded = Literal["grounded", "partial", "none"]


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of one item: at most 150 words and 1,050 characters."""

    item: Item
    start: int
    """Code point offset into `item.text`, inclusive."""
    end: int
    """Exclusive."""

    @property
    def text(self) -> str:
        """The passage itself, literally."""
        return self.item.text[self.start : self.end]

    @property
    def searched(self) -> str:
        """What recall scores: the item's title and the passage."""
        return f"{self.item.title}\n{self.text}"

    @property
    def undated(self) -> Passage:
        """The passage without dates that are not in its item; what citations name."""
        return self

    def place(self, offset: int) -> int:
        """Return the place of a character of `text` in the item's text."""
        return self.start + offset


GAP = "\n…\n"
"""Shown where a passage was cut: a line of its own, so that no line spans a gap."""


@dataclass(frozen=True, slots=True)
class Excerpt(Passage):
    """A passage cut to some of its sentences. Each of its lines is literally in the item."""

    runs: tuple[tuple[int, int], ...] = ()
    """Begin and end of what is left, code point offsets into `item.text`, in order and apart."""
    nameless: bool = False
    """Whether its title or sender gives orders to a model, which then reads neither."""

    @property
    def text(self) -> str:
        """What is left, with gaps shown."""
        return GAP.join(self.item.text[begin:end] for begin, end in self.runs)

    def place(self, offset: int) -> int:
        """Return the place of a character of `text` in the item's text."""
        for begin, end in self.runs:
            if offset <= end - begin:
                return begin + offset
            offset -= end - begin + len(GAP)
        return self.end


@dataclass(frozen=True, slots=True)
class Dated(Excerpt):
    """A passage in which days that are named by their distance have their date behind them."""

    dates: tuple[tuple[int, str], ...] = ()
    """After which character of what is left, and the date, in order: "last week (1 to 7 May)"."""
    made_of: Passage | None = None
    """The passage as it was."""

    @property
    def undated(self) -> Passage:
        """The passage as it was."""
        return self.made_of or self

    @property
    def text(self) -> str:
        """What is left, with dates in brackets."""
        plain, pieces, at = super(Dated, self).text, list[str](), 0
        for offset, said in self.dates:
            pieces += [plain[at:offset], f" ({said})"]
            at = offset
        return "".join([*pieces, plain[at:]])

    def place(self, offset: int) -> int:
        """Return the place of a character of `text` in the item's text."""
        added = 0
        for after, said in self.dates:
            if offset <= after + added:
                break
            added += min(len(f" ({said})"), offset - after - added)
        return super(Dated, self).place(offset - added)


InferredField = Literal["from", "to", "kind", "since", "until"]


@dataclass(frozen=True, slots=True)
class Inferred:
    """A filter that the question did not state as one."""

    field: InferredField
    value: str
    """A name or address as written, "me", a kind, or a day as YYYY-MM-DD."""
    words: str
    """The words of the question it came from."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as understood."""

    text: str
    """For ranking and for the models: as typed, without operators."""
    filters: Filters = field(default_factory=Filters)
    task: str = "question"
    """A name in `engine.prompts.tasks.TASKS`; personal questions are "question"."""
    asked: str = ""
    """As typed, operators included; empty when it is `text`."""
    phrases: tuple[str, ...] = ()
    """A passage without one of these is no hit."""
    excluded: tuple[str, ...] = ()
    """Words and phrases; no passage of an item that holds one is a hit."""
    inferred: tuple[Inferred, ...] = ()
    """Filters inferred from the question; they apply in addition to `filters`."""
    dropped: tuple[Inferred, ...] = ()
    """Inferred filters that were dropped because they left nothing."""
    own_seen: tuple[str, ...] = ()
    """Addresses that look like the asker's, when "I" was said and none is set."""
    scope: tuple[Cited, ...] = ()
    """What a follow-up is about: only these items are looked at; empty: all."""


@dataclass(frozen=True, slots=True)
class Citation:
    """Evidence for a sentence of the answer."""

    id: int
    """The integer of the marker `[id]`, in order of first use."""
    passage: Passage
    start: int
    """Code point offset of the quote in `passage.item.text`."""
    end: int
    how: Literal["model", "matched"]
    """Whether the model named the passage or it was attributed afterwards."""
    support: bool
    """False on an abstention: one of the nearest passages, which does not hold the answer."""

    @property
    def quote(self) -> str:
        """The quoted text, literally in the item."""
        return self.passage.item.text[self.start : self.end]

    @property
    def page(self) -> int | None:
        """1-based page on which the quote begins, or None."""
        pages = self.passage.item.pages
        if not pages:
            return self.passage.item.locator.page
        return sum(1 for begin in pages if begin <= self.start)

    @property
    def line(self) -> int | None:
        """1-based line of the file at which the quote begins, or None."""
        first = self.passage.item.locator.line
        if first is None:
            return None
        return first + self.passage.item.text.count("\n", 0, self.start)

    @property
    def kept(self) -> Cited:
        """Its place and its words, to keep when the texts that were read are gone."""
        item = self.passage.item
        people = (*item.people.sender, *item.people.recipients)
        return Cited(
            self.id,
            item.kind,
            item.title,
            replace(item.locator, page=self.page, line=self.line),
            self.start,
            self.end,
            item.when,
            tuple(dict.fromkeys(person.spoken or person.address for person in people)),
            self.quote,
            self.how,
            self.support,
        )


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was read for this answer, and what was not."""

    read: dict[Kind, int] = field(default_factory=dict)
    """Items by kind."""
    files: int = 0
    bytes: int = 0
    pruned: int = 0
    """Items a filter excluded."""
    unread: int = 0
    """Files that were not read to their end, for lack of time or memory."""
    skipped: tuple[Skipped, ...] = ()
    complete: bool = True
    """Nothing is unread, and no skipped file could have matched."""
    copies: int = 0
    """Mails that occurred again elsewhere, and were left out there."""
    is_full: bool = False
    """Whether reading stopped for lack of memory."""
    where: Mapping[Path, int] = field(default_factory=dict)
    """Items by the file, where it held several or is a source, else by its folder."""

    def complete_for(self, kinds: Set[Kind]) -> bool:
        """Say whether nothing is unread that could have held items of these kinds."""
        return self.complete or not (self.unread or any(one.kinds & kinds for one in self.skipped))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many readings of the evidence gave the same answer."""

    votes: int
    of: int
    tokens_saved: int | None = None
    """Tokens that whole answers would have taken more; None where all were whole."""

    @property
    def majority(self) -> bool:
        """Whether more than half agree."""
        return 2 * self.votes > self.of


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line of a computed answer."""

    label: str
    """The group, or the value itself where nothing is grouped."""
    value: str
    """What was computed for it; empty in a plain list."""
    number: float | None
    """For the bar of a chart; None where the value is no number."""
    sources: tuple[Passage, ...]
    """The lines of items from which it was computed."""


@dataclass(frozen=True, slots=True)
class TableUnread:
    """An item that the plan is about, but that no row holds."""

    lacks: str
    """The value, group or date that it does not state."""
    source: Passage
    """The line that names it."""


@dataclass(frozen=True, slots=True)
class TableShown:
    """How an answer was computed."""

    plan: str
    """One line that `--plan` takes."""
    value: str
    """The bare answer: a number, a date, a name; empty when there is nothing."""
    columns: tuple[str, str]
    """What labels and values are."""
    rows: tuple[TableRow, ...]
    of: int
    """Items that passed the plan's filters."""
    remarks: tuple[str, ...] = ()
    """Remarks on what was left out, and on what does not state the value."""
    is_chart: bool = False
    """Whether bars help."""
    unread: tuple[TableUnread, ...] = ()
    """All items that do not state the value, the group or the date."""
    kinds: frozenset[Kind] = frozenset(Kind)
    """What its items may be."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence of an answer that no passage supports."""

    sentence: str
    lacking: tuple[str, ...] = ()
    """Its numbers, dates, times and names that the nearest passage does not state; empty when no
    passage has enough of its words."""
    said_by: str = ""
    """Who says it of themselves in the nearest passage, where the question is about another."""
    is_doubted: bool = False
    """It is cited, and the second opinion doubts that its source states it."""


@dataclass(frozen=True, slots=True)
class Order:
    """Words in the evidence that read like an order to a model (`engine.injection`)."""

    passage: Passage
    quote: str
    """Where they begin, at most a line or two; literally in the item's text, or its title
    or sender."""
    rule: str
    """What they do, as the end of "text that …"."""


Certainty = Literal["sure", "unsure", "none"]
"""Sure: shown as it is. Unsure: shown, and marked so. None: an abstention."""


@dataclass(frozen=True, slots=True)
class Argument:
    """Something that speaks for an answer or against it."""

    text: str
    """Words that people read: "a second reading gives the same answer"."""
    speaks_for: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """The last event of every question."""

    question: str
    text: str
    """With markers `[1]`; the abstention sentence when `grounded` is "none"."""
    grounded: Grounded
    citations: tuple[Citation, ...]
    coverage: Coverage
    agreement: Agreement | None
    usage: Usage
    timings: dict[str, float]
    """Seconds by stage, in order: read, recall, lookahead, …, first_token, total."""
    strategy: str
    models: ModelIds
    raw: str = ""
    """The generator's own words before checking; empty when it was not asked."""
    confidence: float | None = None
    """The probability that it is right, 0 to 1 (`engine.confidence`); None for an answer that was
    computed, condensed or refused."""
    certainty: Certainty = "none"
    reasons: tuple[Argument, ...] = ()
    """What speaks for it, then what speaks against it; none of a computed answer."""
    signals: Mapping[str, float | None] | None = None
    """What `confidence` was computed from, by name (`engine.confidence.signals.Signals`); None
    where there is no confidence."""
    query: Query = field(default_factory=lambda: Query(""))
    """The question as understood, with the filters in effect."""
    table: TableShown | None = None
    """How it was computed; None when it was written by a model."""
    unsupported: tuple[Unsupported, ...] = ()
    """Sentences of `text` that carry no citation, or a doubted one; none when it abstains."""
    orders: tuple[Order, ...] = ()
    """Text in the evidence that reads like an order to a model: a warning to the person."""

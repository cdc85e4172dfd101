"""A question as it is read: its plain words, and what some of them name.

Every grammar of questions reads this one value. Its `tagged` text has a tag in place of each name,
date and quote, so that a rule need not know them:

    Which e-mails from Ann dated May 2001 mention "the lease"?
    Which e-mails from <name0> dated <date0> mention <quote0>?
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from typing import Literal

from engine.language.dates import find_spans
from engine.language.days import Direction
from engine.question.acquaintances import Acquaintances

Role = Literal["quote", "calendar", "date", "name", "thing"]
"""What words of a question are. A thing is a noun with its determiner: "the lease"."""

OPENING, CLOSING = '"\u201c\u201e\u00ab', '"\u201d\u201c\u00bb'
"""Quotation marks."""
HIDDEN = "\0"
"""In place of each character of what was named already: no rule reads it again."""
_WORD = re.compile(rf"{HIDDEN}+|[\w']+|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question and where they are in it."""

    words: str
    start: int
    end: int
    """Exclusive; of a name without its possessive ending."""
    role: Role = "thing"


@dataclass(frozen=True)
class Analysis:
    """A question and its mentions. Each pass returns another one, with more of them."""

    question: str
    """As typed."""
    today: date
    known: Acquaintances = field(default_factory=Acquaintances)
    """Whose names are names."""
    mentions: tuple[Mention, ...] = ()
    """In the order in which they were found; none overlaps another."""

    @cached_property
    def plain(self) -> str:
        """The question with single blanks, straight apostrophes and nothing like a tag."""
        apart = re.sub(rf"[<>{HIDDEN}]", " ", self.question.replace("\u2019", "'"))
        return " ".join(apart.split())

    @cached_property
    def hidden(self) -> str:
        """The plain question with its mentions hidden; each character keeps its place."""
        text = self.plain
        for one in self.mentions:
            text = f"{text[: one.start]}{HIDDEN * (one.end - one.start)}{text[one.end :]}"
        return text

    @cached_property
    def by_tag(self) -> dict[str, Mention]:
        """The mentions by their tags, in the order in which they were found."""
        counts: dict[Role, int] = {}
        found = {}
        for one in self.mentions:
            number = counts.get(one.role, 0)
            counts[one.role] = number + 1
            found[f"<{one.role}{number}>"] = one
        return found

    @cached_property
    def tagged(self) -> str:
        """The plain question with tags in place of its mentions."""
        text = self.plain
        for tag, one in sorted(self.by_tag.items(), key=lambda pair: -pair[1].start):
            text = f"{text[: one.start]}{tag}{text[one.end :]}"
        return text

    def naming(self, role: Role, start: int, end: int, words: str | None = None) -> Analysis:
        """Return the analysis with a mention more; its words are those of the place."""
        mention = Mention(self.plain[start:end] if words is None else words, start, end, role)
        return replace(self, mentions=(*self.mentions, mention))

    def with_quotes(self, is_known: Callable[[str], bool] = lambda words: False) -> Analysis:
        """Return the analysis with what is in quotation marks.

        A quote ends at the last mark behind which known words end, else at the next one.
        """
        found, position = self, 0
        while (start := _next_of(self.plain, OPENING, position)) is not None:
            ends = [at for at in range(start + 2, len(self.plain)) if self.plain[at] in CLOSING]
            if not ends:
                break
            known = [end for end in ends if is_known(self.plain[start + 1 : end])]
            position = (known[-1] if known else ends[0]) + 1
            words = self.plain[start + 1 : position - 1]
            found = found.naming("quote", start, position, words)
        return found

    def with_dates(self, direction: Direction) -> Analysis:
        """Return the analysis with its dates, later ones first."""
        found = self
        for one in reversed(find_spans(self.hidden, self.today, direction)):
            found = found.naming("date", one.start, one.end)
        return found

    def with_names(self, end_at: Callable[[str, int], int | None]) -> Analysis:
        """Return the analysis with the names that begin at a word and end where `end_at` says."""
        found, position = self, 0
        while position < len(self.hidden):
            end = end_at(self.hidden, position)
            if end is None:
                word = _WORD.match(self.hidden, position)
                position = word.end() if word else position + 1
            else:
                words = re.sub(r"'s$", "", self.hidden[position:end])
                found = found.naming("name", position, end, words)
                position = end
        return found


def _next_of(text: str, marks: str, position: int) -> int | None:
    return next((at for at in range(position, len(text)) if text[at] in marks), None)

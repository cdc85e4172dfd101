"""What a question can name: the titles, threads, places, calendars and people that were read."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from engine.compute.fields import calendar_of, folded, place_of, thread_of, title_of
from engine.compute.nations import ALIASES
from engine.question.acquaintances import Acquaintances
from ingest.item import Item, Kind

# "Py", "Con", "UK", "2015" of "PyConUK2015"
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\d_]+|\d+")
_GENERIC = frozenset(
    {"holiday", "holidays", "calendar", "calendars", "schedule", "events", "ics", "english"}
)
"""Words of a calendar's name that do not tell it from others."""
LEAST_ALIAS = 2
"""Characters that a name of a calendar has more than; a nation's may have fewer."""
LEAST_TITLE = 2
"""Words of a title that is recognised without quotation marks."""


@dataclass(frozen=True, slots=True)
class Called:
    """A calendar by one of its names."""

    name: str
    """As `in:` takes it."""
    surplus: int
    """Words of its full name that this one lacks: the fewer, the likelier it is meant."""


@dataclass(frozen=True)
class QuestionVocabulary:
    """Everything that was read, by the names that a question may use."""

    items: Sequence[Item]
    known: Acquaintances = field(default_factory=Acquaintances)

    @classmethod
    def of(cls, items: Iterable[Item]) -> QuestionVocabulary:
        """Collect the names of items."""
        read = tuple(items)
        return cls(read, Acquaintances.of(read))

    @cached_property
    def titles(self) -> dict[str, frozenset[Kind]]:
        """Folded whole titles, and the kinds of the items that bear them.

        A chat is called by a person as a rule, who is meant then.
        """
        found: defaultdict[str, set[Kind]] = defaultdict(set)
        for item in self.items:
            if item.kind is not Kind.MESSAGE:
                found[folded(title_of(item))].add(item.kind)
        found.pop("", None)
        return {title: frozenset(kinds) for title, kinds in found.items()}

    @cached_property
    def _titles_of(self) -> dict[Kind, list[str]]:
        found: defaultdict[Kind, list[str]] = defaultdict(list)
        for title, kinds in self.titles.items():
            for kind in kinds:
                found[kind].append(title)
        return found

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset((*self.known.senders, *self.known.recipients))

    def is_name(self, word: str) -> bool:
        """Say whether a word with a capital is a known person's name."""
        return word[:1].isupper() and re.sub(r"'s$", "", word.casefold()) in self._names

    @cached_property
    def threads(self) -> frozenset[str]:
        """Folded subjects of mail without "Re:" and its like."""
        return frozenset(
            folded(thread_of(item)) for item in self.items if item.kind is Kind.MAIL
        ) - {""}

    @cached_property
    def kinds(self) -> frozenset[Kind]:
        """What kinds of items there are."""
        return frozenset(item.kind for item in self.items)

    @cached_property
    def places(self) -> frozenset[str]:
        """Folded places of events."""
        return frozenset(folded(place_of(item)) for item in self.items) - {""}

    @cached_property
    def calendars(self) -> dict[str, tuple[Called, ...]]:
        """From what a calendar may be called, folded, to those that are."""
        names = {
            (calendar_of(item), item.locator.path) for item in self.items if item.kind is Kind.EVENT
        }
        files = Counter(name for name, _ in names)
        found: defaultdict[str, list[Called]] = defaultdict(list)
        for name, path in sorted(names):
            of_file = _aliases(path.stem)
            own = {alias: max(n, of_file.get(alias, n)) for alias, n in _aliases(name).items()}
            for alias, surplus in {**of_file, **own}.items():
                found[alias].append(Called(name if files[name] == 1 else path.name, surplus))
        return {alias: _likeliest(called) for alias, called in found.items()}

    def has_title_with(self, part: str, kind: Kind | None = None) -> bool:
        """Say whether some title holds these words."""
        words = folded(part)
        whole = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")
        titles = self.titles if kind is None else self._titles_of.get(kind, ())
        return any(words in title and whole.search(title) for title in titles)


def _likeliest(called: Sequence[Called]) -> tuple[Called, ...]:
    least = min(one.surplus for one in called)
    return tuple(one for one in called if one.surplus == least)


def _aliases(name: str) -> dict[str, int]:
    """Return what a calendar may be called, and how many words of its name each leaves out."""
    parts = [part.casefold() for part in _PARTS.findall(name)]
    telling = [part for part in parts if part not in _GENERIC]
    found = {joined(parts): 0}
    for count in range(1, len(telling) + 1):
        for start in range(len(telling) - count + 1):
            alias = " ".join(telling[start : start + count])
            names = ALIASES.get(alias, (alias,) if start == 0 and len(alias) > LEAST_ALIAS else ())
            for one in names:
                key = joined([one])
                found[key] = min(len(parts) - count, found.get(key, len(parts)))
    return found


def joined(words: Iterable[str]) -> str:
    """Return words as calendars are compared: "PyCon UK" is "pyconuk"."""
    return re.sub(r"[\W_]+", "", "".join(words).casefold())


def spans_of_words(text: str, longest: int = 12) -> Iterator[tuple[int, int]]:
    """Yield where runs of words begin and end, the longest first."""
    places = [match.span() for match in re.finditer(r"[^\s?!,;]+", text)]
    for count in range(min(longest, len(places)), 0, -1):
        for first in range(len(places) - count + 1):
            yield places[first][0], places[first + count - 1][1]

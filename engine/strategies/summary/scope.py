"""What a summary is of: the items that its question names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date

from engine.compute.item_filter import Passed, passing, shelf_of
from engine.compute.lexicon import NOUNS
from engine.compute.question_plan import source_of
from engine.compute.show import PLURALS, SHELVES
from engine.compute.vocabulary import QuestionVocabulary
from engine.events import Noted, Steps
from engine.plan import Source
from engine.strategies.computation import items_of
from engine.strategies.summary.length import LENGTH
from engine.toolbox.steps import Toolbox
from ingest.item import Kind

_NOUN = "|".join(noun for noun, meant in NOUNS.items() if meant.kind)
_TWO_NOUNS = re.compile(
    rf"\b({_NOUN})(?:,| and|, and)(?: my| the| all)* ({_NOUN})\b", re.IGNORECASE
)
"""Joins two kinds of items: "my mail and events"."""


def scope_of(question: str, vocabulary: QuestionVocabulary, today: date) -> Source:
    """Return what a summary is of: kind, days, people, thread, and words it is about."""
    source = source_of(LENGTH.sub("", question), vocabulary, today)
    several = any(_kind_of(one[1]) != _kind_of(one[2]) for one in _TWO_NOUNS.finditer(question))
    return replace(source, kind=None if several else source.kind, status="any")


def _kind_of(noun: str) -> Kind | None:
    return NOUNS[noun.casefold()].kind


@dataclass(frozen=True, slots=True)
class SummaryScope:
    """The passages of a scope, by number."""

    passed: Passed
    words: str
    """The topic; empty without one."""
    numbers: list[int]
    about: list[int]
    """Passages of items that hold a word of the topic; all of them without a topic."""

    @property
    def read(self) -> list[int]:
        """What a summary reads: where nothing is about the topic, everything."""
        return self.about or self.numbers


def scoped(tools: Toolbox) -> Steps[SummaryScope]:
    """Return the passages that the question names, by number; say what was left out."""
    vocabulary = QuestionVocabulary.of(items_of(tools))
    scope = scope_of(tools.query.text, vocabulary, tools.settings.today)
    words = "" if scope.threads or scope.subjects else " ".join(scope.texts)
    of_kind = replace(scope, texts=())
    of_any = replace(of_kind, kind=None)
    tried = [_found(tools, vocabulary, one, words) for one in dict.fromkeys((of_kind, of_any))]
    found = next((one for one in tried if one.about), None)
    found = found or next((one for one in tried if one.numbers), tried[0])
    if found is not tried[0] and scope.kind:
        yield Noted(f"there are no {PLURALS[scope.kind]} of that: other kinds were read too")
    for shelf, count in sorted(found.passed.shelved.items()):
        name = SHELVES[shelf]
        yield Noted(f'left out, in {name}: {count:,}; to have that read, say "in the {name}"')
    if found.passed.undated:
        yield Noted(f"left out, without date: {len(found.passed.undated):,}")
    unlike = len(found.numbers) - len(found.about)
    if found.about and unlike:
        yield Noted(f'not read, without a word of "{words}": {unlike:,} passages')
    return found


def _found(
    tools: Toolbox, vocabulary: QuestionVocabulary, scope: Source, words: str
) -> SummaryScope:
    """Return the items that pass. An item need not hold every word, as its text may use others."""
    passed = _passing(vocabulary, scope)
    item_of = [id(passage.item) for passage in tools.corpus.passages]
    ids = {id(item) for item in passed.items}
    numbers = [one for one in tools.passages.allowed() if item_of[one] in ids]
    if not words:
        return SummaryScope(passed, words, numbers, numbers)
    scores = tools.passages.scores_of(words)
    held = {item_of[one] for one in numbers if scores[one] > 0}
    return SummaryScope(passed, words, numbers, [one for one in numbers if item_of[one] in held])


def _passing(vocabulary: QuestionVocabulary, scope: Source) -> Passed:
    """Return the items of a scope; without one, all but spam and trash, also mails within mails."""
    if scope != Source(status="any"):
        return passing(vocabulary.items, scope, vocabulary.known)
    kept = tuple(item for item in vocabulary.items if shelf_of(item) is None)
    return Passed(kept, Counter(shelf for item in vocabulary.items if (shelf := shelf_of(item))))

"""Summary: batches that fit the window, each condensed, then all of them (TTRAG section 3.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import ClassVar

from engine.checking.citation_check import MARKER
from engine.compute.item_filter import Passed, passing, shelf_of
from engine.compute.lexicon import NOUNS
from engine.compute.question_plan import source_of
from engine.compute.show import PLURALS, SHELVES
from engine.compute.vocabulary import QuestionVocabulary
from engine.events import Drafted, Noted, Steps
from engine.generation.draft import Draft
from engine.generation.reply import unshown, write
from engine.plan import Source
from engine.prompts.templates import render, show
from engine.retrieval.selection import OVERHEAD
from engine.stages import staged
from engine.strategies.computation import items_of
from engine.toolbox.steps import Toolbox
from engine.values import Passage
from ingest.item import Kind
from models.protocols import Generator

REPLY_TOKENS = 256
PROMPT_TOKENS = 300
"""About what a batch's prompt takes besides its passages, in tokens."""
_NUMBER = r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|single"
_LENGTH = re.compile(
    r"\b(?:in|into|of|with|at most|no more than|under|about|to)\s+(?:an?\s+|at most\s+|about\s+)?"
    rf"(?P<length>(?:{_NUMBER})"
    r"(?:\s+or\s+\w+)?[\s-]+(?:words?|sentences?|lines?|bullets?(?:\s+points?)?|paragraphs?))\b"
    rf"|\b(?P<number>{_NUMBER})-(?P<unit>word|sentence|line|paragraph)(?= \w)",
    re.IGNORECASE,
)
_NOUN = "|".join(noun for noun, meant in NOUNS.items() if meant.kind)
_TWO_NOUNS = re.compile(
    rf"\b({_NOUN})(?:,| and|, and)(?: my| the| all)* ({_NOUN})\b", re.IGNORECASE
)
"""Joins two kinds of items: "my mail and events"."""


@dataclass(frozen=True)
class Summary:
    """All passages in scope are read, none chosen by rank; what does not fit is said."""

    name: ClassVar[str] = "summary"
    summary: ClassVar[str] = "everything in scope, condensed batch by batch, every sentence cited"
    batches: int = 24
    """Most batches. Where more would be needed, the passages that match the question best are
    read."""
    sentences: int = 5
    """Of one batch."""

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Scope, condense each batch, condense the notes."""
        numbers = yield from _scoped(tools)
        chosen = {one: passage for one in numbers for passage in tools.passages([one])}
        if not chosen:
            return Draft("", ())
        room = max(tools.window - REPLY_TOKENS - PROMPT_TOKENS, PROMPT_TOKENS)
        model = tools.models.roles.generator
        sizes = {one: _size(model, passage) for one, passage in chosen.items()}
        kept = list(_batches(sizes, room))
        if len(kept) > self.batches:
            best = yield from self._best(tools, sizes, room)
            kept = list(_batches({one: sizes[one] for one in best}, room))[: self.batches]
        batches = [[chosen[one] for one in batch] for batch in kept]
        left_out = len(chosen) - sum(map(len, kept))
        before = tools.budget.usage.generator.prompt
        notes = yield from staged("write", tools.timings, self._notes(tools, batches))
        text = yield from staged("write", tools.timings, _condensed(tools, notes, room))
        full, read = sum(sizes.values()), tools.budget.usage.generator.prompt - before
        yield Noted(
            f"summary of {len(chosen):,} passages in {len(kept)} batches: {read:,} tokens read, "
            f"the full context has {full:,}"
        )
        if left_out:
            yield Noted(f"left out for their number: {left_out:,} passages; narrow the question")
        evidence = tuple(passage for batch in batches for passage in batch)
        return Draft(text, evidence, ended=not left_out)

    def _best(self, tools: Toolbox, sizes: Mapping[int, int], room: int) -> Steps[list[int]]:
        """Return the passages that match the question best and fit all batches, in order."""
        scores = yield from tools.recall()
        left, best = self.batches * room, []
        for number in sorted(sizes, key=lambda one: -scores[one]):
            if sizes[number] > left:
                break
            left -= sizes[number]
            best.append(number)
        return sorted(best)

    def _notes(self, tools: Toolbox, batches: Sequence[Sequence[Passage]]) -> Steps[list[str]]:
        notes = []
        for number, batch in enumerate(batches):
            with tools.models.lend("generator") as model:
                prompt = render(
                    model,
                    "summary",
                    "batch",
                    passages=show(batch),
                    question=tools.query.text,
                    sentences=str(self.sentences),
                )
                note = _reply(tools, model, prompt)
            yield Drafted(number, tuple(batch), note)
            notes.append(note)
        return notes


def asked_length(question: str) -> str:
    """Return the length that a question asks for, else a few sentences."""
    found = _LENGTH.search(question)
    if found is None:
        return "three to six sentences"
    if found["length"]:
        return " ".join(found["length"].split())
    one = found["number"].casefold() in ("1", "one", "single")
    return f"{found['number']} {found['unit']}{'' if one else 's'}"


def scope_of(question: str, vocabulary: QuestionVocabulary, today: date) -> Source:
    """Return what a summary is of: kind, days, people, thread, and words it is about."""
    source = source_of(_LENGTH.sub("", question), vocabulary, today)
    several = any(_kind_of(one[1]) != _kind_of(one[2]) for one in _TWO_NOUNS.finditer(question))
    return replace(source, kind=None if several else source.kind, status="any")


def _kind_of(noun: str) -> Kind | None:
    return NOUNS[noun.casefold()].kind


@dataclass(frozen=True, slots=True)
class _Found:
    """The passages of a scope, by number."""

    passed: Passed
    numbers: list[int]
    about: list[int]
    """Passages of items that hold a word of the topic; all of them without a topic."""


def _scoped(tools: Toolbox) -> Steps[list[int]]:
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
    return found.about or found.numbers


def _found(tools: Toolbox, vocabulary: QuestionVocabulary, scope: Source, words: str) -> _Found:
    """Return the items that pass. An item need not hold every word, as its text may use others."""
    passed = _passing(vocabulary, scope)
    item_of = [id(passage.item) for passage in tools.corpus.passages]
    ids = {id(item) for item in passed.items}
    numbers = [one for one in tools.passages.allowed() if item_of[one] in ids]
    if not words:
        return _Found(passed, numbers, numbers)
    scores = tools.passages.scores_of(words)
    held = {item_of[one] for one in numbers if scores[one] > 0}
    return _Found(passed, numbers, [one for one in numbers if item_of[one] in held])


def _passing(vocabulary: QuestionVocabulary, scope: Source) -> Passed:
    """Return the items of a scope; without one, all but spam and trash, also mails within mails."""
    if scope != Source(status="any"):
        return passing(vocabulary.items, scope, vocabulary.known)
    kept = tuple(item for item in vocabulary.items if shelf_of(item) is None)
    return Passed(kept, Counter(shelf for item in vocabulary.items if (shelf := shelf_of(item))))


def _size(model: Generator, passage: Passage) -> int:
    return model.count(passage.text) + OVERHEAD


def _batches(sizes: Mapping[int, int], room: int) -> Iterator[list[int]]:
    """Yield runs of passages within so many tokens, in document order."""
    batch: list[int] = []
    used = 0
    for number, size in sizes.items():
        if batch and used + size > room:
            yield batch
            batch, used = [], 0
        batch.append(number)
        used += size
    if batch:
        yield batch


def _condensed(tools: Toolbox, notes: Sequence[str], room: int) -> Steps[str]:
    """Return the notes as one text of the asked length; notes that do not fit, in rounds."""
    yield from ()
    left = list(notes)
    with tools.models.lend("generator") as model:
        while True:
            groups = list(_fitting(model, left, room))
            left = [_condense(tools, model, group) for group in groups]
            if len(left) == 1:
                return MARKER.sub("", left[0])


def _fitting(model: Generator, notes: Sequence[str], room: int) -> Iterator[list[str]]:
    group: list[str] = []
    used = 0
    for note in notes:
        size = model.count(note)
        if len(group) > 1 and used + size > room:
            yield group
            group, used = [], 0
        group.append(note)
        used += size
    yield group


def _condense(tools: Toolbox, model: Generator, notes: Sequence[str]) -> str:
    question = tools.query.text
    prompt = render(
        model,
        "summary",
        "condense",
        notes="\n".join(notes),
        question=question,
        length=asked_length(question),
    )
    return _reply(tools, model, prompt)


def _reply(tools: Toolbox, model: Generator, prompt: str) -> str:
    steps = write(model, tools.asked_over(), prompt, max_tokens=REPLY_TOKENS, stop=())
    return unshown(steps).text

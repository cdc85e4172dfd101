"""Summary: batches that fit the window, each condensed, then all of them (TTRAG section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Generator as Steps
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from engine.citing import MARKER
from engine.compute.plan import Source
from engine.compute.selecting import passing, shelf_of
from engine.compute.steps import items_of
from engine.compute.understand import source_of
from engine.compute.world import World
from engine.drafts import Draft
from engine.events import Drafted, Event, Noted
from engine.prompting import render, show
from engine.selection import OVERHEAD
from engine.stages import staged
from engine.steps import Toolbox
from engine.values import Passage
from models.protocols import Generator, Sampling

REPLY_TOKENS = 256
PROMPT_TOKENS = 300
"""What a batch's prompt takes besides its passages, about."""
_LENGTH = re.compile(
    r"\b(?:in|into|of|with|at most|no more than|under|about)\s+(?:an?\s+|at most\s+|about\s+)?"
    r"((?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|single)"
    r"(?:\s+or\s+\w+)?[\s-]+(?:words?|sentences?|lines?|bullets?(?:\s+points?)?|paragraphs?))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Summary:
    """All passages in scope are read, none chosen by rank; what does not fit is said."""

    name: ClassVar[str] = "summary"
    summary: ClassVar[str] = "everything in scope, condensed batch by batch, every sentence cited"
    batches: int = 24
    """At most; beyond, the passages that match the question best are read."""
    sentences: int = 5
    """Of one batch."""

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Scope, condense each batch, condense the notes."""
        chosen = _scoped(tools)
        if not chosen:
            return Draft("", ())
        window = min(tools.models.generator.context, tools.budget.window or 1 << 30)
        room = max(window - REPLY_TOKENS - PROMPT_TOKENS, PROMPT_TOKENS)
        sizes = [_size(tools.models.generator, one) for one in chosen]
        kept = list(_batches(chosen, sizes, room))
        if len(kept) > self.batches:
            best = yield from self._best(tools, chosen, sizes, room)
            kept = list(_batches([chosen[i] for i in best], [sizes[i] for i in best], room))
            kept = kept[: self.batches]
        left_out = len(chosen) - sum(map(len, kept))
        notes = yield from staged("write", tools.timings, self._notes(tools, kept))
        text = yield from staged("write", tools.timings, _condensed(tools, notes, room))
        full, read = sum(sizes), tools.usage.generator.prompt
        yield Noted(
            f"summary of {len(chosen):,} passages in {len(kept)} batches: {read:,} tokens read, "
            f"the full context has {full:,}"
        )
        if left_out:
            yield Noted(f"left out for their number: {left_out:,} passages; narrow the question")
        evidence = tuple(passage for batch in kept for passage in batch)
        return Draft(text, evidence, ended=not left_out)

    def _best(
        self, tools: Toolbox, chosen: Sequence[Passage], sizes: Sequence[int], room: int
    ) -> Steps[Event, None, list[int]]:
        """Return the passages that match the question best and fit all batches, in order."""
        scores = yield from tools.recall()
        rank = {id(one): score for one, score in zip(tools.corpus.passages, scores, strict=True)}
        left, best = self.batches * room, []
        for i in sorted(range(len(chosen)), key=lambda i: -rank[id(chosen[i])]):
            if sizes[i] > left:
                break
            left -= sizes[i]
            best.append(i)
        return sorted(best)

    def _notes(
        self, tools: Toolbox, batches: Sequence[Sequence[Passage]]
    ) -> Steps[Event, None, list[str]]:
        notes = []
        for number, batch in enumerate(batches):
            with tools.metered("generator") as model:
                prompt = render(
                    model,
                    "summary",
                    "batch",
                    passages=show(batch),
                    question=tools.query.text,
                    sentences=str(self.sentences),
                )
                note = _reply(model, prompt)
            yield Drafted(number, tuple(batch), note)
            notes.append(note)
        return notes


def asked_length(question: str) -> str:
    """Return the length that a question asks for, else a few sentences."""
    found = _LENGTH.search(question)
    return " ".join(found[1].split()) if found else "three to six sentences"


def _scoped(tools: Toolbox) -> list[Passage]:
    """Return the passages of the items that the question names: its days, people, thread."""
    allowed = tools.passages(tools.all_allowed())
    world = World.of(items_of(tools))
    source = source_of(tools.query.text, world, tools.today)
    if source == Source(kind=source.kind):
        return [one for one in allowed if shelf_of(one.item) is None]
    for scope in (source, replace(source, kind=None)):
        ids = {id(item) for item in passing(world.items, scope, world.known).items}
        if ids:
            return [passage for passage in allowed if id(passage.item) in ids]
    return []


def _size(model: Generator, passage: Passage) -> int:
    return model.count(passage.text) + OVERHEAD


def _batches(
    passages: Sequence[Passage], sizes: Sequence[int], room: int
) -> Iterator[list[Passage]]:
    """Yield runs of passages within so many tokens, in document order."""
    batch: list[Passage] = []
    used = 0
    for passage, size in zip(passages, sizes, strict=True):
        if batch and used + size > room:
            yield batch
            batch, used = [], 0
        batch.append(passage)
        used += size
    if batch:
        yield batch


def _condensed(tools: Toolbox, notes: Sequence[str], room: int) -> Steps[Event, None, str]:
    """Return the notes as one text of the asked length; notes that do not fit, in rounds."""
    yield from ()
    left = list(notes)
    with tools.metered("generator") as model:
        while True:
            groups = list(_fitting(model, left, room))
            left = [_condense(model, tools.query.text, group) for group in groups]
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


def _condense(model: Generator, question: str, notes: Sequence[str]) -> str:
    prompt = render(
        model,
        "summary",
        "condense",
        notes="\n".join(notes),
        question=question,
        length=asked_length(question),
    )
    return _reply(model, prompt)


def _reply(model: Generator, prompt: str) -> str:
    pieces = model.sample(prompt, max_tokens=REPLY_TOKENS, sampling=Sampling())
    return "".join(piece.text for piece in pieces).strip()

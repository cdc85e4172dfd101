"""Everything in scope, condensed batch by batch (TTRAG section 3.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.events import Drafted, Noted, Steps
from engine.generation.draft import Draft
from engine.generation.reply import unshown, write
from engine.prompts.templates import render, show
from engine.retrieval.selection import OVERHEAD
from engine.stages import staged
from engine.strategies.summary.length import SummaryLength, trimmed
from engine.toolbox.steps import Toolbox
from engine.values import Passage
from models.protocols import Generator

NOTE_TOKENS = 256


@dataclass(frozen=True)
class BatchReading:
    """Reads passages in batches that fill the window, as far as the batches go."""

    room: int
    """Tokens of a batch."""
    batches: int
    """Most batches."""
    sentences: int
    """Of one batch."""

    def write(
        self, tools: Toolbox, chosen: Mapping[int, Passage], length: SummaryLength
    ) -> Steps[Draft]:
        """Return a summary of this length, with what was read for it; say what was left out."""
        model = tools.models.roles.generator
        sizes = {one: size(model, passage) for one, passage in chosen.items()}
        kept = list(_batches(sizes, self.room))
        if len(kept) > self.batches:
            best = yield from self._best(tools, sizes)
            kept = list(_batches({one: sizes[one] for one in best}, self.room))[: self.batches]
        batches = [[chosen[one] for one in batch] for batch in kept]
        before = tools.budget.usage.generator.prompt
        notes = yield from staged("write", tools.timings, self._notes(tools, batches))
        notes = yield from staged("write", tools.timings, self._fewer(tools, notes))

        def prompt(model: Generator) -> str:
            fields = {"notes": "\n".join(notes), "length": length.words}
            return render(model, "summary", "condense", question=tools.query.text, **fields)

        draft = yield from tools.reply_to(prompt, (), max_tokens=length.tokens, stop=())
        full, read = sum(sizes.values()), tools.budget.usage.generator.prompt - before
        yield Noted(
            f"summary of {len(chosen):,} passages in {len(kept)} batches: {read:,} tokens read, "
            f"the full context has {full:,}"
        )
        left_out = len(chosen) - sum(map(len, kept))
        if left_out:
            yield Noted(f"left out for their number: {left_out:,} passages; narrow the question")
        evidence = tuple(passage for batch in batches for passage in batch)
        return replace(draft, text=trimmed(draft), evidence=evidence, ended=not left_out)

    def _best(self, tools: Toolbox, sizes: Mapping[int, int]) -> Steps[list[int]]:
        """Return the passages that match the question best and fit all batches, in order."""
        scores = yield from tools.recall()
        left, best = self.batches * self.room, []
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
                fields = {"passages": show(batch), "sentences": str(self.sentences)}
                note = _note(tools, model, "batch", **fields)
            yield Drafted(number, tuple(batch), note)
            notes.append(note)
        return notes

    def _fewer(self, tools: Toolbox, notes: Sequence[str]) -> Steps[list[str]]:
        """Return notes that fit a batch; of too many, notes of notes."""
        yield from ()
        left = list(notes)
        with tools.models.lend("generator") as model:
            while len(left) > 1 and sum(map(model.count, left)) > self.room:
                length = f"at most {self.sentences} sentences"
                left = [
                    _note(tools, model, "condense", notes="\n".join(group), length=length)
                    for group in _groups(model, left, self.room)
                ]
        return left


def size(model: Generator, passage: Passage) -> int:
    """Return the tokens that a passage takes in a prompt."""
    return model.count(passage.text) + OVERHEAD


def _batches(sizes: Mapping[int, int], room: int) -> Iterator[list[int]]:
    """Yield runs of passages within so many tokens, in document order."""
    batch: list[int] = []
    used = 0
    for number, tokens in sizes.items():
        if batch and used + tokens > room:
            yield batch
            batch, used = [], 0
        batch.append(number)
        used += tokens
    if batch:
        yield batch


def _groups(model: Generator, notes: Sequence[str], room: int) -> Iterator[list[str]]:
    """Yield runs of notes that fit; at least two each, so that there are fewer afterwards."""
    group: list[str] = []
    used = 0
    for note in notes:
        tokens = model.count(note)
        if len(group) > 1 and used + tokens > room:
            yield group
            group, used = [], 0
        group.append(note)
        used += tokens
    yield group


def _note(tools: Toolbox, model: Generator, part: str, **fields: str) -> str:
    prompt = render(model, "summary", part, question=tools.query.text, **fields)
    steps = write(model, tools.asked_over(), prompt, max_tokens=NOTE_TOKENS, stop=())
    return unshown(steps).text

"""How many passages the generator's context holds, for strategies that fill it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.errors import CorpusTooLarge
from engine.language.sentences import Span
from engine.retrieval.selection import CHARACTERS_A_TOKEN, MISSES, OVERHEAD
from engine.settings import PROMPT_TOKENS
from engine.toolbox.steps import Toolbox
from engine.values import Excerpt, Passage
from models.protocols import Generator

_WORD = re.compile(r"\S+")


@dataclass
class WindowSpace:
    """The tokens left for passages in the generator's window."""

    passages: Sequence[Passage]
    model: Generator
    left: int

    @classmethod
    def of(cls, tools: Toolbox) -> WindowSpace:
        """Return the window without the tokens of instructions, question and answer."""
        model = tools.models.roles.generator
        asked = model.count(tools.query.text)
        left = tools.window - PROMPT_TOKENS - asked - tools.task.answer_tokens
        return cls(tools.corpus.passages, model, max(0, left))

    def cost(self, number: int) -> int:
        """Return the tokens of a passage with its heading."""
        return self.model.count(self.passages[number].text) + OVERHEAD

    def fill(self, numbers: Iterable[int]) -> list[int]:
        """Return the first passages that fit; stop after several in a row that do not."""
        chosen, misses = [], 0
        for number in numbers:
            cost = self.cost(number)
            if cost <= self.left:
                chosen.append(number)
                self.left -= cost
                misses = 0
            else:
                misses += 1
                if misses == MISSES:
                    break
        return chosen


def require_whole(tools: Toolbox, numbers: Sequence[int]) -> None:
    """Raise `CorpusTooLarge`, with both numbers, unless all passages fit together."""
    room = WindowSpace.of(tools)
    least = sum(len(room.passages[i].text) for i in numbers) // CHARACTERS_A_TOKEN
    if least > room.left:
        raise _too_large(f"more than {least:,}", room.left)
    needed = sum(room.cost(i) for i in numbers)
    if needed > room.left:
        raise _too_large(f"{needed:,}", room.left)


def _too_large(needed: str, left: int) -> CorpusTooLarge:
    return CorpusTooLarge(
        f"What was read takes {needed} tokens; the context has room for {left:,}.",
        remedy="Ask over less, or use a strategy that chooses: --strategy fb_rag.",
    )


def head_and_tail(tools: Toolbox, numbers: Sequence[int]) -> dict[int, Passage]:
    """Return the first and last passages that take half the window each, in order.

    Return everything where it fits. The passages at the two borders are cut at a word, as LongBench
    cuts its prompt at a token. Both borders may be in one passage.
    """
    room = WindowSpace.of(tools)
    costs = {i: room.cost(i) for i in numbers}
    if sum(costs.values()) <= room.left:
        return {i: room.passages[i] for i in numbers}
    half = room.left // 2
    head, left = _while_it_fits(numbers, costs, half)
    tail, behind = _while_it_fits(numbers[::-1], costs, half)
    kept = {i: room.passages[i] for i in (*head, *tail)}
    first, last = numbers[len(head)], numbers[-len(tail) - 1]
    begin, end = room.passages[first], room.passages[last]
    runs: dict[int, list[Span]] = {first: [], last: []}
    runs[first] += _span(begin, 0, _longest_head(begin.text, max(0, left - OVERHEAD), room.model))
    runs[last] += _span(end, _longest_tail(end.text, max(0, behind - OVERHEAD), room.model), None)
    for number, spans in runs.items():
        passage = room.passages[number]
        if spans:
            kept[number] = Excerpt(passage.item, passage.start, passage.end, tuple(spans))
    return dict(sorted(kept.items()))


def _while_it_fits(
    numbers: Sequence[int], costs: Mapping[int, int], left: int
) -> tuple[list[int], int]:
    """Return the first passages that fit, and the tokens left."""
    chosen = []
    for number in numbers:
        if costs[number] > left:
            break
        left -= costs[number]
        chosen.append(number)
    return chosen, left


def _longest_head(text: str, tokens: int, model: Generator) -> int:
    """Return where the longest beginning of whole words within so many tokens ends."""
    ends = [0, *(word.end() for word in _WORD.finditer(text))]
    return ends[bisect_right(ends, tokens, key=lambda end: model.count(text[:end])) - 1]


def _longest_tail(text: str, tokens: int, model: Generator) -> int:
    """Return where the longest ending of whole words within so many tokens begins."""
    starts = [len(text), *(word.start() for word in reversed(list(_WORD.finditer(text))))]
    return starts[bisect_right(starts, tokens, key=lambda start: model.count(text[start:])) - 1]


def _span(passage: Passage, begin: int, end: int | None) -> list[Span]:
    """Return a part of a passage as offsets into its item's text; nothing where it is empty."""
    stop = passage.end if end is None else passage.start + end
    return [(passage.start + begin, stop)] if passage.start + begin < stop else []

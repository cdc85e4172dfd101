"""How many passages the generator's context holds, for strategies that fill it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import CorpusTooLarge
from engine.selection import CHARACTERS_A_TOKEN, MISSES, OVERHEAD
from engine.settings import PROMPT_TOKENS
from engine.steps import Toolbox
from engine.values import Passage
from models.protocols import Generator


@dataclass
class Room:
    """Tokens of the generator's window that passages may still take."""

    passages: Sequence[Passage]
    model: Generator
    left: int

    @classmethod
    def of(cls, tools: Toolbox) -> Room:
        """Return the whole window less instructions, question and answer."""
        model = tools.models.generator
        window = min(tools.budget.window or model.context, model.context)
        asked = model.count(tools.query.text)
        left = window - PROMPT_TOKENS - asked - tools.task.answer_tokens
        return cls(tools.corpus.passages, model, max(0, left))

    def cost(self, number: int) -> int:
        """Return what a passage takes, its heading included."""
        return self.model.count(self.passages[number].text) + OVERHEAD

    def fill(self, numbers: Iterable[int]) -> list[int]:
        """Return the first passages that fit; it ends after some in a row that do not."""
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
    room = Room.of(tools)
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


def head_and_tail(tools: Toolbox, numbers: Sequence[int]) -> list[int]:
    """Return the first and last passages that take half the window each, in order."""
    room = Room.of(tools)
    half = room.left // 2
    room.left = half
    head = _while_it_fits(room, numbers)
    room.left = half
    tail = _while_it_fits(room, numbers[len(head) :][::-1])
    return head + tail[::-1]


def _while_it_fits(room: Room, numbers: Sequence[int]) -> list[int]:
    chosen = []
    for number in numbers:
        room.left -= room.cost(number)
        if room.left < 0:
            break
        chosen.append(number)
    return chosen

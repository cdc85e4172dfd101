"""One reading for a summary: how much of the scope it takes, and what it says of that."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.attention.compression import GAP_TOKENS
from engine.compute.fields import PREFIX
from engine.events import Noted, Selected, Steps
from engine.generation.draft import Draft
from engine.prompts.templates import describe, render, section, show
from engine.retrieval.selection import OVERHEAD
from engine.settings import Effort
from engine.strategies.summary.length import SummaryLength, trimmed
from engine.strategies.summary.parts import (
    MOST_PASSAGES,
    PartChoice,
    as_passages,
    by_item,
    by_passage,
    parts_of,
)
from engine.toolbox.steps import Toolbox
from engine.values import Passage
from models.protocols import Generator

PROMPT_TOKENS = 300
"""About what a prompt takes besides its passages, in tokens."""
USUAL_TOKENS: dict[Effort, int] = {"quick": 2000, "balanced": 4000}
"""Tokens of passages where the speed is unknown."""
SECONDS: dict[Effort, float] = {"quick": 40.0, "balanced": 90.0}
"""What reading and writing may take at the measured speed. The rest of one and two minutes is for
files, for loading the model, and for a machine that does other work besides."""
STEPS = 2
"""The usual tokens are doubled or halved so often at most. Only then does the same question read
the same parts again, although no two measurements of a speed are alike."""
SLACK = 1.25
"""What is so little longer than its room is read whole: that costs less than what it would lack."""
TIME_SHARE = 0.7
"""Most of a time budget's rest that reading and writing may take."""


def affordable(tools: Toolbox, written: int) -> int | None:
    """Return how many tokens the effort and the speed of the generator allow; None: no limit."""
    usual = USUAL_TOKENS.get(tools.settings.effort)
    if usual is None:
        return None
    return min(_left(tools), _in_time(tools, usual, written))


def _left(tools: Toolbox) -> int:
    """Return the tokens of passages that the question's budget leaves."""
    asked = tools.models.roles.generator.count(tools.query.text)
    return max(PROMPT_TOKENS, tools.budget.tokens_left - PROMPT_TOKENS - asked)


def _in_time(tools: Toolbox, usual: int, written: int) -> int:
    """Return the tokens that fit the seconds of the effort, in steps of two."""
    corrected = tools.forecast.speed
    speed = corrected.speed_of("generator") if corrected is not None else None
    if speed is None:
        return usual
    seconds = SECONDS[tools.settings.effort]
    if tools.budget.deadline is not None:
        seconds = min(seconds, TIME_SHARE * (tools.budget.deadline - time.monotonic()))
    tokens = max(1.0, (seconds - written / speed.writing) * speed.reading)
    steps = math.floor(math.log2(tokens / usual))
    return int(usual * 2.0 ** max(-STEPS, min(STEPS, steps)))


@dataclass(frozen=True)
class PartReading:
    """Reads once the parts of passages that cover them best."""

    room: int | None
    """Tokens of the parts; None: what the window holds."""
    length: SummaryLength
    topic: str
    every: Sequence[Passage]
    """The whole scope, of which the passages that are compared may be a sample."""

    def write(self, tools: Toolbox, passages: Sequence[Passage]) -> Steps[Draft]:
        """Return a summary of the parts that fit; say what they are.

        Its evidence is the passages that they are of, whole: a sentence has support where one
        states it, be it in other sentences than those that were read.
        """
        model = tools.models.roles.generator
        parts = parts_of(passages)
        costs = [model.count(part.text) for part in parts]
        items = {id(part.passage.item): part.passage.item for part in parts}
        headings = {at: OVERHEAD + model.count(describe(item)) for at, item in items.items()}
        full = sum(costs) + GAP_TOKENS * len(parts) + sum(headings.values())
        chosen = PartChoice(parts, costs, self._budget(tools, full), self.topic, headings).run()
        shown = as_passages(chosen, by_passage)
        sizes = dict(zip(map(id, parts), costs, strict=True))
        read, held = sum(sizes[id(part)] for part in chosen), sum(costs)
        sampled = len(passages) / len(self.every) if len(self.every) > MOST_PASSAGES else 1.0
        yield Noted(self._said(read, held, sampled, shown))
        yield Selected("write", shown, len(tools.corpus.passages))
        length = self.length

        def prompt(model: Generator) -> str:
            items = as_passages(chosen, by_item)
            fields = {"passages": show(items), "length": length.words, "several": _several(items)}
            return render(model, "summary", "reading", question=tools.query.text, **fields)

        draft = yield from tools.reply_to(prompt, (), max_tokens=length.tokens, stop=())
        evidence = tuple({id(part.passage): part.passage for part in chosen}.values())
        is_whole = read == held and sampled == 1.0
        return replace(draft, text=trimmed(draft), evidence=evidence, ended=is_whole)

    def _budget(self, tools: Toolbox, full: int) -> int:
        """Return the tokens of the parts: those of everything if that is little more."""
        window = window_room(tools, self.length)
        room = min(window, self.room or window)
        return full if full <= min(SLACK * room, window, _left(tools)) else room

    def _said(self, read: int, held: int, sampled: float, shown: Sequence[Passage]) -> str:
        """Say what part of the scope is read. What was not even compared is estimated."""
        if read == held and sampled == 1.0:
            return f"read all of it: {held:,} tokens"
        full = f"{held:,}" if sampled == 1.0 else f"about {round(held / sampled / 100) * 100:,}"
        items, of = (len({id(one.item) for one in some}) for some in (shown, self.every))
        if of == 1:
            where = "the beginning, something of the end"
        elif items == of:
            where = f"the beginning of each of {of:,} items"
        else:
            where = f"from {items:,} of {of:,} items the beginning"
        most = "the passages that have most in common with the rest"
        return f"read {read:,} of {full} tokens: {where}, and {most}"


def _several(items: Sequence[Passage]) -> str:
    """Return a remark on passages of several items; other words where they are a conversation."""
    subjects = {PREFIX.sub("", one.item.title).strip().casefold() for one in items}
    if len(items) < 2:
        return ""
    return section("summary", "several" if len(subjects) > 1 else "conversation")


def window_room(tools: Toolbox, length: SummaryLength) -> int:
    """Return the tokens that the generator's window has for passages."""
    return max(tools.window - length.tokens - PROMPT_TOKENS, PROMPT_TOKENS)

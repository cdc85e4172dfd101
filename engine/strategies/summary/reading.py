"""One reading for a summary: how much of the scope it takes, and what it says of that."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

from engine.attention.compression import GAP_TOKENS
from engine.events import Noted, Selected, Steps
from engine.generation.draft import Draft
from engine.prompts.templates import render, section, show
from engine.retrieval.selection import OVERHEAD
from engine.settings import Effort
from engine.strategies.summary.length import SummaryLength, trimmed
from engine.strategies.summary.parts import (
    PartChoice,
    TextPart,
    as_passages,
    by_item,
    by_passage,
    parts_of,
    spread_out,
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


def read_once(
    tools: Toolbox, passages: Sequence[Passage], room: int, length: SummaryLength, topic: str
) -> Steps[Draft]:
    """Return a summary of the parts that fit, with what was read for it; say what that is."""
    model = tools.models.roles.generator
    compared = spread_out(passages)
    parts = parts_of(compared)
    costs = [model.count(part.text) for part in parts]
    chosen = PartChoice(
        parts, costs, max(room, _whole(tools, parts, costs, room, length)), topic
    ).run()
    evidence = as_passages(chosen, by_passage)
    sizes = dict(zip(map(id, parts), costs, strict=True))
    read, held = sum(sizes[id(part)] for part in chosen), sum(costs)
    unseen = sum(len(one.text) for one in passages) - sum(len(one.text) for one in compared)
    yield Noted(_read_of(read, held, unseen, passages, evidence))
    yield Selected("write", evidence, len(tools.corpus.passages))

    def prompt(model: Generator) -> str:
        shown = as_passages(chosen, by_item)
        several = section("summary", "several") if len(shown) > 1 else ""
        fields = {"passages": show(shown), "length": length.words, "several": several}
        return render(model, "summary", "reading", question=tools.query.text, **fields)

    draft = yield from tools.reply_to(prompt, (), max_tokens=length.tokens, stop=())
    is_whole = read == held and not unseen
    return replace(draft, text=trimmed(draft), evidence=evidence, ended=is_whole)


def window_room(tools: Toolbox, length: SummaryLength) -> int:
    """Return the tokens that the generator's window has for passages."""
    return max(tools.window - length.tokens - PROMPT_TOKENS, PROMPT_TOKENS)


def _whole(
    tools: Toolbox,
    parts: Sequence[TextPart],
    costs: Sequence[int],
    room: int,
    length: SummaryLength,
) -> int:
    """Return the tokens of everything if that is little more than the room, else 0."""
    items = {id(part.passage.item) for part in parts}
    full = sum(costs) + GAP_TOKENS * len(parts) + OVERHEAD * len(items)
    most = min(SLACK * room, window_room(tools, length), _left(tools))
    return full if full <= most else 0


def _read_of(
    read: int, held: int, unseen: int, all_: Sequence[Passage], evidence: Sequence[Passage]
) -> str:
    """Say what part of the scope is read. Of what was not even compared, the size is estimated."""
    if read == held and not unseen:
        return f"read all of it: {held:,} tokens"
    compared = sum(len(one.text) for one in all_) - unseen
    about = f"about {round(held * (1 + unseen / compared), -2):,}" if unseen else f"{held:,}"
    items, of = (len({id(one.item) for one in some}) for some in (evidence, all_))
    if of == 1:
        where = "the beginning, something of the end"
    elif items == of:
        where = f"the beginning of each of {of:,} items"
    else:
        where = f"from {items:,} of {of:,} items the beginning"
    most = "the passages that have most in common with the rest"
    return f"read {read:,} of {about} tokens: {where}, and {most}"

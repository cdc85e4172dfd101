"""What the rules of `auto` know about the question, about what was found and about this machine.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.budget.work import answer_work, look_ahead_work
from engine.errors import BudgetTooSmall
from engine.generation.reply import asks_several
from engine.retrieval import selection
from engine.retrieval.recall import Scores, best_first
from engine.settings import PROMPT_TOKENS, Effort
from engine.toolbox.steps import Toolbox
from engine.values import Passage

CLEAR = 0.5
"""The best passage is alone if no other scores this share of it: a judgement, no other share
was measured. Of mail questions that name their mail the right one was among the best two every time
(recall@2 1.00, 40 questions)."""
TYPICAL = 5
"""Best passages whose mean length is taken for that of all."""
MULTIHOP = "multihop"
"""The task whose questions are made to need several passages."""

# "which is older, A or B", "both Ann and Bob"
_COMPARES = re.compile(
    r"\b(?:both|same|either|earlier|later|older|younger|longer|shorter|first|more|less)\b.*"
    r"(?:\bor\b|\band\b|\bthan\b)",
    re.IGNORECASE,
)
# "from the firm that built it", "of the son of the"
_DESCRIBES = re.compile(
    r"\b(?:of|by|from|in|with|to|for|at) (?:the|a|an) .*\b(?:that|who|whom|whose|which|where)\b"
    r"|\b(?:of|by) the [\w ]+ (?:of|by) the\b",
    re.IGNORECASE,
)
"""Names a thing by a description. That thing has to be found first."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the rules know of a question and of this machine."""

    effort: Effort
    found: int
    """Passages that recall found and the effort would show the generator, had they room."""
    fitting: int
    """How many of them fit its tokens together; 0 where not even one does."""
    leaders: int
    """Passages that score at least `CLEAR` of the best."""
    several: bool
    """Whether the question may need more than one passage."""
    encoder: bool
    one_model: bool
    """Whether the generator looks ahead for itself."""
    tokens_left: int
    """Input tokens of both language models that the effort leaves."""
    lookahead_tokens: int
    """What looking ahead would read."""
    writing_tokens: int
    """What the longest reading for the answer would read."""
    seconds_left: float | None = None
    """Until the last token is due; None: no limit."""
    lookahead_seconds: float | None = None
    """What looking ahead takes, with the answer behind it; None: not known."""


def facts_of(tools: Toolbox, scores: Scores) -> Facts:
    """Return what is known once recall has scored every passage."""
    budget = tools.budget.limits
    best = scores.max(initial=0.0)
    fitting = _fitting(tools, scores)
    hits = int(((scores > 0) & (scores >= budget.generator_share * best)).sum())
    text = tools.query.text
    known = Facts(
        effort=tools.budget.spending.effort,
        found=hits or fitting,
        fitting=fitting,
        leaders=int(((scores > 0) & (scores >= CLEAR * best)).sum()),
        several=tools.task.name == MULTIHOP or asks_several(text) or needs_several(text),
        encoder=tools.models.roles.encoder_id is not None,
        one_model=tools.models.roles.lookahead_id == tools.models.roles.generator_id,
        tokens_left=0,
        lookahead_tokens=budget.lookahead_tokens + PROMPT_TOKENS,
        writing_tokens=budget.generator_tokens
        + PROMPT_TOKENS
        + (budget.first_tokens if tools.task.personal else 0),
    )
    return by_now(tools, known)


def by_now(tools: Toolbox, facts: Facts) -> Facts:
    """Return the facts with what is left of tokens and time."""
    left = None if tools.budget.deadline is None else tools.budget.deadline - time.monotonic()
    return replace(
        facts,
        tokens_left=tools.budget.tokens_left,
        seconds_left=left,
        lookahead_seconds=_seconds(tools) if left is not None else None,
    )


def passage_tokens(tools: Toolbox, scores: Scores) -> float:
    """Return what a passage takes of the generator's tokens: the mean of the best; 0 without."""
    best = [int(i) for i in best_first(scores)[:TYPICAL] if scores[i] > 0]
    passages: Sequence[Passage] = tools.passages(best)
    if not passages:
        return 0.0
    return selection.tokens(passages, tools.models.roles.generator) / len(passages)


def needs_several(question: str) -> bool:
    """Say whether a question compares, or asks about what another clause describes."""
    return bool(_COMPARES.search(question) or _DESCRIBES.search(question))


def _fitting(tools: Toolbox, scores: Scores) -> int:
    try:
        return len(tools.fit_generator(scores))
    except BudgetTooSmall:
        return 0


def _seconds(tools: Toolbox) -> float | None:
    """Return what looking ahead takes at most, with the answer behind it."""
    if tools.forecast.speed is None:
        return None
    budget = tools.budget.limits
    ahead = look_ahead_work(budget.lookahead_tokens, tools.task.lookahead_tokens, budget.samples)
    return tools.forecast.speed.seconds((ahead, answer_work(budget.generator_tokens)))

"""How a question is answered: effort, budgets, seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from datetime import date, datetime, tzinfo
from typing import TYPE_CHECKING, Literal

from engine.allocation import Allocation
from engine.errors import QuestionError
from engine.prompts.examples import Example

if TYPE_CHECKING:
    from engine.plan import Plan  # imports ingest, for which no first picture waits

Effort = Literal["quick", "balanced", "thorough"]

LEAST_CONFIDENCE = 0.3
"""Of 482 answers from homes and sets that the fit has not seen, 69 are below it. Of these 16 are
right, and 14 have no answer. Reading on below it is right as often (0.489 of 1,000 questions) as
below 0.5 (0.496), and is done for 14 of 100 questions in place of 34."""
SURE_CONFIDENCE = 0.8
"""Of the same 482 the least, by steps of 0.05, with at most 0.15 of the sure wrong: 8 of 61."""

DEFAULT_STRATEGY = "auto"
"""The strategy where none is named. It decides stage by stage."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What an effort buys (FB-RAG's X, Y and K)."""

    lookahead_tokens: int
    """X: passages shown to the look-ahead model, in its tokens."""
    generator_tokens: int
    """Y: passages shown to the generator, in its tokens."""
    samples: int
    """K: look-ahead samples."""
    lookahead_share: float
    """The look-ahead sees no passage that scores below this share of the best; 0: all that fit.
    A question that names its mail has one passage far ahead of the rest."""
    generator_share: float
    """The same for the generator, whose tokens cost most."""
    first_tokens: int = 600
    """Passages of the first reading of `auto`, within Y. Where it is unsure, the next one fills Y;
    what looking ahead finds then, again as much, is read behind that."""
    enough_confidence: float = LEAST_CONFIDENCE
    """An answer with at least this probability of being right needs no further reading."""
    window: int | None = None
    """Tokens of prompt and reply of a strategy that reads all it can; None: the model's context."""


BUDGETS: dict[Effort, Budget] = {
    "quick": Budget(800, 800, 3, lookahead_share=0.4, generator_share=0.6, first_tokens=500),
    "balanced": Budget(1000, 1200, 3, lookahead_share=0.3, generator_share=0.5),
    # FB-RAG's own budget. What reads 6,000 tokens whole is surely worse than the plain arm: right
    # on 0.39 of 465 questions for 0.44.
    "thorough": Budget(
        *(6000, 1500, 5), lookahead_share=0, generator_share=0.5, enough_confidence=0.5
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of `answer` and `search`."""

    strategy: str = DEFAULT_STRATEGY
    effort: Effort = "balanced"
    max_context: int | None = None
    """Input tokens of both models over all calls; None: what the effort takes."""
    time_budget: float | None = None
    """Wall seconds to the last token; reading stops first. None: no limit."""
    seed: int = 0
    least_confidence: float = LEAST_CONFIDENCE
    """An answer with a lower probability of being right becomes an abstention; 0 lets all through.
    """
    sure_confidence: float = SURE_CONFIDENCE
    """An answer with at least this probability of being right is sure."""
    budget: Budget | None = None
    """X, Y and K to the token, in place of what the effort buys."""
    strict: bool = False
    """Whether an answer that is not sure becomes an abstention."""
    examples: tuple[Example, ...] = ()
    """Solved questions for strategies that show some; none: those that come with the program."""
    allocation: Allocation | None = None
    """How `auto` picks documents, examples and rounds; None: by the published parameters."""
    estimate: bool = False
    """Whether `answer` says how long it will take; a model's speed is then measured once, about
    half a second each."""
    plan: Plan | None = None
    """How to compute the answer; None: as the question says."""
    k: int = 10
    """Hits of a search."""
    stemming: bool = True
    """Whether words of the same English stem are found alike; phrases and exclusions never."""
    infer: bool = True
    """Whether `answer` reads filters out of the question."""
    infer_model: bool = False
    """Whether the look-ahead model is asked where the grammar reads no filter; with the starter
    models it is wrong too often (docs/results.md, "Inferred filters")."""
    attachments: float = math.inf
    """Seconds for which a reading goes on with attachments of mails, once all else is read."""
    scans: float = 0
    """Seconds for which a reading recognises scanned pages, where Tesseract is installed."""
    guard: bool = True
    """Whether orders to a model are kept from the models. They are shown either way."""
    second_opinion: bool = False
    """Whether the look-ahead model says which cited sentences it doubts."""
    own: tuple[str, ...] = ()
    """Addresses of the person who asks: what "I", "my" and `from:me` mean."""
    now: datetime | None = None
    """Aware present moment; None: the clock. Given by tests and by evaluation."""
    zone: tzinfo | None = field(default=None)
    """Local zone for calendar days; None: the machine's."""

    @property
    def present(self) -> datetime:
        """The present moment, aware, in the local zone."""
        moment = self.now or datetime.now(self.zone)
        return moment.astimezone(self.zone) if self.zone or moment.tzinfo is None else moment

    @property
    def today(self) -> date:
        """The local calendar day of the present moment."""
        return self.present.date()


MIN_PASSAGE_TOKENS = 400
"""Fewer tokens than this hold no passage; a smaller budget is refused."""
PROMPT_TOKENS = 250
"""About the tokens of a prompt beside its passages: instructions, template and question."""
STEP_TOKENS = 48
"""Limit of a follow-up question and of an intermediate answer."""


def budget_for(settings: Settings, passages: bool = True) -> Budget:
    """Return the effort's budget, cut down to `max_context`.

    Each model reads its passages once; what fills the window reads it once.
    Raises `QuestionError` when `max_context` leaves no room for a passage, where `passages` are
    to be read.
    """
    budget = settings.budget or BUDGETS[settings.effort]
    if settings.max_context is None:
        return budget
    room = max(0, settings.max_context - 2 * PROMPT_TOKENS)
    full = budget.lookahead_tokens + budget.generator_tokens
    share = min(1.0, room / full)
    cut = replace(
        budget,
        window=min(settings.max_context, budget.window or settings.max_context),
        lookahead_tokens=int(budget.lookahead_tokens * share),
        generator_tokens=int(budget.generator_tokens * share),
        first_tokens=int(budget.first_tokens * share),
    )
    if passages and min(cut.lookahead_tokens, cut.generator_tokens) < MIN_PASSAGE_TOKENS:
        least = 2 * PROMPT_TOKENS + MIN_PASSAGE_TOKENS * full // min(
            budget.lookahead_tokens, budget.generator_tokens
        )
        raise QuestionError(
            f"--max-context {settings.max_context} leaves no room for a passage.",
            remedy=f"Give at least {least} tokens.",
        )
    return cut

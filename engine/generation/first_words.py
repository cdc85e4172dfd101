"""How a reply may begin: what a model says too readily is weighed before it is written."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.events import Decided
from engine.generation.reply import GeneratorQuestion, form_asked
from models.protocols import Beginnings, Constraint, Generator, OtherBeginnings
from models.roles import ModelSet

DENIAL = "unanswerable"
"""What a reading adapter was trained to say where no passage states an answer."""
NO_DENIAL = OtherBeginnings((DENIAL, DENIAL.capitalize()))
_LEAST_VERDICT = 0.5
"""Probability of yes and no together, below which a model was about to say something else."""
_READILY = "{} was hardly likelier, and this model says {} too readily"


@dataclass(frozen=True, slots=True)
class Opening:
    """How the reply to a prompt may begin, and what was weighed."""

    adapted: bool = False
    """Whether the model's reading adapter is at work."""
    held: Constraint | None = None
    denied: float | None = None
    """Probability that the model begins to say that no passage states an answer; None without an
    adapter."""
    decided: Decided | None = None
    """None where the model begins as it would."""


def opening_of(model: Generator, asked: GeneratorQuestion, prompt: str, roles: ModelSet) -> Opening:
    """Weigh how a personal question is answered; its prompt is computed once for all of it.

    A reply is held to no, or to an answer, where yes, or a denial that there is one, is likelier by
    no more than the generator's bias (`ModelSet.yes_bias`, `ModelSet.denial_bias`). The adapter
    was trained on single questions: of several it answers the first.
    """
    if not asked.task.personal or form_asked(asked.text) == "several":
        return Opening()
    denied: float | None = None
    held: Constraint | None = None
    decided = None
    if roles.denial_bias is not None:
        [said] = model.next_token_logprobs(prompt, (DENIAL,), adapted=True)
        denied = math.exp(min(said, 0.0))
        if denied < 1 / (1 + math.exp(-roles.denial_bias)):
            held = NO_DENIAL
        if held and denied > _LEAST_VERDICT:
            why = _READILY.format("that no passage says it", "so")
            decided = Decided("say that nothing is found", False, why)
    if held_to_no(model, asked, prompt, roles.yes_bias):
        held = Beginnings(("No,", "No."))
        decided = Decided("say no", True, _READILY.format("yes", "yes"))
    return Opening(True, held, denied, decided)


def held_to_no(model: Generator, asked: GeneratorQuestion, prompt: str, yes_bias: float) -> bool:
    """Say whether yes is asked for and likelier than no, but by no more than a model's bias.

    False where the model would say neither.
    """
    if not yes_bias or form_asked(asked.text) != "verdict":
        return False
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"), adapted=True)
    return math.exp(yes) + math.exp(no) >= _LEAST_VERDICT and 0 < yes - no < yes_bias

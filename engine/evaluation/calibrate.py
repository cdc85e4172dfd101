"""Fits a generator's confidence on answered questions, where there are few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.checking.draft_sentences import MARKER
from engine.confidence.calibration import Calibration
from engine.confidence.fit import Quality, fit, quality
from engine.confidence.signals import Signals
from engine.errors import DataError
from engine.evaluation.questions import Question
from engine.evaluation.scores import answer_scores
from engine.values import Answer

LEAST_ANSWERS = 30
LEAST_OF_EACH = 2
"""Right answers, and wrong ones: each is judged by weights fitted without it."""
RIDGE = 0.3
"""Draws the scale to 1. On 50 simulated answers it does nearly as well as the best from 0 to 1,
over true scales from 0.2 to 2 and log odds that spread by 1.5 and by 5."""

Outcome = tuple[Signals, bool]
"""The signals of an answer, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Recalibration:
    """A calibration, and what became better."""

    calibration: Calibration
    before: Quality
    """By the weights that there were."""
    after: Quality
    """By the new ones. Calibration error and Brier score judge each answer by weights fitted on the
    others; the order of answers, which the other figures are about, is that of the final weights.
    """

    @property
    def better(self) -> bool:
        """Whether the new weights do better: few answers spoil old ones that are right."""
        return self.after.brier < self.before.brier


def outcome_of(question: Question, answer: Answer) -> Outcome | None:
    """Return an answer's signals and whether it is right; None where it has no confidence.

    Computed answers have none, and an abstention has no answer to be sure of. Every answer to an
    unanswerable question is wrong; others are right by `substring_match`.
    """
    if answer.signals is None or answer.grounded == "none":
        return None
    said = MARKER.sub("", answer.text)
    right = not question.unanswerable and answer_scores(question, said)["substring"] == 1.0
    return Signals(**answer.signals), right  # type: ignore[arg-type]


def fitted(outcomes: Sequence[Outcome], prior: Calibration) -> Recalibration:
    """Scale and shift a calibration (Platt). Raises `DataError` for too few answers."""
    right = sum(outcome for _, outcome in outcomes)
    if len(outcomes) < LEAST_ANSWERS:
        raise DataError(
            f"Only {len(outcomes)} answers can be used, and a fit needs {LEAST_ANSWERS}.",
            remedy="The model abstains too often. Keep the weights that there are.",
        )
    if min(right, len(outcomes) - right) < LEAST_OF_EACH:
        raise DataError(
            f"{right} of {len(outcomes)} answers are right. A fit needs at least {LEAST_OF_EACH} "
            "right ones and as many wrong ones.",
            remedy="Keep the weights that there are.",
        )
    after = []
    for at, (signals, outcome) in enumerate(outcomes):
        others = fit([*outcomes[:at], *outcomes[at + 1 :]], prior, RIDGE)
        after.append((others.confidence(signals), outcome))
    before = [(prior.confidence(signals), outcome) for signals, outcome in outcomes]
    final = fit(outcomes, prior, RIDGE)
    order = quality([(final.confidence(signals), outcome) for signals, outcome in outcomes])
    better = replace(quality(after), risk_coverage=order.risk_coverage, auc=order.auc)
    return Recalibration(final, quality(before), better)

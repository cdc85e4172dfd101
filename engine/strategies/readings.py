"""The readings of one question, and which of their answers is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.agreement.votes import sameness
from engine.checking import abstention
from engine.checking.draft_sentences import MARKER
from engine.generation.draft import Draft
from engine.language.overlap import token_f1
from engine.toolbox.steps import Toolbox


@dataclass(frozen=True)
class Readings:
    """Answers from ever more passages: each reading goes on where the one before ended."""

    tools: Toolbox
    drafts: tuple[Draft, ...] = ()
    chosen: tuple[int, ...] = ()
    """Passages of the last reading, in the order of its prompt."""

    def and_of(self, chosen: list[int], draft: Draft) -> Readings:
        """Return the readings with another one."""
        return replace(self, drafts=(*self.drafts, draft), chosen=tuple(chosen))

    @property
    def lacking(self) -> tuple[str, ...]:
        """What the last reading found no source for, of what a question compares."""
        return self.drafts[-1].lacking

    @property
    def best(self) -> Draft:
        """The answer that is likeliest to be right; the first denial where there is no answer.

        What other readings say changes how likely each is. Of answers to a data set's question,
        which have no confidence, the last one is meant.
        """
        answers = [self._among_others(one) for one in self.drafts if self._answers(one)]
        latest = answers[::-1] or [self.drafts[0]]
        return max(latest, key=lambda one: one.confidence or 0.0)

    def _among_others(self, draft: Draft) -> Draft:
        """Return a draft with its confidence beside the other readings."""
        others = [one for one in self.drafts if one is not draft and self._answers(one)]
        if draft.signals is None or not others:
            return draft
        votes = [self._same(draft, other) for other in others]
        signals = replace(
            draft.signals, agreed=sum(1 if same else -1 for same in votes) / len(votes)
        )
        return replace(
            draft, signals=signals, confidence=self.tools.calibration.confidence(signals)
        )

    @staticmethod
    def _answers(draft: Draft) -> bool:
        return not abstention.denies(draft.text, draft.evidence)

    def _same(self, one: Draft, other: Draft) -> bool:
        same: Callable[[str, str, float], bool] = sameness(self.tools)
        texts = MARKER.sub("", one.text), MARKER.sub("", other.text)
        return same(*texts, token_f1(*texts))

    @property
    def enough(self) -> bool:
        """Whether the best answer needs no further reading."""
        confidence = self.best.confidence
        enough = self.tools.budget.limits.enough_confidence
        return confidence is not None and confidence >= enough

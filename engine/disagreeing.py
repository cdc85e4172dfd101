"""What an answer says when readings of the evidence contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from engine import citing
from engine.citing import Checked
from engine.drafts import Draft, Reading
from engine.values import Agreement, Citation

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the contradicting answers, checked."""

    text: str
    """Without markers."""
    citations: Sequence[Citation]

    @property
    def newest(self) -> datetime:
        """When its newest source is from; without a date, before all others."""
        dates = [one.passage.item.when for one in self.citations]
        return max((_aware(date) for date in dates if date is not None), default=_EARLIEST)

    @property
    def day(self) -> str:
        """The day of its newest source, in brackets."""
        return "" if self.newest == _EARLIEST else f" ({self.newest:%Y-%m-%d})"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def with_conflict(checked: Checked, draft: Draft, question: str) -> Checked:
    """Return the checked answer with the answers that contradict it and have a source.

    The one whose source is newest comes first. Without any it stays as it is, unless no more
    than half of the readings stand behind it: then it says so.
    """
    if draft.agreement is None or checked.grounded == "none":
        return checked
    readings = [Reading(draft.text, draft.evidence), *draft.others]
    sides = [(_checked(reading, question), reading) for reading in readings]
    different = {side.text: (side, one) for side, one in reversed(sides) if side.citations}
    heading = _heading(draft.agreement, contradicted=len(different) > 1)
    if len(different) < 2:
        return Checked(f"{heading}{checked.text}", checked.grounded, checked.citations)
    lines: list[str] = [heading]
    citations: list[Citation] = []
    for side, reading in sorted(different.values(), key=lambda pair: pair[0].newest, reverse=True):
        numbered = citing.check(reading.text, reading.evidence, question, after=citations)
        lines.append(f"- {numbered.text}{side.day}")
        citations = numbered.citations
    return Checked("\n".join(lines), checked.grounded, citations)


def _checked(reading: Reading, question: str) -> _Side:
    found = citing.check(reading.text, reading.evidence, question)
    return _Side(citing.MARKER.sub("", found.text), found.citations)


def _heading(agreement: Agreement, *, contradicted: bool) -> str:
    count = f"{agreement.votes} of {agreement.of} readings"
    if contradicted and agreement.majority:
        return f"{count} agree, but another source says otherwise; the newest comes first:"
    if contradicted:
        return (
            f"The sources disagree, and no answer has a majority ({count}); the newest comes first:"
        )
    return "" if agreement.majority else f"Unsure, only {count} agree: "


def refused(draft: Draft) -> bool:
    """Say whether a strict answer abstains: there was a vote, and no majority."""
    return draft.agreement is not None and not draft.agreement.majority

"""What an answer says when readings of the evidence contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engine.checking import abstention
from engine.checking.citation_check import Checked, check
from engine.generation.draft import Draft
from engine.values import Agreement

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the contradicting answers, checked."""

    draft: Draft
    checked: Checked

    @property
    def newest(self) -> datetime:
        """When its newest source is from; without a date, before all others."""
        dates = [one.passage.item.when for one in self.checked.citations]
        return max((_aware(date) for date in dates if date is not None), default=_EARLIEST)

    @property
    def day(self) -> str:
        """The day of its newest source, in brackets."""
        return "" if self.newest == _EARLIEST else f" ({self.newest:%Y-%m-%d})"


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def stands(draft: Draft, question: str, least_confidence: float) -> bool:
    """Say whether a judged answer may be shown: it is sure, and has a source."""
    sure = draft.confidence is not None and draft.confidence >= least_confidence
    denies = abstention.denies(draft.text)
    return sure and not denies and bool(check(draft.text, draft.evidence, question).citations)


def answering(draft: Draft, question: str, least_confidence: float) -> Draft:
    """Return the draft, or the first of the other answers where the draft may not be shown.

    Where a majority found no answer, the draft is kept: it becomes an abstention.
    """
    if draft.agreement is None or not draft.others:
        return draft
    not_there = abstention.denies(draft.text) and draft.agreement.majority
    if not_there or stands(draft, question, least_confidence):
        return draft
    return replace(draft.others[0], others=draft.others[1:])


def with_conflict(checked: Checked, draft: Draft, question: str) -> Checked:
    """Return the checked answer with the answers that contradict it.

    The answer with the newest source comes first. Without a contradiction the text stays the same,
    unless at most half of the readings agree: then it says so.
    """
    if draft.agreement is None or checked.grounded == "none":
        return checked
    others = [_Side(one, check(one.text, one.evidence, question)) for one in draft.others]
    sides = [_Side(draft, checked), *others]
    heading = _heading(draft.agreement, sides)
    if len(sides) < 2:
        return replace(checked, text=f"{heading}{checked.text}")
    lines: list[str] = [heading]
    together = Checked("", "grounded")
    for side in sorted(sides, key=lambda side: side.newest, reverse=True):
        after = together.citations
        numbered = check(side.draft.text, side.draft.evidence, question, after=after)
        lines.append(f"- {numbered.text}{side.day}")
        together.citations = numbered.citations
        together.unsupported += numbered.unsupported
    whole = checked.grounded == "grounded" and all(side.draft.ended for side in sides)
    whole = whole and not together.unsupported
    return replace(together, text="\n".join(lines), grounded="grounded" if whole else "partial")


def _heading(agreement: Agreement, sides: Sequence[_Side]) -> str:
    count = f"{agreement.votes} of {agreement.of} readings"
    if len(sides) < 2:
        return "" if agreement.majority else f"Unsure, only {count} agree: "
    order = "; the newest comes first" if len({side.newest for side in sides}) > 1 else ""
    if agreement.majority:
        return f"{count} agree, but another source says otherwise{order}:"
    return f"The sources disagree, and no answer has a majority ({count}){order}:"


def refused(draft: Draft) -> bool:
    """Say whether a strict answer abstains: there was a vote, and no majority."""
    return draft.agreement is not None and not draft.agreement.majority

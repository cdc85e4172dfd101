"""Answers "how much cheaper was A than B?": asks for each amount alone, and subtracts.

Small models find both amounts and cannot subtract (docs/decisions.md, "Differences").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.checking import abstention
from engine.checking.citation_check import Checked, check
from engine.checking.draft_sentences import MARKER
from engine.comparison.amounts import difference
from engine.comparison.difference import TwoAmounts, difference_of
from engine.compute.units import SIGNS, shown
from engine.confidence.reasons import BOTH_MEANT, COMPARED
from engine.events import Decided, Steps
from engine.generation.draft import Draft
from engine.settings import Settings
from engine.stages import untold
from engine.toolbox.steps import Toolbox
from engine.values import Argument, Citation

_NUMBER = re.compile(r"\d+")

Read = Callable[[Toolbox], Steps[Draft]]


def read_and_subtract(tools: Toolbox, read: Read) -> Steps[Draft | None]:
    """Answer a question for a difference from the answers to two questions for amounts.

    It is as likely as the less likely of the two, never sure, and shows both amounts. None where a
    question asks for something else, where no source states both amounts in one unit, and where the
    one that it calls larger is not: a smaller one was hardly meant.
    """
    personal = tools.task.personal
    asked = difference_of(tools.query.text, tools.settings.today) if personal else None
    if asked is None:
        return None
    drafts = list[Draft]()
    for question in asked.questions:
        # One amount alone is no answer to the question, not for the time being either.
        drafts.append((yield from untold(tools.timings, read(tools.asking(question)))))
        if not _is_answer(drafts[-1], tools.settings):
            break
    found = _subtracted(asked, drafts) if len(drafts) == len(asked.questions) else None
    why = "both amounts are stated" if found else "no two amounts are stated that fit the question"
    yield Decided("subtract", found is not None, why)
    return found


def _subtracted(asked: TwoAmounts, drafts: Sequence[Draft]) -> Draft | None:
    first = _checked_after(drafts[0], asked.questions[0], ())
    second = _checked_after(drafts[1], asked.questions[1], first.citations)
    if "none" in (first.grounded, second.grounded):
        return None
    one, other = (text.text.partition("\n")[0].strip() for text in (first, second))
    amount = difference(_bare(one), _bare(other))
    if not amount or asked.is_less not in (None, amount < 0):
        return None
    larger, smaller = (one, other) if amount >= 0 else (other, one)
    said = "; ".join(
        f"{question}: {_bare(text)}"
        for question, text in zip(asked.questions, (one, other), strict=True)
    )
    sign = next((text[0] for text in (larger, smaller) if text[0] in SIGNS), "")
    evidence = drafts[0].evidence
    judged = (draft for draft in drafts if draft.confidence is not None)
    least = min(judged, key=lambda draft: draft.confidence or 0.0, default=Draft(""))
    return replace(
        least,
        text=f"{sign}{shown(abs(amount))}\n({larger} less {smaller})",
        evidence=(*evidence, *(one for one in drafts[1].evidence if one not in evidence)),
        ended=all(draft.ended for draft in drafts),
        citations=tuple(second.citations),
        reasons=(
            *(one for draft in drafts for one in draft.reasons),
            Argument(f"{COMPARED}{said}", True),
            BOTH_MEANT,
        ),
    )


def _bare(text: str) -> str:
    return MARKER.sub("", text).strip()


def _is_answer(draft: Draft, settings: Settings) -> bool:
    """Say whether a draft alone would be shown, as far as its confidence tells."""
    if not draft.text or abstention.denies(draft.text, draft.evidence):
        return False
    return draft.confidence is None or draft.confidence >= settings.least_confidence


def _checked_after(draft: Draft, question: str, after: Sequence[Citation]) -> Checked:
    """Return the checked text of a draft; its citations are numbered after these, which come first.

    The markers of a computed draft are those of its own citations.
    """
    if not draft.citations:
        return check(draft.text, draft.evidence, question, after)
    first = len(after)
    moved = [replace(one, id=first + one.id) for one in draft.citations]
    text = MARKER.sub(lambda match: _moved(match[0], first), draft.text)
    return Checked(text, "grounded", [*after, *moved])


def _moved(markers: str, by: int) -> str:
    return _NUMBER.sub(lambda match: str(int(match[0]) + by), markers)

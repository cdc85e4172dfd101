"""How sure an answer is and why, in words for people and as members for `--json`."""

from __future__ import annotations

from collections.abc import Iterator

from app.output.plain import one_line
from engine.confidence.reasons import COMPARED
from engine.conversation import Turn
from engine.values import Answer, Argument

Judged = Answer | Turn
"""What says how sure it is: an answer, or what a conversation keeps of one."""

SIGNS = {True: "+", False: "-"}
"""Before a reason that speaks for an answer, and before one that speaks against it."""
WORDS = {True: "For:", False: "Against:"}
"""The same to those who hear signs read aloud, or not read at all."""


def heading_lines(judged: Judged) -> list[str]:
    """Return the line that marks an unsure answer; nothing for any other."""
    if judged.certainty != "unsure":
        return []
    return [f"Unsure{_in_brackets(judged.confidence)}: check it against its sources."]


def shown_reasons(judged: Judged, *, spoken: bool = False) -> list[str]:
    """Return the reasons below an answer: all of an unsure one; of others what was compared."""
    if judged.certainty == "unsure":
        return list(reason_lines(judged, spoken=spoken))
    if judged.certainty == "none":
        return []
    compared = [reason for reason in judged.reasons if reason.text.startswith(COMPARED)]
    return [one_line(reason.text) for reason in compared]


def reason_lines(judged: Judged, *, spoken: bool = False) -> Iterator[str]:
    """Yield what speaks for an answer, then what speaks against it."""
    marks = WORDS if spoken else SIGNS
    for reason in sorted(judged.reasons, key=_speaks_against):
        yield f"{marks[reason.speaks_for]} {one_line(reason.text)}"


def certainty_line(answer: Answer) -> str:
    """Return `sure, 0.85 likely right`; without a probability the word alone."""
    likely = likely_text(answer.confidence)
    return f"{answer.certainty}, {likely}" if likely else answer.certainty


def likely_text(confidence: float | None) -> str:
    """Return `0.46 likely right`; nothing where it is not known."""
    return "" if confidence is None else f"{confidence:.2f} likely right"


def leaves_more(answer: Answer, effort: str | None) -> bool:
    """Say whether `auto` read, found nothing, and would look further at `thorough` effort."""
    read = answer.table is None and answer.strategy.startswith("auto")
    return read and answer.grounded == "none" and effort != "thorough"


def certainty_object(judged: Judged) -> dict[str, object]:
    """Return the members that say how sure an answer is; nulls where an older version kept it."""
    said = {speaks_for: _texts(judged, speaks_for) for speaks_for in (True, False)}
    return {
        "certainty": judged.certainty,
        "confidence": judged.confidence,
        "reasons": {"for": said[True], "against": said[False]},
    }


def _texts(judged: Judged, speaks_for: bool) -> list[str]:
    return [reason.text for reason in judged.reasons if reason.speaks_for == speaks_for]


def _speaks_against(reason: Argument) -> bool:
    return not reason.speaks_for


def _in_brackets(confidence: float | None) -> str:
    likely = likely_text(confidence)
    return f" ({likely})" if likely else ""

"""A first answer that is shown while further evidence is looked for, and what becomes of it."""

from __future__ import annotations

import re

from app.output.certainty import likely_text
from app.output.plain import one_line
from app.output.report import shortened
from app.output.stages import begins_writing
from engine.events import Event, Provisional, Token
from engine.values import Answer

_MARKER = re.compile(r"\[\d+(?:\s*,\s*\d+)*\]")
_AROUND_WORDS = ".,;:!?\"'*"

CONFIRMED = "Confirmed by a second reading."
STANDS = "It stands: looking further did not change it."


class FirstReading:
    """Takes in events, and says of a provisional answer what there is to say."""

    def __init__(self) -> None:
        """Start without one."""
        self._text = ""
        self._confidence: float | None = None
        self._later = ""

    def __bool__(self) -> bool:
        """Say whether there is a provisional answer."""
        return bool(self._text)

    def note(self, event: Event) -> None:
        """Take in an event."""
        if isinstance(event, Provisional):
            self._text, self._confidence, self._later = event.text, event.confidence, ""
        elif isinstance(event, Token):
            self._later += event.text
        elif begins_writing(event):
            self._later = ""

    def line(self) -> str:
        """Return it, marked as provisional."""
        likely = likely_text(self._confidence)
        how = f" ({likely})" if likely else ""
        return f"So far: {one_line(self._text)}{how}; looking further …"

    def outcome(self, answer: Answer | None) -> str:
        """Say what became of it; None: the question ended without an answer."""
        was = f"It was: {shortened(self._text)}"
        if answer is None:
            return f"Not checked any further. {was}"
        if answer.grounded == "none":
            return f"Withdrawn after looking further. {was}"
        if _said(answer.text) != _said(self._text):
            return f"Replaced after looking further. {was}"
        return CONFIRMED if _said(self._later) == _said(self._text) else STANDS


def _said(text: str) -> list[str]:
    """Return the words of an answer, without what is checked or set anew in it."""
    words = (word.strip(_AROUND_WORDS) for word in _MARKER.sub(" ", text).casefold().split())
    return [word for word in words if word]

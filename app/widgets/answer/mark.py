"""How sure an answer is, told by a sign, a word and a colour at once."""

from __future__ import annotations

from textual.content import Content

from app.output.certainty import Judged, heading_lines, likely_text

MARKS = {
    "sure": ("✓", "Sure", "bold $text-success"),
    "unsure": ("?", "Unsure", "bold $text-warning"),
    "none": ("✗", "No answer", "bold $text-error"),
}
"""Sign, word and style of a certainty."""


def mark_of(judged: Judged) -> Content:
    """Return `✓ Sure (0.85 likely right)`; nothing for what an older version kept."""
    if judged.certainty is None:
        return Content("")
    sign, word, style = MARKS[judged.certainty]
    likely = likely_text(judged.confidence) if judged.certainty == "sure" else ""
    said = heading_lines(judged) or [f"{word} ({likely})" if likely else word]
    return Content.styled(f"{sign} {said[0]}", style)

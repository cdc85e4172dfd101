"""Questions that a person's own sources can answer: for a newcomer, computed without a model.

A source's kind is guessed from its path alone; nothing is opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from app.sources.known_places import CALENDARS, MAILDIRS

QUESTIONS = {
    "event": "What is on this week?",
    "mail": "Who wrote to me most this year?",
    "document": "Which documents are the newest?",
}
NAMES = {
    "event": ("calendar", "calendar-data", *(Path(name).name for name in CALENDARS)),
    "mail": ("imapmail", "inbox", *(Path(name).name for name in MAILDIRS)),
}
ENDINGS = {"event": (".ics", ".vcs"), "mail": (".mbox", ".eml", ".emlx", ".msg", ".pst")}


def first_questions(sources: Iterable[Path]) -> list[str]:
    """Return a question for each kind of source that there is, the surest kind first."""
    kinds = {_kind(path) for path in sources}
    return [question for kind, question in QUESTIONS.items() if kind in kinds]


def _kind(path: Path) -> str:
    """Guess what a path holds; what has no telling name holds documents."""
    parts = {part.casefold() for part in path.parts}
    for kind, names in NAMES.items():
        told = any(name.casefold() in parts for name in names)
        if told or path.suffix.casefold() in ENDINGS[kind]:
            return kind
    return "document"

"""Conversations for tests, said and cited as a whole question would have left them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.answer_parts import Cited
from engine.conversation import Conversation, Turn
from ingest.item import Kind, Locator

MOMENT = datetime(2026, 9, 10, 12, 30, tzinfo=UTC)


def cited(
    number: int,
    *people: str,
    kind: Kind = Kind.MAIL,
    title: str = "Lease",
    quote: str = "The rent is 900 euros.",
) -> Cited:
    """Return a citation of the `number`-th item of a mailbox, or of a file of its own."""
    place = {
        Kind.MAIL: Locator(Path("/mail/Inbox"), message_id=f"<{number}@example.org>", offset=7),
        Kind.EVENT: Locator(Path("/cal.ics"), uid=f"{number}", occurrence="2026-09-04"),
    }.get(kind, Locator(Path(f"/papers/{number}.pdf"), page=2))
    return Cited(number, kind, title, place, 3, 25, MOMENT, people, quote, "model", True)


Said = tuple[str, str, Sequence[Cited]] | tuple[str, str, Sequence[Cited], Sequence[Cited]]
"""A question, its answer, what that cites, and what alone it was about, if it was."""


def conversation(*turns: Said) -> Conversation:
    """Return turns, each following the one before."""
    made = tuple(
        Turn(
            number,
            number - 1 if number else None,
            asked,
            asked,
            answer,
            "grounded" if sources else "none",
            tuple(sources),
            MOMENT,
            "auto",
            ("fake-small", "fake-large"),
            scope=tuple(*scope),
        )
        for number, (asked, answer, sources, *scope) in enumerate(turns)
    )
    return Conversation(began=MOMENT, turns=made, at=len(made) - 1 if made else None)

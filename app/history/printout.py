"""Kept conversations as `askance history` prints them: for people, and for `--json`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.history.export.formats import SUPPORT, UNSUPPORTING, conversation_object
from app.output.certainty import heading_lines, shown_reasons
from app.output.objects import rfc3339
from app.output.plain import lines, one_line

if TYPE_CHECKING:
    from app.history.conversations import Kept
    from app.history.storage.matches import FoundTurn
    from engine.conversation import Conversation, Turn

SHORT_ID = 8
"""Characters of an id in lists; any beginning that only one has will do."""


def kept_object(row: Kept) -> dict[str, object]:
    """Return a row of the list for `--json`."""
    return {
        "id": row.id,
        "title": row.title,
        "began": rfc3339(row.began),
        "changed": rfc3339(row.changed),
        "turns": row.turns,
    }


def found_object(found: FoundTurn) -> dict[str, object]:
    """Return a turn that a search found for `--json`."""
    return {
        "id": found.conversation,
        "title": found.title,
        "turn": found.turn,
        "asked": found.asked,
        "snippet": found.snippet,
        "date": rfc3339(found.when),
    }


def whole_object(conversation: Conversation) -> dict[str, object]:
    """Return a whole conversation for `--json`."""
    return {"conversation": conversation_object(conversation)}


def turn_text(turn: Turn, follows: str) -> str:
    """Return a turn for people, `follows` being what `in_order` says beside it."""
    shown = [f"> {one_line(turn.asked)}"]
    if follows:
        shown.append(f"  {one_line(follows)}")
    if turn.question != turn.asked:
        shown.append(f"  Asked as: {one_line(turn.question)}")
    shown += ["", *heading_lines(turn), lines(turn.answer), ""]
    shown += [f"  {reason}" for reason in shown_reasons(turn)]
    if turn.grounded != "grounded":
        shown.append(f"  {SUPPORT[turn.grounded]}")
    for cited in turn.cited:
        where = cited.locator.path
        but = "" if cited.support else f"  ({UNSUPPORTING})"
        place = f"{one_line(cited.title or where.name)}  {one_line(str(where))}"
        shown.append(f"  [{cited.id}] {place}{but}")
    return "\n".join([*shown, ""] if shown[-1] else shown)

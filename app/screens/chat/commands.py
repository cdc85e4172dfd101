"""What the chat does when a line begins with a slash."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import get_args

from app.keys import EVERYWHERE, FOCUSED, Action
from app.output.query.offers import Command
from engine.settings import Effort

EFFORT = "Answer with the effort {} until you leave"


def commands_of(
    actions: Sequence[Action], do: Callable[[Action], None], use: Callable[[Effort], None]
) -> tuple[Command, ...]:
    """Return a command for each action that needs nothing under a cursor, and for each effort."""
    usable = [
        one
        for one in actions
        if one.scope in (EVERYWHERE, "chat") or (one.alone and one.scope not in FOCUSED)
    ]
    return (
        *(Command(one.id.replace("_", " "), one.does, partial(do, one)) for one in usable),
        *(
            Command(
                f"effort {one}", f"Answer with the effort {one} until you leave", partial(use, one)
            )
            for one in get_args(Effort)
        ),
    )

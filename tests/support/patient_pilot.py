"""A pilot that waits until what a key began is over, however slow the machine is.

Textual's own looks once whether each widget has handled what waits for it, and guesses the rest by
the time that passes. What a key means goes from widget to widget: on a busy machine a test would
look at the screen before it has arrived.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.pilot import Pilot

TURNS = 10
"""Of the loop in which nothing waits: a message waits for one, then it is handled."""
CALM = 2
"""Rounds after each of which nothing waits; the second sees what a slow handler posted."""
MOST = 200
"""Rounds, where an engine never stops talking."""

_round = Pilot._wait_for_screen


async def wait_for_screen(pilot: Pilot[Any], timeout: float = 120.0) -> bool:
    """Take the place of `Pilot._wait_for_screen`, which every method of a pilot ends with."""
    calm = 0
    for _ in range(MOST):
        if not await _round(pilot, timeout):
            return False
        calm = calm + 1 if await _is_calm(pilot.app) else 0
        if calm == CALM:
            break
    return True


def be_patient() -> None:
    """Have every pilot of this process wait so."""
    Pilot._wait_for_screen = wait_for_screen  # type: ignore[method-assign]


async def _is_calm(app: App[Any]) -> bool:
    for _ in range(TURNS):
        await asyncio.sleep(0)
        if any(not part._message_queue.empty() for part in (app, *app._registry)):
            return False
    return True

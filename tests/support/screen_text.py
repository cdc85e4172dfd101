"""What a screen shows, as text, and snapshots of it."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from app.backend.messages import Command, Tell

SNAPSHOTS = Path(__file__).parents[1] / "snapshots"
REWRITE = "TEST_SNAPSHOTS"
"""Set to `write`, snapshots are written anew; look at the difference before it is kept."""


class NoEngine:
    """An `app.backend.messages.Engine` for screens that ask nothing."""

    def listen(self, tell: Tell) -> None:
        """Say nothing."""

    def send(self, command: Command) -> None:
        raise AssertionError(command)

    def close(self) -> None:
        """Nothing is open."""


def text_of(app: App[Any]) -> str:
    """Return the lines of the screen as drawn, without colours."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until threads are done and what they posted is drawn."""
    await until(pilot, lambda: all(worker.is_finished for worker in pilot.app.workers))


async def until(pilot: Pilot[Any], is_so: Callable[[], object], patience: float = 60.0) -> None:
    """Wait until it is so, and that is drawn; a busy machine may take long over it."""
    end = time.monotonic() + patience
    await pilot.pause()
    while time.monotonic() < end:
        if is_so():
            await pilot.pause()
            if is_so():
                return
        await asyncio.sleep(0.02)
    raise AssertionError(f"it never came to it:\n{text_of(pilot.app)}")


def assert_snapshot(name: str, app: App[Any], **hidden: str) -> None:
    """Compare the screen with `snapshots/NAME.txt`; `hidden` are patterns of what differs."""
    found = text_of(app)
    for word, pattern in hidden.items():
        found = re.sub(pattern, word, found)
    path = SNAPSHOTS / f"{name}.txt"
    if os.environ.get(REWRITE) == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{found}\n")
    assert f"{found}\n" == path.read_text(), f"set {REWRITE}=write to keep what is drawn now"

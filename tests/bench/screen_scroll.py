"""Long things scrolled by key: what one key press costs, in processor time.

    python tests/bench/screen_scroll.py [PRESSES]

An answer of 10,000 lines, and 50,000 folders below one source. `held` is the longest time that
one callback of the loop took for a key, which is what keeps a frame waiting; `whole` is all that
the key brought about, drawing, animation and what the pilot does to wait for it included.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from asyncio import events
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from app.backend.messages import Command, Ended, Happened, Request, Tell
from app.screens.app import AskanceApp
from app.widgets.answer.citations import Citations
from app.widgets.input.prompt import Prompt
from engine.events import Answered
from engine.values import Coverage
from ingest.item import Kind
from tests.support.toy_chat import chat, config_over, until
from tests.support.toy_talk import answer_to

LINES = 10_000
FOLDERS = 50_000
SOURCE = Path("/mail")
FRAME = 0.05
BUTTONS = {
    "answer": (("pagedown",) * 3 + ("down",) * 6 + ("pageup",) + ("up",) * 2),
    "sources": (("down",) * 6 + ("pagedown",) * 3 + ("up",) * 2 + ("pageup",)),
}


class Held:
    """Processor time of this thread in each callback of the loop."""

    def __init__(self) -> None:
        self.longest = 0.0
        run: Any = events.Handle._run

        def timed(handle: events.Handle) -> None:
            began = time.thread_time()
            run(handle)
            self.longest = max(self.longest, time.thread_time() - began)

        events.Handle._run = timed  # type: ignore[method-assign]


class LongAnswers:
    """An `app.backend.messages.Engine` that answers with more lines than anybody reads."""

    def listen(self, tell: Tell) -> None:
        self._tell = tell

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            lines = (
                f"- **Line {number}** names `file {number}` and a date, 4 May [1]\n"
                for number in range(LINES)
            )
            self._tell(Happened(command.number, Answered(answer_to("Long?", "".join(lines)))))
            self._tell(Ended(command.number))

    def close(self) -> None:
        """Nothing is held."""


async def pressed(pilot: Pilot[None], held: Held, keys: Sequence[str], presses: int) -> None:
    """Press keys, and print what they cost."""
    whole, holds = [], []
    for number in range(presses):
        held.longest = 0.0
        began = time.thread_time()
        await pilot.press(keys[number % len(keys)])
        whole.append(time.thread_time() - began)
        holds.append(held.longest)
    for name, found in (("held", holds), ("whole", whole)):
        shown = sorted(found)
        slow = sum(one > FRAME for one in found)
        median, p99 = statistics.median(shown), shown[int(0.99 * len(shown))]
        print(
            f"  {name:<5} median {median * 1e3:6.1f} ms, p99 {p99 * 1e3:6.1f} ms, "
            f"longest {shown[-1] * 1e3:6.1f} ms; {slow} of {len(found)} over {FRAME * 1e3:.0f} ms"
        )


async def scroll(presses: int = 1_000) -> None:
    """Scroll an answer, then a tree of sources."""
    held = Held()
    app = AskanceApp(config_over(SOURCE), LongAnswers())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause(1.0)
        began = time.process_time()
        held.longest = 0.0
        chat(app).query_one(Prompt).fill("Long?")
        app.simulate_key("enter")  # the pilot's own waiting would be measured too
        while not any(one.display for one in chat(app).query(Citations)):
            await asyncio.sleep(0.02)
        print(
            f"{LINES:,} lines shown in {time.process_time() - began:.1f} s of processor time, "
            f"the loop held for {held.longest * 1e3:.0f} ms at most"
        )
        await pilot.press("escape", "ctrl+home")
        await pilot.pause(0.5)
        await pressed(pilot, held, BUTTONS["answer"], presses)
        print(f"  now at line {chat(app).query_one('#turns').scroll_offset.y:,}")

        where = {SOURCE / f"year {number % 50}" / f"{number:06}": 7 for number in range(FOLDERS)}
        app.seen.note(Coverage({Kind.MAIL: 7 * FOLDERS}, files=FOLDERS, bytes=1, where=where))
        await pilot.press("f3")
        await opened(pilot, 0)
        for year in range(50, 0, -1):
            await opened(pilot, year)
        rows = app.screen.query_one("RowList")
        print(f"{len(rows.rows):,} rows of sources")  # type: ignore[attr-defined]
        await pressed(pilot, held, BUTTONS["sources"], presses)


async def opened(pilot: Pilot[None], row: int) -> None:
    """Open what lies below a row of the tree."""
    rows: Any = pilot.app.screen.query_one("RowList")
    await until(pilot, lambda: len(rows.rows) > row)
    before = len(rows.rows)
    rows.cursor = row
    await pilot.press("enter")
    await until(pilot, lambda: len(rows.rows) > before)


if __name__ == "__main__":
    asyncio.run(scroll(*map(int, sys.argv[1:])))

"""Asks over a mailbox of 14 MB, and prints for how long the loop of the screen was kept waiting.

    python tests/bench/screen.py beat [TIMES]

Once with the engine in a process of its own, as it ships, and once in a thread of the screen's.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path

from app.backend.composition import make_engine
from app.backend.messages import Engine
from app.backend.process import EngineProcess
from app.screens.app import AskanceApp
from app.widgets.input.composer import Composer
from tests.support.beats import ASKED, COUNTED, beating, mailbox
from tests.support.toy_chat import chat, config_over, turn, typed, until

FRAME = 0.05
ENGINES: dict[str, Callable[[], Engine]] = {
    "process": lambda: EngineProcess(watch=True),
    "thread": lambda: make_engine(watch=True),
}


async def beat(times: int) -> None:
    """Ask twice in each of so many conversations; the models are those of the environment."""
    environ = {name: value for name, value in os.environ.items() if name.startswith("ASKANCE_")}
    environ |= {"ASKANCE_ANSWER_STRATEGY": "fb_rag", "ASKANCE_ANSWER_EFFORT": "quick"}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "Inbox.mbox").write_text("".join(mailbox()))
        found = {
            kind: [await waits(make(), Path(folder), environ) for _ in range(times)]
            for kind, make in ENGINES.items()
        }
    for question, named in enumerate(("first question", "second question")):
        print(f"{named}, longest wait between two beats, {times} conversations:")
        for kind, rows in found.items():
            work = [row[question][0] * 1e3 for row in rows]
            clock = [row[question][1] * 1e3 for row in rows]
            shipped = [row[question][1] * 1e3 for row in found["process"]]
            print(
                f"  engine in a {kind:<8} processor time median {statistics.median(work):6.1f} ms, "
                f"longest {max(work):6.1f}, over {FRAME * 1e3:.0f} ms in "
                f"{sum(one > FRAME * 1e3 for one in work)}; by the clock median "
                f"{statistics.median(clock):7.1f} ms, "
                f"{statistics.median(clock) / statistics.median(shipped):.1f} times the process's"
            )


async def waits(engine: Engine, folder: Path, environ: dict[str, str]) -> list[tuple[float, float]]:
    """Return the longest waits of two questions: processor time, and by the clock."""
    app = AskanceApp(config_over(folder, **environ), engine)
    try:
        async with app.run_test(size=(80, 24)) as pilot, beating() as beats:
            await until(pilot, lambda: chat(app).query_one(Composer).is_ready)
            found = []
            for question in (ASKED, COUNTED):
                beats.begin()
                await typed(pilot, question)
                await until(pilot, lambda: not chat(app).busy, patience=600)
                if turn(app).told.answer is None:
                    raise SystemExit("It was not answered: see `askance doctor` for the models.")
                found.append((beats.longest, beats.longest_passed))
    finally:
        engine.close()
    return found

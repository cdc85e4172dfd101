"""Asks the screen over and over, and prints the memory of screen and engine on the way.

    python tests/bench/screen.py soak [QUESTIONS] [--real]

Models are scripted, or with `--real` those of the environment (`ASKANCE_MODELS_GENERATOR` …).
"""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path

from app.backend.process import PROGRAM, EngineProcess
from app.screens.app import AskanceApp
from tests.support.toy_chat import LEASE, QUESTION, chat, config_over, typed

TOY_ENGINE = (str(Path(__file__).parents[1] / "support" / "toy_engine.py"),)
PRINTED = 20
"""How many times memory is printed."""


def memory_of(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def soak(questions: int, *, real: bool) -> None:
    """Ask in one conversation; each question is one of its own, of which nothing is kept."""
    environ = {name: value for name, value in os.environ.items() if name.startswith("ASKANCE_")}
    program = PROGRAM if real else TOY_ENGINE
    every = max(1, questions // PRINTED)
    with tempfile.TemporaryDirectory() as folder, closing(EngineProcess(program)) as engine:
        Path(folder, "lease.txt").write_text(LEASE)
        app = AskanceApp(config_over(Path(folder), **environ), engine)
        async with app.run_test(size=(80, 24)) as pilot:
            for number in range(1, questions + 1):
                await typed(pilot, f"{QUESTION} ({number})")
                while chat(app).busy:
                    await pilot.pause(0.05)
                if number == 1 or number % every == 0:
                    screen, other = memory_of(os.getpid()), memory_of(engine.pid or os.getpid())
                    said = f"{number:>4} questions: screen {screen:.0f} MB, engine {other:.0f} MB"
                    print(said, flush=True)

"""Takes the walk in a terminal with real models, and writes down what is seen.

    python tests/bench/screen.py walk [COLUMNSxLINES]
    python tests/bench/screen.py page      # writes docs/walk.md

Models are those of the environment (`ASKANCE_MODELS_GENERATOR` …), their store the usual one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from models.store import Store
from tests.toy_walk import SETTINGS, Step, prepare
from tests.walk_in_tmux import terminal, walked

PAGE = Path(__file__).parents[2] / "docs" / "walk.md"
PATIENCE = 600.0


def walk(size: str = "100x32") -> None:
    """Print the screen after every step, and what was exported."""
    with own_home() as home:
        for step, screen in steps_seen(home, size):
            print(f"\n=== {step.name}\n{screen}", flush=True)
        print(Path(home, "walk.md").read_text())


@contextmanager
def own_home() -> Iterator[Path]:
    """Give the walk a home whose path is always the same: it is to be seen on the screens."""
    home = Path(tempfile.gettempdir(), "ann")
    home.mkdir(mode=0o700)  # what is there already is somebody's
    try:
        prepare(home)
        yield home
    finally:
        shutil.rmtree(home)


def steps_seen(home: Path, size: str) -> Iterator[tuple[Step, str]]:
    """Yield each step with the screen after it."""
    columns, lines = map(int, size.split("x"))
    given = {name: value for name, value in os.environ.items() if name.startswith("ASKANCE_")}
    environ = SETTINGS | {"ASKANCE_MODELS_DIR": str(Store.default(os.environ).root)} | given
    with terminal(home, (columns, lines), environ) as shown:
        yield from walked(shown, PATIENCE)

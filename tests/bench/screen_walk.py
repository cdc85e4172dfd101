"""Takes the walk in a terminal with real models, and writes down what is seen.

    python tests/bench/screen.py walk [COLUMNSxLINES]
    python tests/bench/screen.py page      # writes docs/walk.md

Models are those of the environment (`ASKANCE_MODELS_GENERATOR` …), their store the usual one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from app.settings.config import load_config
from models.store.catalogue import Role, load_catalogue
from models.store.store import Store
from tests.support.toy_walk import LEAVE, SETTINGS, Step, exported, own_home
from tests.support.walk_in_tmux import terminal, walked

PAGE = Path(__file__).parents[2] / "docs" / "walk.md"
PATIENCE = 900.0
HEAD = """# A walk through the screen

From the first start to the last key, over the sample files: a mailbox and two calendars of a small
boat station. The program ran in a terminal of {size} with the models {models} and the settings
{settings}; what stands here is what was seen. `python tests/bench/screen.py page` takes the walk
again and writes this page; `tests/test_app_walk.py` takes it with scripted models.
"""


def walk(size: str = "100x32") -> None:
    """Print the screen after every step, and what was exported."""
    with own_home() as home:
        for step, screen in steps_seen(home, size):
            print(f"\n=== {step.name}\n{screen}", flush=True)
        print(exported(home).read_text())


def page(size: str = "80x24") -> None:
    """Write the page about the walk."""
    with own_home() as home:
        seen = list(steps_seen(home, size))
        written = exported(home).read_text()
    PAGE.write_text("\n".join(parts(size, seen, written)))


def steps_seen(home: Path, size: str) -> Iterator[tuple[Step, str]]:
    """Yield each step with the screen after it."""
    columns, lines = map(int, size.split("x"))
    with terminal(home, (columns, lines), environ()) as shown:
        yield from walked(shown, PATIENCE)


def environ() -> dict[str, str]:
    """Return the settings of the walk, where the environment has no others."""
    given = {name: value for name, value in os.environ.items() if name.startswith("ASKANCE_")}
    store = str(Store.default(os.environ).root)
    return SETTINGS | {"ASKANCE_MODELS_DIR": store, "ASKANCE_READING_TIMEZONE": "UTC"} | given


def parts(size: str, seen: list[tuple[Step, str]], written: str) -> Iterator[str]:
    """Yield the page: of what was done since the last picture its keys, then the screen."""
    config = load_config(environ())
    roles: tuple[Role, ...] = ("lookahead", "generator")
    models = " and ".join(
        getattr(config.values.models, role) or load_catalogue().default(role).id for role in roles
    )
    settings = ", ".join(f"`{name}={value}`" for name, value in SETTINGS.items())
    yield HEAD.format(size=size, models=models, settings=settings)
    done: list[str] = []
    for step, screen in seen:
        done += [f"- {step.name}: {', '.join(map(key_text, step.does))}"] if step.does else []
        if step.shown:
            yield "\n".join([f"## {step.name}\n", *done, "" if done else "`askance`\n"])
            yield f"```text\n{screen.rstrip()}\n```\n"
            done.clear()
    yield f"## Leave\n\n- {key_text(LEAVE)}\n\nWhat was exported:\n"
    yield f"````markdown\n{written.rstrip()}\n````\n"


def key_text(key: str) -> str:
    """Return a key as people read it, or what is typed."""
    return f"type `{key[1:]}`" if key.startswith(" ") else f"`{key}`"

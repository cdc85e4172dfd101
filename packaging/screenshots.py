"""Draws the README's pictures: the screen over the sample files, as SVG in `docs/pictures/`.

Files are read, passages ranked, citations checked and tables computed as ever. What models say is
written here, and so are the times, so that a picture changes only when the screen does.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from textual.pilot import Pilot

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from app.backend.composition import answers  # noqa: E402
from app.backend.messages import Request  # noqa: E402
from app.screens.app import AskanceApp  # noqa: E402
from app.settings.config import load_config  # noqa: E402
from engine.events import Answered, Event, Reading, Stage  # noqa: E402
from engine.retrieval.memory import Memory  # noqa: E402
from models.fake import FakeGenerator  # noqa: E402
from models.roles import ModelSet  # noqa: E402
from tests.support.screen_text import settled, text_of  # noqa: E402
from tests.support.toy_chat import POOL, asked, chat, engine_of, running, turn, until  # noqa: E402
from tests.support.toy_walk import own_home  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
SIZE = (140, 30)
MEETING = "When and where do I meet Dana Okafor about the lease, and what should I bring?"
COUNTED = "How many mails per sender?"
SAMPLES = (
    "Dana Okafor and Ingrid meet on Thursday 3 December at 14:00. Quay House, Room 214.",
    "Ingrid is to bring the signed lease form and the insurance certificate.",
    "The meeting is in Room 214 of Quay House; the lease form is to be signed there.",
)
REPLY = (
    "You meet Dana Okafor on Thursday 3 December 2026 at 14:00 in Quay House, Room 214 [1]. "
    "Bring the signed lease form and the insurance certificate [2]."
)
SECONDS = {
    "first_token": 3.1,
    "read": 0.4,
    "recall": 0.1,
    "lookahead": 6.2,
    "select": 0.1,
    "write": 8.4,
    "cite": 0.1,
}
FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)


def sample(prompt: str, sequence: int) -> str:
    """Return what a look-ahead says."""
    return SAMPLES[sequence % len(SAMPLES)]


def told(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
    """Yield what the engine tells, with times that are always the same."""
    for event in answers(request, models, memory):
        match event:
            case Stage(name, "done"):
                yield replace(event, seconds=SECONDS.get(name, 0.1))
            case Reading():
                yield replace(event, seconds=0.0, best=None)
            case Answered(answer):
                times = {name: SECONDS.get(name, 0.1) for name in answer.timings if name != "total"}
                yield Answered(replace(answer, timings={**times, "total": sum(times.values())}))
            case _:
                yield event


def app_over(sources: list[Path]) -> AskanceApp:
    """Return the screen over these, with models that say what is written above."""
    environ = {
        "ASKANCE_SOURCES_PATHS": os.pathsep.join(map(str, sources)),
        "ASKANCE_READING_TIMEZONE": "UTC",
        "ASKANCE_ANSWER_STRATEGY": "auto",
    }
    models = ModelSet(
        "qwen2.5-coder-0.5b",
        "qwen2.5-coder-1.5b",
        {
            "qwen2.5-coder-0.5b": FakeGenerator("qwen2.5-coder-0.5b", sample),
            "qwen2.5-coder-1.5b": FakeGenerator("qwen2.5-coder-1.5b", [REPLY]),
        }.__getitem__,
    )
    return AskanceApp(load_config(environ), engine_of(models, told))


def save(app: AskanceApp, name: str) -> None:
    """Write what is seen. The picture asks no other machine for a font."""
    svg = FONTS.sub("", app.export_screenshot(title="askance", simplify=True))
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / f"{name}.svg").write_text(svg + "\n")
    print(f"docs/pictures/{name}.svg: {len(svg) / 1000:.0f} kB")


async def draw(home: Path) -> None:
    """Draw every picture in one sitting."""
    app = app_over([home / "boats" / name for name in ("mail", "calendars")])
    async with running(app, SIZE) as pilot:
        await asked(pilot, MEETING)
        turn(app).citations.focus()
        await until(pilot, lambda: "o Open" in text_of(app))
        save(app, "chat")
        await opened(pilot, app, "ctrl+t", "Ranked by", "evidence")
        await pilot.press("f3")
        await settled(pilot)
        await pilot.press("end", "enter", "home", "enter")
        await settled(pilot)
        await until(pilot, lambda: "Find folder" in text_of(app))
        save(app, "sources")
        await pilot.press("escape")
        await asked(pilot, COUNTED)
        turn(app).focus()
        await opened(pilot, app, "t", "as computed", "table")


async def opened(pilot: Pilot[None], app: AskanceApp, key: str, words: str, name: str) -> None:
    """Press a key, draw what opens, go back."""
    await pilot.press(key)
    await until(pilot, lambda: words in text_of(app) and "Back" in text_of(app))
    await pilot.pause(0.5)  # a chart is laid out once more
    save(app, name)
    await pilot.press("escape")
    await until(pilot, lambda: app.screen is chat(app))


def main() -> None:
    """Draw all pictures."""
    try:
        with own_home() as home:
            os.environ["HOME"] = str(home)  # nobody's settings, and short paths
            asyncio.run(draw(home))
    finally:
        POOL.end()


if __name__ == "__main__":
    main()

"""Draws twenty states of the screen, to be looked at one by one: `gallery.py FOLDER`.

Each is drawn at 80x24 and 140x40, in the dark and the light theme, over the sample files. Where
`rsvg-convert` is there, a PNG stands beside each SVG, and a sheet of all where `montage` is.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

from screenshots import COUNTED, MEETING, app_over
from textual.pilot import Pilot

from app.screens.app import AskanceApp
from tests.support.screen_text import settled, text_of
from tests.support.toy_chat import POOL, asked, chat, running, turn, until
from tests.support.toy_walk import own_home

SIZES = ((80, 24), (140, 40))
THEMES = ("dark", "light")
SCREENS = (
    ("sources", "f3", "Find folder"),
    ("models", "f4", "Takes about"),
    ("doctor", "f5", "proof"),
    ("settings", "f2", "Default"),
    ("help", "f1", "Help"),
    ("first-steps", "f7", "1 of 3"),
)
"""What a key opens anywhere, and words that are seen then."""


class Gallery:
    """Draws what one app shows."""

    def __init__(self, folder: Path, app: AskanceApp, pilot: Pilot[None]) -> None:
        """Draw into a folder."""
        self._folder, self._app, self._pilot = folder, app, pilot
        self._drawn = 0

    async def draw(self, name: str, *keys: str, words: str = "") -> None:
        """Press keys, wait for words, draw."""
        await self._pilot.press(*keys)
        await until(self._pilot, lambda: words in text_of(self._app))
        await self._pilot.pause(0.3)
        self._drawn += 1
        svg = self._app.export_screenshot(title="askance", simplify=True)
        path = self._folder / f"{self._drawn:02}-{name}.svg"
        path.write_text(svg)
        if converter := shutil.which("rsvg-convert"):
            picture = path.with_suffix(".png")
            command = [converter, "-w", "1200", str(path), "-o", str(picture)]
            subprocess.run(command, check=True)  # noqa: S603

    async def back(self) -> None:
        """Go back to the chat."""
        while self._app.screen is not chat(self._app):
            await self._pilot.press("escape")
            await self._pilot.pause()


async def states(folder: Path, theme: str, size: tuple[int, int], home: Path) -> None:
    """Draw every state in one sitting."""
    folder.mkdir(parents=True, exist_ok=True)
    app = app_over([home / "boats" / name for name in ("mail", "calendars")])
    async with running(app, size, toasts=True) as pilot:
        app.theme = theme
        await pilot.pause()
        gallery = Gallery(folder, app, pilot)
        await gallery.draw("empty", words="For example")
        await gallery.draw("commands", "slash", words="/sources")
        await gallery.draw("names", "backspace", "@", words="@")
        await gallery.draw("filters", "backspace", *"lease from:dana", words="from")
        await pilot.press(*["backspace"] * 16)
        await asked(pilot, MEETING)
        await gallery.draw("answer", words="Took")
        await gallery.draw("answer-in-focus", "escape", words="Why")
        await gallery.draw("citations", "enter", words="Open")
        await gallery.draw("source", "alt+s", words="(1 of")
        await gallery.draw("next-source", "n", words="(2 of")
        await pilot.press("escape")
        turn(app).focus()
        await gallery.draw("why", "w", words="Ranked by")
        await gallery.back()
        turn(app).focus()
        await gallery.draw("coverage", "v", words="Nothing was skipped")
        await gallery.back()
        await asked(pilot, COUNTED)
        turn(app).focus()
        await gallery.draw("computed", words="mails [")
        await gallery.draw("table", "t", words="as computed")
        await gallery.back()
        await gallery.draw("find", "ctrl+f", words="goes there")
        await gallery.back()
        for name, key, words in SCREENS:
            await gallery.draw(name, key, words=words)
            await settled(pilot)
            await gallery.back()


def main() -> None:
    """Draw all."""
    folder = Path(sys.argv[1])
    try:
        with own_home() as home:
            os.environ["HOME"] = str(home)
            for theme in THEMES:
                for size in SIZES:
                    named = folder / f"{theme}-{size[0]}x{size[1]}"
                    asyncio.run(states(named, theme, size, home))
                    if montage := shutil.which("montage"):
                        drawn = sorted(map(str, named.glob("*.png")))
                        sheet = ["-geometry", "1000x+6+6", "-tile", "3x", f"{named}.png"]
                        subprocess.run([montage, *drawn, *sheet], check=True)  # noqa: S603
                    print(named)
    finally:
        POOL.end()


if __name__ == "__main__":
    main()

"""The walk of `toy_walk` taken by the program itself, in a real terminal of tmux's."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.support.toy_walk import LEAVE, WALK, Step, is_seen

TMUX_KEYS = {"enter": "Enter", "escape": "Escape", "end": "End", "home": "Home", "up": "Up"}
BETWEEN_KEYS = 0.15
LOOK_AGAIN = 0.2
LOOKS = 10
"""Most looks at a screen that shows what it should, until it no longer changes."""
KEPT = ("PATH", "OMP_NUM_THREADS")


class NeverSeen(AssertionError):
    """What a step should show did not come."""


class Terminal:
    """One window of a tmux server of its own."""

    def __init__(self, folder: Path) -> None:
        """Keep the server's socket in this folder."""
        self._socket = str(folder / "tmux")

    def tmux(self, *arguments: str) -> str:
        """Run a command of tmux's and return what it prints."""
        command = ["tmux", "-S", self._socket, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def press(self, key: str) -> None:
        """Press a key by Textual's name; what begins with a blank is typed."""
        if key.startswith(" "):
            self.tmux("send-keys", "-l", key[1:])
        else:
            self.tmux("send-keys", TMUX_KEYS.get(key, key.replace("ctrl+", "C-")))
        time.sleep(BETWEEN_KEYS)  # escape and what follows at once would be one key

    @property
    def screen(self) -> str:
        """What is seen."""
        return self.tmux("capture-pane", "-p")

    def wait(self, is_there: Callable[[str], bool], patience: float) -> str:
        """Return the screen once it shows something and is drawn to its end. Raises `NeverSeen`."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if is_there(screen := self.screen):
                return self._drawn(screen, is_there)
            time.sleep(LOOK_AGAIN)
        raise NeverSeen(f"it never came to it:\n{self.screen}")

    def _drawn(self, screen: str, is_there: Callable[[str], bool]) -> str:
        for _ in range(LOOKS):
            time.sleep(LOOK_AGAIN)
            before, now = screen, self.screen
            if now == before or not is_there(now):
                break
            screen = now
        return screen

    def wait_for_end(self, patience: float) -> None:
        """Wait until the program has ended. Raises `NeverSeen`."""
        until = time.monotonic() + patience
        while time.monotonic() < until:
            if subprocess.run(["tmux", "-S", self._socket, "ls"], capture_output=True).returncode:
                return
            time.sleep(LOOK_AGAIN)
        raise NeverSeen(f"it does not end:\n{self.screen}")


@contextmanager
def terminal(
    home: Path, size: tuple[int, int], environ: Mapping[str, str] | None = None
) -> Iterator[Terminal]:
    """Open Askance in a terminal of this size, with this home and little but `environ` set."""
    shown = Terminal(home)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    given = {"HOME": str(home), "LANG": "C.UTF-8", **kept, **(environ or {})}
    named = [f"{name}={value}" for name, value in given.items()]
    command = ["env", "-i", "TERM=tmux-256color", *named, sys.executable, "-P", "-m", "app.main"]
    columns, lines = map(str, size)
    # Without a configuration: nobody's own settings of tmux hold.
    shown.tmux("-f", os.devnull, "new-session", "-d", "-x", columns, "-y", lines, *command)
    try:
        yield shown
    finally:
        subprocess.run(["tmux", "-S", str(home / "tmux"), "kill-server"], capture_output=True)


def walked(
    shown: Terminal, patience: float, steps: Sequence[Step] = WALK
) -> Iterator[tuple[Step, str]]:
    """Yield each step with the screen after it, then leave. Raises `NeverSeen`."""
    for step in steps:
        for key in step.does:
            shown.press(key)
        yield step, shown.wait(lambda screen, step=step: is_seen(step, screen), patience)
    shown.press(LEAVE)
    shown.wait_for_end(patience)

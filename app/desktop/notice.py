"""A notice of the desktop that an answer is there. It holds no word of question or answer."""

from __future__ import annotations

import shutil
import subprocess
import sys

TITLE, SAID = "Askance", "An answer is there."
SECONDS = 2.0
"""A program that takes longer has no desktop to talk to."""


def show_notice() -> bool:
    """Show it; say whether a program here took it. It says no more, as desktops keep notices."""
    named = ["osascript", "-e", f'display notification "{SAID}" with title "{TITLE}"']
    command = named if sys.platform == "darwin" else ["notify-send", "--app-name", TITLE, SAID]
    program = shutil.which(command[0])
    if program is None:
        return False
    try:
        ended = subprocess.run(  # noqa: S603 - one of the fixed commands above
            [program, *command[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ended.returncode == 0

"""The clipboard: by the desktop's own program where there is one, else by the terminal."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SECONDS = 2.0
"""A program that takes longer has no desktop to talk to."""


def copy(text: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """Hand the text to the desktop's clipboard; return the program that took it.

    None: there is no such program, it failed, or the desktop is another machine's (SSH). The text
    goes through a pipe, never through a file or the command line.
    """
    command = _program(environ)
    if command is None:
        return None
    try:
        subprocess.run(  # noqa: S603 - one of the fixed commands below
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
            env=dict(environ),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return Path(command[0]).name


def _program(environ: Mapping[str, str]) -> list[str] | None:
    """Return the command that reads what is to be copied."""
    if environ.get("SSH_CONNECTION"):
        return None
    wayland, x11 = environ.get("WAYLAND_DISPLAY"), environ.get("DISPLAY")
    ways = (
        (sys.platform == "darwin", ["pbcopy"]),
        (wayland, ["wl-copy"]),
        (x11, ["xclip", "-selection", "clipboard"]),
        (x11, ["xsel", "--clipboard", "--input"]),
        (environ.get("WSL_DISTRO_NAME"), ["clip.exe"]),
    )
    for fits, (name, *flags) in ways:
        found = shutil.which(name, path=environ.get("PATH")) if fits else None
        if found is not None:
            return [found, *flags]
    return None

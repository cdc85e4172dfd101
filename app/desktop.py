"""Opens a source in the system's program for it, and copies citations."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from datetime import tzinfo
from pathlib import Path

from app.errors import NotOpened
from app.output.plain import lines
from app.output.report import citation_line
from engine.values import Citation

RUNS = frozenset(
    [
        ".app",
        ".appimage",
        ".bat",
        ".cmd",
        ".com",
        ".command",
        ".desktop",
        ".exe",
        ".hta",
        ".jar",
        ".js",
        ".lnk",
        ".msi",
        ".pif",
        ".ps1",
        ".py",
        ".reg",
        ".scr",
        ".sh",
        ".url",
        ".vbs",
        ".webloc",
        ".wsf",
    ]
)
"""Files that a system may run instead of showing them."""


def open_file(path: Path) -> None:
    """Show a file in its program. Raises `NotOpened`: a program, not there, nothing to open it."""
    if not path.exists():
        raise NotOpened(f"{path} is not there any more.", remedy="Ask again.", path=path)
    if path.suffix.lower() in RUNS or (path.is_file() and os.access(path, os.X_OK)):
        raise NotOpened(
            f"{path} may be a program, so it is not opened.",
            remedy="Look at it in an editor.",
            path=path,
        )
    command = ["open", "--", str(path)] if sys.platform == "darwin" else ["xdg-open", str(path)]
    if sys.platform == "win32":
        os.startfile(path)  # noqa: S606 - the person asked for it
    elif shutil.which(command[0]) is None:
        raise NotOpened(
            f"There is no {command[0]} here to open {path}.",
            remedy="y copies the citation with its path.",
            path=path,
        )
    else:
        process = subprocess.Popen(  # noqa: S603 - a fixed command and an absolute path
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        threading.Thread(target=process.wait, daemon=True).start()


def copied_citation(citation: Citation, zone: tzinfo | None) -> str:
    """Return a citation as text: its place, and the quote with its own line breaks."""
    quote = "\n".join(f"> {line}" for line in lines(citation.quote).split("\n"))
    return f"{citation_line(citation, zone)}\n{quote}\n"

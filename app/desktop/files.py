"""Opens a source in the system's program for it, where its quote stands if that program can."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

from app.desktop.viewers import at_page, of_mail, on_day
from app.errors import NotOpened
from engine.values import Citation
from ingest.item import Kind

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


def open_source(citation: Citation) -> None:
    """Show a source in its program: a mail by its ID, a PDF at its page, else the whole file.

    An event is shown on its day in the desktop's calendar, whose zone is the system's.

    Asks the desktop which program that is, which takes a moment: not for the loop of a screen.

    Raises:
        NotOpened: it may be a program, is not there, or nothing here opens it.
    """
    item = citation.passage.item
    locator = item.locator
    path, page = locator.path, citation.page
    if not path.exists():
        raise NotOpened(f"{path} is not there any more.", remedy="Ask again.", path=path)
    if path.suffix.lower() in RUNS or (path.is_file() and os.access(path, os.X_OK)):
        raise NotOpened(
            f"{path} may be a program, so it is not opened.",
            remedy="Look at it in an editor.",
            path=path,
        )
    command: list[str] | None = None
    if sys.platform == "win32":
        os.startfile(path)  # noqa: S606 - the person asked for it
        return
    if sys.platform != "darwin":
        if locator.message_id:
            command = of_mail(locator.message_id)
        elif item.kind is Kind.EVENT and item.when is not None:
            is_all_day = len(locator.occurrence or "") == len("2026-11-17")
            command = on_day((item.when if is_all_day else item.when.astimezone()).date())
        elif page and not locator.member and path.suffix.lower() == ".pdf":
            command = at_page(path, page)
    _start(command or _whole(path))


def _whole(path: Path) -> list[str]:
    """Return what opens a file. Raises `NotOpened`: nothing here does."""
    name = "open" if sys.platform == "darwin" else "xdg-open"
    opener = shutil.which(name)
    if opener is None:
        raise NotOpened(
            f"There is no {name} here to open {path}.",
            remedy="y copies the citation with its path.",
            path=path,
        )
    return [opener, "--", str(path)] if name == "open" else [opener, str(path)]


def _start(command: list[str]) -> None:
    """Start a program that goes on without this one. Raises `NotOpened`: it does not start."""
    try:
        process = subprocess.Popen(  # noqa: S603 - a fixed command and an absolute path
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise NotOpened(
            f"{command[0]} does not start: {error.strerror}.",
            remedy="y copies the citation with its path.",
        ) from error
    threading.Thread(target=process.wait, daemon=True).start()

"""The command that shows a source where its quote stands: at a page, on its day, or the mail."""

from __future__ import annotations

import shutil
import string
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

UNRESERVED = frozenset((string.ascii_letters + string.digits + "-._~").encode())
SECONDS = 2.0
"""A desktop that takes longer to say which program it would use is not waited for."""


def _option(name: str) -> Callable[[str, Path, int], list[str]]:
    return lambda program, path, page: [program, f"{name}={page}", str(path)]


def _fragment(program: str, path: Path, page: int) -> list[str]:
    """Return what PDF open parameters say: RFC 8118, section 3."""
    return [program, f"{path.as_uri()}#page={page}"]


AT_PAGE: dict[str, Callable[[str, Path, int], list[str]]] = {
    "okular": _option("--page"),
    "evince": _option("--page-index"),
    "atril": _option("--page-index"),
    "zathura": _option("--page"),
    "firefox": _fragment,
    "firefox-esr": _fragment,
    "chromium": _fragment,
    "google-chrome": _fragment,
    "brave-browser": _fragment,
}
"""By program, as part of the name of its desktop entry."""
ON_DAY = {
    "gnome.calendar": ("gnome-calendar", "--date={day:%Y-%m-%d}"),
    "evolution": ("evolution", "calendar:///?startdate={day:%Y%m%d}"),
}
"""By part of the name of a calendar's desktop entry: its program, and how it is told a day."""


def at_page(path: Path, page: int) -> list[str] | None:
    """Return what shows a PDF at a page by the desktop's own viewer; None: it cannot.

    `page` counts from 1.
    """
    entry = _default_for("application/pdf").lower()
    names = sorted((name for name in AT_PAGE if name in entry), key=len, reverse=True)
    for name in names:
        if (program := shutil.which(name)) is not None:
            return AT_PAGE[name](program, path, page)
    return None


def on_day(day: date) -> list[str] | None:
    """Return what shows a day in the desktop's own calendar; None: it cannot.

    GNOME Calendar takes a date, Evolution a URI (`calendar:`) with the day it begins with.
    """
    entry = _default_for("text/calendar").lower()
    for name, (program, argument) in ON_DAY.items():
        if name in entry and (found := shutil.which(program)) is not None:
            return [found, argument.format(day=day)]
    return None


def of_mail(message_id: str) -> list[str] | None:
    """Return what shows one mail by the desktop's mail program (`mid:`, RFC 2392); None: nothing.

    `message_id` has its angle brackets.
    """
    opener = shutil.which("xdg-open")
    if opener is None or not message_id.startswith("<") or not _default_for("x-scheme-handler/mid"):
        return None
    return [opener, f"mid:{_encoded(message_id.strip('<>'))}"]


def _encoded(text: str) -> str:
    """Return the text with all but unreserved characters percent-encoded (RFC 3986, 2.1)."""
    return "".join(chr(b) if b in UNRESERVED else f"%{b:02X}" for b in text.encode("utf-8"))


def _default_for(kind: str) -> str:
    """Return the name of the desktop entry for a kind of content; empty: there is none."""
    asker = shutil.which("xdg-mime")
    if asker is None:
        return ""
    try:
        asked = subprocess.run(  # noqa: S603 - a fixed command and one of two kinds
            [asker, "query", "default", kind],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return asked.stdout.strip()

"""Where programs keep mail, calendars and documents: offered to a newcomer, never taken.

Whether a place exists is looked at, and how large its files are; of Thunderbird, the names of its
profiles. No file is opened.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

THUNDERBIRD = (
    ".thunderbird",
    ".var/app/org.mozilla.Thunderbird/.thunderbird",
    "snap/thunderbird/common/.thunderbird",
    "Library/Thunderbird/Profiles",
    "AppData/Roaming/Thunderbird/Profiles",
)
"""Folders of profiles, below the person's home."""
IN_A_PROFILE = ("Mail", "ImapMail")
"""Its calendars are a database, which is not read."""
MAILDIRS = ("Maildir", ".maildir", "Mail", "mail", ".mail", ".local/share/mail")
CALENDARS = (
    *("Calendars", "calendars", ".calendars", ".local/share/calendars"),
    *(".local/share/khal/calendars", ".local/share/evolution/calendar", "Library/Calendars"),
)
DOCUMENTS = (
    *("Documents", "Dokumente", "Documentos", "Documenti", "Documenten", "Dokumenty"),
    *("Dokumenter", "Dokument", "Asiakirjat", "Notes", "notes", "Papers"),
)
COUNTING = 0.3
"""Seconds for which the files of one place are counted."""


@dataclass(frozen=True, slots=True)
class Place:
    """Something that could be a source."""

    name: str
    """What it is: "Thunderbird mail"."""
    path: Path


def known_places(environ: Mapping[str, str]) -> list[Place]:
    """Return the places that exist, each once, mail first."""
    home = Path(environ.get("HOME") or Path.home())
    found = [*_thunderbird(home), *_named(home, environ)]
    once: dict[Path, Place] = {}
    for place in found:
        if not any(place.path.is_relative_to(other) for other in once):
            once[place.path] = place
    return list(once.values())


@dataclass(frozen=True, slots=True)
class PlaceSize:
    """What a place holds, as far as it was counted."""

    files: int
    bytes: int
    is_whole: bool
    """Whether the time was enough to count all of it."""

    @property
    def short(self) -> str:
        """`3.4 MB`, `> 3.4 MB` where that is not all, or `empty`."""
        return f"{'' if self.is_whole else '> '}{self._bytes}" if self.files else "empty"

    @property
    def text(self) -> str:
        """`12 files, 3.4 MB`, or how many there are at least."""
        more = "" if self.is_whole else "over "
        files = f"{self.files:,} file{'' if self.files == 1 else 's'}"
        return f"{more}{files}, {self._bytes}" if self.files else "empty"

    @property
    def _bytes(self) -> str:
        from app.output.report import size_text  # no first picture waits for it

        return size_text(self.bytes)


def size_of(place: Path, seconds: float = COUNTING) -> PlaceSize:
    """Count the files of a place and their bytes, for so many seconds."""
    files = size = 0
    until = time.monotonic() + seconds
    waiting = [place]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif entry.is_file():
                files += 1
                size += entry.stat().st_size
        if waiting and time.monotonic() > until:
            return PlaceSize(files, size, False)
    return PlaceSize(files, size, True)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield what a folder holds; nothing of one that cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError:
        return


def _thunderbird(home: Path) -> Iterator[Place]:
    for folder in THUNDERBIRD:
        for profile in _folders(home / folder):
            for name in IN_A_PROFILE:
                if _is_folder(profile / name):
                    yield Place("Thunderbird mail", profile / name)
            calendars = profile / "calendar-data"
            if calendars.is_dir():
                yield Place("Thunderbird calendars", calendars)
            if (book := profile / "abook.sqlite").is_file():
                yield Place("Thunderbird contacts", book)


def _named(home: Path, environ: Mapping[str, str]) -> Iterator[Place]:
    if maildir := environ.get("MAILDIR"):
        yield from _there("Mail", [Path(maildir).expanduser()])
    yield from _there("Mail", [home / name for name in MAILDIRS])
    yield from _there("Calendars", [home / name for name in CALENDARS])
    if documents := environ.get("XDG_DOCUMENTS_DIR"):
        yield from _there("Documents", [Path(documents).expanduser()])
    yield from _there("Documents", [home / name for name in DOCUMENTS])


def _there(name: str, paths: list[Path]) -> Iterator[Place]:
    """Yield the folders among the paths; on some systems two spellings are one folder."""
    seen = set()
    for path in paths:
        if path.is_absolute() and _is_folder(path):
            identity = path.stat().st_dev, path.stat().st_ino
            if identity not in seen:
                seen.add(identity)
                yield Place(name, path)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir())
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a closed folder above it
        return False

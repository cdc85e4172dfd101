"""Where programs keep mail, calendars and documents: offered to a newcomer, never taken.

Only whether a place exists is looked at; of Thunderbird, the names of its profiles.
"""

from __future__ import annotations

import os
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

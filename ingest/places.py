"""Where an item lies: the folders, mailboxes and calendars it is in, and patterns of paths.

A place has the name of every part of the path from the source on, with and without its suffix:
`Mail/Archive.sbd/Leases.mbox` lies in Mail, Archive, Archive.sbd, Leases, Leases.mbox, and in
Archive/Leases. In a Maildir, `.Archive.Leases` is Leases in Archive.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from fnmatch import translate
from pathlib import Path, PurePath

from ingest.text.accents import unaccented

CALENDAR_SUFFIXES = frozenset({".ics", ".ical", ".icalendar"})
"""Suffixes of files that may hold a calendar with a name of its own."""

Place = tuple[frozenset[str], ...]
"""The folded names of each part of a path, outermost first."""


def folded(text: str) -> str:
    """Return text as filters compare it: without case and accents."""
    return unaccented(text)


def place_of(path: Path, sources: Sequence[Path], calendar: str = "") -> Place:
    """Return the place of `path` below the outermost source; `calendar` is another name of it."""
    above = [source for source in sources if path.is_relative_to(source)]
    parts: tuple[str, ...] = path.parts
    if above:
        source = min(above, key=lambda one: len(one.parts))
        parts = (source.name, *path.relative_to(source).parts)
    named = [folders for part in parts for folders in _names(part)]
    return (*named, frozenset({folded(calendar)})) if calendar else tuple(named)


def _names(part: str) -> list[frozenset[str]]:
    name = folded(part)
    if name.startswith(".") and not name.startswith(".."):
        return [frozenset({one}) for one in name.split(".") if one] + [frozenset({name, name[1:]})]
    return [frozenset({name, PurePath(name).stem})]


def lies_in(place: Place, wanted: str) -> bool:
    """Say whether a place is in the folder `wanted`, or in `Outer/Inner`."""
    names = [name for name in folded(wanted).split("/") if name]
    return bool(names) and any(
        all(name in part for name, part in zip(names, place[start:], strict=False))
        for start in range(len(place) - len(names) + 1)
    )


def pattern_of(wanted: str) -> re.Pattern[str]:
    """Return what matches the folded paths that hold `wanted`, or that end in its glob.

    A glob begins at any part of the path, and its `*` passes over "/". A "~" in front is the
    home folder.
    """
    wanted = folded(os.path.expanduser(wanted))  # noqa: PTH111 - Path raises for an unknown "~x"
    if not set("*?") & set(wanted):
        return re.compile(f".*?{re.escape(wanted)}", re.DOTALL)
    glob = translate(wanted.replace("[", "[[]"))
    return re.compile(glob if wanted.startswith("/") else f"(?:.*/)?{glob}", re.DOTALL)

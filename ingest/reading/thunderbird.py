"""Tells mail in a Thunderbird profile from the state of the program."""

from __future__ import annotations

import re
from collections.abc import Set

_MAIL = frozenset({"Mail", "ImapMail", "News"})
_STATE = frozenset(
    {"msgFilterRules.dat", "filterlog.html", "junklog.html", "popstate.dat", "rules.dat"}
    | {"virtualFolders.dat", "feeds.json", "feeditems.json", "feeds.rdf", "feeditems.rdf"}
)
_BOOKS = re.compile(r"calendar-data|abook(?:-\d+)?\.sqlite|history\.sqlite")
"""Calendars and address books, of which those of people one wrote to."""
_BESIDE = frozenset({"profiles.ini", "installs.ini", "Crash Reports", "Pending Pings"})


def is_state(name: str, beside: Set[str]) -> bool:
    """Say whether `name` is state of Thunderbird, given its neighbours `beside`."""
    if name.endswith(".msf"):
        # Of a folder on a server there may be no more than the index: that is a gap, and told.
        return name.removesuffix(".msf") in beside
    if "prefs.js" in beside and not _MAIL.isdisjoint(beside):
        return name not in _MAIL and not _BOOKS.fullmatch(name)
    return name in _STATE or ("profiles.ini" in beside and name in _BESIDE)

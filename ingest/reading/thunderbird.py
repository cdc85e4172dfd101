"""What of a Thunderbird profile is mail; the rest is the program's own state."""

from __future__ import annotations

from collections.abc import Set

_MAIL = frozenset({"Mail", "ImapMail", "News"})
_STATE = frozenset(
    {"msgFilterRules.dat", "filterlog.html", "junklog.html", "popstate.dat", "rules.dat"}
    | {"virtualFolders.dat", "feeds.json", "feeditems.json", "feeds.rdf", "feeditems.rdf"}
)
_BESIDE = frozenset({"profiles.ini", "installs.ini", "Crash Reports", "Pending Pings"})


def is_state(name: str, beside: Set[str]) -> bool:
    """Say whether what is called `name` is state of Thunderbird's, `beside` these others."""
    if name.endswith(".msf"):
        # Of a folder on a server there may be no more than the index: that is a gap, and told.
        return name.removesuffix(".msf") in beside
    if "prefs.js" in beside and not _MAIL.isdisjoint(beside):
        return name not in _MAIL
    return name in _STATE or ("profiles.ini" in beside and name in _BESIDE)

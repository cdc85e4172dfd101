"""Recognises files that programs keep for themselves: they are not read, and are no gap."""

from __future__ import annotations

import re
from collections.abc import Set

from ingest.reading import thunderbird

_NEVER = frozenset(
    {".git", ".hg", ".svn", ".bzr", "__pycache__", "node_modules", ".notmuch", ".obsidian"}
    | {".DS_Store", "Thumbs.db", "desktop.ini", ".directory", "maildirfolder"}
    | {".zotero-ft-cache", ".zotero-ft-info", ".zotero-reader-state", ".zotero-ft-unprocessed"}
)
_MAILDIR = ("dovecot", "courier", "subscriptions", ".uidvalidity", ".mbsyncstate")
_COLLECTION = frozenset({"color", "displayname", "description", "order"})
"""Files of vdirsyncer beside the entries of a collection."""
_ENTRIES = (".ics", ".vcf")
_APPLE = re.compile(r"V\d+")
"""The folder of Apple Mail's accounts, with its indexes in `MailData` beside them."""


def belongs_to_program(name: str, beside: Set[str], folder: str) -> bool:
    """Say whether `name` is a program's own, given its neighbours `beside` and its `folder`."""
    if (
        name in _NEVER
        or (name.endswith("-shm") and name.removesuffix("-shm") in beside)
        or thunderbird.is_state(name, beside)
    ):
        return True
    if name in _COLLECTION:
        return any(other.endswith(_ENTRIES) for other in beside)
    if name == "MailData":
        return _APPLE.fullmatch(folder) is not None
    # In a Maildir, tmp holds what is not yet delivered; the rest is the server's state.
    return {"cur", "new"} <= beside and (name == "tmp" or name.startswith(_MAILDIR))

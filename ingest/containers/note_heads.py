"""How exports of notes and bookmarks begin, or are called."""

from __future__ import annotations

import re
from pathlib import Path

_EVERNOTE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE en-export|<en-export)\b")
_BOOKMARKS = re.compile(rb"\s*<!DOCTYPE NETSCAPE-Bookmark-file-1>", re.IGNORECASE)
_KEEP = re.compile(rb"\s*\{.{0,1000}\"isTrashed\"\s*:.{0,400}\"isArchived\"\s*:", re.DOTALL)
_KEEP_PAGE = re.compile(rb"<div class=\"note\b[^<>]*><div class=\"heading\">")
_JOPLIN_NAME = re.compile(r"[0-9a-f]{32}\.md")


def notes_in(head: bytes, path: Path) -> str | None:
    """Return which export a file is that begins so: a value of `Format`. None: it is none."""
    suffix = path.suffix.lower()
    if _EVERNOTE.match(head):
        return "Evernote"
    if suffix == ".webarchive" and head.startswith((b"bplist", b"<?xml")):
        return "web archive"
    if _BOOKMARKS.match(head):
        return "bookmarks"
    if suffix == ".json" and _KEEP.match(head):
        return "Google Keep"
    if suffix == ".html" and _KEEP_PAGE.search(head):
        return "Google Keep, as a page"
    return "Joplin" if _JOPLIN_NAME.fullmatch(path.name) else None

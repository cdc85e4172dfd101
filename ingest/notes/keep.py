"""Google Keep in an export of Google Takeout: a JSON file a note, and the same note as a page.

The page beside it is left out. Its form is that of Keep's own exports; Google documents none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ingest.documents.records import json_items
from ingest.html.text import html_items, html_text
from ingest.item import People, Person
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope, moment
from ingest.text.clean import clean, clean_line, decode

FOLDER = "Keep"
"""Of Takeout's; it keeps this name in every language."""


def keep_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a note. JSON of another use is read as the JSON that it is."""
    try:
        note = json.loads(decode(data))
    except (ValueError, RecursionError):
        note = None
    if not isinstance(note, dict) or "userEditedTimestampUsec" not in note:
        yield from json_items(data, origin, scope)
        return
    edited = note.get("userEditedTimestampUsec")
    when = moment(edited / 1e6) if isinstance(edited, int) else None
    title = clean_line(str(note.get("title") or "")) or origin.title
    shared = [clean_line(str(one.get("email") or "")) for one in _rows(note, "sharees")]
    people = People(to=tuple(Person("", one) for one in shared if one))
    own = replace(origin, title=title, when=when or origin.when, people=people)
    if not scope.admits_date(own.when):
        yield LeftOut()
        return
    text, hidden = clean("\n".join(_lines(note)))
    item = own.document(text.strip() or title, hidden, title=title)
    yield replace(item, flags=("in the trash",)) if note.get("isTrashed") else item


def keep_page_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield nothing of the page of a note in a folder of Takeout's, where it is JSON too."""
    name = origin.locator.member or str(origin.locator.path)
    if PurePosixPath(name).parent.name == FOLDER:
        yield LeftOut()
    else:
        yield from html_items(data, origin, scope)


def _lines(note: dict[str, Any]) -> Iterator[str]:
    if isinstance(note.get("textContent"), str):
        yield note["textContent"]
    elif isinstance(note.get("textContentHtml"), str):
        yield html_text(note["textContentHtml"])[0]
    for row in _rows(note, "listContent"):
        yield f"[{'x' if row.get('isChecked') else ' '}] {row.get('text') or ''}"
    for row in _rows(note, "annotations"):
        yield f"{row.get('title') or ''} {row.get('url') or ''}".strip()
    labels = ", ".join(str(row.get("name") or "") for row in _rows(note, "labels"))
    if labels:
        yield f"Labels: {labels}"


def _rows(note: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = note.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []

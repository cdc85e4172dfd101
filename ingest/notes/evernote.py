"""Evernote's exports (.enex): a document a note, and what is attached to it.

The format is described by Evernote's `evernote-export4.dtd`, a note's content by `enml2.dtd`.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from ingest.containers.xmltree import each
from ingest.formats import items_in
from ingest.html.text import html_text
from ingest.item import People, Person, Reason
from ingest.origin import Origin
from ingest.recognise import HEAD, Format, recognise
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean_line

NOTES = 50_000
"""Of one export."""
_DOCTYPE = re.compile(rb"<!DOCTYPE\s+en-(?:export|note)\s+SYSTEM\s+[\"'][^\"'<>]{0,200}[\"']\s*>")
_DATA = re.compile(rb"<data\b[^<>]{0,200}>([A-Za-z0-9+/=\s]*)</data>")
"""What is attached: too long for the parser of XML."""
_TODO = re.compile(r"<en-todo\b([^<>]{0,100})/?>")
_CRYPT = re.compile(r"<en-crypt\b[^<>]{0,300}>[^<]*</en-crypt>")
_NOT_READ = frozenset({Format.MBOX, Format.MAIL, Format.EVERNOTE})


def evernote_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield each note, then what is attached to it. Raises UnreadableError."""
    attached: list[bytes] = []

    def taken(match: re.Match[bytes]) -> bytes:
        attached.append(match[1])
        return b"<data>%d</data>" % (len(attached) - 1)

    bare = _DATA.sub(taken, _DOCTYPE.sub(b"", data))
    notes = each(bare, "note")
    for note in islice(notes, NOTES):
        yield from _note(note, attached, origin, scope)
    if next(notes, None) is not None:
        remedy = f"Only its first {NOTES:,} notes are read; export them by notebook."
        yield origin.skipped(Reason.TOO_LARGE, remedy)


def _note(note: Any, attached: list[bytes], origin: Origin, scope: Scope) -> Iterator[Read]:
    title = clean_line(note.findtext("title") or "") or origin.title
    when = _moment(note.findtext("updated")) or _moment(note.findtext("created"))
    author = clean_line(note.findtext("note-attributes/author") or "")
    people = People(sender=(Person(author, ""),)) if author else origin.people
    own = replace(origin, title=title, when=when or origin.when, people=people)
    if scope.admits_date(own.when):
        markup = note.findtext("content") or ""
        markup = _TODO.sub(lambda todo: "[x] " if '"true"' in todo[1] else "[ ] ", markup)
        text, hidden = html_text(_CRYPT.sub("(encrypted in Evernote)", markup))
        tags = ", ".join(clean_line(tag.text or "") for tag in note.findall("tag"))
        source = clean_line(note.findtext("note-attributes/source-url") or "")
        lines = [text, f"Tags: {tags}" if tags else "", f"From: {source}" if source else ""]
        whole = "\n\n".join(filter(None, lines)).strip()
        if whole:
            yield own.document(whole, hidden, title=title)
    else:
        yield LeftOut()
    for resource in note.findall("resource"):
        yield from _resource(resource, attached, own, scope)


def _resource(resource: Any, attached: list[bytes], own: Origin, scope: Scope) -> Iterator[Read]:
    place = resource.findtext("data") or ""
    kind = clean_line(resource.findtext("mime") or "")
    name = clean_line(resource.findtext("resource-attributes/file-name") or "") or kind
    inner = replace(own, title=name, locator=replace(own.locator, member=f"{own.title}/{name}"))
    try:
        content = base64.b64decode(attached[int(place)])
    except (ValueError, IndexError, binascii.Error):
        yield inner.skipped(Reason.CORRUPT, "It is damaged; export the note again.")
        return
    form = recognise(content[:HEAD], inner.locator.path.with_name(name.replace("/", "_") or "x"))
    yield from items_in(content, inner, scope, Format.TEXT if form in _NOT_READ else form)


def _moment(text: str | None) -> datetime | None:
    """Return a moment such as 20261124T083000Z."""
    try:
        return datetime.strptime(text or "", "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None

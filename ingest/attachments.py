"""Reads what is attached to a mail: text, HTML, PDF, calendars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from pathlib import Path

from ingest.formats import items_in
from ingest.item import Kind, Locator, People, Reason
from ingest.origin import Origin
from ingest.parts import charset, payload
from ingest.recognise import DOCUMENT, ENTRIES, HEAD, Format, recognise
from ingest.sieve import LeftOut, Read, Scope

_ENCRYPTED = frozenset({"application/pgp-encrypted", "application/pkcs7-mime"})
_BY_TYPE = {"text/calendar": Format.CALENDAR, "text/html": Format.HTML}
_AS_TEXT = frozenset({Format.MBOX, Format.MAIL, Format.LINES})


def read_attachment(
    part: Message,
    place: Locator,
    when: datetime | None,
    people: People,
    subjects: tuple[str, ...],
    scope: Scope,
) -> Iterator[Read]:
    """Yield the items in one attachment, which takes date, people and subjects from its mail."""
    kind = part.get_content_type()
    origin = Origin(place.member or "", when, people, place, subjects, charset(part))
    if _left_out(kind, origin, scope):
        yield LeftOut()
    elif kind in _ENCRYPTED:
        remedy = "This mail is encrypted; open it in your mail program."
        yield origin.skipped(Reason.ENCRYPTED, remedy, kinds=frozenset({Kind.MAIL}) | DOCUMENT)
    elif kind.startswith(("image/", "audio/", "video/")):
        remedy = "Pictures and recordings are not read."
        yield origin.skipped(Reason.UNSUPPORTED, remedy, kinds=frozenset())
    else:
        data = payload(part)
        yield from items_in(data, origin, scope, _form_of(kind, data, origin.title))


def _left_out(kind: str, origin: Origin, scope: Scope) -> bool:
    """Say whether filters exclude the attachment before it is decoded."""
    if kind == "text/calendar" or (origin.locator.member or "").lower().endswith(".ics"):
        return not scope.wants_any(ENTRIES)
    follows = scope.admits(origin.when, origin.people, titles=origin.subjects)
    return not scope.wants(Kind.DOCUMENT) or not follows


def _form_of(kind: str, data: bytes, name: str) -> Format:
    form = _BY_TYPE.get(kind) or recognise(data[:HEAD], Path(name))
    return Format.TEXT if form in _AS_TEXT else form

"""Reads what is attached to a mail: text, HTML, PDF, calendars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from pathlib import Path

from ingest.files import UnreadableError
from ingest.item import Kind, Locator, People, Reason
from ingest.origin import Origin
from ingest.parts import charset, payload
from ingest.recognise import (
    DOCUMENT,
    ENTRIES,
    HEAD,
    Format,
    describe_unsupported,
    kinds_of,
    recognise,
)
from ingest.sieve import LeftOut, Read, Scope

LIMIT = 64 << 20
"""Bytes of the largest attachment that is read."""
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
    origin = Origin(place.member or "", when, people, place, subjects)
    if _left_out(kind, origin, scope):
        yield LeftOut()
    elif kind in _ENCRYPTED:
        remedy = "This mail is encrypted; open it in your mail program."
        yield origin.skipped(Reason.ENCRYPTED, remedy, kinds=frozenset({Kind.MAIL}) | DOCUMENT)
    elif kind.startswith(("image/", "audio/", "video/")):
        remedy = "Pictures and recordings are not read."
        yield origin.skipped(Reason.UNSUPPORTED, remedy, kinds=frozenset())
    else:
        yield from _read(part, origin, _BY_TYPE.get(kind), scope)


def _left_out(kind: str, origin: Origin, scope: Scope) -> bool:
    """Say whether filters exclude the attachment before it is decoded."""
    if kind == "text/calendar" or (origin.locator.member or "").lower().endswith(".ics"):
        return not scope.wants_any(ENTRIES)
    follows = scope.admits(origin.when, origin.people, titles=origin.subjects)
    return not scope.wants(Kind.DOCUMENT) or not follows


def _read(part: Message, origin: Origin, form: Format | None, scope: Scope) -> Iterator[Read]:
    data = payload(part)
    head = data[:HEAD]
    form = form or recognise(head, Path(origin.title))
    try:
        if len(data) > LIMIT:
            raise UnreadableError(Reason.TOO_LARGE, f"It is larger than {LIMIT >> 20} MB.")
        if not data.strip():
            raise UnreadableError(Reason.EMPTY, "The attachment is empty.")
        match form:
            case Format.UNSUPPORTED:
                remedy, kinds = describe_unsupported(head)
                yield origin.skipped(Reason.UNSUPPORTED, remedy, kinds=kinds)
            case Format.CALENDAR:
                from ingest.calendars import calendar_items

                yield from calendar_items(data, origin, scope)
            case Format.PDF:
                from ingest.pdf import pdf_items

                yield from pdf_items(data, origin)
            case Format.HTML:
                from ingest.markup import html_document

                yield html_document(data, origin, charset(part))
            case _:
                from ingest.records import text_document

                form = Format.TEXT if form in _AS_TEXT else form
                yield text_document(data, origin, form, charset(part))
    except UnreadableError as error:
        yield origin.skipped(error.reason, error.remedy, kinds=kinds_of(form))

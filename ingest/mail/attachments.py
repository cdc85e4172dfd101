"""Reads the attachments of a mail: documents of any format, and calendars."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from ingest.formats import items_in
from ingest.item import Kind, Locator, People, Reason, Skipped
from ingest.mail.mime import Part
from ingest.mail.seals import Seal
from ingest.origin import Origin
from ingest.recognise import DOCUMENT, ENTRIES, HEAD, Format, recognise
from ingest.sieve import LeftOut, Read, Scope

_CARDS = frozenset({"text/vcard", "text/x-vcard", "text/directory"})
_BY_TYPE = {"text/calendar": Format.CALENDAR, "text/html": Format.HTML}
_AS_TEXT = frozenset({Format.MBOX, Format.MAIL, Format.LINES})
_PICTURES = ("image/", "audio/", "video/")
_LOCKED = b"-----BEGIN PGP MESSAGE-----"


def verdict_on(
    part: Part,
    place: Locator,
    when: datetime | None,
    people: People,
    subjects: tuple[str, ...],
    scope: Scope,
) -> Skipped | LeftOut | None:
    """Return why an attachment is not read, as far as its header fields tell."""
    kind = part.kind
    origin = _origin(part, place, when, people, subjects)
    if _left_out(kind, origin, scope):
        return LeftOut()
    if kind == "application/pgp-encrypted":
        return _encrypted(origin)
    if kind.startswith("message/"):
        remedy = "It is kept elsewhere, or in pieces; open the mail in your mail program."
        return origin.skipped(Reason.UNSUPPORTED, remedy)
    if "x-apple-content-length" in part.fields and part.is_empty:
        remedy = "Apple Mail keeps it in the folder Attachments beside its messages; add that."
        return origin.skipped(Reason.MISSING, remedy)
    if kind.startswith(_PICTURES) and not (
        scope.budget.scans and kind.startswith("image/") and not is_shown(part)
    ):
        remedy = "Pictures and recordings are not read."
        return origin.skipped(Reason.UNSUPPORTED, remedy, kinds=frozenset())
    return None


def is_shown(part: Part) -> bool:
    """Say whether a part is shown within the text: a logo, a line, a smiley."""
    return "content-id" in part.fields and part.disposition != "attachment"


def read_attachment(
    part: Part,
    place: Locator,
    when: datetime | None,
    people: People,
    subjects: tuple[str, ...],
    scope: Scope,
) -> Iterator[Read]:
    """Yield the items in one attachment, which takes date, people and subjects from its mail."""
    origin = _origin(part, place, when, people, subjects)
    data = part.payload()
    if data.startswith(_LOCKED):
        yield _encrypted(origin)
        return
    yield from items_in(data, origin, scope, _form_of(part.kind, data, origin.title))


def _origin(
    part: Part,
    place: Locator,
    when: datetime | None,
    people: People,
    subjects: tuple[str, ...],
) -> Origin:
    return Origin(place.member or "", when, people, place, subjects, part.content.charset)


def _encrypted(origin: Origin) -> Skipped:
    kinds = frozenset({Kind.MAIL}) | DOCUMENT
    return origin.skipped(Reason.ENCRYPTED, Seal.ENCRYPTED.value, kinds=kinds)


def _left_out(kind: str, origin: Origin, scope: Scope) -> bool:
    """Say whether filters exclude the attachment before it is decoded."""
    name = (origin.locator.member or "").lower()
    if kind == "text/calendar" or name.endswith(".ics"):
        return not scope.wants_any(ENTRIES)
    if kind in _CARDS or name.endswith(".vcf"):
        return not scope.wants(Kind.CONTACT)
    follows = scope.admits(origin.when, origin.people, titles=origin.subjects)
    return not scope.wants(Kind.DOCUMENT) or not follows


def _form_of(kind: str, data: bytes, name: str) -> Format:
    form = _BY_TYPE.get(kind) or recognise(data[:HEAD], Path(name))
    return Format.TEXT if form in _AS_TEXT else form

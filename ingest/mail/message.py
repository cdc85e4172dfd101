"""One message to items: the mail itself and each of its attachments."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Flag, auto
from pathlib import Path
from typing import NamedTuple

from ingest.item import Item, Kind, Locator, Reason, Shelf, Skipped
from ingest.mail.attachments import is_shown, read_attachment, verdict_on
from ingest.mail.emlx import unwrap
from ingest.mail.envelope import Envelope, date_of, envelope_of, header_lines
from ingest.mail.headers import LIMIT, Headers
from ingest.mail.mime import MAILS, Part, parse
from ingest.mail.parts import TEXT, Contents, take_apart
from ingest.mail.seals import Seal
from ingest.mail.shelves import is_deleted, shelf_of_labels, shelved
from ingest.sieve import Later, LeftOut, Read, Scope
from ingest.text.clean import clean_line

_TEXTS = frozenset({"text/plain", "text/html", "text/enriched", "text/x-amp-html"})
_NESTED = 8
_SMALL = 256 << 10
"""Bytes of the largest attached mail or invitation that is read with the mail itself."""


class Phase(Flag):
    """What of a message is wanted: attachments wait until all mails are read."""

    FIRST = auto()
    """The mail, and small mails and invitations attached to it."""
    LATER = auto()
    """What the first phase put off."""


class RawMessage(NamedTuple):
    """The bytes of a message and where they come from."""

    data: bytes
    begin: int
    end: int
    """The message is `data[begin:end]`."""
    offset: int | None = None
    """Offset of the message in its mbox."""
    separator: bytes = b""
    """The line before it in an mbox."""
    is_last: bool = True
    """Whether nothing follows, so that what is missing at its end was cut off."""
    shelf: Shelf | None = None
    """Shelf and owners that the place of its file tells."""

    @classmethod
    def of(cls, data: bytes) -> RawMessage:
        """Return the message that is a whole file."""
        within = unwrap(data)
        return cls(data, within.begin, within.end, shelf=within.shelf)


_NOWHERE = RawMessage(b"", 0, 0)


def mail_items(
    content: RawMessage, path: Path, scope: Scope, phase: Phase = Phase.FIRST
) -> Iterator[Read]:
    """Yield the mail in `content`, and those attachments that this phase wants."""
    message = parse(content.data, content.begin, content.end)
    headers = message.headers()
    offset, separator = content.offset, content.separator
    if _excluded(message, headers, scope, separator):
        yield LeftOut()
        return
    if not headers:
        member = None if offset is None else f"message at byte {offset}"
        yield Skipped(path, Reason.CORRUPT, "It is not a readable mail.", member)
        return
    locator = Locator(path, message_id=_message_id(headers, message, content.begin), offset=offset)
    yield from message_items(message, headers, locator, scope, content, phase=phase)
    if content.is_last and Phase.FIRST in phase and _is_cut(message):
        member = envelope_of(headers).subject or locator.message_id
        remedy = "The message is cut off; fetch the mailbox again from where it came."
        yield Skipped(path, Reason.CORRUPT, remedy, None if offset is None else member)


def message_items(
    message: Part,
    headers: Headers,
    locator: Locator,
    scope: Scope,
    content: RawMessage = _NOWHERE,
    around: tuple[str, ...] = (),
    phase: Phase = Phase.FIRST,
) -> Iterator[Read]:
    """Yield what this phase wants of a message; `locator` is the message's own.

    `content` tells where it is from, unless it is attached to another. `around` has the
    subjects of the messages it is attached to, the innermost first.
    """
    envelope = envelope_of(headers, content.separator)
    contents = take_apart(message, locator.part or "")
    names = tuple(_names(contents))
    if not around and scope.filters.attachments not in (None, bool(names)):
        yield LeftOut()
        return
    if Phase.FIRST in phase:
        subjects = (envelope.subject, *around)
        passes = scope.admits(envelope.when, envelope.people, titles=subjects)
        if passes and scope.wants(Kind.MAIL):
            yield from _mail(envelope, headers, contents, locator, names, content.shelf)
        else:
            yield LeftOut()
    if contents.attachments:
        yield from _attached(contents, envelope, locator, scope, around, phase)


def _mail(
    envelope: Envelope,
    headers: Headers,
    contents: Contents,
    locator: Locator,
    names: tuple[str, ...],
    shelf: Shelf | None,
) -> Iterator[Item | Skipped]:
    """Yield the mail itself, and what of its text could not be read."""
    path, title = locator.path, envelope.subject or locator.message_id
    item = _item(envelope, headers, contents, locator, names, shelf)
    nothing = Skipped(path, Reason.EMPTY, "The mail is empty.", locator.message_id)
    yield item if item.text.strip() else nothing
    if contents.seal is not None:
        is_locked = contents.seal is Seal.ENCRYPTED
        reason = Reason.ENCRYPTED if is_locked else Reason.UNSUPPORTED
        yield Skipped(path, reason, contents.seal.value, title)
    if contents.refused:
        remedy = f"{contents.refused} parts are nested too deep or too many."
        yield Skipped(path, Reason.TOO_LARGE, remedy, title)
    if headers.is_cut:
        remedy = f"Only the first {LIMIT >> 10} KB of its subject and its people are read."
        yield Skipped(path, Reason.TOO_LARGE, remedy, title)
    if contents.is_overlong:
        remedy = f"Only the first {TEXT >> 20} MB of its text are read."
        yield Skipped(path, Reason.TOO_LARGE, remedy, title)


def _attached(
    contents: Contents,
    envelope: Envelope,
    locator: Locator,
    scope: Scope,
    around: tuple[str, ...],
    phase: Phase,
) -> Iterator[Read]:
    """Yield the attachments that this phase wants, and the size of those put off."""
    put_off = 0
    subjects = (envelope.subject, *around)
    for number, part in contents.attachments:
        place = locator.of_part(number, part.name or f"part {number}")
        is_small = part.size <= _SMALL
        if part.kind in MAILS:
            if len(around) >= _NESTED:
                remedy = "Mails are attached to each other too deep; open it in your mail program."
                if Phase.FIRST in phase:
                    yield Skipped(place.path, Reason.TOO_LARGE, remedy, place.member)
                continue
            # A large attached mail is put off, and then read as a whole.
            inner = phase if is_small else (Phase.FIRST | Phase.LATER) & _if_later(phase)
            for read in _forwarded(part, place, scope, subjects, inner) if inner else ():
                if isinstance(read, Later):
                    put_off += read.size
                else:
                    yield read
            put_off += 0 if inner else part.size
            continue
        verdict = verdict_on(part, place, envelope.when, envelope.people, subjects, scope)
        if verdict is not None:
            if Phase.FIRST in phase:
                yield verdict
        elif (Phase.FIRST if is_small and _is_invitation(part) else Phase.LATER) in phase:
            yield from read_attachment(part, place, envelope.when, envelope.people, subjects, scope)
        elif Phase.LATER not in phase:
            put_off += part.size
    if put_off:
        yield Later(locator.offset or 0, put_off)


def _if_later(phase: Phase) -> Phase:
    return Phase.FIRST | Phase.LATER if Phase.LATER in phase else Phase(0)


def _is_invitation(part: Part) -> bool:
    return part.kind == "text/calendar" or part.name.lower().endswith(".ics")


def _excluded(message: Part, headers: Headers, scope: Scope, separator: bytes) -> bool:
    """Say whether the header fields alone show that no item of this message passes."""
    if is_deleted(headers.raw("x-mozilla-status")):
        return True
    wants_parts = scope.filters.attachments or not scope.wants(Kind.MAIL)
    if wants_parts and not _may_have_parts(message):
        return True
    if not scope.by_envelope:
        return False
    dated = scope.admits_date(date_of(headers, separator))
    if dated and scope.admits_titles(headers.text("subject")):
        envelope = envelope_of(headers, separator)
        if scope.admits(envelope.when, envelope.people, titles=[envelope.subject]):
            return False
    # An invitation has its own date, people and title, whenever it was sent.
    return not (scope.wants(Kind.EVENT) and _may_have_parts(message)) or not any(
        _is_invitation(part) for _, part in take_apart(message).attachments
    )


def _may_have_parts(message: Part) -> bool:
    """Say whether a message can be or hold an attachment."""
    return (
        message.kind not in _TEXTS
        or bool(message.content.name)
        or "content-disposition" in message.fields
    )


def _owners(headers: Headers, envelope: Envelope, *, is_sent: bool) -> tuple[str, ...]:
    """Return whose mailbox the message is in, as far as it tells."""
    delivered = headers.people("delivered-to")
    sent = envelope.people.sender if is_sent else ()
    return tuple(dict.fromkeys(person.address for person in (*delivered, *sent) if person.address))


def _names(contents: Contents) -> Iterator[str]:
    """Yield the names of the attachments, without pictures that the text shows."""
    for number, part in contents.attachments:
        if not (is_shown(part) and part.kind.startswith("image/")):
            yield part.name or f"part {number}"


def _item(
    envelope: Envelope,
    headers: Headers,
    contents: Contents,
    locator: Locator,
    names: tuple[str, ...],
    shelf: Shelf | None,
) -> Item:
    head = "\n".join(header_lines(envelope, [part.name for _, part in contents.attachments]))
    body = contents.text
    place = shelved(locator.path)
    labels = headers.raw("x-gmail-labels")
    labelled = shelf_of_labels(headers.text("x-gmail-labels")) if labels else None
    below = len(head) + 2 if head else 0
    return Item(
        Kind.MAIL,
        envelope.subject,
        envelope.when,
        envelope.people,
        f"{head}\n\n{body}" if head and body else head or body,
        locator,
        hidden_removed=contents.hidden,
        attachments=names,
        owners=_owners(headers, envelope, is_sent=place.is_sent),
        shelf=shelf or labelled or place.shelf,
        body=below if body else len(head),
    )


def _forwarded(
    part: Part, place: Locator, scope: Scope, around: tuple[str, ...], phase: Phase
) -> Iterator[Read]:
    """Yield a mail that is attached to another."""
    message = part.children()[0][0]
    headers = message.headers()
    if not headers and message.is_empty:
        yield Skipped(place.path, Reason.CORRUPT, "The attached mail is empty.", place.member)
        return
    yield from message_items(message, headers, place, scope, around=around, phase=phase)


def _message_id(headers: Headers, message: Part, begin: int) -> str:
    """Return the Message-ID with its brackets, or a hash of the header block."""
    found = clean_line(headers.raw("message-id"))
    if found:
        return found
    from hashlib import sha256

    block = message.data[begin : message.start].rstrip(b"\r\n")
    return f"sha256:{sha256(block).hexdigest()}"


def _is_cut(message: Part) -> bool:
    """Say whether the end of a message is clearly missing."""
    return message.kind.startswith("multipart/") and take_apart(message).is_cut

"""One message to items: the mail itself and each of its attachments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes
from email.errors import CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect
from email.message import Message
from email.parser import BytesHeaderParser
from hashlib import sha256
from pathlib import Path

from ingest.attachments import read_attachment
from ingest.clean import clean
from ingest.exchange import named
from ingest.headers import Headers, parse_date
from ingest.item import Item, Kind, Locator, People, Person, Reason, Skipped
from ingest.parts import Contents, file_name, take_apart
from ingest.sieve import LeftOut, Read, Scope

_HEADERS_END = re.compile(rb"\r?\n\r?\n")
_ENVELOPE_DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d.*")
_PARTS = re.compile(
    rb"^content-disposition:|^content-type:(?:(?!\s*text/(?:plain|html|enriched|x-amp-html)\b)"
    rb"|[^\n]*(?:\n[ \t][^\n]*)*\bname)",
    re.MULTILINE,
)
"""Header fields of a message that can be or hold an attachment."""
_CUT = (CloseBoundaryNotFoundDefect, StartBoundaryNotFoundDefect)
_NESTED = 8
_SENT = re.compile(r"(?:^|[._])sent(?:[ _-]?(?:items|messages|mail))?(?:\.mbox|\.sbd)?$", re.I)
"""Names of the folders that mail programs keep sent mail in, Maildir++ and INBOX.Sent included."""


@dataclass(frozen=True, slots=True)
class Envelope:
    """The header fields of a message, understood."""

    subject: str
    when: datetime | None
    people: People
    names: tuple[tuple[str, str], ...]
    """Header and names of those who could not be matched with an address."""


def mail_items(
    content: bytes,
    path: Path,
    scope: Scope,
    offset: int | None = None,
    separator: bytes = b"",
    *,
    last: bool = False,
) -> Iterator[Read]:
    """Yield the mail in `content` and its attachments.

    `offset` and `separator` (the line before it) tell its place in an mbox; `last` says that
    nothing follows it, so that what is missing at its end was cut off.
    """
    end = _HEADERS_END.search(content)
    block = content[: end.start()] if end else content
    if _excluded(block, content, scope, separator):
        yield LeftOut()
        return
    try:
        message = _parse(content, block)
        headers = Headers(message)
        if not headers:
            raise ValueError("no header fields")
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError):
        member = None if offset is None else f"message at byte {offset}"
        yield Skipped(path, Reason.CORRUPT, "It is not a readable mail.", member)
        return
    locator = Locator(path, message_id=_message_id(headers, block), offset=offset)
    yield from message_items(message, headers, locator, scope, separator)
    if last and _is_cut(message, end is not None):
        member = envelope_of(headers).subject or locator.message_id
        remedy = "The message is cut off; fetch the mailbox again from where it came."
        yield Skipped(path, Reason.CORRUPT, remedy, None if offset is None else member)


def _parse(content: bytes, block: bytes) -> Message:
    """Parse a message; one without parts needs no look at its body, which halves the time."""
    fields = block.lower()
    if b"multipart" not in fields and b"message/" not in fields:
        message = BytesHeaderParser().parsebytes(block)
        if not message.defects:
            body = _HEADERS_END.sub(b"", content[len(block) :], count=1)
            message.set_payload(body.decode("ascii", "surrogateescape"))
            return message
    return message_from_bytes(content)


def message_items(
    message: Message,
    headers: Headers,
    locator: Locator,
    scope: Scope,
    separator: bytes = b"",
    around: tuple[str, ...] = (),
) -> Iterator[Read]:
    """Yield a parsed message and its attachments; `locator` is the message's own.

    `around` has the subjects of the messages it is attached to, the innermost first.
    """
    envelope = envelope_of(headers, separator)
    contents = take_apart(message, locator.part or "")
    names = tuple(_names(contents))
    if not around and scope.filters.attachments not in (None, bool(names)):
        yield LeftOut()
        return
    subjects = (envelope.subject, *around)
    passes = scope.admits(envelope.when, envelope.people, titles=subjects)
    if passes and scope.wants(Kind.MAIL):
        owners = _owners(headers, envelope, locator.path)
        item = replace(_item(envelope, contents, locator, owners), attachments=names)
        nothing = Skipped(locator.path, Reason.EMPTY, "The mail is empty.", locator.message_id)
        yield item if item.text.strip() else nothing
    else:
        yield LeftOut()
    if contents.refused:
        remedy = f"{contents.refused} parts are nested too deep or too many."
        yield Skipped(locator.path, Reason.TOO_LARGE, remedy, envelope.subject)
    for number, part in contents.attachments:
        place = replace(locator, part=number, member=file_name(part) or f"part {number}")
        if part.get_content_type() == "message/rfc822" and len(around) < _NESTED:
            yield from _forwarded(part, place, scope, subjects)
        else:
            yield from read_attachment(part, place, envelope.when, envelope.people, subjects, scope)


def envelope_of(headers: Headers, separator: bytes = b"") -> Envelope:
    """Return what the header fields say; dates fall back to the mbox and to the last server."""
    when = headers.date()
    if when is None:
        line = _ENVELOPE_DATE.search(separator.decode("ascii", "replace"))
        received = headers.raw("received").rpartition(";")[2]
        when = (parse_date(line[0]) if line else None) or parse_date(received)
    sender, sender_names = named(headers.people("from"), "x-from", headers)
    to, to_names = named(headers.people("to"), "x-to", headers)
    cc, cc_names = named(headers.people("cc"), "x-cc", headers)
    names = (("From", sender_names), ("To", to_names), ("Cc", cc_names))
    people = People(sender or headers.people("sender"), to, cc)
    return Envelope(headers.text("subject"), when, people, tuple(n for n in names if n[1]))


def _excluded(block: bytes, content: bytes, scope: Scope, separator: bytes) -> bool:
    """Say whether the header fields alone show that no item of this message passes."""
    wants_parts = scope.filters.attachments or not scope.wants(Kind.MAIL)
    if wants_parts and not _PARTS.search(block.lower()):
        return True
    if not scope.by_envelope:
        return False
    envelope = envelope_of(Headers(BytesHeaderParser().parsebytes(block)), separator)
    if scope.admits(envelope.when, envelope.people, titles=[envelope.subject]):
        return False
    # An invitation has its own date, people and title, whenever it was sent.
    return not (scope.wants(Kind.EVENT) and b"text/calendar" in content.lower())


def _owners(headers: Headers, envelope: Envelope, path: Path) -> tuple[str, ...]:
    """Return whose mailbox the message is in, as far as it tells."""
    delivered = headers.people("delivered-to")
    sent = envelope.people.sender if any(_SENT.search(part) for part in path.parts[-4:]) else ()
    return tuple(dict.fromkeys(person.address for person in (*delivered, *sent) if person.address))


def _names(contents: Contents) -> Iterator[str]:
    """Yield the names of the attachments, without pictures that belong to the text."""
    for number, part in contents.attachments:
        is_shown = "content-id" in part and part.get_content_disposition() != "attachment"
        if not (is_shown and part.get_content_maintype() == "image"):
            yield file_name(part) or f"part {number}"


def _item(
    envelope: Envelope, contents: Contents, locator: Locator, owners: tuple[str, ...]
) -> Item:
    head = "\n".join(_header_lines(envelope, contents))
    return Item(
        Kind.MAIL,
        envelope.subject,
        envelope.when,
        envelope.people,
        f"{head}\n\n{contents.text}" if contents.body else head,
        locator,
        hidden_removed=contents.hidden,
        owners=owners,
    )


def _header_lines(envelope: Envelope, contents: Contents) -> Iterator[str]:
    """Yield the header block that a mail's text begins with."""
    people = envelope.people
    names = dict(envelope.names)
    if envelope.subject:
        yield f"Subject: {envelope.subject}"
    for header, persons in (("From", people.sender), ("To", people.to), ("Cc", people.cc)):
        if persons:
            yield f"{header}: {_listed(persons)}"
        if header in names:
            yield f"{header} (names): {names[header]}"
    if envelope.when is not None:
        yield f"Date: {envelope.when:%a %Y-%m-%d %H:%M %z}"
    attached = [file_name(part) for _, part in contents.attachments]
    if any(attached):
        yield "Attachments: " + ", ".join(name for name in attached if name)


def _listed(persons: tuple[Person, ...]) -> str:
    return ", ".join(str(person) for person in persons)


def _forwarded(
    part: Message, place: Locator, scope: Scope, around: tuple[str, ...]
) -> Iterator[Read]:
    """Yield a mail that is attached to another one."""
    inner = part.get_payload() if part.is_multipart() else None
    message = inner[0] if isinstance(inner, list) and inner else None
    if not isinstance(message, Message):
        yield Skipped(place.path, Reason.CORRUPT, "The attached mail is empty.", place.member)
        return
    headers = Headers(message)
    yield from message_items(message, headers, place, scope, around=around)


def _message_id(headers: Headers, block: bytes) -> str:
    """Return the Message-ID with its brackets, or a hash of the header block."""
    found = clean(headers.raw("message-id"))[0].strip()
    return found or f"sha256:{sha256(block).hexdigest()}"


def _is_cut(message: Message, has_body: bool) -> bool:
    """Say whether the end of a message is evidently missing."""
    if not has_body:
        return message.get_content_maintype() == "multipart"
    return any(isinstance(defect, _CUT) for part in message.walk() for defect in part.defects)

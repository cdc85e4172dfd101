"""Outlook's form of mail, in .msg files and .pst mailboxes: properties by number."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingest.damage import DAMAGED
from ingest.item import Item, Kind, Locator, People, Person
from ingest.mail.headers import Headers
from ingest.mail.mime import Part, read_fields
from ingest.origin import Origin
from ingest.text.clean import clean, clean_line, decode

CLASS, SUBJECT, HEADERS, MESSAGE_ID = 0x001A, 0x0037, 0x007D, 0x1035
BODY, RTF, HTML = 0x1000, 0x1009, 0x1013
ATTACHED, LONG_NAME, SHORT_NAME, MIME_TYPE, CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712
STARTS, ENDS = 0x0060, 0x0061
_SENT, _DELIVERED = 0x0039, 0x0E06
_SENDERS = ((0x5D02, 0x0042, 0x0065), (0x5D01, 0x0C1A, 0x0C1F))
"""SMTP address, name and other address: of whom a mail is from, else of who sent it."""
_ROLE, _NAME, _SMTP, _ADDRESS = 0x0C15, 0x3001, 0x39FE, 0x3003
_TEXT, _TEXT_8BIT, _TIME = 0x001F, 0x001E, 0x0040
_CODEPAGES = (0x3FDE, 0x3FFD)
_ROLES = {1: "to", 2: "cc"}
_CARD = {
    0x3A16: "Company",
    0x3A17: "Title",
    0x3A08: "Business phone",
    0x3A09: "Home phone",
    0x3A1C: "Mobile phone",
    0x3A15: "Address",
}
_KINDS = (
    ("IPM.Contact", Kind.CONTACT),
    ("IPM.Appointment", Kind.EVENT),
    ("IPM.Task", Kind.TASK),
    ("IPM.StickyNote", Kind.DOCUMENT),
    ("IPM.Activity", Kind.DOCUMENT),
)
"""Beginnings of message classes that are not mail."""
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Properties:
    """The properties of a message, an attachment or a recipient."""

    values: dict[int, tuple[int, bytes]]
    """Type and value by number."""
    charset: str = ""
    """The character set of texts that are not Unicode."""

    def __post_init__(self) -> None:
        """Find the character set that the properties name, when none is given."""
        numbers = (self.number(one) for one in _CODEPAGES)
        page = next((number for number in numbers if number), 0)
        if page and not self.charset:
            self.charset = {65001: "utf-8", 20127: "ascii"}.get(page, f"cp{page}")

    def text(self, *numbers: int) -> str:
        """Return the first of these texts that is not empty."""
        for number in numbers:
            kind, data = self.values.get(number, (0, b""))
            if kind == _TEXT:
                found = data.decode("utf-16-le", "replace")
            else:
                found = decode(data, self.charset) if kind == _TEXT_8BIT else ""
            if found := found.rstrip("\0"):
                return found
        return ""

    def line(self, *numbers: int) -> str:
        """Return the first of these texts that is not empty, on one line."""
        return clean_line(self.text(*numbers))

    def data(self, number: int) -> bytes:
        """Return a value unchanged; empty when it is missing."""
        return self.values.get(number, (0, b""))[1]

    def number(self, number: int) -> int:
        """Return a number; 0 when it is missing."""
        return int.from_bytes(self.data(number)[:4], "little")

    def moment(self, *numbers: int) -> datetime | None:
        """Return the first of these moments that exists."""
        for number in numbers:
            kind, data = self.values.get(number, (0, b""))
            ticks = struct.unpack("<Q", data)[0] if kind == _TIME and len(data) == 8 else 0
            if ticks:
                try:
                    return _EPOCH + timedelta(seconds=ticks // 10_000_000)
                except OverflowError:
                    continue
        return None


class _KnownHeaders(Headers):
    """Header fields, some of them more exact than those of the transport."""

    def __init__(
        self, fields: dict[str, str], people: dict[str, tuple[Person, ...]], when: datetime | None
    ) -> None:
        super().__init__(fields)
        self._people = people
        self._when = when

    def __bool__(self) -> bool:
        return True

    def people(self, name: str) -> tuple[Person, ...]:
        return super().people(name) or self._people.get(name, ())

    def date(self, name: str = "date") -> datetime | None:
        return super().date(name) or (self._when if name == "date" else None)


class MapiPart(Part):
    """A part that is not written as MIME, for code that reads such parts."""

    __slots__ = ("_headers", "_load", "_name", "_size")

    def __init__(
        self,
        fields: dict[str, str],
        load: Callable[[], bytes] = bytes,
        size: int = 0,
        name: str = "",
        children: Sequence[Part] = (),
        headers: Headers | None = None,
    ) -> None:
        """Take its fields, and a function that loads its bytes on demand."""
        super().__init__(b"", fields, 0, 0, "text/plain")
        self._load = load
        self._size = size
        self._name = name
        self._headers = headers
        self._children = (list(children), 0)

    @property
    def name(self) -> str:
        """The file name."""
        return self._name

    @property
    def size(self) -> int:
        """Bytes of it, without loading it."""
        return self._size

    @property
    def is_empty(self) -> bool:
        """Whether it is empty."""
        return not (self._size or self._children)

    def raw(self) -> bytes:
        """Return its bytes."""
        return self._load()

    def headers(self) -> Headers:
        """Return its header fields."""
        return self._headers or super().headers()


@dataclass(slots=True)
class MapiMessage:
    """A message as Outlook keeps it."""

    properties: Properties
    recipients: list[Properties] = field(default_factory=list)
    attachments: list[Part] = field(default_factory=list)
    rich: Callable[[], bytes] = bytes
    """Gives the body in RTF, unpacked; empty without one."""

    @property
    def kind(self) -> Kind:
        """What it is, where it is no mail."""
        name = self.properties.line(CLASS).casefold()
        return next((k for begins, k in _KINDS if name.startswith(begins.casefold())), Kind.MAIL)

    def part(self) -> Part:
        """Return it as a message with parts."""
        parts = [*self._bodies(), *self.attachments]
        return MapiPart(
            {"content-type": "multipart/mixed"}, children=parts, headers=self._headers()
        )

    def entry(self, locator: Locator) -> Item:
        """Return a contact, an appointment, a task or a note as text."""
        known = self.properties
        lines = [known.line(SUBJECT)]
        name = known.line(_NAME)
        if self.kind is Kind.CONTACT:
            lines = [name or lines[0]]
            lines += [f"{label}: {known.line(n)}" for n, label in _CARD.items() if known.line(n)]
        when, until = known.moment(STARTS), known.moment(ENDS)
        if when is not None:
            lines.append(f"Begins: {when:%a %Y-%m-%d %H:%M %z}")
        if until is not None:
            lines.append(f"Ends: {until:%a %Y-%m-%d %H:%M %z}")
        body, hidden = clean(known.text(BODY))
        return Item(
            self.kind,
            lines[0],
            when or known.moment(_SENT, _DELIVERED),
            People(attendees=tuple(map(_person, self.recipients))),
            "\n".join([*lines, body]).strip(),
            locator,
            until=until,
            hidden_removed=hidden,
        )

    def _headers(self) -> Headers:
        known = self.properties
        transport = known.text(HEADERS).encode("utf-8", "surrogateescape") + b"\n\n"
        fields, _ = read_fields(transport, 0, len(transport))
        for name, number in (("subject", SUBJECT), ("message-id", MESSAGE_ID)):
            if not fields.get(name, "").strip():
                fields[name] = known.line(number)
        people: dict[str, tuple[Person, ...]] = {"from": _sender(known)}
        for role in _ROLES.values():
            listed = [one for one in self.recipients if _ROLES.get(one.number(_ROLE)) == role]
            people[role] = tuple(map(_person, listed))
        return _KnownHeaders(fields, people, known.moment(_SENT, _DELIVERED))

    def _bodies(self) -> list[Part]:
        """Return the best body: plain text, HTML, RTF."""
        known = self.properties
        plain = known.text(BODY)
        if plain.strip():
            return [_text_part("text/plain", plain.encode("utf-8", "replace"), "utf-8")]
        markup = known.data(HTML)
        if markup:
            charset = known.charset
            if known.values[HTML][0] == _TEXT:
                markup, charset = known.text(HTML).encode("utf-8", "replace"), "utf-8"
            return [_text_part("text/html", markup, charset)]
        rich = self.rich()
        return [_text_part("text/plain", rtf_text(rich).encode(), "utf-8")] if rich else []


def attachment(known: Properties, load: Callable[[], bytes], size: int) -> Part:
    """Return an attachment whose bytes `load` gives."""
    name = known.line(LONG_NAME, SHORT_NAME, _NAME).replace("\\", "/").rpartition("/")[2][:255]
    kind = known.line(MIME_TYPE).lower() or "application/octet-stream"
    fields = {"content-type": kind, "content-disposition": "attachment"}
    if known.line(CONTENT_ID):
        fields = {"content-type": kind, "content-id": known.line(CONTENT_ID)}
    return MapiPart(fields, load, size, name or "unnamed")


def attached_message(known: Properties, mapi: MapiMessage) -> Part:
    """Return a message that is attached to another."""
    fields = {"content-type": "message/rfc822"}
    return MapiPart(fields, size=1, name=known.line(LONG_NAME, _NAME), children=[mapi.part()])


def _text_part(kind: str, data: bytes, charset: str) -> Part:
    return MapiPart(
        {"content-type": f"{kind}; charset={charset or 'utf-8'}"}, lambda: data, len(data)
    )


def _sender(known: Properties) -> tuple[Person, ...]:
    for smtp, name, other in _SENDERS:
        person = Person(known.line(name), _mailbox(known.line(smtp), known.line(other)))
        if person.name or person.address:
            return (person,)
    return ()


def _person(known: Properties) -> Person:
    address = _mailbox(known.line(_SMTP), known.line(_ADDRESS))
    name = known.line(_NAME)
    return Person("" if name == address else name.strip("'"), address)


def _mailbox(*addresses: str) -> str:
    """Return the first Internet address; addresses within Exchange are left out."""
    return next((one for one in addresses if "@" in one), "")


def rtf_text(data: bytes) -> str:
    """Return the text of a body in RTF, empty when it cannot be read."""
    from ingest.office.word.rtf import rtf_items

    origin = Origin("", None, People(), Locator(Path()))
    try:
        reads: Iterable[object] = rtf_items(data, origin, None)  # type: ignore[arg-type]
        return "\n".join(read.text for read in reads if isinstance(read, Item))
    except DAMAGED:
        return ""

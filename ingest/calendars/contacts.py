"""Address cards (vCard 2.1, 3.0 and 4.0) to contacts: one field a line, pictures left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.calendars.cards import WANTED, bare, full_name, label_of, parts_of, said
from ingest.calendars.lines import Line, content_lines, whole_letters
from ingest.files import UnreadableError
from ingest.item import Item, Kind, People, Person, Reason
from ingest.origin import Origin
from ingest.recognise import CONTACT
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line, decode

_BOUNDARY = re.compile(r"\n(?:[\w-]+\.)?(BEGIN|END):VCARD[ \t]*(?=\n)", re.IGNORECASE)
_OLD = re.compile(r"\nVERSION:2\.1[ \t]*\n", re.IGNORECASE)
_NAMED = 20
"""How many damaged cards of one file are reported one by one."""
_CHARACTERS = 20_000_000
"""Characters of one file that are read."""
_MEMBERS = 500
"""How many members of one group its text names."""


@dataclass(frozen=True, slots=True)
class _Card:
    """One card as it is written."""

    written: str
    line: int
    is_closed: bool


@dataclass(frozen=True, slots=True)
class _Fields:
    """What one card says."""

    lines: tuple[Line, ...]
    labels: dict[str, str]
    """What its author calls the lines of a group."""

    def all(self, *names: str) -> list[Line]:
        return [line for line in self.lines if line.name in names]

    def text(self, *names: str) -> str:
        """Return the first of these lines that has a value, on one line."""
        texts = (clean_line(line.text) for name in names for line in self.all(name))
        return next(filter(None, texts), "")

    @property
    def name(self) -> str:
        """The name of the person, or of whatever else the card is for."""
        named = [self.text("FN"), *map(full_name, self.all("N")), *map(parts_of, self.all("ORG"))]
        named += [self.text("NICKNAME"), *map(bare, self.all("EMAIL", "TEL"))]
        return next(filter(None, named), "")

    @property
    def is_group(self) -> bool:
        return self.text("KIND", "X-ADDRESSBOOKSERVER-KIND").lower() == "group"


def contact_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a contact for each card in `data`; raises UnreadableError when there is none."""
    text = decode(whole_letters(data), origin.charset).replace("\r\n", "\n").replace("\r", "\n")
    cards = _cut_up(f"\n{text}\n")
    if not cards:
        raise UnreadableError(Reason.CORRUPT, "It holds no address cards; export it again.")
    if not scope.admits_date(None):
        yield LeftOut(len(cards))
        return
    names: dict[str, str] = {}
    if any("group" in card.written.lower() for card in cards):
        names = dict(map(_named, map(_fields, cards)))
    left, refused = _CHARACTERS, 0
    for card in cards:
        fields = _fields(card)
        if not fields.lines:
            continue
        item = _item(fields, card, names, origin)
        if not _admits(item, origin, scope):
            yield LeftOut()
        elif len(item.text) > left:
            left, refused = 0, refused + 1
        else:
            left -= len(item.text)
            yield item
    yield from _unread(cards, refused, origin)


def _cut_up(text: str) -> list[_Card]:
    cards = []
    begins: int | None = None
    line, counted, first = 0, 0, 0
    for mark in _BOUNDARY.finditer(text):
        is_end = mark[1].upper() == "END"
        if begins is not None:
            cards.append(_Card(text[begins : mark.start() + 1], first, is_end))
            begins = None
        if not is_end:
            line += text.count("\n", counted, mark.start() + 1)
            begins, counted, first = mark.end(), mark.start() + 1, line
    if begins is not None:
        cards.append(_Card(text[begins:], first, False))
    return cards


def _fields(card: _Card) -> _Fields:
    lines = tuple(content_lines(card.written, WANTED, bool(_OLD.search(card.written))))
    found = (line for line in lines if line.name == "X-ABLABEL" and line.group)
    labels = {line.group: label_of(line) for line in found}
    kept = tuple(line for line in lines if line.name != "X-ABLABEL" and line.value.strip(" ;"))
    return _Fields(kept, labels)


def _item(fields: _Fields, card: _Card, names: dict[str, str], origin: Origin) -> Item:
    title = fields.name
    lines = [f"{'Contact group' if fields.is_group else 'Contact'}: {title}"]
    told = (said(line, fields.labels) for line in fields.lines)
    lines += [line for line in told if line and not _repeats(line, title)]
    if not fields.all("ADR"):
        lines += [f"Address: {clean_line(line.text)}" for line in fields.all("LABEL")]
    phonetic = (fields.text("X-PHONETIC-FIRST-NAME"), fields.text("X-PHONETIC-LAST-NAME"))
    if any(phonetic):
        lines.append(f"Pronounced: {' '.join(filter(None, phonetic))}")
    members = fields.all("MEMBER", "X-ADDRESSBOOKSERVER-MEMBER")
    if members:
        lines.append(f"Members: {_members(members, names)}")
    notes = [line.text for line in fields.all("NOTE")]
    lines = [*dict.fromkeys(lines), *(f"Note: {note.strip()}" for note in notes)]
    uid = fields.text("UID")
    return Item(
        Kind.CONTACT,
        title,
        None,
        People(sender=_people(title, fields)),
        clean("\n".join(lines))[0],
        replace(origin.locator, uid=uid or None, line=None if uid else card.line),
        hidden_removed=sum(clean(line.value)[1] for line in fields.lines),
    )


def _repeats(line: str, title: str) -> bool:
    """Say whether a line only repeats the title, in any order of words."""
    label, _, value = line.partition(": ")
    if label == "Organisation":
        return value == title
    return label == "Name" and sorted(value.replace(" ", "")) == sorted(title.replace(" ", ""))


def _people(name: str, fields: _Fields) -> tuple[Person, ...]:
    """Return a person for each address of the card."""
    addresses = map(bare, fields.all("EMAIL"))
    found = dict.fromkeys(address for address in addresses if "@" in address) or {"": None}
    return tuple(Person("" if name == address else name, address) for address in found)


def _admits(item: Item, origin: Origin, scope: Scope) -> bool:
    return scope.admits_people(item.people) and scope.admits_titles(item.title, *origin.subjects)


def _unread(cards: list[_Card], refused: int, origin: Origin) -> Iterator[Read]:
    """Yield the cards whose end is missing, the first ones by name, and what was too much."""
    damaged = [card for card in cards if not card.is_closed]
    remedy = "This card is damaged; save it again in your address book."
    for card in damaged[:_NAMED]:
        name = _fields(card).name or f"line {card.line}"
        yield origin.skipped(Reason.CORRUPT, remedy, name, CONTACT)
    if len(damaged) > _NAMED:
        remedy = f"{len(damaged) - _NAMED} more cards are damaged; export them again."
        yield origin.skipped(Reason.CORRUPT, remedy, kinds=CONTACT)
    if refused:
        remedy = f"{refused} more cards are not read; split the file."
        yield origin.skipped(Reason.TOO_LARGE, remedy, kinds=CONTACT)


def _named(fields: _Fields) -> tuple[str, str]:
    return _bare_uid(fields.text("UID")), fields.name


def _members(lines: list[Line], names: dict[str, str]) -> str:
    """Return the members of a group, by name where the same file has their cards."""
    known = (names.get(_bare_uid(line.text)) or _foreign(line) for line in lines)
    named = [name for name in known if name]
    said = ", ".join(named[:_MEMBERS])
    others = len(lines) - min(len(named), _MEMBERS)
    return f"{said}{' and ' * bool(said)}{others} more" if others else said


def _foreign(line: Line) -> str:
    """Return a member whom the group names by address."""
    return bare(line) if line.text.lower().startswith("mailto:") else ""


def _bare_uid(uid: str) -> str:
    return uid.strip().lower().removeprefix("urn:uuid:")

"""What a reading process sends: plain data, checked against a schema, never unpickled.

A process that a hostile file has taken over can then send wrong text, as the file itself can, and
nothing worse. Frames are a fixed head and a MessagePack body of the types below.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from datetime import datetime
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from ingest.item import ChatTurn, Item, Kind, Locator, People, Person, Reason, Shelf, Skipped
from ingest.sieve import DrawnPage, Later, LeftOut, Read

HEAD = struct.Struct("<IIBqq")
"""Length of the body, number of the job, state, bytes read since the last frame, offset."""
LARGEST = 1 << 30
"""Bytes of the longest body; no reader sends a longer one."""

MOST_DOTS = 4096
"""Of one side of a drawn page."""

_Persons = tuple[tuple[str, str], ...]


class State(IntEnum):
    """What a frame says of its job."""

    MORE = 0
    DONE = 1
    IS_LARGE_MAILBOX = 2
    """Nothing was read: the mailbox is to be read in ranges."""
    AT = 3
    """The message at this offset is next; sent when a message is suspected."""
    READY = 4
    """The process is locked down; the body lists what is in force."""


class _Locator(msgspec.Struct, array_like=True):
    page: int | None
    line: int | None
    message_id: str | None
    part: str | None
    offset: int | None
    uid: str | None
    occurrence: str | None
    member: str | None
    sheet: str | None


class _Item(msgspec.Struct, array_like=True, tag=0):
    kind: Kind
    title: str
    when: str | None
    until: str | None
    people: tuple[_Persons, _Persons, _Persons, _Persons]
    text: str
    place: _Locator
    pages: tuple[int, ...]
    records: tuple[int, ...]
    lined: bool
    hidden_removed: int
    attachments: tuple[str, ...]
    owners: tuple[str, ...]
    shelf: Shelf | None
    body: int
    flags: tuple[str, ...]
    turns: tuple[tuple[int, int, str | None], ...]
    """Offset, number of the sender among `people`, moment."""


class _Skipped(msgspec.Struct, array_like=True, tag=1):
    reason: Reason
    remedy: str
    member: str | None
    kinds: tuple[Kind, ...]


class _LeftOut(msgspec.Struct, array_like=True, tag=2):
    count: int


class _Later(msgspec.Struct, array_like=True, tag=3):
    offset: int
    size: int


class _Drawn(msgspec.Struct, array_like=True, tag=4):
    dots: bytes
    width: Annotated[int, msgspec.Meta(ge=1, le=MOST_DOTS)]
    height: Annotated[int, msgspec.Meta(ge=1, le=MOST_DOTS)]


_Body = list[_Item | _Skipped | _LeftOut | _Later | _Drawn]
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_Body).decode
_decode_names = msgspec.msgpack.Decoder(tuple[str, ...]).decode
MalformedError = msgspec.MsgspecError
"""What `unpacked` raises."""


class Frame(NamedTuple):
    """One message of a reading process."""

    job: int
    state: State
    progress: int
    """Bytes of the source read since the last frame of the job."""
    offset: int
    """Offset of the message begun or last finished, -1 for none."""
    body: bytes


def frame(job: int, state: State, body: bytes = b"", progress: int = 0, offset: int = -1) -> bytes:
    """Return the bytes of a frame."""
    return HEAD.pack(len(body), job, state, progress, offset) + body


def frames(buffer: bytearray) -> Iterator[Frame]:
    """Take the complete frames out of `buffer`. Raises ValueError when it holds something else."""
    at = 0
    while len(buffer) - at >= HEAD.size:
        length, job, state, progress, offset = HEAD.unpack_from(buffer, at)
        if length > LARGEST:
            raise ValueError(f"a frame of {length} bytes")
        end = at + HEAD.size + length
        if end > len(buffer):
            break
        yield Frame(job, State(state), progress, offset, bytes(buffer[at + HEAD.size : end]))
        at = end
    del buffer[:at]


def packed(reads: Iterable[Read]) -> bytes:
    """Return the body that holds `reads`."""
    body = [_to_wire(read) for read in reads]
    try:
        return _encode(body)
    except UnicodeEncodeError:
        # A lone surrogate that came past the cleaning must not cost the file.
        return _encode(_sound(msgspec.to_builtins(body)))


def unpacked(body: bytes, path: Path) -> list[Read]:
    """Return the reads in a body, of the file at `path`. Raises MalformedError."""
    if not body:
        return []
    known: dict[tuple[str, str], Person] = {}
    return [_from_wire(one, path, known) for one in _decode(body)]


def packed_names(names: Iterable[str]) -> bytes:
    """Return the body of a READY frame."""
    return _encode(tuple(names))


def unpacked_names(body: bytes) -> tuple[str, ...]:
    """Return the names in the body of a READY frame. Raises MalformedError."""
    return _decode_names(body)


def _sound(value: Any) -> Any:
    """Return built-in values with their lone surrogates replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_sound(one) for one in value] if isinstance(value, list | tuple) else value


def _to_wire(read: Read) -> msgspec.Struct:
    match read:
        case Item():
            return _item_to_wire(read)
        case Skipped():
            return _Skipped(read.reason, read.remedy, read.member, tuple(read.kinds))
        case LeftOut():
            return _LeftOut(read.count)
        case Later():
            return _Later(read.offset, read.size)
        case DrawnPage():
            return _Drawn(read.dots, read.width, read.height)


def _item_to_wire(item: Item) -> _Item:
    at, people = item.locator, item.people
    return _Item(
        item.kind,
        item.title,
        item.when.isoformat() if item.when else None,
        item.until.isoformat() if item.until else None,
        (_named(people.sender), _named(people.to), _named(people.cc), _named(people.attendees)),
        item.text,
        _Locator(
            at.page,
            at.line,
            at.message_id,
            at.part,
            at.offset,
            at.uid,
            at.occurrence,
            at.member,
            at.sheet,
        ),
        item.pages,
        item.records,
        item.lined,
        item.hidden_removed,
        item.attachments,
        item.owners,
        item.shelf,
        item.body,
        item.flags,
        _turns(item),
    )


def _turns(item: Item) -> tuple[tuple[int, int, str | None], ...]:
    numbers = {person: number for number, person in enumerate(item.people.sender)}
    return tuple(
        (turn.start, numbers[turn.sender], turn.when.isoformat() if turn.when else None)
        for turn in item.turns
    )


def _named(persons: tuple[Person, ...]) -> _Persons:
    return tuple([(person.name, person.address) for person in persons])


def _from_wire(
    one: _Item | _Skipped | _LeftOut | _Later | _Drawn,
    path: Path,
    known: dict[tuple[str, str], Person],
) -> Read:
    match one:
        case _Item():
            return _item_from_wire(one, path, known)
        case _Skipped():
            return Skipped(path, one.reason, one.remedy, one.member, frozenset(one.kinds))
        case _LeftOut():
            return LeftOut(one.count)
        case _Later():
            return Later(one.offset, one.size)
        case _Drawn():
            if len(one.dots) != 3 * one.width * one.height:
                raise msgspec.ValidationError("a page that is larger or smaller than it says")
            return DrawnPage(one.dots, one.width, one.height)


def _persons(some: _Persons, known: dict[tuple[str, str], Person]) -> tuple[Person, ...]:
    """Return the persons; each is made only once."""
    persons = []
    for pair in some:
        person = known.get(pair)
        if person is None:
            person = known[pair] = Person(*pair)
        persons.append(person)
    return tuple(persons)


def _item_from_wire(one: _Item, path: Path, known: dict[tuple[str, str], Person]) -> Item:
    sender, to, cc, attendees = [_persons(some, known) if some else () for some in one.people]
    place = one.place
    return Item(
        one.kind,
        one.title,
        datetime.fromisoformat(one.when) if one.when else None,
        People(sender, to, cc, attendees),
        one.text,
        Locator(
            path,
            place.page,
            place.line,
            place.message_id,
            place.part,
            place.offset,
            place.uid,
            place.occurrence,
            place.member,
            place.sheet,
        ),
        datetime.fromisoformat(one.until) if one.until else None,
        one.pages,
        one.records,
        one.lined,
        one.hidden_removed,
        one.attachments,
        one.owners,
        one.shelf,
        one.body,
        flags=one.flags,
        turns=tuple(
            ChatTurn(start, sender[number], datetime.fromisoformat(when) if when else None)
            for start, number, when in one.turns
            if 0 <= number < len(sender)
        ),
    )

"""From messages to items: a stretch of a conversation each, with who said what and when.

A message alone seldom says what it is about, and a room of years says too much. A stretch is a run
of messages without a long pause, about as long as a passage. Where people write little, it goes on
over days: the answer to a question comes in the evening, or on the next morning. Its turns keep
each message, so that messages can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ingest.item import ChatTurn, Item, Kind, People, Person
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line

PAUSE = timedelta(hours=3)
"""A longer silence begins another stretch where this one has so much that it says enough."""
ENOUGH = 450
"""Characters."""
SILENCE = timedelta(days=3)
"""A longer one begins another stretch in any case."""
CHARACTERS = 900
"""A stretch grows no further: it is to be one passage."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """What one message of a room says."""

    when: datetime | None
    """Aware."""
    sender: str
    """Empty for what the program itself notes, such as who joined."""
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ChatRoom:
    """A conversation: its name, who writes there, and its messages in order."""

    name: str
    members: tuple[str, ...]
    messages: Sequence[ChatMessage]
    flags: tuple[str, ...] = ()


def members_of(messages: Iterable[ChatMessage]) -> tuple[str, ...]:
    """Return who wrote, in the order of their first message."""
    return tuple(dict.fromkeys(one.sender for one in messages if one.sender))


def items_of(room: ChatRoom, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the stretches of a room that the filters let pass."""
    name = clean_line(room.name) or origin.title
    people = {member: Person(clean_line(member), "") for member in room.members}
    for stretch in _stretches(room.messages):
        item = _item(stretch, name, people, room.flags, origin, scope)
        if not item.text.strip():
            continue
        passes = scope.admits(item.when, item.people, item.until, (name,))
        yield item if passes and scope.wants(Kind.MESSAGE) else LeftOut()


def _stretches(messages: Iterable[ChatMessage]) -> Iterator[list[ChatMessage]]:
    run: list[ChatMessage] = []
    size = 0
    for one in messages:
        paused = bool(run) and _silence(run[-1], one) > (PAUSE if size >= ENOUGH else SILENCE)
        if run and (paused or size + len(one.text) > CHARACTERS):
            yield run
            run, size = [], 0
        run.append(one)
        size += len(one.text) + len(one.sender) + 8
    if run:
        yield run


def _silence(earlier: ChatMessage, later: ChatMessage) -> timedelta:
    if earlier.when is None or later.when is None:
        return timedelta(0)
    return abs(later.when - earlier.when)


def _item(
    stretch: Sequence[ChatMessage],
    name: str,
    people: dict[str, Person],
    flags: tuple[str, ...],
    origin: Origin,
    scope: Scope,
) -> Item:
    first = next((one.when for one in stretch if one.when), None)
    last = next((one.when for one in reversed(stretch) if one.when), None)
    day = _day(first, scope)
    text, hidden = f"Chat: {name}\n{day}", 0
    turns = []
    for one in stretch:
        said, removed = clean(one.text)
        hidden += removed
        at = f"{one.when.astimezone(scope.zone):%H:%M} " if one.when else ""
        sender = people.get(one.sender)
        if sender is not None:
            turns.append(ChatTurn(len(text), sender, one.when))
        if one.when and (own := _day(one.when, scope)) != day:
            day = own
            text += day
        text += f"{at}{sender.name}: {said}\n" if sender else f"{at}({said})\n"
    spoke = tuple(dict.fromkeys(turn.sender for turn in turns))
    return Item(
        Kind.MESSAGE,
        name,
        first,
        People(spoke, tuple(people.values())),
        text,
        replace(origin.locator, line=stretch[0].line),
        until=last + timedelta(minutes=1) if last else None,
        hidden_removed=hidden,
        turns=tuple(turns),
        flags=flags,
    )


def _day(when: datetime | None, scope: Scope) -> str:
    """Return the line of a day, with which a stretch and each further day of it begin."""
    return f"{when.astimezone(scope.zone):%a %Y-%m-%d}\n" if when else ""

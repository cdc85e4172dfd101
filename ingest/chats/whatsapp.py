"""WhatsApp's export of a chat as text: `_chat.txt`, or `WhatsApp Chat with NAME.txt`.

Each phone writes dates by its own region. The order of day and month is decided by the whole file:
by a number above twelve, else by what puts the messages in order; else it is flagged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import pairwise

from ingest.chats.stretches import ChatMessage, ChatRoom, members_of
from ingest.origin import Origin
from ingest.text.clean import decode

# "[12.05.24, 10:03:11] Kim: text", "5/12/24, 10:03 AM - Kim: text", "2024-05-12, 10:03 - Kim: text"
_LINE = re.compile(
    r"\[?(\d{1,4})[./-](\d{1,2})[./-](\d{1,4}),?\s+(\d{1,2})[:.](\d{2})(?:[:.](\d{2}))?"
    r"(?:\s*([ap])\.?\s?m\.?)?(?:\]\s?|\s+[-\u2013]\s)(.*)",
    re.IGNORECASE,
)
# "Kim Lee: text"; a name holds no colon
_SENDER = re.compile(r"([^:\n]{1,80}): (.*)", re.DOTALL)
_MARKS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_NAMED = re.compile(
    r"WhatsApp[ -](?:Chat|Unterhaltung|Conversation)?\s*(?:with|mit|avec|con|-)\s*(.+)"
)
AMBIGUOUS = "day and month may be the other way round"
Order = tuple[int, int, int]
"""Which of the three numbers of a date is the year, the month, the day."""
_YEAR_FIRST, _DAY_FIRST, _MONTH_FIRST = (0, 1, 2), (2, 1, 0), (2, 0, 1)


@dataclass(slots=True)
class _Raw:
    numbers: tuple[int, int, int]
    time: tuple[int, int, int]
    said: str
    line: int


def whatsapp_room(data: bytes, origin: Origin, zone: tzinfo) -> ChatRoom:
    """Return the chat in a file."""
    raw = list(_lines(_MARKS.sub("", decode(data)).replace("\u202f", " ")))
    order, flags = _order([one.numbers for one in raw])
    messages = [_message(one, order, zone) for one in raw]
    return ChatRoom(_name(origin), members_of(messages), messages, flags)


def _lines(text: str) -> Iterator[_Raw]:
    """Yield each message with the lines that it goes on over."""
    last: _Raw | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        found = _LINE.match(line)
        if found is None:
            if last is not None:
                last.said += f"\n{line}"
            continue
        if last is not None:
            yield last
        *numbers, hour, minute, second = (int(found[at] or 0) for at in range(1, 7))
        if found[7]:
            hour = hour % 12 + 12 * (found[7] in "pP")
        day = (numbers[0], numbers[1], numbers[2])
        last = _Raw(day, (hour, minute, second), found[8], number)
    if last is not None:
        yield last


def _order(dates: Sequence[tuple[int, int, int]]) -> tuple[Order, tuple[str, ...]]:
    if any(first > 31 for first, _, _ in dates):
        return _YEAR_FIRST, ()
    if any(first > 12 for first, _, _ in dates):
        return _DAY_FIRST, ()
    if any(second > 12 for _, second, _ in dates):
        return _MONTH_FIRST, ()
    in_order = [order for order in (_DAY_FIRST, _MONTH_FIRST) if _is_sorted(dates, order)]
    if len(in_order) == 1:
        return in_order[0], ()
    same = all(first == second for first, second, _ in dates)
    return _DAY_FIRST, () if same else (AMBIGUOUS,)


def _is_sorted(dates: Sequence[tuple[int, int, int]], order: Order) -> bool:
    turned = ([date[at] for at in order] for date in dates)
    return all(a <= b for a, b in pairwise(turned))


def _message(raw: _Raw, order: Order, zone: tzinfo) -> ChatMessage:
    year, month, day = (raw.numbers[at] for at in order)
    try:
        when = datetime(year + 2000 * (year < 100), month, day, *raw.time, tzinfo=zone)
    except ValueError:
        when = None
    found = _SENDER.fullmatch(raw.said)
    sender, text = (found[1].strip(), found[2]) if found else ("", raw.said)
    return ChatMessage(when, sender, text, raw.line)


def _name(origin: Origin) -> str:
    """Return the room's name: the file's, or the archive's where the file is `_chat.txt`."""
    path = origin.locator.path
    title = path.stem if origin.title.rpartition("/")[2] == "_chat.txt" else origin.title
    title = title.removesuffix(".txt")
    found = _NAMED.fullmatch(title)
    return found[1] if found else title

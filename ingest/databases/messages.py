"""Apple's Messages (chat.db): a room for each conversation, by who wrote and when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from ingest.chats.stretches import ChatMessage, ChatRoom, items_of, members_of
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

Rows = Callable[[str], Iterator[dict[str, Any]]]
ME = "Me"
"""Who wrote what the person sent: the file has no name for them."""
_SINCE_2001 = datetime(2001, 1, 1, tzinfo=UTC)
_NANOSECONDS = 10**12
"""Dates from here on are in nanoseconds; older ones, of macOS 10.12 and before, in seconds."""
_STRING = b"NSString"
_LONG = 0x81
"""Before a length of two bytes."""


def apple(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the conversations in stretches."""
    del tables
    said: dict[str, list[ChatMessage]] = defaultdict(list)
    query = (
        "SELECT m.*, h.id AS who, COALESCE(NULLIF(c.display_name, ''), c.chat_identifier) AS room "
        "FROM message m JOIN chat_message_join j ON j.message_id = m.ROWID "
        "JOIN chat c ON c.ROWID = j.chat_id LEFT JOIN handle h ON h.ROWID = m.handle_id "
        "ORDER BY m.date"
    )
    for row in rows(query):
        text = str(row.get("text") or "") or _text_in(row.get("attributedBody"))
        who = ME if row.get("is_from_me") else str(row.get("who") or "")
        if text.strip():
            said[str(row["room"] or who)].append(ChatMessage(_when(row["date"]), who, text))
    if not said:
        raise UnreadableError(Reason.EMPTY, "It holds no message.")
    for room, messages in said.items():
        yield from items_of(ChatRoom(room, members_of(messages), messages), origin, scope)


def _when(stated: Any) -> datetime | None:
    if not isinstance(stated, int):
        return None
    seconds = stated / 10**9 if stated >= _NANOSECONDS else stated
    return _SINCE_2001 + timedelta(seconds=seconds)


def _text_in(body: Any) -> str:
    """Return the text of an archived string: newer versions leave the column of text empty."""
    if not isinstance(body, bytes) or _STRING not in body:
        return ""
    rest = body.split(_STRING, 1)[1][5:]  # its class version, then how the bytes are marked
    if not rest:
        return ""
    size, begin = rest[0], 1
    if size == _LONG:
        size, begin = int.from_bytes(rest[1:3], "little"), 3
    return rest[begin : begin + size].decode("utf-8", "replace")

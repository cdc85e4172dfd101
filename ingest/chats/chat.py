"""The reader of chats: WhatsApp's text, or JSON of other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ingest.chats.exported import rooms_of
from ingest.chats.stretches import ChatRoom, items_of
from ingest.chats.whatsapp import whatsapp_room
from ingest.documents.records import json_items, text_items
from ingest.item import Kind, Reason
from ingest.origin import Origin
from ingest.recognise import MESSAGE
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import decode


def chat_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield each stretch of each room.

    What only looks like a chat (a log, a diary, broken JSON, JSON of another use) is read as the
    text or the JSON that it is.
    """
    is_text = _is_text(data)
    rooms = [whatsapp_room(data, origin, scope.zone)] if is_text else _exported(data, origin, scope)
    if any(room.members for room in rooms or ()):
        for room in rooms or ():
            yield from items_of(room, origin, scope)
        return
    if scope.wants(Kind.DOCUMENT) and scope.admits_date(origin.when):
        yield from (text_items if is_text else json_items)(data, origin, scope)
    else:
        yield LeftOut()
    if rooms is None:
        remedy = "Its JSON is not whole, so it is read as text; export the chat again."
        yield origin.skipped(Reason.CORRUPT, remedy, kinds=MESSAGE)


def _exported(data: bytes, origin: Origin, scope: Scope) -> list[ChatRoom] | None:
    """Return the rooms of an export; None where it is damaged."""
    try:
        said = json.loads(decode(data))
    except (ValueError, RecursionError):
        return None
    return list(rooms_of(said, origin, scope.zone))


def _is_text(data: bytes) -> bool:
    """Say whether it is no JSON: a bracket may hold a date of WhatsApp's."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return True
    head = data.lstrip(b"\xef\xbb\xbf\xe2\x80\x8e \t\r\n")[:40]
    return head[:1] == b"[" and head[1:2].isdigit() and b"]" in head and b":" in head

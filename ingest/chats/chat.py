"""The reader of chats: WhatsApp's text, or JSON of other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ingest.chats.exported import rooms_of
from ingest.chats.stretches import ChatRoom, items_of
from ingest.chats.whatsapp import whatsapp_room
from ingest.documents.records import text_items
from ingest.files import UnreadableError
from ingest.item import Kind, Reason
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import decode


def chat_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield each stretch of each room; raises UnreadableError where there is no message."""
    if _is_text(data):
        only = whatsapp_room(data, origin, scope.zone)
        if not only.members:  # a diary, or a log
            document = scope.wants(Kind.DOCUMENT) and scope.admits_date(origin.when)
            yield from text_items(data, origin, scope) if document else (LeftOut(),)
            return
        rooms: Iterable[ChatRoom] = (only,)
    else:
        rooms = _exported(data, origin, scope)
    count = 0
    for room in rooms:
        for read in items_of(room, origin, scope):
            count += 1
            yield read
    if not count:
        raise UnreadableError(Reason.EMPTY, "It holds no message.")


def _exported(data: bytes, origin: Origin, scope: Scope) -> Iterator[ChatRoom]:
    try:
        said = json.loads(decode(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(
            Reason.CORRUPT, "Its JSON is not whole; export the chat again."
        ) from error
    yield from rooms_of(said, origin, scope.zone)


def _is_text(data: bytes) -> bool:
    """Say whether it is no JSON: a bracket may hold a date of WhatsApp's."""
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] not in (b"{", b"["):
        return True
    head = data.lstrip(b"\xef\xbb\xbf\xe2\x80\x8e \t\r\n")[:40]
    return head[:1] == b"[" and head[1:2].isdigit() and b"]" in head and b":" in head

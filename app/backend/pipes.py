"""What goes through the two pipes between a front end and its engine's process.

Values are pickled by this program for itself; neither end listens anywhere.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import struct
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from app.backend.messages import Command, Reply

if TYPE_CHECKING:
    from ingest.item import Item

KNOWN = 64 << 20
"""Characters of items that both ends remember, so that an item is sent once."""

_HEAD = struct.Struct("<QB")
_VALUE, _ITEM, _FORGET_ITEMS = 0, 1, 2


class Sender:
    """Writes values; an `Item`, whose text may be long, in a frame of its own and only once."""

    def __init__(self, stream: IO[bytes]) -> None:
        """Write to a pipe."""
        self._stream = stream
        self._lock = threading.Lock()
        self._known: dict[int, tuple[int, Item]] = {}
        self._size = 0

    def send(self, value: Command | Reply) -> None:
        """Write one value. Raises `OSError` when nobody reads."""
        with self._lock:
            if self._size > KNOWN:
                self._known, self._size = {}, 0
                self._frame(_FORGET_ITEMS, b"")
            buffer = io.BytesIO()
            _Pickler(buffer, self._number).dump(value)
            self._frame(_VALUE, buffer.getbuffer())
            self._stream.flush()

    def _number(self, item: Item) -> int:
        if id(item) not in self._known:  # kept, so that no other object gets its id
            self._known[id(item)] = len(self._known), item
            self._size += len(item.text)
            self._frame(_ITEM, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
        return self._known[id(item)][0]

    def _frame(self, kind: int, body: bytes | memoryview) -> None:
        self._stream.write(_HEAD.pack(len(body), kind))
        self._stream.write(body)


class _Pickler(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, number: Any) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        from ingest.item import Item  # no first picture waits for it

        self._kind = Item
        self._number = number

    def persistent_id(self, value: object) -> int | None:
        return self._number(value) if type(value) is self._kind else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: io.BytesIO, items: list[Item]) -> None:
        super().__init__(stream)
        self._items = items

    def persistent_load(self, number: int) -> Item:
        return self._items[number]


def received(stream: IO[bytes]) -> Iterator[Any]:
    """Yield what the other end sends, until it ends."""
    items: list[Item] = []
    while head := stream.read(_HEAD.size):
        if len(head) < _HEAD.size:
            return
        length, kind = _HEAD.unpack(head)
        body = stream.read(length)
        if len(body) < length:
            return
        if kind == _FORGET_ITEMS:
            items = []
        elif kind == _ITEM:
            items.append(pickle.loads(body))  # noqa: S301 - by our own process
        else:
            yield _Unpickler(io.BytesIO(body), items).load()


class Writer:
    """Writes commands in a thread of its own, so that who sends them never waits.

    A pipe holds 64 kB and takes no more until it is read: a child that is still importing, or is
    stopped, does not read.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        """Write to the standard input of a process. The thread closes it."""
        self._stream = stream
        self._waiting: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        threading.Thread(target=self._write, name="engine commands", daemon=True).start()

    def send(self, command: Command) -> None:
        """Have a command written after those before it, if the process still reads."""
        self._waiting.put(command)

    def close(self) -> None:
        """Have the pipe closed after the last command."""
        self._waiting.put(None)

    def _write(self) -> None:
        sender = Sender(self._stream)
        with suppress(OSError):  # the process has died: who reads its replies says so
            while (command := self._waiting.get()) is not None:
                sender.send(command)
        with suppress(OSError):  # what was still to be written cannot be
            self._stream.close()


def pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return both pipes to the parent; what else is printed goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies

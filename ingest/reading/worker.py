"""A reading process: locks itself down, then reads what it is handed through one socket.

`ingest.reading.pool` starts it as `python -m ingest.reading.worker DESCRIPTOR`. It is handed open
files, since it can open none itself. What comes in is the program's own and is unpickled; what
goes out is checked against a schema (`ingest.reading.wire`).
"""

from __future__ import annotations

import pickle
import signal
import socket  # noqa: TID251 - a pair of sockets between the program and its own process
import struct
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from ingest.files import File, UnreadableError
from ingest.item import Item, Skipped
from ingest.reading.jobs import LargeMailbox, Portion, perform
from ingest.reading.sandbox import lock_down
from ingest.reading.wire import State, frame, packed, packed_names
from ingest.sieve import Read, Scope

LENGTH = struct.Struct("<I")
"""Before each order, the bytes of its pickle."""
_FULL = 256 << 10
"""Characters read before they are sent."""
_PAUSE = 0.1
"""Seconds before what has been read is sent."""
_ORPHANED = 600.0
"""Seconds on one job before the process ends itself, as nobody is left to end it."""


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """What the program asks for; the file comes with it as a descriptor."""

    number: int
    portion: Portion
    path: Path
    scope: Scope | None
    """None: the scope of the order before."""
    is_careful: bool
    """Announce each message, since one of them is suspected of killing its reader."""


class _Inbox:
    """Orders and descriptors as they come in."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._buffer = bytearray()
        self._descriptors: deque[int] = deque()

    def next(self) -> tuple[WorkOrder, int] | None:
        """Return the next order and its file; None when the program is gone."""
        while True:
            if len(self._buffer) >= LENGTH.size:
                end = LENGTH.size + LENGTH.unpack_from(self._buffer)[0]
                if len(self._buffer) >= end:
                    order: WorkOrder = pickle.loads(self._buffer[LENGTH.size : end])  # noqa: S301
                    del self._buffer[:end]
                    return order, self._descriptors.popleft()
            data, descriptors, _, _ = socket.recv_fds(self._link, 1 << 16, 64)
            if not data:
                return None
            self._buffer += data
            self._descriptors.extend(descriptors)


class _Outbox:
    """Collects what one job reads, and sends it in pieces that end between messages."""

    def __init__(self, link: socket.socket, order: WorkOrder, file: File) -> None:
        self._link = link
        self._order = order
        self._file = file
        self._reads: list[Read] = []
        self._size = 0
        self._sent_at = time.monotonic()
        self._told = 0
        file.on_mark = self._at_message

    def add(self, read: Read) -> None:
        self._reads.append(read)
        self._size += len(read.text) if isinstance(read, Item) else 100
        if self._file.mark < 0 and self._is_due():
            self.send(State.MORE)

    def _at_message(self, offset: int) -> None:
        """Take note that all messages before the one at `offset` are finished."""
        if self._order.is_careful or self._file.mark < 0:
            self.send(State.MORE)
            self._link.sendall(frame(self._order.number, State.AT, offset=offset))
        elif self._is_due():
            self.send(State.MORE)

    def _is_due(self) -> bool:
        return self._size >= _FULL or time.monotonic() - self._sent_at >= _PAUSE

    def send(self, state: State) -> None:
        """Send what there is; the offset is that of the last message finished."""
        progress = self._file.taken - self._told
        self._told += progress
        body = packed(self._reads) if self._reads else b""
        self._link.sendall(frame(self._order.number, state, body, progress, offset=self._file.mark))
        self._reads, self._size, self._sent_at = [], 0, time.monotonic()


def serve(link: socket.socket, active: list[str]) -> None:
    """Do one job after another until the program closes its end."""
    link.sendall(frame(0, State.READY, packed_names(active)))
    inbox = _Inbox(link)
    scope: Scope | None = None
    while (received := inbox.next()) is not None:
        order, descriptor = received
        scope = order.scope or scope
        if scope is None:
            raise RuntimeError("an order without a scope")
        signal.setitimer(signal.ITIMER_REAL, _ORPHANED)
        with File.adopted(order.path, descriptor) as file:
            sending = _Outbox(link, order, file)
            try:
                for read in perform(order.portion, file, scope):
                    sending.add(read)
                sending.send(State.DONE)
            except LargeMailbox:
                sending.send(State.IS_LARGE_MAILBOX)
            except UnreadableError as error:
                sending.add(Skipped(order.path, error.reason, error.remedy))
                sending.send(State.DONE)
        signal.setitimer(signal.ITIMER_REAL, 0)


def main() -> None:
    """Lock down and serve."""
    link = socket.socket(fileno=int(sys.argv[1]))
    serve(link, lock_down())


if __name__ == "__main__":
    main()

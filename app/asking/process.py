"""The engine in a process of its own.

Reading, folding and ranking are Python work that would hold the screen's interpreter lock for
longer than a frame; here they have an interpreter of their own. What goes through the two pipes
is pickled by this program for itself. Neither end listens anywhere. The child ends with its parent:
its standard input closes.
"""

from __future__ import annotations

import io
import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from app.asking.talk import (
    Broke,
    Cancel,
    Command,
    Ended,
    Engine,
    Failure,
    Forget,
    Kept,
    Reply,
    Request,
    Tell,
    Unlock,
)

if TYPE_CHECKING:
    from ingest.item import Item

PROGRAM = ("-m", "app.asking.process")
PATIENCE = 10.0
"""Seconds that a cancelled question may take to end before the process is killed."""
CLOSING = 3.0
"""Seconds that it may take to end by itself."""
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


class EngineProcess:
    """An `Engine` that runs elsewhere, and is started anew when it dies."""

    def __init__(self, program: Sequence[str] = PROGRAM) -> None:
        """Start nothing yet. `program` is what Python runs."""
        self._program = program
        self._tell: Tell = lambda reply: None
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: Writer | None = None
        self._open: set[int] = set()
        self._passwords: tuple[str, ...] = ()
        self._lock = threading.RLock()
        self._is_closed = False

    @property
    def pid(self) -> int | None:
        """The running process."""
        return self._process.pid if self._process else None

    def listen(self, tell: Tell) -> None:
        """Give all replies to `tell`, and start, so that the first question need not wait."""
        self._tell = tell
        with self._lock:
            self._start()

    def send(self, command: Command) -> None:
        """Hand a command over. A process that died is started again for a question."""
        with self._lock:
            match command:
                case Request():
                    self._open.add(command.number)
                case Cancel():
                    self._watch(command.number)
                case Unlock():
                    self._passwords += (command.password,)
                case Forget():
                    self._passwords = ()
            if self._process is None and isinstance(command, Request):
                self._start()
            if self._writer is not None:
                self._writer.send(command)
        if isinstance(command, Forget) and self._process is None:
            self._tell(Kept(0))

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", *self._program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the screen is drawn there
            start_new_session=True,
        )
        assert self._process.stdin is not None  # noqa: S101
        self._writer = Writer(self._process.stdin)
        threading.Thread(
            target=self._receive, args=(self._process, self._writer), name="engine", daemon=True
        ).start()
        for password in self._passwords:
            self._writer.send(Unlock(password))

    def _receive(self, process: subprocess.Popen[bytes], writer: Writer) -> None:
        assert process.stdout is not None  # noqa: S101
        with process.stdout:
            defect = ""
            for reply in received(process.stdout):
                if isinstance(reply, Broke):
                    defect = f" by a defect, {reply.where}"
                    continue
                if isinstance(reply, Ended):
                    self._open.discard(reply.number)
                self._tell(reply)
        code = process.wait()
        writer.close()
        with self._lock:
            if self._process is not process:
                return
            self._process = self._writer = None
            ended, self._open = self._open, set()
        if not self._is_closed:
            for number in sorted(ended):
                self._tell(Ended(number, _died(code, defect)))
            self._tell(Kept(0))

    def _watch(self, number: int) -> None:
        """Kill the process if a cancelled question does not end."""

        def check() -> None:
            with self._lock:
                if number in self._open and self._process is not None:
                    self._process.kill()

        timer = threading.Timer(PATIENCE, check)
        timer.daemon = True
        timer.start()

    def close(self) -> None:
        """End the process: by closing its input, then by force."""
        with self._lock:
            self._is_closed = True
            process, self._process = self._process, None
            writer, self._writer = self._writer, None
        if process is None or writer is None:
            return
        writer.close()
        try:
            process.wait(CLOSING)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _died(code: int, defect: str) -> Failure:
    how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}{defect}"
    if code == -getattr(signal, "SIGKILL", 9):
        how += ", perhaps for lack of memory"
    return Failure(
        "engine",
        f"The process that reads and answers {how}.",
        "Ask again: it is started anew. If it happens again: askance doctor.",
    )


def serve(engine: Engine, commands: IO[bytes], replies: IO[bytes]) -> None:
    """Let an engine answer what comes through a pipe, until the pipe closes."""
    sender = Sender(replies)

    def tell(reply: Reply) -> None:
        try:
            sender.send(reply)
        except OSError:  # the screen is gone
            os._exit(0)

    def break_off(error: threading.ExceptHookArgs) -> None:
        """Say where a defect is, without its values, and end: nobody would answer any more."""
        *_, last = traceback.extract_tb(error.exc_traceback)
        sender.send(Broke(f"{error.exc_type.__name__} at {last.filename}:{last.lineno}"))
        os._exit(1)

    threading.excepthook = break_off
    engine.listen(tell)
    for command in received(commands):
        engine.send(command)
    engine.close()


def pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return both pipes to the parent; what else is printed goes nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies


def main() -> int:
    """Be the engine's process."""
    from app.privacy.hardening import forbid_core_dumps
    from models.offline import set_offline_environment

    set_offline_environment(os.environ)
    forbid_core_dumps()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    commands, replies = pipes()
    from app.commands.screen import make_engine

    serve(make_engine(), commands, replies)
    return 0


if __name__ == "__main__":
    sys.exit(main())

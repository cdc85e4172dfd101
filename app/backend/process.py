"""The engine in a process of its own.

Reading and ranking are Python work that would hold the screen's interpreter lock for longer than a
frame, and native code that dies takes its whole process with it. Every front end asks here, so
that such a death costs one question and never the person's work. The child ends with its parent:
its standard input closes.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from app.backend.messages import (
    Broke,
    Cancel,
    Command,
    Draw,
    Ended,
    Failure,
    Forget,
    Happened,
    Reply,
    Request,
    Tell,
    TextKept,
    Unlock,
    Working,
)
from app.backend.pipes import Writer, received
from models.system.signals import signal_text

PROGRAM: tuple[str, ...] = ("-m", "app.backend.process_main")
STDERR: int | None = subprocess.DEVNULL
"""Where the engine's stderr goes: nowhere, as the screen is drawn on that of the front end."""
PATIENCE = 10.0
"""Seconds that a cancelled question may take to end before the process is killed."""
CLOSING = 3.0
"""Seconds that it may take to end by itself."""
DOING = {
    "follow_up": "putting the follow-up into a whole question",
    "understand": "understanding the question",
    "read": "reading files",
    "recall": "scoring passages",
    "lookahead": "looking ahead",
    "select": "selecting evidence",
    "ask": "asking further",
    "vote": "comparing readings",
    "write": "writing the answer",
    "cite": "checking citations",
}
"""What the engine does at each stage, in words for people."""


@dataclass(slots=True)
class Whereabouts:
    """How far the question in hand has come, for the message of a death."""

    stage: str = ""
    model_id: str = ""
    """The model that was used last; empty before the first."""

    def note(self, reply: Reply) -> None:
        """Take in what the engine said."""
        from engine.events import Stage

        match reply:
            case Working(model_id=model_id):
                self.model_id = model_id
            case Happened(event=Stage(name=name, state=state)):
                self.stage = name if state == "started" else ""

    @property
    def text(self) -> str:
        """` while looking ahead, with the model X`, as far as it is known."""
        stage = f" while {DOING[self.stage]}" if self.stage else ""
        return f"{stage}, with the model {self.model_id}" if self.model_id else stage


class EngineProcess:
    """An `Engine` that runs elsewhere, and is started anew when it dies."""

    def __init__(self, program: Sequence[str] | None = None, *, watch: bool = False) -> None:
        """Start nothing yet. `program` is what Python runs; by default the engine.

        With `watch` it tells of files that change after they were read.
        """
        self._program = (*(program or PROGRAM), *(["watch"] if watch else []))
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

    def start(self) -> None:
        """Start the process, if none runs; it gets ready while a question is prepared."""
        with self._lock:
            if self._process is None:
                self._start()

    def listen(self, tell: Tell) -> None:
        """Give all replies to `tell`, and start, so that the first question need not wait."""
        self._tell = tell
        self.start()

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
            if self._process is None and isinstance(command, Request | Draw):
                self._start()
            if self._writer is not None:
                self._writer.send(command)
        if isinstance(command, Forget) and self._process is None:
            self._tell(TextKept(0))

    def _start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-P", *self._program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=STDERR,
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
        at, defect = Whereabouts(), ""
        with process.stdout:
            for reply in received(process.stdout):
                if isinstance(reply, Broke):
                    defect = f" by a defect, {reply.where}"
                    continue
                at.note(reply)
                if isinstance(reply, Ended):
                    at = Whereabouts()
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
                self._tell(Ended(number, died(code, at, defect)))
            self._tell(TextKept(0))

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


def died(code: int, at: Whereabouts, defect: str = "") -> Failure:
    """Return what a person reads of a process that ended with `code`: what, where, what to do."""
    how = f"was ended by {signal_text(-code)}" if code < 0 else f"ended with exit code {code}"
    remedy = "Ask again: another process is started. If it happens again: askance doctor."
    if code == -getattr(signal, "SIGKILL", 9):
        how += ", perhaps for lack of memory"
        remedy = (
            "Close other programs or choose a smaller model (askance models recommend), then ask "
            "again: another process is started."
        )
    message = f"The process that reads and answers {how}{defect}{at.text}."
    return Failure("engine", message, remedy)

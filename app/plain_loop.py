"""`askance --plain`: a conversation of lines, for screen readers and plain terminals.

Nothing is drawn over: an event is a line, and an answer the lines that `askance ask` prints.
"""

from __future__ import annotations

import queue
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app.backend.messages import (
    Cancel,
    Changed,
    Ended,
    Engine,
    Forget,
    Happened,
    ModelsSaid,
    Reply,
    Request,
    Unlock,
)
from app.interrupt import interruptible
from app.local_models.server import where_text_goes
from app.output.plain import counted, one_line
from app.output.progress import status_of
from app.output.provisional import FirstReading
from app.output.report import answer_text
from app.output.trail import Trail
from app.settings.current import Current
from app.settings.zone import zone_of
from app.sources.sample_files import sample_folder, sample_questions
from engine.conversation import Conversation
from engine.events import Answered, Event, Provisional, Reading
from engine.values import Answer
from models.errors import AskanceError

READING_SECONDS = 5.0
"""While files are read, a line comes at most so often."""
BEGIN = "Askance. Type a question and press Enter. /help lists what else there is; /quit leaves."
NOTHING_ANSWERED = "Nothing is answered yet."
NOTHING_TO_READ = (
    "No source is remembered yet. /sources add PATH names one; /sample reads sample files."
)
HELP = (
    ("/new", "begin another conversation; until then questions follow one another"),
    ("/edit QUESTION", "ask this in place of the last one, as written, of the same sources"),
    ("/typed", "ask the last one as it was typed, without what was inferred"),
    ("/why", "how the last answer came to be"),
    ("/sample", "read the sample files instead of your own, and propose a question"),
    ("/forget", "drop all text and passwords from memory"),
    ("/unlock", "enter a password of encrypted files"),
    ("/quit", "leave"),
    ("/sources list, /sources add PATH, /models list, /models pull, /config show, /doctor", ""),
    ("", "any command of the command line, after a slash; Ctrl-C cancels a question"),
)

Say = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the loop needs of a terminal."""

    say: Say
    """Writes a line."""
    secret: Callable[[str], str]
    """Asks for something that is not shown."""
    command: Callable[[Sequence[str]], int]
    """Runs a command of the command line."""


class PlainLoop:
    """Takes lines, one after the other."""

    def __init__(self, engine: Engine, current: Current, terminal: Terminal) -> None:
        """Begin without a question."""
        self._engine = engine
        self._current = current
        self._terminal = terminal
        self._say = terminal.say
        self._replies: queue.SimpleQueue[Reply] = queue.SimpleQueue()
        self._conversation = Conversation()
        self._number = 0
        self._asked = Request(0, "")
        self._trail = Trail()
        self._first = FirstReading()
        self._answer: Answer | None = None
        self._changed: set[Path] = set()
        self._read_at = 0.0
        self._said = ""

    def run(self, lines: Iterator[str]) -> None:
        """Answer until the lines end or one is /quit."""
        self._engine.listen(self._replies.put)
        self._say(BEGIN)
        config = self._current.config
        if server := where_text_goes(config):
            self._say(server)
        if not config.sources:
            self._say(NOTHING_TO_READ)
        for line in lines:
            text = line.strip()
            if text in ("/quit", "/exit", "/q"):
                return
            if text.startswith("/"):
                self._do(text)
            elif text:
                self._ask(Request(0, text, conversation=self._conversation))
            self._tell_changes()

    def _ask(self, request: Request) -> None:
        with interruptible():
            self._answer_to(request)

    def _answer_to(self, request: Request) -> None:
        self._number += 1
        self._trail, self._first, self._answer = Trail(), FirstReading(), None
        self._read_at, self._said = time.monotonic(), ""
        self._asked = replace(request, number=self._number, config=self._current.config)
        self._engine.send(self._asked)
        while True:
            try:
                reply = self._replies.get()
            except KeyboardInterrupt:
                self._say("Cancelling.")
                self._engine.send(Cancel(self._number))
                continue
            if isinstance(reply, Ended) and reply.number == self._number:
                self._end(reply)
                return
            self._hear(reply)

    def _hear(self, reply: Reply) -> None:
        match reply:
            case ModelsSaid(text=text):
                self._status(text)
            case Changed(path=path):
                self._changed.add(path)
            case Happened(event=event):
                self._trail.note(event)
                self._first.note(event)
                self._draw(event)

    def _draw(self, event: Event) -> None:
        if isinstance(event, Answered):
            config = self._current.config
            before = self._asked.conversation or self._conversation
            self._conversation = before.answered(event.answer, self._asked.question)
            self._changed.clear()
            self._answer = event.answer
            zone = zone_of(config)
            if self._first:
                self._say(self._first.outcome(event.answer))
            self._say_lines(answer_text(event.answer, zone, str(config.path), bars=False))
            return
        if isinstance(event, Provisional):
            self._say(self._first.line())
        if isinstance(event, Reading):
            if time.monotonic() < self._read_at + READING_SECONDS:
                return
            self._read_at = time.monotonic()
        if text := status_of(event):
            self._status(text)

    def _say_lines(self, text: str) -> None:
        for line in filter(None, map(str.strip, text.split("\n"))):
            self._say(line)

    def _status(self, text: str) -> None:
        """Say how far it is, once: percentages of one thing are one thing."""
        if text.split(":")[0] != self._said.split(":")[0] or text.startswith("Reading:"):
            self._say(one_line(text))
        self._said = text

    def _end(self, ended: Ended) -> None:
        self._trail.loadings = ended.loadings
        if self._first and self._answer is None:
            self._say(self._first.outcome(None))
        if ended.failure:
            self._say(one_line(ended.failure.message))
            self._say(one_line(ended.failure.remedy))
        elif ended.cancelled:
            self._say("Cancelled.")

    def _tell_changes(self) -> None:
        while not self._replies.empty():
            self._hear(self._replies.get())
        if self._changed:
            self._say(f"{counted(len(self._changed), 'file')} changed since the last reading.")
            self._changed.clear()

    def _do(self, text: str) -> None:
        match text:
            case "/help":
                for command, does in HELP:
                    self._say(f"{command}: {does}" if command and does else command or does)
            case "/new":
                self._conversation = Conversation()
                self._say("A new conversation.")
            case "/typed":
                self._ask_instead()
            case "/why":
                why = (
                    self._trail.text(self._answer, spoken=True)
                    if self._answer
                    else NOTHING_ANSWERED
                )
                self._say_lines(why)
            case "/sample":
                self._current.sample = sample_folder()
                self._say(f"The sample files are read. Try: {sample_questions()[1].text}")
            case "/forget":
                self._engine.send(Forget())
                self._say("All text and passwords are forgotten.")
            case "/unlock":
                if password := self._terminal.secret("Password (it is not shown): "):
                    self._engine.send(Unlock(password))
                    self._say("It is tried from the next question on, until you leave.")
            case _ if text.startswith("/edit "):
                self._ask_instead(text.removeprefix("/edit ").strip())
            case _:
                self._run(text[1:])

    def _ask_instead(self, question: str | None = None) -> None:
        """Ask the last question as it was typed, or another in its place, of what it was about."""
        last = self._conversation.last
        if last is None:
            self._say(NOTHING_ANSWERED)
            return
        before = self._conversation.before(last.id)
        if question is None:
            self._ask(Request(0, last.asked, infer=False, conversation=before, scope=()))
        else:
            self._ask(Request(0, question, conversation=before, scope=last.scope))

    def _run(self, typed: str) -> None:
        """Run a command of the command line; settings it changes hold from the next question."""
        try:
            words = shlex.split(typed)
        except ValueError as error:  # a quotation mark without its other half
            self._say(f"{error}.")
            return
        if not words:
            self._say("Write a command after the slash, or /help.")
            return
        self._terminal.command(words)
        if words[0] == "sources" and words[1:2] != ["list"]:
            self._current.sample = None
        try:
            self._current.reload()
        except AskanceError as error:
            self._say(str(error))


def typed_lines(prompt: str) -> Iterator[str]:
    """Yield what is typed until the input ends; lines can be edited where the system lets them."""
    if not sys.stdin.isatty():
        yield from sys.stdin
        return
    with suppress(ImportError):  # not every Python has it, and it is under the GPL
        import readline  # noqa: F401 -- makes `input` edit; what was typed stays in memory

    while True:
        try:
            yield input(prompt)
        except EOFError:
            return

"""Questions over files while readers die, files change, models fail and clocks jump."""

from __future__ import annotations

import os
import random
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from engine.answer import answer
from engine.events import Answered, Event, Stage
from engine.retrieval.memory import Memory
from engine.settings import Settings
from engine.values import Answer
from models.errors import AskanceError, RuntimeFailed
from models.protocols import GenerationRequest
from models.roles import ModelSet
from tests.conftest import FakeGenerator

FILES = 12
PATIENCE = 90
"""Seconds after which a question counts as hung."""
PROGRAM = ("app.", "engine.", "ingest.", "models.")
FACT = re.compile(r"The code of locker (\d+) is (\w+)\.")
ASKED = re.compile(r"code of locker (\d+)\?")


class Hung(BaseException):
    """A question took longer than any should; no `except Exception` may swallow it."""


@dataclass
class Lockers:
    """A folder of files with a fact each, and what each of them says now."""

    folder: Path
    chance: random.Random
    said: dict[int, str] = field(default_factory=dict)
    """By locker; one whose file is gone is missing."""

    def __post_init__(self) -> None:
        self.folder.mkdir()
        for number in range(FILES):
            self.write(number)

    def path(self, number: int) -> Path:
        return self.folder / f"locker-{number}{('.txt', '.md', '.eml')[number % 3]}"

    def write(self, number: int) -> None:
        """Say something new; a new file takes the place of the old one."""
        code = f"kx{self.chance.randrange(16**6):06x}"
        text = f"The code of locker {number} is {code}.\n" + "It stands in the hall.\n" * 40
        if number % 3 == 2:
            date = "Tue, 17 Nov 2026 10:00:00 +0000"
            text = f"From: Ann <a@x.example>\nDate: {date}\nSubject: Locker {number}\n\n{text}"
        new = self.folder.parent / "new"
        new.write_text(text)
        new.replace(self.path(number))
        self.said[number] = code

    def remove(self, number: int) -> None:
        self.path(number).unlink(missing_ok=True)
        self.said.pop(number, None)

    def cut(self, number: int) -> None:
        """Truncate in place, as a program does that writes a file anew."""
        with self.path(number).open("w") as file:
            file.write("Nothing here yet.\n")
        self.said.pop(number, None)


@dataclass
class Outcome:
    """What came of a soak."""

    ended: Counter[str] = field(default_factory=Counter)
    """How questions ended: answered, abstained, cancelled, or the kind of error."""
    faults: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Questions without a fault whose answer was not what the file says."""
    memory: list[int] = field(default_factory=list)
    """Resident bytes after each question."""


FAULTS = (
    *("none", "reader killed", "file removed", "file replaced", "file cut"),
    *("model failed", "cancelled", "no time", "clock jumps", "forgotten"),
)


KILLERS: list[threading.Timer] = []
"""What is to kill readers in a moment."""


class Failing(FakeGenerator):
    """Says what the passage says; fails at a token when told to."""

    fails_at = -1

    def sample(self, request: GenerationRequest) -> Iterator[Any]:
        for number, piece in enumerate(super().sample(request)):
            if number == self.fails_at:
                raise RuntimeFailed("The model's process has ended.", remedy="Ask again.")
            yield piece


def reply(prompt: str, index: int) -> str:
    """Read the code of the locker that was asked for off the passages."""
    wanted = ASKED.findall(prompt)
    found = [code for number, code in FACT.findall(prompt) if wanted and number == wanted[-1]]
    return f"The code of locker {wanted[-1]} is {found[0]}." if found else "Not found."


def soak(
    folder: Path, questions: int, seed: int, models: Callable[[], ModelSet], *, exact: bool
) -> Outcome:
    """Ask `questions` questions; with `exact`, what no fault touched must be answered rightly."""
    chance = random.Random(seed)
    lockers = Lockers(folder / "lockers", chance)
    outcome = Outcome()
    chosen = models()
    with Memory(2) as memory:
        for _ in range(questions):
            fault = chance.choice(FAULTS)
            number = chance.randrange(FILES)
            outcome.faults[fault] += 1
            outcome.ended[_asked(lockers, number, fault, chosen, memory, chance)] += 1
            while KILLERS:  # on a busy machine one may come late, and befall the next question
                KILLERS.pop().join()
            if number not in lockers.said:
                lockers.write(number)
            # What a fault befell is asked again: nothing may be lost for good.
            again = _asked(lockers, number, "none", chosen, memory, chance)
            if exact and again != "right":
                outcome.wrong.append(f"locker {number} after {fault!r}: {again}")
            outcome.memory.append(resident())
    chosen.close()
    return outcome


def _asked(
    lockers: Lockers,
    number: int,
    fault: str,
    models: ModelSet,
    memory: Memory,
    chance: random.Random,
) -> str:
    """Ask once while the fault befalls it; return how it ended."""
    settings = Settings(
        strategy="fb_rag",
        effort="quick",
        infer=False,
        least_confidence=0,
        time_budget=1e-4 if fault == "no time" else None,
    )
    generator: Any = models.generator
    if isinstance(generator, Failing):
        generator.fails_at = chance.randrange(3) if fault == "model failed" else -1
    if fault == "forgotten":
        memory.forget()
    question = f"What is the code of locker {number}?"
    steps = answer(question, [lockers.folder], models, settings, memory=memory)
    stop_at = chance.randrange(12) if fault == "cancelled" else -1
    try:
        with in_time(), jumping(fault == "clock jumps"):
            for count, event in enumerate(steps):
                if count == stop_at:
                    steps.close()  # type: ignore[attr-defined]
                    return "cancelled"
                _befall(fault, event, lockers, number)
                if isinstance(event, Answered):
                    return _judged(event.answer, lockers.said.get(number))
    except AskanceError as error:
        return f"error: {error.kind}"
    return "cancelled"


def _befall(fault: str, event: Event, lockers: Lockers, number: int) -> None:
    """Do to the files or the readers what the fault says, while reading goes on."""
    begun = isinstance(event, Stage) and event.name == "read" and event.state == "started"
    if not begun:
        return
    match fault:
        case "reader killed":
            killer = threading.Timer(0.01, kill_readers)
            killer.start()
            KILLERS.append(killer)
        case "file removed":
            lockers.remove(number)
        case "file replaced":
            lockers.write(number)
        case "file cut":
            lockers.cut(number)


def _judged(found: Answer, said: str | None) -> str:
    if found.grounded == "none":
        return "abstained"
    return "right" if said is not None and said in found.text else f"wrong: {found.text}"


def kill_readers() -> None:
    """Kill this process's reading processes."""
    for task in Path("/proc/self/task").glob("*/children"):
        for child in task.read_text().split():
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"ingest.reading.worker" in words:
                os.kill(int(child), signal.SIGKILL)


@contextmanager
def in_time() -> Iterator[None]:
    """Raise `Hung` in the main thread when it takes too long."""

    def hang(number: int, frame: object) -> None:
        raise Hung

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class _Like(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, datetime)


class Jumping(datetime, metaclass=_Like):
    """The clock on the wall, which jumps a day back or on at every look."""

    looks = 0

    def __new__(cls, *parts: Any, **named: Any) -> Any:
        """Make a moment as any other, that a reader in another process knows too."""
        return datetime(*parts, **named)

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Any:
        cls.looks += 1
        return datetime.now(tz) + timedelta(days=(-1) ** cls.looks)


@contextmanager
def jumping(is_on: bool) -> Iterator[None]:
    """Have every module of the program look at the clock that jumps."""
    modules = [
        module
        for name, module in sys.modules.items()
        if is_on and name.startswith(PROGRAM) and vars(module).get("datetime") is datetime
    ]
    for module in modules:
        module.datetime = Jumping  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for module in modules:
            module.datetime = datetime  # type: ignore[attr-defined]


def resident() -> int:
    """Return the bytes of memory that this process takes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

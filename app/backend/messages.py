"""What a front end and the engine say to each other: frozen values, sent between processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from app.settings.config import Config
    from engine.answer_parts import Cited
    from engine.conversation import Conversation
    from engine.events import Event
    from engine.plan import Plan
    from engine.settings import Effort, Settings
    from ingest.item import Filters, Locator
    from ingest.sieve import DrawnPage
    from models.errors import AskanceError
    from models.roles import Loading


@dataclass(frozen=True, slots=True)
class Request:
    """A question to answer, or a query whose passages are to be ranked."""

    number: int
    """Counts up; replies repeat it."""
    question: str
    """As typed."""
    infer: bool = True
    """Whether filters may be read out of it."""
    strategy: str | None = None
    """None: what the settings say; so with `effort`."""
    effort: Effort | None = None
    plan: Plan | None = None
    """How to compute the answer; None: by the question."""
    whole: bool = False
    """Whether to read to the end, whatever the time budget is."""
    config: Config | None = None
    """The settings at the moment of asking; None: those of file and environment."""
    conversation: Conversation | None = None
    """What was said before, for a question that refers to it."""
    scope: tuple[Cited, ...] | None = None
    """What it is about, where a person settled that; empty: everything. It is asked as written
    then. None: what it means is found out from the conversation."""
    again: int = 0
    """How many answers it has already; the seed is higher by that."""
    sources: tuple[Path, ...] | None = None
    """Absolute paths to read; None: those of the settings."""
    filters: Filters | None = None
    """Filters besides those of the question."""
    settings: Settings | None = None
    """All that the engine is told; None: what follows from `config` and the choices above."""
    memory: int | None = None
    """Bytes of text to keep at most; None: what the settings say."""
    lookahead: str | None = None
    """Id of the model to look ahead with; None: by `config`. So with `generator`."""
    generator: str | None = None
    search: bool = False
    """Whether passages are ranked (the last event is `Found`) and no model is used."""

    def chosen(self, name: Literal["effort", "strategy"]) -> str | None:
        """Return what it wants, else what the settings said when it was asked."""
        wanted: str | None = getattr(self, name)
        return wanted or (getattr(self.config.values.answer, name) if self.config else None)


@dataclass(frozen=True, slots=True)
class Cancel:
    """End this question at its next event or token."""

    number: int


@dataclass(frozen=True, slots=True)
class Unlock:
    """Try this password for encrypted files from now on."""

    password: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Forget:
    """Drop all text and passwords."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a page of a source; the reply is `Drew`. Questions go on meanwhile."""

    number: int
    """Counts up, apart from the numbers of questions."""
    locator: Locator
    page: int
    """Counts from 1."""
    quote: str = field(repr=False)
    """What is marked on it."""


Command = Request | Cancel | Unlock | Forget | Draw


@dataclass(frozen=True, slots=True)
class Happened:
    """An event of the engine."""

    number: int
    event: Event


@dataclass(frozen=True, slots=True)
class ModelsSaid:
    """What models are doing, in words for people."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Working:
    """A model is loaded or used from now on."""

    number: int
    model_id: str


@dataclass(frozen=True, slots=True)
class Failure:
    """An error as a person may see it."""

    kind: str
    """The machine word of `--json`."""
    message: str
    remedy: str
    path: Path | None = None
    exit_code: int = 1
    """Of a command that ends with it."""

    @classmethod
    def of(cls, error: AskanceError) -> Failure:
        """Return an error without its traceback, which holds values."""
        return cls(error.kind, error.message, error.remedy, error.path, error.exit_code)


@dataclass(frozen=True, slots=True)
class Ended:
    """The last reply to a request."""

    number: int
    failure: Failure | None = None
    cancelled: bool = False
    loadings: tuple[Loading, ...] = ()
    """Models that were loaded for it."""
    people: tuple[str, ...] = ()
    """Who wrote what was read, the most frequent first; completes `from:` while typing."""


@dataclass(frozen=True, slots=True)
class Drew:
    """A page as a picture, or why there is none."""

    number: int
    """Of the command."""
    page: DrawnPage | None
    why: str = ""
    """In words for people, where there is none."""


@dataclass(frozen=True, slots=True)
class TextKept:
    """How much text is kept in memory now."""

    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class ReadOn:
    """How far attachments and scanned pages are read that an answer had no time for.

    They are read while no question is in hand, and kept for the next one.
    """

    mails: int
    """Whose attachments are still to be read."""
    scans: int
    """Files with scanned pages; of them `scans_done` are recognised."""
    scans_done: int
    is_over: bool = False
    """Whether no more is read: all is, or a question came."""
    is_all: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """A file below the sources changed since it was read."""

    path: Path


@dataclass(frozen=True, slots=True)
class Broke:
    """The engine's process ends because of a defect; the screen is told by `Ended`."""

    where: str


Reply = Happened | ModelsSaid | Working | Ended | Drew | TextKept | ReadOn | Changed | Broke
Tell = Callable[[Reply], object]


class Engine(Protocol):
    """Answers one question at a time, away from the thread that asks."""

    def listen(self, tell: Tell) -> None:
        """Give all replies to `tell`, which is called in another thread."""

    def send(self, command: Command) -> None:
        """Take a command and return at once."""

    def close(self) -> None:
        """End what is in hand and free everything."""

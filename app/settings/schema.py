"""Every setting: its section and name, type, default, and what it does in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from operator import attrgetter
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from app.settings.kinds import (
    AbsolutePath,
    Address,
    Count,
    Flag,
    Host,
    MailAddresses,
    Minutes,
    Paths,
    Seconds,
    SecondsOrNever,
    SettingKind,
    Size,
    Text,
    Value,
    Whole,
    Words,
    Zone,
    choice,
    kind_of,
)
from engine.settings import DEFAULT_STRATEGY
from models import foreign


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """`[sources]`."""

    paths: Annotated[Paths, "Files and folders that are read when you ask."] = ()
    left_out: Annotated[Paths, "Remembered sources that are left out for now."] = ()


Runtime = Annotated[str, choice("auto", "llama", "transformers", "server", *foreign.found())]


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`[models]`."""

    lookahead: Annotated[
        Text | None, "The fast model, which reads first; without one, the starter."
    ] = None
    generator: Annotated[Text | None, "The answer model; without one, the starter."] = None
    encoder: Annotated[
        Text | None, "The model that compares texts by meaning, for strategies that do."
    ] = None
    sparse_encoder: Annotated[
        Text | None, "The model that finds words of the same meaning; without one, the starter."
    ] = None
    runtime: Annotated[Runtime, "What runs models: auto chooses by the file's format."] = "auto"
    context: Annotated[Count | None, "Tokens a model is loaded with; more take more memory."] = None
    idle_minutes: Annotated[
        Minutes, "Minutes without a question until models are unloaded; 0 for never."
    ] = 10


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """`[answer]`."""

    strategy: Annotated[Text, "How an answer is found; auto chooses by the question."] = (
        DEFAULT_STRATEGY
    )
    effort: Annotated[
        Literal["quick", "balanced", "thorough"],
        "How much time and how many passages an answer takes.",
    ] = "balanced"
    allocation: Annotated[
        AbsolutePath | None,
        "A fitted model of what documents, examples and rounds are worth, for auto.",
    ] = None
    max_context: Annotated[
        Count | None, "Most tokens that both models may read for a question, over all calls."
    ] = None
    time_budget: Annotated[
        Seconds | None, "Most seconds for a question; the answer names what was left unread."
    ] = None
    seed: Annotated[Whole, "The same seed gives the same answer."] = 0
    stemming: Annotated[Flag, "Whether boats finds boat."] = True
    infer: Annotated[
        Flag, "Whether a question's own words become filters: last week, from Ana."
    ] = True
    infer_model: Annotated[
        Flag, "Whether a model helps to find the filters that a question implies."
    ] = False
    guard: Annotated[Flag, "Whether text that gives orders to a model is kept from the models."] = (
        True
    )
    second_opinion: Annotated[
        Flag, "Whether the fast model says which cited sentences it doubts."
    ] = False


@dataclass(frozen=True, slots=True)
class PersonSettings:
    """`[person]`."""

    addresses: Annotated[MailAddresses, "Your own addresses: the people that I and me mean."] = ()


@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """`[reading]`."""

    memory: Annotated[Size | None, "Most text kept in memory for the next question."] = None
    workers: Annotated[Count | None, "Processes that read files; without a number, one a core."] = (
        None
    )
    attachments: Annotated[
        SecondsOrNever,
        "Seconds for which a question goes on with attachments, once all else is read.",
    ] = 10.0
    scans: Annotated[
        SecondsOrNever, "Seconds for which a question recognises scanned pages, with the extra ocr."
    ] = 10.0
    behind: Annotated[
        Flag,
        "Whether the screen reads on while it waits: attachments and scanned pages that an answer "
        "had no time for.",
    ] = True
    timezone: Annotated[Zone | None, "The zone in which days begin and times are shown."] = None


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """`[server]`."""

    url: Annotated[Address | None, "A server that answers instead of a model of this machine."] = (
        None
    )
    allow_host: Annotated[Host | None, "The one other machine to which text may go."] = None
    model: Annotated[Text | None, "The model to ask the server for."] = None
    context: Annotated[Count | None, "Tokens that the server takes, where it does not say."] = None
    lookahead_url: Annotated[Address | None, "A server that runs the fast model."] = None
    lookahead_model: Annotated[Text | None, "The fast model to ask that server for."] = None


@dataclass(frozen=True, slots=True)
class McpSettings:
    """`[mcp]`."""

    share: Annotated[
        Literal["titles", "quotes", "passages"],
        "How much text a program gets that asks through askance mcp.",
    ] = "quotes"


@dataclass(frozen=True, slots=True)
class HistorySettings:
    """`[history]`."""

    enabled: Annotated[Flag, "Whether conversations are kept, encrypted."] = False
    days: Annotated[Count | None, "Days until a conversation is forgotten."] = None


@dataclass(frozen=True, slots=True)
class InterfaceSettings:
    """`[interface]`."""

    theme: Annotated[
        Text | None, "Colours: dark, light, high-contrast, no-colour, or a theme of Textual."
    ] = None
    bell: Annotated[
        Flag,
        "Ring the terminal's bell when an answer took over ten seconds and another window has "
        "the focus.",
    ] = True
    notice: Annotated[
        Flag,
        "Show a notice of the desktop then too. It says that an answer is there, and nothing "
        "of what was asked or read.",
    ] = False
    pictures: Annotated[
        Literal["auto", "kitty", "sixel", "off"],
        "By which protocol pages are shown as pictures, with the extra pictures; auto: by the "
        "terminal.",
    ] = "auto"


@dataclass(frozen=True, slots=True)
class Values:
    """Every setting's value, by section."""

    sources: SourceSettings = SourceSettings()
    models: ModelSettings = ModelSettings()
    answer: AnswerSettings = AnswerSettings()
    person: PersonSettings = PersonSettings()
    reading: ReadingSettings = ReadingSettings()
    server: ServerSettings = ServerSettings()
    mcp: McpSettings = McpSettings()
    history: HistorySettings = HistorySettings()
    interface: InterfaceSettings = InterfaceSettings()
    keymap: Annotated[
        Words | None, "Other keys for actions: an action's id, and its keys with commas between."
    ] = None

    def of(self, name: str) -> Value:
        """Return the value of `section.key`."""
        return attrgetter(name)(self)

    def having(self, name: str, value: Value) -> Values:
        """Return these with another value of `section.key`."""
        section, _, key = name.partition(".")
        new: Any = replace(getattr(self, section), **{key: value}) if key else value
        return replace(self, **{section: new})


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings."""

    name: str
    """`section.key`, or a section that is one table."""
    kind: SettingKind
    default: Value
    about: str
    """What it does, in one sentence for people."""

    @property
    def variable(self) -> str:
        """Name of its environment variable."""
        return f"ASKANCE_{self.name.replace('.', '_').upper()}"


def _settings(owner: Any, above: str = "") -> Iterator[Setting]:
    hints = get_type_hints(owner, include_extras=True)
    for one in fields(owner):
        hint = hints[one.name]
        if is_dataclass(hint):
            yield from _settings(hint, f"{one.name}.")
            continue
        *_, about = hint.__metadata__
        inner = hint.__origin__
        optional = isinstance(inner, UnionType) or get_origin(inner) is Union
        kind = kind_of(get_args(inner)[0] if optional else hint)
        yield Setting(f"{above}{one.name}", kind, one.default, about)


SETTINGS = tuple(_settings(Values))
BY_NAME = MappingProxyType({setting.name: setting for setting in SETTINGS})
SECTIONS = tuple(dict.fromkeys(setting.name.split(".")[0] for setting in SETTINGS))

"""Settings: flags > `ASKANCE_SECTION_KEY` > config.toml > defaults. Unknown keys are refused."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import ConfigUnreadable, SettingUnknown, SettingWrong
from app.settings.kinds import (
    ADDRESS,
    ADDRESSES,
    COUNT,
    FLAG,
    HOST,
    INTEGER,
    MINUTES,
    PATH,
    PATHS,
    SECONDS,
    SIZE,
    TEXT,
    WORDS,
    ZONE,
    SettingKind,
    Value,
    choice,
)
from engine.settings import DEFAULT_STRATEGY
from models import foreign
from models.system.files import config_folder


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings."""

    name: str
    """`section.key`, or a section that is one table."""
    kind: SettingKind
    default: Value = None
    about: str = ""
    """What it does, in one sentence for people."""

    @property
    def variable(self) -> str:
        """Name of its environment variable."""
        return f"ASKANCE_{self.name.replace('.', '_').upper()}"


SETTINGS = (
    Setting("sources.paths", PATHS, (), about="Files and folders that are read when you ask."),
    Setting("sources.left_out", PATHS, (), about="Remembered sources that are left out for now."),
    Setting(
        "models.lookahead",
        TEXT,
        about="The fast model, which reads first; without one, the starter.",
    ),
    Setting(
        "models.generator",
        TEXT,
        about="The answer model; without one, the starter.",
    ),
    Setting(
        "models.encoder",
        TEXT,
        about="The model that compares texts by meaning, for strategies that do.",
    ),
    Setting(
        "models.runtime",
        choice("auto", "llama", "transformers", "server", *foreign.found()),
        "auto",
        about="What runs models: auto chooses by the file's format.",
    ),
    Setting("models.context", COUNT, about="Tokens a model is loaded with; more take more memory."),
    Setting(
        "models.idle_minutes",
        MINUTES,
        10,
        about="Minutes without a question until models are unloaded; 0 for never.",
    ),
    Setting(
        "answer.strategy",
        TEXT,
        DEFAULT_STRATEGY,
        about="How an answer is found; auto chooses by the question.",
    ),
    Setting(
        "answer.effort",
        choice("quick", "balanced", "thorough"),
        "balanced",
        about="How much time and how many passages an answer takes.",
    ),
    Setting(
        "answer.allocation",
        PATH,
        about="A fitted model of what documents, examples and rounds are worth, for auto.",
    ),
    Setting("answer.max_context", COUNT, about="Most tokens in one prompt."),
    Setting(
        "answer.time_budget",
        SECONDS,
        about="Most seconds for a question; the answer names what was left unread.",
    ),
    Setting("answer.seed", INTEGER, 0, about="The same seed gives the same answer."),
    Setting("answer.stemming", FLAG, True, about="Whether boats finds boat."),
    Setting(
        "answer.infer",
        FLAG,
        True,
        about="Whether a question's own words become filters: last week, from Ana.",
    ),
    Setting(
        "answer.infer_model",
        FLAG,
        False,
        about="Whether a model helps to find these filters.",
    ),
    Setting(
        "answer.guard",
        FLAG,
        True,
        about="Whether text that gives orders to a model is kept from the models.",
    ),
    Setting(
        "answer.second_opinion",
        FLAG,
        False,
        about="Whether the fast model says which cited sentences it doubts.",
    ),
    Setting(
        "person.addresses",
        ADDRESSES,
        (),
        about="Your own addresses: the people that I and me mean.",
    ),
    Setting("reading.memory", SIZE, about="Most text kept in memory for the next question."),
    Setting(
        "reading.workers",
        COUNT,
        about="Processes that read files; without a number, one a core.",
    ),
    Setting("reading.timezone", ZONE, about="The zone in which days begin and times are shown."),
    Setting(
        "server.url",
        ADDRESS,
        about="A server that answers instead of a model of this machine.",
    ),
    Setting("server.allow_host", HOST, about="The one other machine to which text may go."),
    Setting("server.model", TEXT, about="The model to ask the server for."),
    Setting("server.context", COUNT, about="Tokens that the server takes, where it does not say."),
    Setting("server.lookahead_url", ADDRESS, about="A server that runs the fast model."),
    Setting("server.lookahead_model", TEXT, about="The fast model to ask that server for."),
    Setting(
        "mcp.share",
        choice("titles", "quotes", "passages"),
        "quotes",
        about="How much text a program gets that asks through askance mcp.",
    ),
    Setting("history.enabled", FLAG, False, about="Whether conversations are kept, encrypted."),
    Setting("history.days", COUNT, about="Days until a conversation is forgotten."),
    Setting(
        "interface.theme",
        TEXT,
        about="Colours: dark, light, high-contrast, no-colour, or a theme of Textual.",
    ),
    Setting(
        "keymap",
        WORDS,
        about="Other keys for actions: an action's id, and its keys with commas between.",
    ),
)
BY_NAME = {setting.name: setting for setting in SETTINGS}
SECTIONS = tuple(dict.fromkeys(setting.name.split(".")[0] for setting in SETTINGS))

NOT_SETTINGS = ("ASKANCE_MODELS_DIR",)
"""Variables of the program that are no setting: where the model store is."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting's value and where it came from."""

    path: Path
    """The configuration file, whether or not it exists."""
    values: Mapping[str, Value]
    origins: Mapping[str, str]
    """"default", "file", or the name of the environment variable."""

    @property
    def remembered(self) -> tuple[Path, ...]:
        """All remembered sources, absolute."""
        return self._paths("sources.paths")

    @property
    def sources(self) -> tuple[Path, ...]:
        """The remembered sources that are read: those that are not left out."""
        return tuple(path for path in self.remembered if path not in self.left_out)

    @property
    def left_out(self) -> tuple[Path, ...]:
        """Remembered sources that are not read for now."""
        return self._paths("sources.left_out")

    def _paths(self, name: str) -> tuple[Path, ...]:
        paths = self.values[name]
        return paths if isinstance(paths, tuple) else ()

    def text(self, name: str) -> str | None:
        """Return a setting that is a text, or None when it is not set."""
        value = self.values[name]
        return value if isinstance(value, str) else None

    def number(self, name: str) -> int | None:
        """Return a setting that is a whole number, or None when it is not set."""
        value = self.values[name]
        return value if isinstance(value, int) else None


def config_path(environ: Mapping[str, str]) -> Path:
    """Return `$XDG_CONFIG_HOME/askance/config.toml`."""
    return config_folder(environ) / "config.toml"


def load_config(environ: Mapping[str, str]) -> Config:
    """Read file and environment. Raises `ConfigError` for what cannot be used as it stands."""
    path = config_path(environ)
    values = {setting.name: setting.default for setting in SETTINGS}
    origins = dict.fromkeys(values, "default")
    for name, raw in _flat(parse(read_text(path), path), path).items():
        values[name] = _checked(_known(name, path), raw, from_text=False, where=str(path))
        origins[name] = "file"
    for setting, text in _from_environment(environ):
        values[setting.name] = _checked(setting, text, from_text=True, where=setting.variable)
        origins[setting.name] = setting.variable
    return Config(path, values, origins)


def read_text(path: Path) -> str:
    """Return the file's text, empty when there is none. Raises `ConfigUnreadable`."""
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigUnreadable(
            f"The settings in {path} cannot be read: {error}.",
            remedy="Correct its permissions or contents, or move the file away.",
            path=path,
        ) from error


def parse(text: str, path: Path) -> dict[str, object]:
    """Parse TOML. Raises `ConfigUnreadable` with line and column."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigUnreadable(
            f"{path} is not valid TOML: {error}.",
            remedy="Correct that line; `askance config validate` checks it again.",
            path=path,
        ) from error


def _flat(tables: Mapping[str, object], path: Path) -> dict[str, object]:
    """Return `{"section.key": value}`. Raises `SettingUnknown` for an unknown section."""
    flat: dict[str, object] = {}
    for section, table in tables.items():
        if section in BY_NAME:
            flat[section] = table
            continue
        if section not in SECTIONS or not isinstance(table, dict):
            raise _unknown(section, str(path), path)
        flat |= {f"{section}.{key}": value for key, value in table.items()}
    return flat


def _from_environment(environ: Mapping[str, str]) -> list[tuple[Setting, str]]:
    by_variable = {setting.variable: setting for setting in SETTINGS}
    found = []
    for name, text in sorted(environ.items()):
        if not name.startswith("ASKANCE_") or name in NOT_SETTINGS:
            continue
        if name not in by_variable:
            raise _unknown(name, "the environment", None)
        found.append((by_variable[name], text))
    return found


def _known(name: str, path: Path) -> Setting:
    if name not in BY_NAME:
        raise _unknown(name, str(path), path)
    return BY_NAME[name]


def _unknown(name: str, where: str, path: Path | None) -> SettingUnknown:
    names = [s.variable if path is None else s.name for s in SETTINGS]
    # A key without its section, or below the wrong one, is nearest to the key of that name.
    same_key = [known for known in names if known.rsplit(".", 1)[-1] == name.rsplit(".", 1)[-1]]
    nearest = same_key[:1] or difflib.get_close_matches(name, names, n=1, cutoff=0.0)
    return SettingUnknown(
        f'Unknown setting "{name}" in {where}. The nearest known one is "{nearest[0]}".',
        remedy="Correct or remove it, or update Askance if a newer one wrote it; "
        "`askance config show` lists every setting.",
        path=path,
    )


def _checked(setting: Setting, raw: object, *, from_text: bool, where: str) -> Value:
    try:
        read = setting.kind.from_text if from_text else setting.kind.from_toml
        value = read(raw)  # type: ignore[arg-type]
    except ValueError as error:
        instead = "" if setting.kind.secret else f", not {raw!r}"
        raise SettingWrong(
            f'The setting "{setting.name}" in {where} must be {setting.kind.wanted}{instead}.',
            remedy="Correct or remove it.",
            path=None if from_text else Path(where),
        ) from error
    return value

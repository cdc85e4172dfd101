"""Settings: flags > `ASKANCE_SECTION_KEY` > config.toml > defaults. Unknown keys are refused."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from app.errors import ConfigUnreadable, NotBuilt, SettingUnknown, SettingWrong
from app.setting_kinds import (
    ADDRESS,
    ADDRESSES,
    COUNT,
    FLAG,
    HOST,
    INTEGER,
    MINUTES,
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


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings."""

    name: str
    """`section.key`."""
    kind: SettingKind
    default: Value = None
    built: bool = True
    """False: the contract names it, and only its default is accepted yet."""

    @property
    def variable(self) -> str:
        """Name of its environment variable."""
        return f"ASKANCE_{self.name.replace('.', '_').upper()}"


SETTINGS = (
    Setting("sources.paths", PATHS, ()),
    Setting("models.lookahead", TEXT),
    Setting("models.generator", TEXT),
    Setting("models.encoder", TEXT),
    Setting("models.runtime", choice("auto", "llama", "transformers", "server"), "auto"),
    Setting("models.context", COUNT),
    Setting("models.idle_minutes", MINUTES, 10),
    Setting("answer.strategy", TEXT, "auto"),
    Setting("answer.effort", choice("quick", "balanced", "thorough"), "balanced"),
    Setting("answer.max_context", COUNT),
    Setting("answer.time_budget", SECONDS),
    Setting("answer.seed", INTEGER, 0),
    Setting("answer.stemming", FLAG, True),
    Setting("answer.infer", FLAG, True),
    Setting("answer.infer_model", FLAG, False),
    Setting("person.addresses", ADDRESSES, ()),
    Setting("reading.memory", SIZE),
    Setting("reading.workers", COUNT),
    Setting("reading.timezone", ZONE),
    Setting("server.url", ADDRESS),
    Setting("server.allow_host", HOST),
    Setting("server.model", TEXT),
    Setting("server.context", COUNT),
    Setting("history.enabled", FLAG, False, built=False),
    Setting("history.days", COUNT, built=False),
    Setting("interface.theme", TEXT),
    Setting("interface.keymap", WORDS),
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
    def sources(self) -> tuple[Path, ...]:
        """The remembered sources, absolute."""
        paths = self.values["sources.paths"]
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
    given = environ.get("XDG_CONFIG_HOME", "")
    home = Path(given) if given.startswith("/") else Path.home() / ".config"
    return home / "askance" / "config.toml"


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
        remedy="Correct or remove it; `askance config show` lists every setting.",
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
    if not setting.built and value != setting.default:
        built = ", ".join(known.name for known in SETTINGS if known.built)
        raise NotBuilt(
            f'The setting "{setting.name}" in {where} is not built yet.',
            remedy=f"Remove it. Settings that are: {built}.",
            path=None if from_text else Path(where),
        )
    return value

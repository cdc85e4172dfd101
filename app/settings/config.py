"""Settings: flags > `ASKANCE_SECTION_KEY` > config.toml > defaults. Unknown keys are refused."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import ConfigUnreadable, SettingUnknown, SettingWrong
from app.settings.kinds import Value
from app.settings.schema import BY_NAME, SECTIONS, SETTINGS, Setting, Values
from models.system.files import config_folder

NOT_SETTINGS = ("ASKANCE_MODELS_DIR",)
"""Variables of the program that are no setting: where the model store is."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting's value and where it came from."""

    path: Path
    """The configuration file, whether or not it exists."""
    values: Values
    origins: Mapping[str, str]
    """"default", "file", or the name of the environment variable, by `section.key`."""

    @property
    def remembered(self) -> tuple[Path, ...]:
        """All remembered sources, absolute."""
        return self.values.sources.paths

    @property
    def sources(self) -> tuple[Path, ...]:
        """The remembered sources that are read: those that are not left out."""
        left_out = self.values.sources.left_out
        return tuple(path for path in self.remembered if path not in left_out)

    def having(self, name: str, value: Value) -> Config:
        """Return the same with another value of `section.key`, until the program ends."""
        return replace(self, values=self.values.having(name, value))


def config_path(environ: Mapping[str, str]) -> Path:
    """Return `$XDG_CONFIG_HOME/askance/config.toml`."""
    return config_folder(environ) / "config.toml"


def load_config(environ: Mapping[str, str]) -> Config:
    """Read file and environment. Raises `ConfigError` for what cannot be used as it stands."""
    path = config_path(environ)
    values = Values()
    origins = dict.fromkeys(BY_NAME, "default")
    for name, raw in _flat(parse(read_text(path), path), path).items():
        value = _checked(_known(name, path), raw, from_text=False, where=str(path))
        values, origins[name] = values.having(name, value), "file"
    for setting, text in _from_environment(environ):
        value = _checked(setting, text, from_text=True, where=setting.variable)
        values, origins[setting.name] = values.having(setting.name, value), setting.variable
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
        instead = "" if setting.kind.form.secret else f", not {raw!r}"
        raise SettingWrong(
            f'The setting "{setting.name}" in {where} must be {setting.kind.form.wanted}{instead}.',
            remedy="Correct or remove it.",
            path=None if from_text else Path(where),
        ) from error
    return value

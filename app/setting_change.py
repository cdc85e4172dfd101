"""Changing one setting as a person types it: checked alone and with the others, then written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from app.errors import SettingWrong
from app.local_models.roles import roles_in_use
from app.local_models.server import served_roles
from app.settings.config import Config, load_config
from app.settings.edit import Scalar, set_value, unset
from app.settings.kinds import Value
from app.settings.schema import Setting
from app.themes import known_themes, theme_named
from engine.strategies import registry
from models.store.catalogue import Catalogue


def value_text(value: Value) -> str:
    """Return a value as one would type it; empty where nothing is set."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        between = os.pathsep if value and isinstance(value[0], Path) else ", "
        return between.join(map(str, value))
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {word}" for key, word in value.items())
    return str(value)


def choices_of(setting: Setting) -> tuple[str, ...]:
    """Return all that a setting can be, or nothing where that is not a short list."""
    return known_themes() if setting.name == "interface.theme" else setting.kind.form.choices


def parsed(setting: Setting, typed: str) -> Value:
    """Return what was typed as a value. Raises `SettingWrong`."""
    kind = setting.kind
    try:
        return kind.from_toml(typed) if kind.form.file_only else kind.from_text(typed.strip())
    except ValueError as error:
        raise SettingWrong(f"{setting.name} must be {kind.form.wanted}.", remedy="") from error


def save(setting: Setting, typed: str, config: Config, catalogue: Catalogue) -> Config:
    """Write a setting to the file and return the settings as they are then.

    Raises `SettingWrong` before anything is written, `ConfigError` and `ConfigNotWritten`.
    """
    value = parsed(setting, typed)
    check_together(config.having(setting.name, value), catalogue)
    section, key = setting.name.split(".")
    set_value(config.path, section, key, _in_toml(value))
    return load_config(os.environ)


def take_default(setting: Setting, config: Config) -> Config:
    """Take a setting out of the file. Raises as `save` does."""
    section, key = setting.name.split(".")
    unset(config.path, section, key)
    return load_config(os.environ)


def check_together(config: Config, catalogue: Catalogue) -> None:
    """Check what no setting tells alone. Raises `SettingWrong` and `StrategyUnknown`."""
    registry.get(config.values.answer.strategy)
    theme_named(config.values.interface.theme, colour=True)
    served_roles(config, {})
    _, faults = roles_in_use(config, catalogue)
    if faults:
        raise SettingWrong(faults[0], remedy="")


def _in_toml(value: Value) -> Scalar | list[str]:
    if isinstance(value, tuple):
        return [str(part) for part in value]
    if not isinstance(value, Scalar):
        raise TypeError(type(value).__name__)
    return value

"""Remembered sources: what can be said of them unopened, and how they are remembered."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.errors import SourceMissing, UsageError
from app.settings.config import Config
from app.settings.edit import add_to_list, remove_from_list

State = Literal["ready", "missing", "not permitted", "not a file or folder"]

REMEDIES: dict[State, str | None] = {
    "ready": None,
    "missing": "Attach its disk, or forget it: askance sources rm PATH.",
    "not permitted": "Give yourself permission to read it.",
    "not a file or folder": "Remember the file or folder that holds the data instead.",
}


@dataclass(frozen=True, slots=True)
class SourceState:
    """What can be said of a source without opening it."""

    path: Path
    state: State

    @property
    def remedy(self) -> str | None:
        """What to do about it, or None when it is ready."""
        return REMEDIES[self.state]


def look_at(path: Path) -> SourceState:
    """Look at a path through `stat` and `access` alone."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return SourceState(path, "missing")
    except OSError:  # a folder above it is closed, a loop of links
        return SourceState(path, "not permitted")
    if not (stat.S_ISDIR(mode) or stat.S_ISREG(mode)):
        return SourceState(path, "not a file or folder")
    needed = os.R_OK | os.X_OK if stat.S_ISDIR(mode) else os.R_OK
    return SourceState(path, "ready" if os.access(path, needed) else "not permitted")


def absolute(path: str) -> Path:
    """Return the path as it is remembered: absolute, without `..`, links kept."""
    return Path(os.path.normpath(Path(path).expanduser().absolute()))


def read_alone(paths: Sequence[str]) -> None:
    """Read these instead of what is remembered, in this process and those that it starts."""
    named = json.dumps([str(absolute(path)) for path in paths])
    os.environ |= {"ASKANCE_SOURCES_PATHS": named, "ASKANCE_SOURCES_LEFT_OUT": "[]"}


def short(path: Path) -> str:
    """Return a path with `~` for the person's home."""
    home = Path.home()
    return (
        f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else str(path)
    )


def remember(config: Config, paths: Sequence[Path]) -> list[Path]:
    """Write paths to the settings and return those that are new. Nothing below them is opened.

    Raises `SourceMissing`, before anything is written, for a path that does not exist, `UsageError`
    where a variable names the sources, `ConfigError` and `ConfigNotWritten`.
    """
    _check_origin(config)
    for path in paths:
        if look_at(path).state == "missing":
            raise SourceMissing(
                f"{path} does not exist.", remedy="Check the path; nothing was added.", path=path
            )
    new = [path for path in dict.fromkeys(paths) if path not in config.remembered]
    for path in new:
        add_to_list(config.path, "sources", "paths", str(path))
    return new


def forget(config: Config, paths: Sequence[Path]) -> None:
    """Take paths out of the settings; the files stay as they are.

    Raises `UsageError`, before anything is written, for a path that is not remembered, and
    otherwise as `remember` does.
    """
    _check_origin(config)
    for path in paths:
        if path not in config.remembered:
            raise UsageError(
                f"{path} is not a remembered source.", remedy="See: askance sources list", path=path
            )
    for path in dict.fromkeys(paths):
        remove_from_list(config.path, "sources", "paths", str(path))
        if path in config.values.sources.left_out:
            remove_from_list(config.path, "sources", "left_out", str(path))


def leave_out(config: Config, path: Path, *, out: bool) -> None:
    """Remember whether a source is left out. Raises as `remember` does."""
    _check_origin(config)
    if out and path not in config.values.sources.left_out:
        add_to_list(config.path, "sources", "left_out", str(path))
    elif not out and path in config.values.sources.left_out:
        remove_from_list(config.path, "sources", "left_out", str(path))


def _check_origin(config: Config) -> None:
    for name in ("sources.paths", "sources.left_out"):
        if config.origins[name] not in ("default", "file"):
            raise UsageError(
                f"{config.origins[name]} names the sources, whatever the settings say.",
                remedy=f"Unset {config.origins[name]}; nothing was changed.",
            )

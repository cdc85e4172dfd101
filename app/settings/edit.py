"""Small edits of config.toml that keep the person's comments and order.

An edit touches the one value it is about. The result is parsed and compared with what was
meant before it replaces the file. Several instances may edit at once: each waits for the one
before.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from app.errors import ConfigError, ConfigNotWritten
from app.settings.config import parse, read_text

Scalar = str | bool | int | float
"""What a value may be, besides a list of texts."""


def set_value(path: Path, section: str, key: str, value: Scalar | Sequence[str]) -> None:
    """Set `[section] key`. Raises `ConfigError` and `ConfigNotWritten`."""
    new = value if isinstance(value, Scalar) else list(value)
    _edit(path, section, lambda table: table.update({key: new}))


def unset(path: Path, section: str, key: str) -> None:
    """Take `[section] key` out. Raises as `set_value` does."""
    _edit(path, section, lambda table: table.pop(key, None))


def add_to_list(path: Path, section: str, key: str, added: str) -> None:
    """Append a text to the list `[section] key` if it lacks it. Raises as `set_value` does."""
    from tomlkit import array

    def add(table: Any) -> None:
        if key not in table:
            table[key] = array().multiline(multiline=True)  # a line for each
        if added not in table[key]:  # another instance may have been quicker
            table[key].append(added)

    _edit(path, section, add)


def remove_from_list(path: Path, section: str, key: str, removed: str) -> None:
    """Take a text out of the list `[section] key` if it is there. Raises as `set_value` does."""

    def remove(table: Any) -> None:
        if removed in table.get(key, ()):
            table[key].remove(removed)

    _edit(path, section, remove)


def _edit(path: Path, section: str, change: Callable[[Any], object]) -> None:
    """Apply a change to a section, as it is written and as it is meant."""
    import tomlkit  # only where something is edited: starting takes no longer for it
    from tomlkit.exceptions import TOMLKitError

    with _alone(path):
        text = read_text(path)
        meant: dict[str, Any] = parse(text, path)
        change(meant.setdefault(section, {}))
        if meant[section] == parse(text, path).get(section, {}):
            return  # nothing to change
        try:
            written = tomlkit.parse(text)
            if section not in written:
                written[section] = tomlkit.table()
            change(written[section])
            edited = tomlkit.dumps(written)
        except TOMLKitError as error:
            raise _by_hand(path) from error
        _replace(path, edited, meant)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let no other instance edit the file meanwhile. Raises `ConfigNotWritten`.

    The folder is what is locked, so that nothing is left in it; the kernel lets go of it when its
    holder dies.
    """
    folder = path.resolve().parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise _not_written(path, error) from error
    try:
        with contextlib.suppress(OSError):  # some network file systems lock no folders
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _replace(path: Path, text: str, meant: object) -> None:
    """Write atomically, mode 0600, if the text means what was meant."""
    try:
        if tomllib.loads(text) != meant:
            raise _by_hand(path)
    except tomllib.TOMLDecodeError as error:
        raise _by_hand(path) from error
    try:
        target = path.resolve()  # a link into a folder of dotfiles stays a link
        handle, name = tempfile.mkstemp(prefix=".config-", dir=target.parent)  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _not_written(path, error) from error


def _not_written(path: Path, error: OSError) -> ConfigNotWritten:
    return ConfigNotWritten(
        f"{path} could not be written: {error.strerror}. It is as it was.",
        remedy="Make room or correct the folder's permissions, then try again.",
        path=path,
    )


def _by_hand(path: Path) -> ConfigError:
    return ConfigError(
        f"{path} has a form that cannot be edited without losing something of yours.",
        remedy="Change the setting by hand; `askance config validate` checks it.",
        path=path,
    )

"""Everything the program ever wrote on this machine: settings, models, history, secrets.

Only what is known to be its own is listed, and only that is removed: a file of somebody else in
the same folder stays, and so does the folder then.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.history.files import HistoryFiles
from app.history.kept import erase_history
from app.privacy.secrets import known_names
from app.settings.config import config_path
from models.errors import AskanceError
from models.secrets import KeyringClosed, drop_from_keyring, secret_from_keyring
from models.store import Store
from models.user_rows import FILE as OWN_MODELS

What = Literal["settings", "model", "history", "secret"]
RECORDS = (".lock", ".checked.json", ".accepted.json")
"""What every folder of a model has at least one of."""


class TracesLeft(AskanceError):
    """Something could not be removed; what was removed before is gone."""

    kind = "traces_left"


@dataclass(frozen=True, slots=True)
class Trace:
    """A file, a model's folder, or a name in the keyring."""

    what: What
    name: str
    """A path, or the name in the keyring."""
    bytes: int = 0


def traces(environ: Mapping[str, str]) -> list[Trace]:
    """Return all there is. A keyring that does not open has nothing to show."""
    return [*_settings(environ), *_models(environ), *_history(environ), *_secrets()]


def remove(found: list[Trace], environ: Mapping[str, str]) -> None:
    """Remove what was listed. Raises `TracesLeft`, `HistoryNotWritten`.

    Secrets go first: what they encrypt can be read by nobody from then on.
    """
    for trace in found:
        if trace.what == "secret":
            _drop(trace.name)
    if any(trace.what == "history" for trace in found):
        erase_history(HistoryFiles.of(environ))
    for trace in found:
        if trace.what in ("model", "settings"):
            _delete(Path(trace.name))
    for folder in _folders(environ):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _settings(environ: Mapping[str, str]) -> Iterator[Trace]:
    folder = config_path(environ).parent
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.name in ("config.toml", OWN_MODELS) or path.name.startswith(".config-"):
                yield Trace("settings", str(path), path.lstat().st_size)


def _models(environ: Mapping[str, str]) -> Iterator[Trace]:
    root = Store.default(environ).root
    if root.is_dir():
        for folder in sorted(root.iterdir()):
            if folder.is_dir() and any((folder / record).exists() for record in RECORDS):
                size = sum(p.lstat().st_size for p in folder.rglob("*") if not p.is_dir())
                yield Trace("model", str(folder), size)


def _history(environ: Mapping[str, str]) -> Iterator[Trace]:
    for path in HistoryFiles.of(environ).all():
        yield Trace("history", str(path), path.stat().st_size)


def _secrets() -> Iterator[Trace]:
    try:
        for name in known_names():
            if secret_from_keyring(name):
                yield Trace("secret", name)
    except KeyringClosed:
        return


def _drop(name: str) -> None:
    try:
        drop_from_keyring(name)
    except KeyringClosed as error:
        raise TracesLeft(
            f"{error}, so {name} is still in it.", remedy="Unlock your keyring, then try again."
        ) from error


def _delete(path: Path) -> None:
    try:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise TracesLeft(
            f"{path} cannot be removed: {error.strerror}.",
            remedy="Correct its permissions, then try again.",
            path=path,
        ) from error


def _folders(environ: Mapping[str, str]) -> list[Path]:
    """Return the program's folders, inner ones first; those that are empty go too."""
    history = HistoryFiles.of(environ).folder
    models = Store.default(environ).root
    own = [models] if "ASKANCE_MODELS_DIR" not in os.environ else []
    return [history, *own, history.parent, config_path(environ).parent]

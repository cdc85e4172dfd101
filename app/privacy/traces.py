"""Everything the program ever wrote on this machine: settings, models, history, secrets.

Only what is known to be its own is listed, and only that is removed: a file of somebody else in
the same folder stays, and so does the folder then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.history.creation import erase_history
from app.history.errors import KeyClosed
from app.history.storage.files import HistoryFiles
from app.privacy.model_files import model_files
from app.privacy.secrets import MEANINGS, keys_here
from app.settings.config import config_path
from models.errors import AskanceError
from models.proof.proof import RECORD
from models.store.fitted import FILE as FITTED
from models.store.store import Store
from models.store.user_rows import FILE as OWN_MODELS
from models.system.secrets import (
    HISTORY,
    KeyringClosed,
    NoKeyring,
    drop_from_keyring,
    known_names,
    secret_from_keyring,
)

What = Literal["settings", "model", "proof", "history", "secret"]
_OWN = "|".join(map(re.escape, (OWN_MODELS, FITTED)))
SETTINGS = re.compile(rf"config\.toml|\.config-[a-z0-9_]{{8}}|(?:{_OWN})(\.new)?")
"""Names of files of settings, half-written ones too."""


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
    files: tuple[Path, ...] = ()
    """Of a model."""


@dataclass(frozen=True, slots=True)
class Traces:
    """All that was found."""

    found: list[Trace]
    closed: KeyringClosed | None = None
    """Why the keyring did not say what it has."""
    others: tuple[str, ...] = ()
    """Keys of histories that are not in this folder, if they are anywhere; they stay."""


def traces(environ: Mapping[str, str]) -> Traces:
    """Return all there is."""
    files = [*_settings(environ), *_models(environ), *_proof(environ), *_history(environ)]
    try:
        names = _names()
    except KeyringClosed as error:
        return Traces(files, error)
    here = keys_here(environ)
    others = tuple(name for name in names if name.startswith(HISTORY) and name not in here)
    secrets = [Trace("secret", name) for name in names if name not in others]
    return Traces([*files, *secrets], others=others)


def remove(traces: Traces, environ: Mapping[str, str]) -> None:
    """Remove what was found. Raises `TracesLeft`, `HistoryError`.

    Secrets go first: what they encrypt can be read by nobody from then on. Where the keyring does
    not open, all else is removed, and then it is said.
    """
    closed = None if isinstance(traces.closed, NoKeyring) else traces.closed
    try:
        for trace in traces.found:
            if trace.what == "secret":
                drop_from_keyring(trace.name)
    except KeyringClosed as error:
        closed = error
    key_stays: KeyClosed | None = None
    try:
        if any(trace.what == "history" for trace in traces.found):
            erase_history(HistoryFiles.of(environ))
    except KeyClosed as error:
        key_stays = error
    for trace in traces.found:
        if trace.what == "model":
            _delete_model(Path(trace.name), trace.files)
        elif trace.what in ("settings", "proof"):
            _delete(Path(trace.name))
    for folder in _folders(environ):
        with suppress(OSError):
            folder.rmdir()  # what somebody else put there stays, and so does the folder
    if closed:
        but = f", but for a file in {key_stays.path} that names a key" if key_stays else ""
        raise TracesLeft(
            f"{closed}, so what it may remember for you is still in it. All else is removed{but}.",
            remedy="Unlock your keyring, then do this again.",
        ) from closed
    if key_stays:
        raise key_stays


def _settings(environ: Mapping[str, str]) -> Iterator[Trace]:
    folder = config_path(environ).parent
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if SETTINGS.fullmatch(path.name) and (path.is_symlink() or path.is_file()):
                yield Trace("settings", str(path), path.lstat().st_size)


def _models(environ: Mapping[str, str]) -> Iterator[Trace]:
    own_rows = config_path(environ).with_name(OWN_MODELS)
    for folder, files in model_files(environ, own_rows):
        size = sum(path.lstat().st_size for path in files)
        yield Trace("model", str(folder), size, tuple(files))


def _proof(environ: Mapping[str, str]) -> Iterator[Trace]:
    """Yield what is remembered of llama.cpp's check, and a half-written one."""
    record = Store.default(environ).root / RECORD
    for path in (record, record.with_name(f"{record.name}.new")):
        if path.is_symlink() or path.is_file():
            yield Trace("proof", str(path), path.lstat().st_size)


def _history(environ: Mapping[str, str]) -> Iterator[Trace]:
    for path in HistoryFiles.of(environ).all():
        yield Trace("history", str(path), path.lstat().st_size)


def _names() -> list[str]:
    """Return what the keyring has of us; of a name that is listed there, the name at least."""
    return [name for name in known_names() if name not in MEANINGS or secret_from_keyring(name)]


def _delete_model(folder: Path, files: Iterable[Path]) -> None:
    for path in files:
        _delete(path)
    below = [path for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()]
    for empty in [*sorted(below, reverse=True), folder]:
        with suppress(OSError):
            empty.rmdir()


def _delete(path: Path) -> None:
    try:
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
    own = [models] if "ASKANCE_MODELS_DIR" not in environ else []
    return [history, *own, history.parent, config_path(environ).parent]

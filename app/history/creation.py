"""How a history begins, and how all of it is removed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from app.history.conversations import History
from app.history.errors import HistoryDamaged, HistoryNotWritten, KeyClosed
from app.history.storage.database import opened, sqlcipher
from app.history.storage.files import HistoryFiles, renamed, wipe
from app.history.storage.key import Ask, KeyRecord, drop_key, new_key
from app.history.storage.schema import migrate
from models.system.files import make_private, open_private
from models.system.secrets import KeyringClosed


def begin_history(files: HistoryFiles, ask_passphrase: Ask | None) -> History:
    """Begin a history; `ask_passphrase` None keeps its key in the keyring.

    What is there is set aside, but only once the new one is made. Raises `HistoryError`.
    """
    sqlcipher()
    _make_folder(files)
    record, key = new_key(ask_passphrase)
    new = files.database.with_name(f"{files.database.name}.new")
    try:
        with _changing(new):
            new.unlink(missing_ok=True)
            # Mode 0600 from the start: SQLite alone would leave it to the umask.
            os.close(open_private(new, os.O_EXCL))
            with opened(new, key) as database:
                migrate(database)
            with renamed([*files.to_set_aside(datetime.now(UTC)), (new, files.database)]):
                record.write(files.key_record)
    except BaseException:
        key.close()
        with suppress(OSError):
            new.unlink()
        with suppress(KeyringClosed):
            drop_key(record)
        raise
    return History(files, record, key)


def key_records(files: HistoryFiles) -> Iterator[tuple[Path, KeyRecord]]:
    """Yield every record that names a key, set aside ones too."""
    for path in files.all():
        if path.name.startswith(files.key_record.name):
            with suppress(HistoryDamaged, FileNotFoundError):
                yield path, KeyRecord.read(path)


@dataclass(frozen=True, slots=True)
class Erased:
    """What was removed of a history."""

    files: list[Path]
    keys: int
    """Of the keyring; a passphrase has none there."""


def erase_history(files: HistoryFiles) -> Erased:
    """Remove every file of the history, overwritten, and its keys; say what was removed.

    The keys go first: from then on nobody can read what is left, whatever happens. Raises
    `HistoryNotWritten`; and `KeyClosed`, once the rest is removed, if the keyring keeps a key: its
    record is set aside then, so that the next time finds it.
    """
    keys, stay, closed = 0, set(), None
    for path, record in key_records(files):
        try:
            keys += drop_key(record)
        except KeyringClosed as error:
            stay.add(path)
            closed = error
    gone = [path for path in files.all() if path not in stay]
    for path in gone:
        with _changing(path):
            wipe(path)
    if closed:
        with _changing(files.key_record):
            for path, aside in files.to_set_aside(datetime.now(UTC)):
                path.rename(aside)
        raise KeyClosed(
            f"{closed}, so the key of your history could not be removed. The rest of it is.",
            remedy="Unlock your keyring, then do this again. Until then its name, and nothing "
            f"else, is in {files.folder}",
            path=files.folder,
        ) from closed
    with suppress(OSError):
        files.folder.rmdir()  # what somebody else put there stays, and so does the folder
    return Erased(gone, keys)


def _make_folder(files: HistoryFiles) -> None:
    try:
        make_private(files.folder)
    except OSError as error:
        raise HistoryNotWritten(
            f"{files.folder} cannot be made: {error.strerror}.",
            remedy="Correct the folder's permissions, or set XDG_DATA_HOME to one of yours.",
            path=files.folder,
        ) from error


@contextmanager
def _changing(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into an error for people."""
    try:
        yield
    except OSError as error:
        raise HistoryNotWritten(
            f"{path} cannot be written or removed: {error.strerror}.",
            remedy="Correct the folder's permissions, then try again.",
            path=path,
        ) from error

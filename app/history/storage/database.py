"""Opens the encrypted database. Only here is SQLCipher spoken to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.history.errors import (
    HistoryBusy,
    HistoryDamaged,
    HistoryError,
    HistoryNotWritten,
    HistoryUnavailable,
)
from app.history.storage.locked_memory import LockedBytes

if TYPE_CHECKING:
    from sqlite_utils import Database

BUSY_SECONDS = 5.0
"""How long to wait for another Askance that is writing."""
BUSY, LOCKED, READ_ONLY, IO_ERROR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE = (
    *(5, 6, 8, 10, 11, 13, 14, 26),
)
"""Result codes of SQLite."""
BEFORE_KEY = (
    "PRAGMA cipher_log_level = NONE",  # it would write to stderr
    "PRAGMA cipher_memory_security = ON",  # locks and wipes its memory
)
AFTER_KEY = (
    "PRAGMA cipher_compatibility = 4",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
)


def sqlcipher() -> Any:
    """Return the module. Raises `HistoryUnavailable`."""
    try:
        import sqlite_utils  # noqa: F401
        from sqlcipher3 import dbapi2
    except ImportError as error:
        raise HistoryUnavailable(
            f"What encrypts your history is not installed ({error.name}).",
            remedy="Install it with the extra named history: pip install 'askance[history]'",
        ) from error
    return dbapi2


@contextmanager
def opened(path: Path, key: LockedBytes) -> Iterator[Database]:
    """Open a database, made if it is not there; errors within become ours.

    Raises `HistoryError`.
    """
    dbapi2 = sqlcipher()
    from sqlite_utils import Database

    with errors_of(path):
        connection = dbapi2.connect(str(path), timeout=BUSY_SECONDS)
        try:
            _unlock(connection, key)
            yield Database(connection)
        finally:
            connection.close()


@contextmanager
def changing(database: Database) -> Iterator[None]:
    """Change a database, wholly or not at all; nobody else writes meanwhile."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.conn.commit()
    except BaseException:
        database.conn.rollback()
        raise


def _unlock(connection: Any, key: LockedBytes) -> None:
    for statement in BEFORE_KEY:
        connection.execute(statement)
    connection.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
    for statement in AFTER_KEY:
        connection.execute(statement)
    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Turn the database's errors into ours, which repeat no word of what is kept."""
    dbapi2 = sqlcipher()
    try:
        yield
    except dbapi2.Error as error:
        raise _meaning(error, path) from None  # a chained one may hold what was to be written
    except UnicodeError:
        raise HistoryError(
            "Your history holds text only: this has bytes that are none.",
            remedy="Give it in UTF-8.",
            path=path,
        ) from None


def _meaning(error: Any, path: Path) -> HistoryError:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (BUSY, LOCKED):
        return HistoryBusy(
            f"Another Askance has been writing to your history for {BUSY_SECONDS:.0f} s.",
            remedy="Let it finish, or close it.",
            path=path,
        )
    if code in (READ_ONLY, FULL, CANNOT_OPEN, IO_ERROR):
        why = {READ_ONLY: "may not be written", FULL: "has no room left"}
        return HistoryNotWritten(
            f"Your history {why.get(code, 'cannot be opened or written')}: {path}.",
            remedy="See to the permissions and the room of its folder.",
            path=path,
        )
    if code in (CORRUPT, NOT_A_DATABASE):
        return HistoryDamaged(
            f"Your history is damaged: {path}.",
            remedy="Put the file back from a backup, or begin anew: askance history on --new "
            "(the damaged file is set aside, not removed).",
            path=path,
        )
    return HistoryError(
        f"Your history cannot be used ({type(error).__name__}, code {code}).",
        remedy="Try again; askance history on --new begins a new one.",
        path=path,
    )

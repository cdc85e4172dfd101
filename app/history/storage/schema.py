"""The tables of kept conversations, and how older ones become newer.

A version is a step; the table `version` holds its number. Steps that were ever released are
never changed: a fixture of each version is in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.history.errors import HistoryNewer
from app.history.storage.database import changing
from app.history.storage.matches import as_words

if TYPE_CHECKING:
    from sqlite_utils import Database

Step = Callable[["Database"], None]
FOUND_IN = ("asked", "question", "answer", "quotes")
"""Columns that are searched."""


def _first(database: Database) -> None:
    database["conversations"].create(  # type: ignore[union-attr]
        {"id": str, "began": str, "changed": str, "title": str, "at": int},
        pk="id",
        not_null={"began", "changed", "title"},
    )
    database["turns"].create(  # type: ignore[union-attr]
        {
            "conversation": str,
            "number": int,
            "parent": int,
            "asked": str,
            "question": str,
            "answer": str,
            "quotes": str,
            "turn": str,  # the whole turn as JSON
        },
        pk=("conversation", "number"),
        foreign_keys=[("conversation", "conversations", "id")],
    )
    database["turns"].enable_fts(  # type: ignore[union-attr]
        FOUND_IN, create_triggers=True, tokenize="unicode61 remove_diacritics 2"
    )
    # What is deleted leaves no words behind in the index either.
    database.execute("INSERT INTO turns_fts(turns_fts, rank) VALUES('secure-delete', 1)")


def _folded(database: Database) -> None:
    """Have words searched as the engine folds them; as they were, they stand in `turn` alone."""
    rows = database.query("SELECT rowid AS place, asked, question, answer, quotes FROM turns")
    for row in list(rows):
        database.execute(
            "UPDATE turns SET asked = ?, question = ?, answer = ?, quotes = ? WHERE rowid = ?",
            [*(as_words(row[column]) for column in FOUND_IN), row["place"]],
        )


STEPS: tuple[Step, ...] = (_first, _folded)
"""From nothing to version 1, from there to 2, and so on."""


def version_of(database: Database) -> int:
    """Return the version of a database; 0 when there is nothing in it."""
    if not database["version"].exists():
        return 0
    row: Any = next(iter(database.query("SELECT number FROM version")), {"number": 0})
    return int(row["number"])


def migrate(database: Database) -> None:
    """Bring a database to the newest version, all steps or none. Raises `HistoryNewer`."""
    if version_of(database) == len(STEPS):
        return
    with changing(database):
        _bring_up(database)


def _bring_up(database: Database) -> None:
    found = version_of(database)
    if found > len(STEPS):
        raise HistoryNewer(
            f"A newer version of Askance wrote your history (form {found}; this one knows "
            f"{len(STEPS)}).",
            remedy="Update Askance; nothing in it was changed.",
        )
    database.execute("CREATE TABLE IF NOT EXISTS version (number INTEGER NOT NULL)")
    for step in STEPS[found:]:
        step(database)
    database.execute("DELETE FROM version")
    database.execute("INSERT INTO version VALUES (?)", [len(STEPS)])

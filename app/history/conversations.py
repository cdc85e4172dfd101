"""Kept conversations: off until turned on, then in one encrypted database.

`History` is open for as long as one operation takes, so that two instances get on; the key stays in
locked memory between. What is removed is overwritten inside the file, and the file made smaller.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.history.errors import ConversationUnknown, HistoryDamaged, HistoryOff
from app.history.export.formats import turn_object, turn_of
from app.history.storage.database import changing, opened, sqlcipher
from app.history.storage.files import HistoryFiles
from app.history.storage.key import Ask, KeyRecord, open_key
from app.history.storage.locked_memory import LockedBytes
from app.history.storage.matches import FoundTurn, as_words, match_of, quotes_of, snippet_of
from app.history.storage.schema import migrate, version_of
from app.output.plain import escape_json, one_line
from engine.conversation import Conversation, Turn, new_id, of_turns

if TYPE_CHECKING:
    from sqlite_utils import Database

LATEST = "last"
"""Stands for the conversation that was last added to."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One row of the list of conversations."""

    id: str
    title: str
    began: datetime
    changed: datetime
    """When it was last added to."""
    turns: int


class History:
    """The kept conversations of one person. A context that wipes the key at its end."""

    def __init__(
        self, files: HistoryFiles, record: KeyRecord, key: LockedBytes, days: int | None = None
    ) -> None:
        """Take an open key; `open_history` and `begin_history` make one.

        What nobody added to for so many days is removed before anything else is done. None: never.
        """
        self.files = files
        self.record = record
        self._key = key
        self._days = days

    @contextmanager
    def _database(self) -> Iterator[Database]:
        with opened(self.files.database, self._key) as database:
            if version_of(database) == 0:
                raise _emptied(self.files.database)
            migrate(database)
            if self._days is not None:
                _prune(database, self._days)
            yield database

    def check(self) -> None:
        """Open it once. Raises `HistoryError`."""
        with self._database():
            pass

    def keep(self, conversation: Conversation, now: datetime | None = None) -> Conversation:
        """Add what is new of a conversation, and return it as it is kept.

        Where another instance went on with it meanwhile, this one gets an id of its own: neither
        loses a turn. Raises `HistoryError`.
        """
        written = [_written(turn) for turn in conversation.turns]
        with self._database() as database, changing(database):
            query = "SELECT turn FROM turns WHERE conversation = ? ORDER BY number"
            have = [row["turn"] for row in database.query(query, [conversation.id])]
            # Texts of older versions lack what later ones write; what they say is compared.
            ours = written[: len(have)]
            if self._read(conversation.id, have) != self._read(conversation.id, ours):
                conversation, have = replace(conversation, id=new_id()), []
            database["conversations"].upsert(  # type: ignore[union-attr]
                {
                    "id": conversation.id,
                    "began": _text(conversation.began),
                    "changed": _text(now or datetime.now(UTC)),
                    "title": one_line(conversation.title),
                    "at": conversation.at,
                },
                pk="id",
            )
            database["turns"].insert_all(  # type: ignore[union-attr]
                {
                    "conversation": conversation.id,
                    "number": turn.id,
                    "parent": turn.parent,
                    "asked": as_words(turn.asked),
                    "question": as_words(turn.question),
                    "answer": as_words(turn.answer),
                    "quotes": as_words(quotes_of(turn)),
                    "turn": written[turn.id],
                }
                for turn in conversation.turns[len(have) :]
            )
        return conversation

    def listed(self) -> list[Kept]:
        """Return all conversations, what was last added to first. Raises `HistoryError`."""
        query = """
            SELECT c.*, (SELECT count(*) FROM turns t WHERE t.conversation = c.id) AS turns
            FROM conversations c ORDER BY changed DESC, began DESC
        """
        with self._database() as database:
            return [
                Kept(row["id"], row["title"], _moment(row["began"]), _moment(row["changed"]),
                     row["turns"])
                for row in database.query(query)
            ]  # fmt: skip

    def conversation(self, id_: str) -> Conversation:
        """Return a conversation by its id, the beginning of one, or `LATEST`.

        Raises `ConversationUnknown`, `HistoryError`.
        """
        with self._database() as database:
            row = self._row(database, id_)
            query = "SELECT turn FROM turns WHERE conversation = ? ORDER BY number"
            turns = [turn["turn"] for turn in database.query(query, [row["id"]])]
        try:
            return of_turns(
                self._read(row["id"], turns),
                id=row["id"],
                began=_moment(row["began"]),
                at=row["at"],
            )
        except (ValueError, TypeError) as error:
            raise self._damaged(row["id"]) from error

    def _read(self, id_: str, written: Sequence[str]) -> list[Turn]:
        """Return turns of a conversation. Raises `HistoryDamaged`."""
        try:
            return [turn_of(json.loads(turn)) for turn in written]
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(id_) from error

    def _damaged(self, id_: str) -> HistoryDamaged:
        return HistoryDamaged(
            f"The conversation {id_} is damaged.",
            remedy=f"Remove it: askance history rm {id_}",
            path=self.files.database,
        )

    def _row(self, database: Database, id_: str) -> dict[str, Any]:
        if id_ == LATEST:
            query, given = "SELECT * FROM conversations ORDER BY changed DESC LIMIT 1", []
        else:
            query = "SELECT * FROM conversations WHERE substr(id, 1, ?) = ? LIMIT 2"
            given = [len(id_), id_]
        rows = list(database.query(query, given)) if id_ else []
        if len(rows) == 1:
            return rows[0]
        if id_ == LATEST:
            raise ConversationUnknown(
                "No conversation is kept yet.", remedy="Ask a question first: askance ask QUESTION"
            )
        none = "No conversation" if not rows else "More than one conversation"
        raise ConversationUnknown(
            f'{none} has an id that begins with "{id_}".', remedy="See: askance history list"
        )

    def search(self, typed: str, limit: int = 50) -> list[FoundTurn]:
        """Return the turns that hold all these words, best first. Raises `HistoryError`."""
        if not (match := match_of(typed)):
            return []
        query = """
            SELECT t.conversation, c.title, t.turn
            FROM turns_fts
            JOIN turns t ON t.rowid = turns_fts.rowid
            JOIN conversations c ON c.id = t.conversation
            WHERE turns_fts MATCH ? ORDER BY turns_fts.rank LIMIT ?
        """
        with self._database() as database:
            rows = list(database.query(query, [match, limit]))
        return [self._found(row, typed) for row in rows]

    def _found(self, row: dict[str, Any], typed: str) -> FoundTurn:
        (turn,) = self._read(row["conversation"], [row["turn"]])
        snippet = snippet_of(turn, typed)
        return FoundTurn(row["conversation"], row["title"], turn.id, turn.asked, snippet, turn.when)

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove conversations by id or its beginning, and return their ids.

        Raises `ConversationUnknown` before anything is removed, `HistoryError`.
        """
        with self._database() as database:
            found = list(dict.fromkeys(self._row(database, id_)["id"] for id_ in ids))
            _remove(database, found)
        return found

    def prune(self, days: int) -> int:
        """Remove what nobody added to for so many days, and return how many of them there were.

        Raises `HistoryError`.
        """
        with self._database() as database:
            return _prune(database, days)

    def close(self) -> None:
        """Wipe the key."""
        self._key.close()

    def __enter__(self) -> History:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe the key."""
        self.close()


def _written(turn: Turn) -> str:
    """Return a turn as text that can be encoded, whatever bytes are in the names of files."""
    return escape_json(json.dumps(turn_object(turn), ensure_ascii=False))


def _prune(database: Database, days: int) -> int:
    oldest = _text(datetime.now(UTC) - timedelta(days=days))
    rows = database.query("SELECT id FROM conversations WHERE changed < ?", [oldest])
    found = [row["id"] for row in rows]
    if found:
        _remove(database, found)
    return len(found)


def _remove(database: Database, ids: Sequence[str]) -> None:
    with changing(database):
        for id_ in ids:
            database.execute("DELETE FROM turns WHERE conversation = ?", [id_])
            database.execute("DELETE FROM conversations WHERE id = ?", [id_])
    database.execute("VACUUM")


def open_history(files: HistoryFiles, ask: Ask, days: int | None = None) -> History:
    """Open the history that is there; `days` as in `History`.

    Raises `HistoryOff` without one, and `HistoryError`.
    """
    sqlcipher()
    try:
        record = KeyRecord.read(files.key_record)
    except FileNotFoundError:
        raise HistoryOff(
            "There is no history yet.", remedy="Turn it on: askance history on", path=files.folder
        ) from None
    if not files.database.exists():
        raise _emptied(files.database)
    history = History(files, record, open_key(record, ask), days)
    try:
        history.check()
    except BaseException:
        history.close()
        raise
    return history


def _emptied(database: Path) -> HistoryDamaged:
    return HistoryDamaged(
        f"The database of your history is gone, or was emptied: {database}.",
        remedy="Put it back from a backup, or begin anew: askance history on --new",
        path=database,
    )


def _text(moment: datetime) -> str:
    """Return a moment in a form that sorts as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)

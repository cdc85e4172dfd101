"""Kept conversations: off until turned on, then in one encrypted database.

`History` is open for as long as one operation takes, so that two instances get on; the key stays in
locked memory between. What is removed is overwritten inside the file, and the file made smaller.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.history.database import changing, opened, sqlcipher
from app.history.errors import ConversationUnknown, HistoryDamaged, HistoryNotWritten, HistoryOff
from app.history.exporting import turn_object, turn_of
from app.history.files import HistoryFiles, set_aside, wipe
from app.history.key import Ask, KeyRecord, drop_key, new_key, open_key
from app.history.locked_memory import LockedBytes
from app.history.schema import migrate
from engine.conversation import Conversation, new_id, of_turns
from engine.tokens import words
from models.files import make_private, open_private
from models.secrets import KeyringClosed

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


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """A turn that a search found."""

    conversation: str
    title: str
    turn: int
    asked: str
    snippet: str
    """Words around what was found."""
    when: datetime


class History:
    """The kept conversations of one person. A context that wipes the key at its end."""

    def __init__(self, files: HistoryFiles, record: KeyRecord, key: LockedBytes) -> None:
        """Take an open key; `open_history` and `begin_history` make one."""
        self.files = files
        self.record = record
        self._key = key

    @contextmanager
    def _database(self) -> Iterator[Database]:
        with opened(self.files.database, self._key) as database:
            migrate(database)
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
        written = [json.dumps(turn_object(turn), ensure_ascii=False) for turn in conversation.turns]
        with self._database() as database, changing(database):
            query = "SELECT turn FROM turns WHERE conversation = ? ORDER BY number"
            have = [row["turn"] for row in database.query(query, [conversation.id])]
            if have != written[: len(have)]:
                conversation, have = replace(conversation, id=new_id()), []
            database["conversations"].upsert(  # type: ignore[union-attr]
                {
                    "id": conversation.id,
                    "began": _text(conversation.began),
                    "changed": _text(now or datetime.now(UTC)),
                    "title": conversation.title,
                    "at": conversation.at,
                },
                pk="id",
            )
            database["turns"].insert_all(  # type: ignore[union-attr]
                {
                    "conversation": conversation.id,
                    "number": turn.id,
                    "parent": turn.parent,
                    "asked": turn.asked,
                    "question": turn.question,
                    "answer": turn.answer,
                    "quotes": "\n".join(f"{cited.title}\n{cited.quote}" for cited in turn.cited),
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
                [turn_of(json.loads(turn)) for turn in turns],
                id=row["id"],
                began=_moment(row["began"]),
                at=row["at"],
            )
        except (ValueError, KeyError, TypeError) as error:
            raise HistoryDamaged(
                f"The conversation {row['id']} is damaged.",
                remedy=f"Remove it: askance history rm {row['id']}",
                path=self.files.database,
            ) from error

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
        wanted = words(typed)
        if not wanted:
            return []
        match = " ".join('"' + word.replace('"', '""') + '"' for word in wanted)
        query = """
            SELECT t.conversation, c.title, t.number, t.asked, t.turn,
                   snippet(turns_fts, -1, '', '', '…', 16) AS snippet
            FROM turns_fts
            JOIN turns t ON t.rowid = turns_fts.rowid
            JOIN conversations c ON c.id = t.conversation
            WHERE turns_fts MATCH ? ORDER BY turns_fts.rank LIMIT ?
        """
        with self._database() as database:
            return [
                FoundTurn(
                    row["conversation"],
                    row["title"],
                    row["number"],
                    row["asked"],
                    " ".join(row["snippet"].split()),
                    _moment(json.loads(row["turn"])["date"]),
                )
                for row in database.query(query, [match, limit])
            ]

    def remove(self, ids: Sequence[str]) -> list[str]:
        """Remove conversations by id or its beginning, and return their ids.

        Raises `ConversationUnknown` before anything is removed, `HistoryError`.
        """
        with self._database() as database:
            found = [self._row(database, id_)["id"] for id_ in ids]
            _remove(database, found)
        return found

    def prune(self, days: int | None, now: datetime | None = None) -> int:
        """Remove what was not added to for so many days, and return how many. None: nothing."""
        if days is None:
            return 0
        oldest = _text((now or datetime.now(UTC)) - timedelta(days=days))
        with self._database() as database:
            rows = database.query("SELECT id FROM conversations WHERE changed < ?", [oldest])
            found = [row["id"] for row in rows]
            if found:
                _remove(database, found)
        return len(found)

    def close(self) -> None:
        """Wipe the key."""
        self._key.close()

    def __enter__(self) -> History:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe the key."""
        self.close()


def _remove(database: Database, ids: Sequence[str]) -> None:
    with changing(database):
        for id_ in ids:
            database.execute("DELETE FROM turns WHERE conversation = ?", [id_])
            database.execute("DELETE FROM conversations WHERE id = ?", [id_])
    database.execute("VACUUM")


def begin_history(
    files: HistoryFiles, ask_passphrase: Ask | None, *, anew: bool = False
) -> History:
    """Begin a history; `ask_passphrase` None keeps its key in the keyring.

    With `anew` what is there is set aside, and so is a database without its record. Raises
    `HistoryError`.
    """
    sqlcipher()
    _check_folder(files)
    if anew or not files.key_record.exists():
        moment = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
        for path in (files.database, files.key_record):
            if path.exists():
                set_aside(path, moment)
    record, key = new_key(ask_passphrase)
    history = History(files, record, key)
    try:
        # Mode 0600 from the start: SQLite alone would leave it to the umask.
        os.close(open_private(files.database, 0))
        history.check()
        record.write(files.key_record)
    except BaseException:
        history.close()
        raise
    return history


def open_history(files: HistoryFiles, ask: Ask) -> History:
    """Open the history that is there. Raises `HistoryOff` without one, and `HistoryError`."""
    sqlcipher()
    try:
        record = KeyRecord.read(files.key_record)
    except FileNotFoundError:
        raise HistoryOff(
            "There is no history yet.", remedy="Turn it on: askance history on", path=files.folder
        ) from None
    if not files.database.exists():
        raise HistoryDamaged(
            f"The database of your history is gone: {files.database}.",
            remedy="Put it back from a backup, or begin anew: askance history on --new",
            path=files.database,
        )
    history = History(files, record, open_key(record, ask))
    try:
        history.check()
    except BaseException:
        history.close()
        raise
    return history


def erase_history(files: HistoryFiles) -> list[Path]:
    """Remove every file of the history, overwritten, and the key; return what was removed.

    The key goes first: from then on nobody can read what is left, whatever happens.
    """
    for path in files.all():
        if path.name.startswith(files.key_record.name):
            try:
                drop_key(KeyRecord.read(path))
            except (HistoryDamaged, KeyringClosed):
                continue  # the files go all the same
    removed = []
    for path in files.all():
        try:
            wipe(path)
        except OSError as error:
            raise HistoryNotWritten(
                f"{path} cannot be removed: {error.strerror}.",
                remedy="Correct the folder's permissions, then try again.",
                path=path,
            ) from error
        removed.append(path)
    if files.folder.is_dir():
        files.folder.rmdir()
    return removed


def _check_folder(files: HistoryFiles) -> None:
    try:
        make_private(files.folder)
    except OSError as error:
        raise HistoryNotWritten(
            f"{files.folder} cannot be made: {error.strerror}.",
            remedy="Correct the folder's permissions, or set XDG_DATA_HOME to one of yours.",
            path=files.folder,
        ) from error


def _text(moment: datetime) -> str:
    """Return a moment in a form that sorts as time does."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)

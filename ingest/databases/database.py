"""A SQLite file, read in memory: nothing is copied to disk, nothing is left beside it.

The bytes are handed to SQLite as they are (`Connection.deserialize`), marked as a file without a
write-ahead log. What a running program has not yet moved from its log into the file is missing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from ingest.databases import browsers, evolution, messages, notes, thunderbird
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.recognise import describe_unsupported
from ingest.sieve import Read, Scope

Rows = Callable[[str], Iterator[dict[str, Any]]]
"""Asks a query, and yields each row by the names of its columns."""
AppReader = Callable[[Rows, frozenset[str], Origin, Scope], Iterator[Read]]

KNOWN: Sequence[tuple[frozenset[str], AppReader]] = (
    (frozenset({"cal_events", "cal_todos", "cal_properties"}), thunderbird.calendar),
    (frozenset({"properties", "lists", "list_cards"}), thunderbird.addresses),
    (frozenset({"moz_places", "moz_bookmarks"}), browsers.firefox),
    (frozenset({"urls", "visits"}), browsers.chromium),
    (frozenset({"ZICNOTEDATA", "ZICCLOUDSYNCINGOBJECT"}), notes.apple),
    (frozenset({"ECacheObjects", "ECacheKeys"}), evolution.cache),
    (frozenset({"folders", "keys", "folder_id"}), evolution.contacts),
    (frozenset({"message", "handle", "chat", "chat_message_join"}), messages.apple),
)
"""Tables by which a program's file is known, and what reads it."""
STEPS = 200_000_000
"""Of SQLite's machine: a crafted file would compute for ever."""
CELL = 16 << 20
"""Bytes of the largest value."""
_VERSIONS = slice(18, 20)
"""Of the header: 2 means a write-ahead log, 1 none."""


def database_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what a known program keeps in a SQLite file. Raises UnreadableError."""
    plain = bytearray(data)
    plain[_VERSIONS] = b"\x01\x01"
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(plain)
            del plain
            yield from _of(connection, data[:64], origin, scope)
    except sqlite3.Error as error:
        raise UnreadableError(
            Reason.CORRUPT, "The database is damaged; let its program repair it."
        ) from error


def _of(
    connection: sqlite3.Connection, head: bytes, origin: Origin, scope: Scope
) -> Iterator[Read]:
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, CELL)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA temp_store = MEMORY")
    steps = [0]

    def counted() -> bool:
        steps[0] += 1
        return steps[0] > STEPS // 100_000

    connection.set_progress_handler(counted, 100_000)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    # a view might compute anything
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = frozenset(str(name) for (name,) in found)

    def rows(query: str) -> Iterator[dict[str, Any]]:
        cursor = connection.execute(query)
        names = [column[0] for column in cursor.description]
        return (dict(zip(names, row, strict=True)) for row in cursor)

    for needed, read in KNOWN:
        if needed <= tables:
            yield from read(rows, tables, origin, scope)
            return
    raise UnreadableError(Reason.UNSUPPORTED, describe_unsupported(head)[0])

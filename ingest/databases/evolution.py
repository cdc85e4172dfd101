"""What Evolution keeps of servers: calendars and address books (`cache.db`), local contacts.

The tables are those of evolution-data-server's ECache (3.26 and later) and EBookSqlite
(`contacts.db`); their cells hold iCalendar and vCard text, which the readers of these take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from ingest.calendars.calendar import calendar_items
from ingest.calendars.contacts import contact_items
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

Rows = Callable[[str], Iterator[dict[str, Any]]]
_DELETED = 3
"""State of what is deleted here and not yet on its server (`E_OFFLINE_STATE_LOCALLY_DELETED`)."""


def cache(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the entries of a calendar or address book of a server. Raises UnreadableError."""
    del tables
    there = rows(f"SELECT ECacheOBJ AS text FROM ECacheObjects WHERE ECacheState <> {_DELETED}")  # noqa: S608 - a number
    yield from _entries([str(row["text"]) for row in there if row["text"]], origin, scope)


def contacts(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the contacts of an address book of this machine. Raises UnreadableError."""
    del tables
    there = rows("SELECT vcard AS text FROM folder_id")
    yield from _entries([str(row["text"]) for row in there if row["text"]], origin, scope)


def _entries(texts: list[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    if not texts:
        raise UnreadableError(Reason.EMPTY, "It holds no entries.")
    if texts[0].lstrip().upper().startswith("BEGIN:VCARD"):
        yield from contact_items("\r\n".join(texts).encode(), origin, scope)
    else:
        calendar = chain(["BEGIN:VCALENDAR", "VERSION:2.0"], texts, ["END:VCALENDAR", ""])
        yield from calendar_items("\r\n".join(calendar).encode(), origin, scope)

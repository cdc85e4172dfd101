"""What browsers keep: pages that were visited or bookmarked, a line each, as a document.

Only where the person names the file itself: a history is seldom meant by a folder above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean_line

Rows = Callable[[str], Iterator[dict[str, Any]]]
PAGES = 200_000
"""Pages of one history that are read, the newest first."""
_SINCE_1970 = datetime(1970, 1, 1, tzinfo=UTC)
_SINCE_1601 = datetime(1601, 1, 1, tzinfo=UTC)


def firefox(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield Firefox's places.sqlite: bookmarks and history."""
    del tables
    pages = rows(
        "SELECT p.url, COALESCE(b.title, p.title) AS title, p.last_visit_date AS visited, "
        "b.id IS NOT NULL AS marked FROM moz_places p LEFT JOIN moz_bookmarks b ON b.fk = p.id "
        "WHERE p.hidden = 0 ORDER BY p.last_visit_date DESC"
    )
    yield from _document(pages, _SINCE_1970, origin, scope)


def chromium(rows: Rows, tables: frozenset[str], origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the History of Chromium and its kin."""
    del tables
    pages = rows(
        "SELECT url, title, last_visit_time AS visited, 0 AS marked FROM urls WHERE hidden = 0 "
        "ORDER BY last_visit_time DESC"
    )
    yield from _document(pages, _SINCE_1601, origin, scope)


def _document(
    pages: Iterator[dict[str, Any]], begins: datetime, origin: Origin, scope: Scope
) -> Iterator[Read]:
    if origin.locator.path not in scope.sources:
        yield LeftOut()
        return
    lines, at, starts = [], 0, []
    for page in islice(pages, PAGES):
        starts.append(at)
        lines.append(" - ".join(_said(page, begins)))
        at += len(lines[-1]) + 1
    if not lines:
        raise UnreadableError(Reason.EMPTY, "It holds no page.")
    yield origin.document("\n".join(lines), records=tuple(starts))


def _said(page: dict[str, Any], begins: datetime) -> Iterator[str]:
    yield clean_line(str(page["title"] or "without title"))
    yield clean_line(str(page["url"]))
    if page["visited"]:
        when = begins + timedelta(microseconds=int(page["visited"]))
        yield f"visited {when:%Y-%m-%d %H:%M} UTC"
    if page["marked"]:
        yield "bookmarked"

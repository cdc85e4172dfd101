"""Reads the sources of a question, one file after another, as the caller asks for more."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ingest.damage import DAMAGED
from ingest.files import File, UnreadableError
from ingest.formats import items_in, limit_of
from ingest.item import Filters, Item, Reason, Skipped, Tally
from ingest.origin import Origin
from ingest.recognise import DOCUMENT, HEAD, Format, kinds_of, name_says_document, recognise
from ingest.sieve import Later, LeftOut, Read, Scope
from ingest.walk import Found, list_files


def read(
    sources: Sequence[Path],
    filters: Filters | None = None,
    *,
    zone: tzinfo | None = None,
    now: datetime | None = None,
) -> Reading:
    """Return a reading of `sources`: files, folders, mailboxes, calendars.

    `zone` is the person's (default: the system's), `now` the moment of the question. Input that
    cannot be read is yielded as `Skipped`, never raised.
    """
    zone = zone or local_zone()
    anchored = tuple(Path(os.path.abspath(source)) for source in sources)  # noqa: PTH100
    filters = _anchored(filters or Filters())
    scope = Scope(filters, zone, now or datetime.now(zone), anchored)
    return Reading(sources, scope)


class Reading(Iterator[Item | Skipped]):
    """Items and what was skipped, each read when it is asked for. Closing it stops the reading."""

    def __init__(self, sources: Sequence[Path], scope: Scope) -> None:
        """List and open nothing before the first item is asked for."""
        self.tally = Tally()
        self._stream = self._read(sources, scope)

    def __next__(self) -> Item | Skipped:
        """Return the next item, or what was found and not read."""
        return next(self._stream)

    def close(self) -> None:
        """Stop reading and close the file that is open."""
        self._stream.close()

    def _read(self, sources: Sequence[Path], scope: Scope) -> Generator[Item | Skipped]:
        listing = list_files(sources)
        pending = deque(found.path for found in listing.files)
        tally = self.tally
        tally.files_found = len(listing.files)
        tally.bytes_found = sum(found.size for found in listing.files)
        tally.pending = pending
        yield from (skip for skip in listing.skipped if scope.admits_path(skip.path))
        for found in listing.files:
            pending.popleft()
            before = tally.bytes_done
            for position, read in read_file(found, scope):
                tally.bytes_done = before + min(position, found.size)
                if isinstance(read, Later):
                    continue
                if isinstance(read, LeftOut):
                    tally.pruned += read.count
                    continue
                if isinstance(read, Item):
                    tally.items[read.kind] = tally.items.get(read.kind, 0) + 1
                yield read
            tally.files_done += 1
            tally.bytes_done = before + found.size


def read_file(found: Found, scope: Scope) -> Iterator[tuple[int, Read]]:
    """Yield what one file holds, each with the number of its bytes read by then."""
    if not scope.admits_path(found.path) or _left_out_by_name(found.path, scope):
        yield 0, LeftOut()
        return
    try:
        with File(found.path, found.target) as file:
            for read in _read_open(file, scope):
                yield file.position, read
    except UnreadableError as error:
        yield 0, Skipped(found.path, error.reason, error.remedy)


def _left_out_by_name(path: Path, scope: Scope) -> bool:
    """Say whether the name suffices to know that no filter would let the file through."""
    return name_says_document(path) and not scope.wants_file(DOCUMENT)


def _read_open(file: File, scope: Scope) -> Iterator[Read]:
    head = file.at(0, HEAD)
    form = recognise(head, file.path)
    kinds = kinds_of(form)
    if form in (Format.EMPTY, Format.UNSUPPORTED):
        yield from items_in(head, Origin.of_file(file), scope, form)
        return
    if not scope.wants_file(kinds) or not _lies_right(file, form, scope):
        yield LeftOut()
        return
    try:
        if form in _MAILBOXES:
            from ingest.mbox import read_mbox, read_message

            yield from (read_mbox if form is Format.MBOX else read_message)(file, scope)
        else:
            yield from items_in(file.whole(limit_of(form)), Origin.of_file(file), scope, form)
    except UnreadableError as error:
        yield Skipped(file.path, error.reason, error.remedy, kinds=kinds)
    except DAMAGED as error:
        remedy = f"It could not be read ({type(error).__name__}); save it again."
        yield Skipped(file.path, Reason.CORRUPT, remedy, kinds=kinds)


def _lies_right(file: File, form: Format, scope: Scope) -> bool:
    """Say whether a file called like a calendar is one, or lies in a folder asked for anyway."""
    return form is Format.CALENDAR or scope.admits_calendar(file.path)


_MAILBOXES = (Format.MBOX, Format.MAIL)
"""What is read block by block; of all else the whole is needed."""


def local_zone() -> tzinfo:
    """Return the time zone of this machine."""
    from tzlocal import get_localzone

    try:
        return get_localzone()
    except (LookupError, ValueError, OSError):
        return datetime.now().astimezone().tzinfo or UTC


def _anchored(filters: Filters) -> Filters:
    """Return `filters` with absolute paths, each as given and as its links resolve."""
    paths = {Path(os.path.abspath(path)) for path in filters.paths}  # noqa: PTH100
    return replace(filters, paths=tuple(paths | {path.resolve() for path in paths}))

"""Jobs: the portions that files are read in, and how one is read, in whichever process."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import pairwise
from typing import TYPE_CHECKING

from ingest.damage import DAMAGED
from ingest.files import File, UnreadableError
from ingest.formats import items_in, limit_of, told
from ingest.item import Reason, Skipped
from ingest.origin import Origin
from ingest.recognise import HEAD, Format, kinds_of, recognise
from ingest.sieve import DrawnPage, LeftOut, PageWanted, Read, ScanCount, Scope

if TYPE_CHECKING:
    from ingest.reading.walk import ListedFile
    from ingest.reading.wire import Frame

RANGE = 1 << 20
"""Bytes of a portion of a large mailbox: so few that all processes end at about the same time."""
_RANGES = 128
LARGE = 4 * RANGE
"""Bytes of the smallest mailbox that is read in ranges."""
LARGE_ARCHIVE = 64 << 20
"""Bytes from which on an archive is unpacked from the file, member by member."""


class Extent(Enum):
    """How much of its file a portion is."""

    ALL = auto()
    MESSAGES = auto()
    """The messages of a mailbox that begin within a range of bytes."""
    ATTACHMENTS = auto()
    """What is attached to the messages at some offsets."""


@dataclass(frozen=True, slots=True)
class Portion:
    """What one job reads of a file."""

    extent: Extent = Extent.ALL
    begin: int = 0
    end: int = 0
    """Offsets in bytes; of ranges only."""
    offsets: tuple[int, ...] = ()
    """Of attachments only."""
    scans: int = -1
    """The scanned pages of it that are recognised already, while others are recognised."""
    page: PageWanted | None = None
    """The page that is to be drawn, and nothing be read."""


@dataclass(eq=False)
class Job:
    """A portion to be read, and what has come of it."""

    found: ListedFile
    portion: Portion
    size: int
    """Bytes to be read, roughly."""
    is_careful: bool = False
    number: int = 0
    place: tuple[int, ...] = ()
    """Where it comes among the jobs of its reading; its parts take its place."""
    is_begun: bool = False
    """Whether a reader has said anything about it."""
    is_second_try: bool = False
    """Its first reader died without a word about it: of this job, or ended by somebody else."""
    outcome: deque[Frame | Skipped] = field(default_factory=deque)
    """What was read and not yet taken."""
    is_over: bool = False
    parts: list[Job] = field(default_factory=list)
    """What the rest of it was split into; they come after `outcome`."""
    finished: int = -1
    """Offset of the last message finished, when it reads a mailbox."""
    current: int = -1
    """Offset of the message it was at when last heard of, when it reads a mailbox."""

    def __lt__(self, other: Job) -> bool:
        """Say whether it is wanted before another."""
        return self.place < other.place


class LargeMailbox(Exception):
    """A file is a mailbox that is better read in ranges; nothing was read of it."""


def perform(portion: Portion, file: File, scope: Scope) -> Iterator[Read]:
    """Yield what a portion holds. Raises LargeMailbox, before the first read, for Extent.ALL."""
    if portion.page is not None:
        scope = replace(scope, page=portion.page)
        around = _around(portion.page, file, scope)
        yield from (read for read in around if isinstance(read, DrawnPage))
    elif portion.scans >= 0:
        from ingest.scans.pages import is_of_scan

        scope = replace(scope, scans=ScanCount(portion.scans))
        yield from filter(is_of_scan, _portion(portion, file, scope))
    else:
        yield from _portion(portion, file, scope)


def _portion(portion: Portion, file: File, scope: Scope) -> Iterator[Read]:
    try:
        match portion.extent:
            case Extent.ALL:
                yield from _read_all(file, scope)
            case Extent.MESSAGES:
                from ingest.mail.mbox import read_range

                yield from read_range(file, scope, portion.begin, portion.end)
            case Extent.ATTACHMENTS:
                from ingest.mail.mbox import read_later

                for offset in portion.offsets:
                    file.mark = offset
                    yield from read_later(file, scope, offset)
    except UnreadableError as error:
        yield Skipped(file.path, error.reason, error.remedy)


def _around(page: PageWanted, file: File, scope: Scope) -> Iterator[Read]:
    """Yield what a page is drawn among: a mail's attachments, or all of a file."""
    form = recognise(file.at(0, HEAD), file.path)
    if form in (Format.MBOX, Format.MAIL):
        from ingest.mail.mbox import read_later

        yield from read_later(file, scope, page.offset)
    else:
        yield from _read_all(file, scope)


def ranges(size: int) -> list[Portion]:
    """Return the portions of a mailbox of so many bytes, its newest messages first."""
    # A very large mailbox gets no more portions than keep all processes busy: each of them begins
    # with a search for the first message.
    step = max(RANGE, size // _RANGES)
    bounds = [*range(0, size, step), size]
    newest_first = reversed(list(pairwise(bounds)))
    return [Portion(Extent.MESSAGES, begin, end) for begin, end in newest_first]


def _read_all(file: File, scope: Scope) -> Iterator[Read]:
    head = file.at(0, HEAD)
    form = told(recognise(head, file.path), head, file.path.name, scope)
    kinds = kinds_of(form)
    if form in (Format.EMPTY, Format.UNSUPPORTED):
        yield from items_in(head, Origin.of_file(file), scope, form)
        return
    if not scope.wants_file(kinds) or not _is_in_place(file, form, scope):
        yield LeftOut()
        return
    if form is Format.MBOX and file.size > LARGE:
        raise LargeMailbox
    try:
        if form in (Format.MBOX, Format.MAIL):
            from ingest.mail.mbox import read_mbox, read_message

            yield from (read_mbox if form is Format.MBOX else read_message)(file, scope)
        elif form is Format.PST:
            from ingest.outlook.pst import read_pst

            yield from read_pst(file, scope)
        elif form in (Format.ZIP, Format.TAR, Format.PACKED) and file.size > LARGE_ARCHIVE:
            from ingest.large_archives import large_archive_items

            yield from large_archive_items(file, scope, form)
        else:
            yield from items_in(file.whole(limit_of(form)), Origin.of_file(file), scope, form)
    except UnreadableError as error:
        yield Skipped(file.path, error.reason, error.remedy, kinds=kinds)
    except DAMAGED as error:
        remedy = f"It could not be read ({type(error).__name__}); save it again."
        yield Skipped(file.path, Reason.CORRUPT, remedy, kinds=kinds)


def _is_in_place(file: File, form: Format, scope: Scope) -> bool:
    """Say whether a file lies where the filters look; a calendar may have a name of its own."""
    return form is Format.CALENDAR or scope.admits_calendar(file.path)

"""The ledger of a reading: what is handed on of what was read, and what is counted or put off."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from sys import getsizeof
from typing import Protocol

from ingest.item import Copy, Item, Kind, Reason, Skipped
from ingest.reading.jobs import Portion
from ingest.reading.source_file import FileReads, LaterGroup, ScannedPortion, SourceFile
from ingest.reading.walk import ListedFile
from ingest.sieve import Later, LeftOut, Read, ReadingBudget


@dataclass(slots=True)
class Tally:
    """Running counts of one reading; the `ItemStream` that has it updates it."""

    files_found: int = 0
    """Files that the sources hold, so far as they are listed."""
    files_done: int = 0
    """Files read to the end or skipped."""
    bytes_found: int = 0
    """Size of those files."""
    bytes_done: int = 0
    items: dict[Kind, int] = field(default_factory=dict)
    """Items yielded, by kind."""
    pruned: int = 0
    """Items left out by a filter."""
    put_off: int = 0
    """Messages whose attachments are still to be read."""
    scans_found: int = 0
    """Files, and messages with attachments, whose scanned pages are recognised."""
    scans_done: int = 0
    left: int = 0
    """Messages with attachments, and files with scanned pages, for which no time was left."""
    copies: int = 0
    """Mails left out because the same mail was found elsewhere."""
    text: int = 0
    """Bytes of memory that the text of the items takes."""
    is_full: bool = False
    """Whether the reading stopped for lack of memory."""


class FileCache(Protocol):
    """Keeps what files held for the next question."""

    def get(self, found: ListedFile) -> FileReads | None:
        """Return what the file held, if it is unchanged."""

    def put(self, found: ListedFile, reads: FileReads) -> None:
        """Keep what a file held that was read to the end."""


class Ledger:
    """Takes each read once."""

    def __init__(self, budget: ReadingBudget, keeper: FileCache | None, memory: int | None) -> None:
        """`memory` bounds the bytes of text; beyond it the tally says that it is full."""
        self.tally = Tally()
        self.groups: list[LaterGroup] = []
        """Attachments that were put off."""
        self.scanned: dict[tuple[Path, Portion], ScannedPortion] = {}
        """Scanned pages that were put off."""
        self._budget = budget
        self._keeper = keeper
        self._memory = memory
        self._met: dict[tuple[str, str | None, int], Item] = {}
        self._copied: set[tuple[Path, int]] = set()
        self._last: Item | None = None
        """The mail that was read last."""

    def take(
        self, file: SourceFile, read: Read, portion: Portion | None = None
    ) -> Iterator[Item | Skipped]:
        """Yield what the caller gets of a read, and count the rest.

        Scanned pages of a portion are put off, where they are recognised at all.
        """
        match read:
            case Skipped(reason=Reason.SCANNED) if portion and self._budget.scans:
                scanned = self.scanned.setdefault(
                    (file.found.path, portion), ScannedPortion(file, portion)
                )
                scanned.skips.append(read)
            case LeftOut():
                self.tally.pruned += read.count
            case Later():
                if (file.found.path, read.offset) not in self._copied:
                    self._postpone(file, read)
            case Item() if self._is_copy(file, read):
                pass
            case Item():
                self._last = read if read.kind is Kind.MAIL else self._last
                self.tally.items[read.kind] = self.tally.items.get(read.kind, 0) + 1
                self._weigh(read)
                yield read
            case Skipped():
                yield read

    def _is_copy(self, file: SourceFile, item: Item) -> bool:
        """Say whether the same mail was found elsewhere, and note its other place.

        Two mails are the same if Message-ID (else the header block) and text are the same.
        """
        at = item.locator
        if at.message_id is None:
            return False
        known = self._met.setdefault((at.message_id, at.part, hash(item.text)), item)
        if known is item:
            item.copies.clear()
            return False
        known.copies.append(Copy(at, item.owners, item.shelf))
        if at.part is None:
            self._copied.add((file.found.path, at.offset or 0))
        self.tally.copies += 1
        return True

    def _postpone(self, file: SourceFile, later: Later) -> None:
        self.tally.put_off += 1
        if not (self.groups and self.groups[-1].takes(file, later)):
            self.groups.append(LaterGroup(file))
            file.put_off += 1
        group, mail = self.groups[-1], self._last
        group.some.append(later)
        if mail is not None and (mail.locator.offset or 0) == later.offset:
            text = mail.text.casefold()
            words = sum(word in text for word in self._budget.words)
            group.weight = max(group.weight, words)

    def _weigh(self, item: Item) -> None:
        self.tally.text += getsizeof(item.text)
        if self._memory is not None and self.tally.text > self._memory:
            self.tally.is_full = True

    def count(self, read: int) -> None:
        """Count bytes that were read."""
        self.tally.bytes_done = min(self.tally.bytes_done + read, self.tally.bytes_found)

    def finish(self, file: SourceFile) -> None:
        """Note that one job of a file is done; after the last one the file is done."""
        file.put_off -= 1
        if file.put_off or file.is_cut:
            return
        self.tally.files_done += 1
        if file.job is None:
            self.count(file.found.size)
        self.keep(file)
        if self.tally.files_done == self.tally.files_found:
            self.tally.bytes_done = self.tally.bytes_found

    def keep(self, file: SourceFile) -> None:
        """Keep what was read of a file for the next question."""
        if self._keeper is not None and (file.grew or file.job is not None):
            self._keeper.put(file.found, file.reads)
            file.grew = False

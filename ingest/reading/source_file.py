"""One file of a reading: what it yielded, and its scanned pages, which are read last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ingest.item import Skipped
from ingest.reading.jobs import Extent, Job, Portion
from ingest.reading.walk import ListedFile
from ingest.sieve import Later, Read

_TOGETHER = 32
_TOGETHER_BYTES = 4 << 20
"""Messages of one file, and bytes, whose attachments are one job."""
_MANY_BYTES = 64 << 20
"""Bytes of attachments from which their order matters: fewer are read in two seconds."""
_PICTURE_NAMES = frozenset({".jpg", ".jpeg", ".png", ".heic", ".webp"})


@dataclass(slots=True)
class FileReads:
    """All that one file yielded."""

    first: list[Read] = field(default_factory=list)
    later: dict[Portion, list[Read]] = field(default_factory=dict)
    """What was put off and then read: the attachments of some messages."""
    scans: dict[Portion, list[Read]] = field(default_factory=dict)
    """What was recognised, a read a scanned page, of the portions that hold scans."""
    recognised: set[Portion] = field(default_factory=set)
    """Those of which nothing is left to recognise."""


@dataclass(eq=False)
class SourceFile:
    """One file of a reading."""

    found: ListedFile
    reads: FileReads
    job: Job | None
    """None when the file need not be read: it is cached or left out."""
    put_off: int = 1
    """Jobs to come, of which the file itself is the first."""
    is_cut: bool = False
    """Whether the reading was stopped before its end."""
    grew: bool = False
    """Whether something was read that is not kept yet."""


@dataclass(slots=True)
class LaterGroup:
    """Some messages of a file, whose attachments are one job."""

    file: SourceFile
    some: list[Later] = field(default_factory=list)
    weight: int = 0
    """Most words of the question in one of these messages."""

    def takes(self, file: SourceFile, later: Later) -> bool:
        """Say whether another message belongs to it."""
        small = self.size + later.size <= _TOGETHER_BYTES
        return self.file is file and len(self.some) < _TOGETHER and small

    @property
    def size(self) -> int:
        """Bytes of the attachments, still encoded."""
        return sum(later.size for later in self.some)

    @property
    def portion(self) -> Portion:
        """What is read of the file."""
        offsets = tuple(later.offset for later in self.some)
        return Portion(Extent.ATTACHMENTS, offsets=offsets)

    @property
    def is_kept(self) -> bool:
        """Whether it was read for an earlier question."""
        return self.portion in self.file.reads.later

    def job(self) -> Job:
        """Return what reads it."""
        return Job(self.file.found, self.portion, self.size)


def in_turn(groups: Sequence[LaterGroup]) -> list[LaterGroup]:
    """Return groups in the order in which they are read.

    Where there are many bytes, those come first that are read already, then those whose messages
    have most words of the question.
    """
    if sum(group.size for group in groups) <= _MANY_BYTES:
        return list(groups)
    return sorted(groups, key=lambda group: (not group.is_kept, -group.weight))


@dataclass(slots=True)
class ScannedPortion:
    """A portion with scanned pages, and how they were reported."""

    file: SourceFile
    portion: Portion
    skips: list[Skipped] = field(default_factory=list)

    def job(self) -> Job | None:
        """Return what recognises the rest of it; None where nothing is left."""
        if self.portion in self.file.reads.recognised:
            return None
        done = len(self.file.reads.scans.get(self.portion, ()))
        found = self.file.found
        return Job(found, replace(self.portion, scans=done), found.size)

    def unlikely(self, words: frozenset[str]) -> tuple[bool, bool, int]:
        """Return what orders scans: named like the question first, pictures last, newest first."""
        path = self.file.found.path
        name = path.stem.casefold()
        is_named = any(word in name for word in words)
        return not is_named, path.suffix.lower() in _PICTURE_NAMES, -self.file.found.changed

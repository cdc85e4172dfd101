"""One file of a reading: what it yielded, and its scanned pages, which are read last."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ingest.item import Skipped
from ingest.reading.jobs import Job, Portion
from ingest.reading.walk import ListedFile
from ingest.sieve import Read

_PICTURE_NAMES = frozenset({".jpg", ".jpeg", ".png", ".heic", ".webp"})


@dataclass(slots=True)
class FileReads:
    """All that one file yielded."""

    first: list[Read] = field(default_factory=list)
    later: dict[tuple[int, ...], list[Read]] = field(default_factory=dict)
    """What was put off: the attachments of the messages at these offsets."""
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

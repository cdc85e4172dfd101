"""Lists the files below the sources, before any is opened."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingest.files import UnreadableError, not_a_file, unreadable
from ingest.item import Reason, Skipped
from ingest.mail.shelves import shelved
from ingest.reading.program_files import belongs_to_program

_LATE = {
    **dict.fromkeys((".html", ".htm", ".xhtml"), 1),
    **dict.fromkeys((".docx", ".docm", ".doc", ".odt", ".rtf", ".epub"), 2),
    **dict.fromkeys((".pptx", ".pptm", ".ppt", ".odp"), 2),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), 2),
    **dict.fromkeys((".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz"), 3),
    ".pdf": 4,
}
"""How late files are read, by suffix: those that cost most come last."""
_ASIDE = 5
"""Trash, Spam and Drafts come last, so that a mail with copies is found elsewhere first."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A regular file, as it was when it was listed."""

    path: Path
    """Absolute, as reached from its source."""
    target: str
    """What to open: `path`, or where the link leads when a source is a link to a file."""
    size: int
    signature: tuple[int, ...]
    """Device, inode, size, moments of the last change of content and of status. Another signature
    means that the file changed."""

    @property
    def changed(self) -> int:
        """Nanoseconds since 1970 of the last change of its content."""
        return self.signature[3]


@dataclass(slots=True)
class Listing:
    """The files below the sources, in the order of reading, and what was skipped."""

    files: list[ListedFile] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


def list_files(sources: Sequence[Path]) -> Listing:
    """List the regular files at and below `sources`, each once however it is reached.

    A source may be a link; links below it are not followed. A link is reported unless it leads to
    a file or folder that the sources hold anyway.
    """
    walk = _Walk([os.path.realpath(source) for source in sources])
    for source in sources:
        path = Path(os.path.abspath(source))  # noqa: PTH100 - Path.absolute keeps ".."
        try:
            walk.enter_source(path)
        except OSError as error:
            walk.skip(path, unreadable(error))
    walk.listing.files.sort(key=_order)
    return walk.listing


def _order(found: ListedFile) -> tuple[int, int]:
    """Return a key that sorts cheap files first, and costly ones by size, the largest first.

    If one long PDF came last, one process would read it while the others wait.
    """
    late = _LATE.get(found.path.suffix.lower(), 0)
    late = _ASIDE if shelved(found.path).shelf else late
    return late, -found.size if late else 0


class _Walk:
    def __init__(self, roots: list[str]) -> None:
        self.listing = Listing()
        self._roots = roots
        self._seen: set[tuple[int, int]] = set()

    def skip(self, path: Path, error: UnreadableError) -> None:
        self.listing.skipped.append(Skipped(path, error.reason, error.remedy))

    def enter_source(self, path: Path) -> None:
        target = os.path.realpath(path, strict=True)
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            before = len(self.listing.files) + len(self.listing.skipped) + len(self._seen)
            if self._is_new(status):
                self._enter(path)
                after = len(self.listing.files) + len(self.listing.skipped) + len(self._seen)
                if after == before + 1:
                    empty = UnreadableError(Reason.EMPTY, "The folder holds no files.")
                    self.skip(path, empty)
        elif stat.S_ISREG(status.st_mode):
            self._add(path, target, status)
        else:
            self.skip(path, not_a_file())

    def _enter(self, top: Path) -> None:
        """List a folder and those below it, without recursion: paths can be thousands deep."""
        folders = [top]
        while folders:
            folder = folders.pop()
            below = []
            for entry in self._entries(folder):
                try:
                    if self._take(Path(entry.path), entry):
                        below.append(Path(entry.path))
                except OSError as error:
                    self.skip(Path(entry.path), unreadable(error))
            folders.extend(reversed(below))

    def _entries(self, folder: Path) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self.skip(folder, unreadable(error))
            return
        names = {entry.name for entry in listed}
        yield from (one for one in listed if not belongs_to_program(one.name, names, folder.name))

    def _take(self, path: Path, entry: os.DirEntry[str]) -> bool:
        """Add a file, or report what is no file; return True for a folder to enter."""
        if entry.is_symlink():
            self._take_link(path)
            return False
        status = entry.stat(follow_symlinks=False)
        if stat.S_ISDIR(status.st_mode):
            return self._is_new(status)
        if stat.S_ISREG(status.st_mode):
            self._add(path, entry.path, status)
        else:
            self.skip(path, not_a_file())
        return False

    def _take_link(self, path: Path) -> None:
        target = os.path.realpath(path, strict=True)
        own = os.path.realpath(path.parent)
        if _below(own, target):
            remedy = "The link leads back to a folder it lies in; nothing is lost."
            self.skip(path, UnreadableError(Reason.LOOP, remedy))
        elif not any(_below(target, root) for root in self._roots):
            remedy = "Links that leave the source are not followed; add what it leads to."
            self.skip(path, UnreadableError(Reason.NOT_A_FILE, remedy))

    def _add(self, path: Path, target: str, status: os.stat_result) -> None:
        if self._is_new(status):
            times = (status.st_mtime_ns, status.st_ctime_ns)
            signature = (status.st_dev, status.st_ino, status.st_size, *times)
            self.listing.files.append(ListedFile(path, target, status.st_size, signature))

    def _is_new(self, status: os.stat_result) -> bool:
        """Say whether this file or folder is new to the walk."""
        key = (status.st_dev, status.st_ino)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


def _below(path: str, above: str) -> bool:
    return path == above or path.startswith(above.rstrip(os.sep) + os.sep)

"""Opens one file with care: read-only, never blocking, never through a link."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Self

from ingest.item import Reason

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_FLAGS |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_QUIET = getattr(os, "O_NOATIME", 0)
_BLOCK = 8 << 20


class UnreadableError(Exception):
    """Something cannot be read. It does not leave `ingest`, which yields it as a `Skipped`."""

    def __init__(self, reason: Reason, remedy: str) -> None:
        """Keep the reason and what the person can do about it."""
        super().__init__(remedy)
        self.reason = reason
        self.remedy = remedy


def unreadable(error: OSError) -> UnreadableError:
    """Return the error that tells a person what a failed system call means."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR:
            return UnreadableError(Reason.MISSING, "It is not there; check the path.")
        case errno.EACCES | errno.EPERM:
            return UnreadableError(Reason.PERMISSION, "Give yourself permission to read it.")
        case errno.ELOOP:
            return UnreadableError(Reason.LOOP, "Its links lead round in a circle; remove one.")
        case errno.ENXIO | errno.ENODEV:
            return not_a_file()
        case _:
            said = error.strerror or type(error).__name__
            return UnreadableError(Reason.CORRUPT, f"The system could not read it ({said}).")


def not_a_file() -> UnreadableError:
    """Return the error for pipes, sockets and devices."""
    return UnreadableError(Reason.NOT_A_FILE, "Only regular files are read; leave it out.")


class File:
    """A regular file opened for reading; its size is fixed when it is opened.

    Reads go through pread: a file cut short by another program gives fewer bytes, where a mapping
    would kill the process.
    """

    def __init__(self, path: Path, target: str | Path | None = None) -> None:
        """Open `target` (default `path`), to be called `path` in what is yielded.

        Raises UnreadableError when it cannot be opened or is not a regular file.
        """
        self._adopt(path, opened(target if target is not None else path))

    @classmethod
    def adopted(cls, path: Path, descriptor: int) -> Self:
        """Take over the open file `descriptor`, and close it with this object."""
        file = cls.__new__(cls)
        file._adopt(path, descriptor)
        return file

    def _adopt(self, path: Path, descriptor: int) -> None:
        self.path = path
        self._descriptor = descriptor
        status = os.fstat(descriptor)
        self.size = status.st_size
        self.mtime_ns = status.st_mtime_ns
        self.taken = 0
        """Bytes read so far, for progress."""
        self._mark = -1
        self.on_mark: Callable[[int], None] | None = None
        """Called with the offset of each message before it is read."""

    @property
    def mark(self) -> int:
        """Offset of the message being read, -1 before the first: where a killed reader was."""
        return self._mark

    @mark.setter
    def mark(self, offset: int) -> None:
        if self.on_mark is not None:
            self.on_mark(offset)
        self._mark = offset

    def __enter__(self) -> Self:
        """Return the file."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def at(self, offset: int, length: int) -> bytes:
        """Return up to `length` bytes from `offset`, fewer only at the end of the file."""
        length = min(length, self.size - offset)
        blocks: list[bytes] = []
        while length > 0:
            try:
                block = os.pread(self._descriptor, min(length, _BLOCK), offset)
            except OSError as error:
                raise unreadable(error) from error
            if not block:
                break
            blocks.append(block)
            self.taken += len(block)
            offset += len(block)
            length -= len(block)
        return blocks[0] if len(blocks) == 1 else b"".join(blocks)

    def whole(self, limit: int) -> bytes:
        """Return all bytes; read again, once, when the file changed meanwhile.

        Raises UnreadableError when the file is larger than `limit` or would not hold still.
        """
        for _ in range(2):
            if self.size > limit:
                remedy = f"It is larger than {limit >> 20} MB; split it."
                raise UnreadableError(Reason.TOO_LARGE, remedy)
            data = self.at(0, self.size)
            status = os.fstat(self._descriptor)
            if (status.st_size, status.st_mtime_ns) == (len(data), self.mtime_ns):
                return data
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
        raise UnreadableError(Reason.CORRUPT, "It changes while it is read; ask again later.")


def opened(path: str | Path) -> int:
    """Return a descriptor of a regular file. Raises UnreadableError."""
    descriptor = _open(path)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise not_a_file()
    return descriptor


def _open(path: str | Path) -> int:
    try:
        return os.open(path, _FLAGS | _QUIET)
    except PermissionError:
        # O_NOATIME is refused on files of other owners, which may be readable all the same.
        try:
            return os.open(path, _FLAGS)
        except OSError as error:
            raise unreadable(error) from error
    except OSError as error:
        raise unreadable(error) from error

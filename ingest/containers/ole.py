"""Opens the container that Office used until 2003, and still uses to encrypt."""

from __future__ import annotations

from io import BytesIO
from struct import Struct, pack
from typing import Any

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Reason

STREAM_LIMIT = 256 << 20
_MACROS = frozenset({"macros", "_vba_project_cur", "vba"})

_SECTOR = 4096
_TABLE, _CHAIN_END, _NONE = 0xFFFFFFFD, 0xFFFFFFFE, 0xFFFFFFFF
_ENTRY = Struct("<64sHBBIII16xIQQIQ")


class Ole:
    """The streams of one container."""

    def __init__(self, data: bytes) -> None:
        """Read the directory. Raises UnreadableError when it is damaged."""
        from olefile import OleFileIO

        try:
            self._file: Any = OleFileIO(BytesIO(data))
            self.names = frozenset(path[0].lower() for path in self._file.listdir(storages=True))
        except DAMAGED as error:
            raise _damaged() from error
        self.has_macros = not _MACROS.isdisjoint(self.names)

    def stream(self, name: str) -> bytes | None:
        """Return the bytes of a stream, None when there is none of this name."""
        try:
            if not self._file.exists(name):
                return None
            size = self._file.get_size(name)
            content: bytes = b"" if size > STREAM_LIMIT else self._file.openstream(name).read()
        except DAMAGED as error:
            raise _damaged() from error
        if size > STREAM_LIMIT:
            raise UnreadableError(Reason.TOO_LARGE, "It is too large to be read; split it.")
        return content


def streams(data: bytes) -> frozenset[str]:
    """Return the names at the top of the container, in lower case."""
    return Ole(data).names


def container_of(name: str, content: bytes) -> bytes:
    """Return a container with this one stream, for libraries that trust what a container says."""
    streamed = -(-max(len(content), _SECTOR) // _SECTOR)
    # Before the stream lie the table, the directory, and a place that must not be missing.
    count = -(-(streamed + 3) // (_SECTOR // 4 - 1))
    first = count + 2
    chain = [*range(first + 1, first + streamed), _CHAIN_END]
    table = [*[_TABLE] * count, _CHAIN_END, _CHAIN_END, *chain]
    table += [_NONE] * (count * _SECTOR // 4 - len(table))
    places = [*range(count), *[_NONE] * (109 - count)]
    head = pack(
        "<Q16x5H6x9I109I3584x",
        *(0xE11AB1A1E011CFD0, 0x3E, 4, 0xFFFE, 12, 6),
        *(1, count, count, 0, 4096, _CHAIN_END, 0, _CHAIN_END, 0),
        *places,
    )
    size = max(len(content), _SECTOR)
    entries = _entry("Root Entry", 5, 1, count + 1, 64) + _entry(name, 2, _NONE, first, size)
    sectors = [pack(f"<{len(table)}I", *table), entries.ljust(_SECTOR, b"\0"), bytes(_SECTOR)]
    return b"".join([head, *sectors, content.ljust(streamed * _SECTOR, b"\0")])


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    letters = name.encode("utf-16-le")
    length = len(letters) + 2
    return _ENTRY.pack(letters, length, kind, 1, _NONE, _NONE, child, 0, 0, 0, start, size)


def _damaged() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "It is damaged or cut off; fetch or save it again.")

"""Opens the container that Office used until 2003, and still uses to encrypt."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

STREAM_LIMIT = 256 << 20
_MACROS = frozenset({"macros", "_vba_project_cur", "vba"})


class Ole:
    """The streams of one container."""

    def __init__(self, data: bytes) -> None:
        """Read the directory. Raises UnreadableError when it is damaged."""
        from olefile import OleFileIO

        try:
            self._file: Any = OleFileIO(BytesIO(data))
            self.names = frozenset(path[0].lower() for path in self._file.listdir(storages=True))
        except OSError as error:
            raise _damaged() from error
        self.has_macros = not _MACROS.isdisjoint(self.names)

    def stream(self, name: str) -> bytes | None:
        """Return the bytes of a stream, None when there is none of this name."""
        if not self._file.exists(name):
            return None
        if self._file.get_size(name) > STREAM_LIMIT:
            raise UnreadableError(Reason.TOO_LARGE, "It is too large to be read; split it.")
        content: bytes = self._file.openstream(name).read()
        return content


def streams(data: bytes) -> frozenset[str]:
    """Return the names of what lies at the top of the container, in lower case."""
    return Ole(data).names


def sealed_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Raise UnreadableError: what Office encrypts needs a cipher that is not at hand."""
    raise encrypted()


def encrypted() -> UnreadableError:
    """Return the error for a document that only its own program decrypts."""
    remedy = "It is encrypted; open it in its program and save a copy without a password."
    return UnreadableError(Reason.ENCRYPTED, remedy)


def _damaged() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "It is damaged or cut off; fetch or save it again.")

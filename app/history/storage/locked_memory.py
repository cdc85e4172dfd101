"""Memory for key bytes: kept out of swap and core dumps where the system allows, wiped when done.

What is promised is little. Python makes copies that nobody can find again: the keyring's answer is
a text, and so is the statement that hands the key to SQLCipher, which then keeps its own copy in
memory it locks and wipes itself. Limits of locked memory (`ulimit -l`) and systems without `mlock`
leave it unlocked; `is_locked` says so.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from types import TracebackType

MADV_DONTDUMP = 16
"""From `linux/mman.h`; Python's `mmap` has no name for it before 3.13."""


class LockedBytes:
    """A few bytes on a page of their own; a context that wipes them at its end."""

    def __init__(self, secret: bytes | bytearray) -> None:
        """Copy the bytes; a `bytearray` is wiped, since it is not needed any more."""
        self._size = len(secret)
        self._page = mmap.mmap(-1, max(self._size, 1))
        self.is_locked = _lock(self._page)
        self._page[: self._size] = bytes(secret)
        if isinstance(secret, bytearray):
            secret[:] = bytes(self._size)

    def hex(self) -> str:
        """Return the bytes in hexadecimal, a copy that is not locked."""
        return self._page[: self._size].hex()

    def __bytes__(self) -> bytes:
        """Return a copy that is not locked."""
        return self._page[: self._size]

    def __repr__(self) -> str:
        """Say nothing of the bytes."""
        return f"LockedBytes({self._size} bytes)"

    def close(self) -> None:
        """Wipe the bytes."""
        if not self._page.closed:
            self._page[: self._size] = bytes(self._size)
            self._page.close()

    def __enter__(self) -> LockedBytes:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        """Wipe the bytes."""
        self.close()


def _lock(page: mmap.mmap) -> bool:
    """Keep a page out of swap, and out of core dumps where that can be said."""
    if sys.platform == "win32":
        return False
    if sys.platform == "linux":
        page.madvise(MADV_DONTDUMP)
    view = (ctypes.c_char * len(page)).from_buffer(page)
    try:
        return bool(ctypes.CDLL(None).mlock(ctypes.byref(view), ctypes.c_size_t(len(page))) == 0)
    finally:
        del view  # the page cannot be closed while a view of it exists

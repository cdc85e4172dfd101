"""Apple Mail's files (.emlx): a length, the message, and notes of the program."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.item import Shelf

_MARK = b"\xef\xbb\xbf"
_LENGTH = re.compile(rb"(\d{1,10})[ \t]*\r?\n")
_FLAGS = re.compile(rb"<key>flags</key>\s*<integer>(\d{1,18})</integer>")
_DELETED, _DRAFT = 1 << 1, 1 << 6


@dataclass(frozen=True, slots=True)
class EmlxMessage:
    """Where the message lies in the file."""

    begin: int
    end: int
    shelf: Shelf | None = None
    """Set by flags after the message."""


def unwrap(data: bytes) -> EmlxMessage:
    """Return where the message lies in `data`: after its length, or everywhere."""
    length = _LENGTH.match(data)
    if length is None:
        return EmlxMessage(len(_MARK) if data.startswith(_MARK) else 0, len(data))
    end = min(length.end() + int(length[1]), len(data))
    found = _FLAGS.search(data, end, end + 65536)
    flags = int(found[1]) if found else 0
    shelf = Shelf.TRASH if flags & _DELETED else Shelf.DRAFTS if flags & _DRAFT else None
    return EmlxMessage(length.end(), end, shelf)

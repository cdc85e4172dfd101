"""Reads subtitles (.srt): what is said, without numbers and times."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.files import UnreadableError
from ingest.foreign import Reader
from ingest.item import Item, Reason
from ingest.origin import Origin

TIMES = re.compile(r"\d\d:\d\d:\d\d,\d\d\d --> \d\d:\d\d:\d\d,\d\d\d")
FIRST = re.compile(rb"(?:\xef\xbb\xbf)?\s*\d+\r?\n\d\d:\d\d:\d\d,\d\d\d --> ")


def takes(head: bytes, name: str) -> bool:
    """Subtitles are told by their first lines, whatever they are called."""
    return FIRST.match(head) is not None


def read(data: bytes, origin: Origin) -> Iterator[Item]:
    """Yield one document; each caption is a record, and so a passage of its own."""
    captions = []
    for block in data.decode("utf-8-sig").replace("\r\n", "\n").split("\n\n"):
        spoken = [line for line in block.strip().split("\n")[1:] if not TIMES.match(line)]
        if spoken:
            captions.append(" ".join(spoken))
    if not captions:
        raise UnreadableError(Reason.EMPTY, "Nothing is said in these subtitles.")
    begins, length = [], 0
    for caption in captions:
        begins.append(length)
        length += len(caption) + 1
    yield origin.document("\n".join(captions), records=tuple(begins))


SUBTITLES = Reader(takes, read)

"""What the fuzzer calls: the reader of one format, and what must be true of all it yields."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp

from ingest.files import File, UnreadableError
from ingest.formats import items_in
from ingest.item import Filters, Item, Skipped
from ingest.origin import Origin
from ingest.reading.jobs import Extent, Portion, perform
from ingest.reading.scope import scope_of
from ingest.recognise import Format
from ingest.sieve import Later, LeftOut, Read

SUFFIXES = {Format.MBOX: "", Format.MAIL: ".eml", Format.CALENDAR: ".ics", Format.PST: ".pst"}
_UNFIT = re.compile("[\0\x1b\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
NOW = datetime(2026, 11, 17, tzinfo=UTC)


class Target:
    """Reads bytes as one format, whatever they are."""

    def __init__(self, form_name: str) -> None:
        """Take the value of a `Format`."""
        self._form = Format(form_name)
        self._path = Path(mkdtemp()) / f"a{SUFFIXES.get(self._form, '')}"
        self._scope = scope_of([self._path], Filters(), UTC, NOW)

    def read(self, data: bytes) -> Iterator[Read]:
        """Yield all that the bytes hold, attachments too."""
        self._path.write_bytes(data)
        try:
            with File(self._path) as file:
                if self._form in (Format.MBOX, Format.MAIL, Format.PST):
                    yield from self._mailbox(file)
                elif data:
                    yield from items_in(data, Origin.of_file(file), self._scope, self._form)
        except UnreadableError as error:
            yield Skipped(self._path, error.reason, error.remedy)

    def _mailbox(self, file: File) -> Iterator[Read]:
        offsets = []
        for read in perform(Portion(), file, self._scope):
            if isinstance(read, Later):
                offsets.append(read.offset)
            else:
                yield read
        if offsets:
            yield from perform(
                Portion(Extent.ATTACHMENTS, offsets=tuple(offsets)), file, self._scope
            )

    def fault_of(self, one: Read) -> str:
        """Say what is not in order with something that was read; empty when all is."""
        if isinstance(one, LeftOut | Later):
            return ""
        if isinstance(one, Skipped):
            shown = f"{one.remedy}{one.member or ''}"
            return "" if one.remedy and not _UNFIT.search(shown) else "remedy or member"
        return self._fault_of_item(one)

    def _fault_of_item(self, item: Item) -> str:
        length = len(item.text)
        names = f"{item.title}{item.locator.member or ''}{item.locator.sheet or ''}"
        checks = {
            "empty text": item.text.strip(),
            "characters of the text": not _UNFIT.search(item.text),
            "characters of a name": not _UNFIT.search(names),
            "naive date": item.when is None or item.when.tzinfo is not None,
            "pages": list(item.pages) == sorted(item.pages)
            and all(0 <= at <= length for at in item.pages),
            "records": all(0 <= at <= length for at in item.records),
            "quoted": all(0 <= begin <= end <= length for begin, end in item.quoted),
        }
        return next((name for name, is_right in checks.items() if not is_right), "")

"""Where bytes come from: a file or an attachment. Readers treat both alike."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self

from ingest.files import File
from ingest.item import Item, Kind, Locator, People, Reason, Skipped
from ingest.recognise import DOCUMENT
from ingest.sieve import moment
from ingest.text.clean import clean_line

_IDENTIFIER = re.compile(r" [0-9a-f]{32}(?=(?:_all)?\.\w{2,4}$)")
"""What Notion puts behind the name of each file that it exports."""
_DAY = re.compile(r"(\d{4})[-_](\d{2})[-_](\d{2})\.(?:md|org|txt)")
"""The name of a day's note, as Obsidian and Logseq give it."""


def title_of(name: str) -> str:
    """Return the name of a file as a title."""
    return clean_line(_IDENTIFIER.sub("", name))


def day_of(name: str) -> datetime | None:
    """Return noon of the day that a note is named by: the same day in nearly every zone."""
    found = _DAY.fullmatch(name)
    if found is None:
        return None
    try:
        return datetime(int(found[1]), int(found[2]), int(found[3]), 12, tzinfo=UTC)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of a document or calendar before it is read."""

    title: str
    """Name of the file or attachment."""
    when: datetime | None
    """A file's modification time; an attachment is dated by its mail."""
    people: People
    """The people of the mail it is attached to."""
    locator: Locator
    subjects: tuple[str, ...] = ()
    """Of the mails it is attached to, the innermost first; a filter takes them for its title."""
    charset: str | None = None
    """The character set that a mail declares for an attachment."""
    depth: int = 0
    """Archives that it lies in, the outermost first."""

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles that a filter looks at before it is read."""
        return self.subjects or (self.title,)

    @classmethod
    def of_file(cls, file: File) -> Self:
        """Return the origin that is the whole of `file`."""
        when = day_of(file.path.name) or moment(file.mtime_ns / 1e9)
        return cls(title_of(file.path.name), when, People(), Locator(file.path))

    def document(
        self,
        text: str,
        hidden: int = 0,
        *,
        title: str = "",
        line: int | None = None,
        pages: tuple[int, ...] = (),
        records: tuple[int, ...] = (),
    ) -> Item:
        """Return the document read from here; with `line` its newlines are those of the file."""
        return Item(
            Kind.DOCUMENT,
            title or self.title,
            self.when,
            self.people,
            text,
            replace(self.locator, line=line),
            pages=pages,
            records=records,
            lined=line is not None,
            hidden_removed=hidden,
        )

    def skipped(
        self,
        reason: Reason,
        remedy: str,
        member: str | None = None,
        kinds: frozenset[Kind] = DOCUMENT,
    ) -> Skipped:
        """Return a skip of all of it, or of the `member` (a page, a line) within."""
        names = [name for name in (self.locator.member, member) if name]
        return Skipped(self.locator.path, reason, remedy, ", ".join(names) or None, kinds)

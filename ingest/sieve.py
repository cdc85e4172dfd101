"""What the filters let through, asked as early as each reader can."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import cached_property
from pathlib import Path

from ingest.item import Filters, Item, Kind, Locator, People, Person, Skipped
from ingest.places import CALENDAR_SUFFIXES, folded, lies_in, pattern_of, place_of


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A count of items that a filter left out, most of them unread."""

    count: int = 1


@dataclass(frozen=True, slots=True)
class Later:
    """The attachments of one message, put off until all cheaper files are read."""

    offset: int
    """Byte offset of the message in its file; 0 when it is the whole file."""
    size: int
    """Bytes of the attachments, still encoded."""


@dataclass(slots=True)
class ScanCount:
    """Counts the scanned pages of a portion while their words are recognised."""

    done: int
    """Pages at its beginning that were recognised before."""
    met: int = 0

    def wants_next(self) -> bool:
        """Count a page, and say whether it is still to be recognised."""
        self.met += 1
        return self.met > self.done


@dataclass(frozen=True, slots=True)
class ReadingBudget:
    """For how long one reading goes on with what is dear, and what it begins with."""

    words: frozenset[str] = frozenset()
    """Of the question, in small letters: what has them comes first."""
    attachments: float = math.inf
    """Seconds for the attachments of mails."""
    scans: float = 0
    """Seconds for the words of scanned pages; 0: they are only reported."""


@dataclass(frozen=True, slots=True)
class PageWanted:
    """A page that is to be drawn, of a file or of what is attached to a mail."""

    number: int
    """Counts from 1."""
    quote: str = ""
    """Words that are marked on it."""
    part: str | None = None
    member: str | None = None
    """As in the locator of what it is a page of."""
    offset: int = 0
    """Byte offset of the mail in its mailbox."""

    def is_of(self, locator: Locator) -> bool:
        """Say whether it is a page of what lies there."""
        return (self.part, self.member) == (locator.part, locator.member)


@dataclass(frozen=True, slots=True)
class DrawnPage:
    """How a page looks."""

    dots: bytes
    """Red, green and blue, a byte each, row by row."""
    width: int
    height: int


Read = Item | Skipped | LeftOut | Later | DrawnPage
"""What a reader yields; `LeftOut` and `Later` do not leave the reading. A page is drawn when it is
asked for, and then alone."""


@dataclass(frozen=True)
class Scope:
    """What one reading is about: the filters, the local zone, and the moment it began."""

    filters: Filters
    zone: tzinfo
    now: datetime
    sources: tuple[Path, ...] = ()
    """Absolute paths; `Filters.folders` are sought below them."""
    passwords: tuple[str, ...] = ()
    """Passwords for encrypted files, given in this session; each is tried."""
    budget: ReadingBudget = ReadingBudget()
    scans: ScanCount | None = None
    """While scanned pages are recognised: nothing else of a portion is then wanted."""
    page: PageWanted | None = None
    """While a page is drawn: nothing else is then wanted."""

    @cached_property
    def begins(self) -> datetime | None:
        """First moment of the first day asked for."""
        since = self.filters.since
        return None if since is None else datetime.combine(since, time(), self.zone)

    @cached_property
    def ends(self) -> datetime | None:
        """First moment after the last day asked for."""
        until = self.filters.until
        if until is None or until.toordinal() == until.max.toordinal():
            return None
        return datetime.combine(until + timedelta(days=1), time(), self.zone)

    @cached_property
    def by_envelope(self) -> bool:
        """Whether date, people or title are asked for: header fields can then rule out a mail."""
        filters, without = self.filters, self.filters.without
        people = (*filters.senders, *filters.recipients, *without.senders, *without.recipients)
        titles = filters.subjects + without.subjects
        return bool(filters.since or filters.until or people or titles)

    def wants(self, kind: Kind) -> bool:
        """Say whether items of this kind are asked for."""
        return not self.filters.kinds or kind in self.filters.kinds

    def wants_any(self, kinds: frozenset[Kind]) -> bool:
        """Say whether any of these kinds is asked for."""
        return not self.filters.kinds or bool(kinds & self.filters.kinds)

    def wants_file(self, kinds: frozenset[Kind]) -> bool:
        """Say whether a file that can hold these kinds can hold a match.

        What has no people matches none; outside of mails nothing has attachments.
        """
        if Kind.MAIL not in kinds and self.filters.attachments:
            return False
        if kinds == {Kind.DOCUMENT} and (self.filters.senders or self.filters.recipients):
            return False
        return self.wants_any(kinds)

    def admits(
        self,
        when: datetime | None,
        people: People,
        until: datetime | None = None,
        titles: Sequence[str] = (),
    ) -> bool:
        """Say whether an item dated `when` (an event: up to `until`) between `people` passes.

        It goes by any of its titles: its own, and the subjects of the mails it is attached to.
        Without titles it passes whatever it is called.
        """
        return not self.by_envelope or (
            self.admits_date(when, until)
            and self.admits_people(people)
            and (not titles or self.admits_titles(*titles))
        )

    def admits_date(self, when: datetime | None, until: datetime | None = None) -> bool:
        """Say whether part of the time lies in the days asked for; without a date it does not."""
        if self.filters.since is None and self.filters.until is None:
            return True
        if when is None:
            return False
        if self.ends is not None and when >= self.ends:
            return False
        return self.begins is None or when >= self.begins or bool(until and until > self.begins)

    def admits_people(self, people: People) -> bool:
        """Say whether `people` include a sender and a recipient asked for, and none refused."""
        filters, without = self.filters, self.filters.without
        return _fits(people.sender, filters.senders, without.senders) and _fits(
            people.recipients, filters.recipients, without.recipients
        )

    def admits_titles(self, *titles: str) -> bool:
        """Say whether a title holds a subject asked for, and none a refused one."""
        wanted, refused = self._subjects
        if not (wanted or refused):
            return True
        names = [folded(title) for title in titles]
        if any(part in name for name in names for part in refused):
            return False
        return not wanted or any(part in name for name in names for part in wanted)

    @cached_property
    def _subjects(self) -> tuple[list[str], list[str]]:
        filters = self.filters
        return [*map(folded, filters.subjects)], [*map(folded, filters.without.subjects)]

    def admits_path(self, path: Path) -> bool:
        """Say whether a file at `path` can hold a match, as far as its place tells.

        A calendar may have a name of its own, which `admits_calendar` asks for.
        """
        paths = self.filters.paths
        if paths and not any(path.is_relative_to(above) for above in paths):
            return False
        wanted, refused = self._patterns
        if wanted or refused:
            name = folded(str(path))
            if any(pattern.match(name) for pattern in refused):
                return False
            if wanted and not any(pattern.match(name) for pattern in wanted):
                return False
        return self.admits_calendar(path) or (
            path.suffix.lower() in CALENDAR_SUFFIXES and not self._is_in_refused(path)
        )

    @cached_property
    def _patterns(self) -> tuple[list[re.Pattern[str]], list[re.Pattern[str]]]:
        filters = self.filters
        wanted, refused = filters.path_patterns, filters.without.path_patterns
        return [*map(pattern_of, wanted)], [*map(pattern_of, refused)]

    def admits_calendar(self, path: Path, name: str = "") -> bool:
        """Say whether the file, or a calendar of this name in it, lies in a folder asked for."""
        wanted = self.filters.folders
        if self._is_in_refused(path, name):
            return False
        return not wanted or self._is_in(wanted, path, name)

    def _is_in_refused(self, path: Path, name: str = "") -> bool:
        refused = self.filters.without.folders
        return bool(refused) and self._is_in(refused, path, name)

    def _is_in(self, folders: tuple[str, ...], path: Path, name: str) -> bool:
        place = place_of(path, self.sources, name)
        return any(lies_in(place, folder) for folder in folders)


def _fits(persons: Sequence[Person], wanted: Sequence[str], refused: Sequence[str]) -> bool:
    if any(person.matches(part) for person in persons for part in refused):
        return False
    return not wanted or any(person.matches(part) for person in persons for part in wanted)


def moment(seconds: float) -> datetime | None:
    """Return seconds since 1970 as an aware moment; None outside the range of calendars."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None

"""What the filters let through, asked as early as each reader can."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from functools import cached_property
from pathlib import Path

from ingest.item import Filters, Item, Kind, People, Skipped


@dataclass(frozen=True, slots=True)
class LeftOut:
    """So many items that a filter excluded, most of them unread."""

    count: int = 1


Read = Item | Skipped | LeftOut
"""What a reader yields; `LeftOut` goes no further than the tally."""


@dataclass(frozen=True)
class Scope:
    """What one reading is about: the filters, the local zone, and the moment it began."""

    filters: Filters
    zone: tzinfo
    now: datetime

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
    def by_person(self) -> bool:
        """Whether a person is asked for; what has no people then cannot match."""
        return bool(self.filters.senders or self.filters.recipients)

    def wants(self, kind: Kind) -> bool:
        """Say whether items of this kind are asked for."""
        return not self.filters.kinds or kind in self.filters.kinds

    def wants_any(self, kinds: frozenset[Kind]) -> bool:
        """Say whether any of these kinds is asked for."""
        return not self.filters.kinds or bool(kinds & self.filters.kinds)

    def admits(self, when: datetime | None, people: People, until: datetime | None = None) -> bool:
        """Say whether an item dated `when` (an event: up to `until`) between `people` passes."""
        return self.admits_date(when, until) and self.admits_people(people)

    def admits_date(self, when: datetime | None, until: datetime | None = None) -> bool:
        """Say whether any part of the time lies in the days asked for; no date is outside."""
        if self.filters.since is None and self.filters.until is None:
            return True
        if when is None:
            return False
        if self.ends is not None and when >= self.ends:
            return False
        return self.begins is None or when >= self.begins or bool(until and until > self.begins)

    def admits_people(self, people: People) -> bool:
        """Say whether a sender and a recipient asked for are among `people`."""
        senders, recipients = self.filters.senders, self.filters.recipients
        if senders and not any(p.matches(part) for p in people.sender for part in senders):
            return False
        return not recipients or any(
            p.matches(part) for p in people.recipients for part in recipients
        )

    def admits_path(self, path: Path) -> bool:
        """Say whether `path` is one of those asked for or below one."""
        paths = self.filters.paths
        return not paths or any(path.is_relative_to(above) for above in paths)


def moment(seconds: float) -> datetime | None:
    """Return seconds since 1970 as an aware moment, None when no calendar has it."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None

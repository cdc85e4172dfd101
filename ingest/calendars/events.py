"""Events, tasks and notes as text for a person, a model and a citation: one field a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from ingest.calendars.entries import Entry, Fields, Timing
from ingest.calendars.lines import Line
from ingest.calendars.moments import Moments
from ingest.calendars.times import Times, moment_in_words
from ingest.damage import DAMAGED
from ingest.item import Item, Kind, People, Person, Reason
from ingest.origin import Origin
from ingest.recognise import ENTRIES
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line

_MARKUP = re.compile(r"</?(?:p|br|b|a|ul|li|div|span|html)\b[^<>]*>", re.IGNORECASE)
_ATTENDEES = 500
"""How many attendees of one event its text names."""
_CHARACTERS = 20_000_000
"""Characters of one calendar that are read: a long text that repeats daily would fill the
memory."""
_OCCURRENCES = 50_000
"""Occurrences of all series of one calendar that are read."""
_LABELS = {
    Kind.EVENT: ("Event", "When"),
    Kind.TASK: ("Task", "Due"),
    Kind.DOCUMENT: ("Note", "Date"),
}
_METHODS = {
    "REQUEST": "invitation",
    "CANCEL": "cancellation",
    "REPLY": "reply to an invitation",
    "COUNTER": "proposal to change it",
    "DECLINECOUNTER": "refusal of a proposal to change it",
    "ADD": "more dates for it",
    "REFRESH": "request for its latest version",
}


@dataclass(frozen=True, slots=True)
class Calendar:
    """What a calendar says of itself."""

    name: str
    method: str
    """The iTIP method, such as REQUEST or CANCEL; empty unless it is an invitation."""
    moments: Moments


@dataclass(frozen=True, slots=True)
class EntryText:
    """What all occurrences of an entry share."""

    kind: Kind
    title: str
    is_cancelled: bool
    people: People
    details: str
    """The lines below the time, then the free text."""
    uid: str
    hidden: int
    unknown_zone: str
    """Name of a time zone that nobody knows."""
    odd_date: str
    """A date that cannot be read, as it is written."""


class EventReader:
    """Turns the entries of one calendar into items."""

    def __init__(self, origin: Origin, scope: Scope, calendar: Calendar) -> None:
        """Take the origin of the calendar and its properties."""
        self._origin = origin
        self._scope = scope
        self._calendar = calendar
        self._left = _CHARACTERS
        self._occurrences = _OCCURRENCES
        self._refused = 0

    def items(self, entries: Sequence[Entry]) -> Iterator[Read]:
        """Yield an item for a single entry, or for each occurrence of a series."""
        kind = entries[0].kind
        parts = [entry.fields() for entry in entries]
        if any(part.recurs for part in parts):
            yield from self._series(parts, kind)
            return
        for part in filter(None, parts):
            timing = Timing.of(part, self._calendar.moments)
            times = Times.of(timing, self._scope.zone, kind)
            yield self._item(self._text_of(part, kind), times) if self._admits(times) else LeftOut()

    def rest(self) -> Iterator[Read]:
        """Yield, at the end, what was too much to read."""
        if self._refused:
            remedy = f"{self._refused} more entries are not read; ask for fewer days."
            yield self._origin.skipped(Reason.TOO_LARGE, remedy, kinds=ENTRIES)

    def _series(self, fields: list[Fields], kind: Kind) -> Iterator[Read]:
        from ingest.calendars.recurrences import SeriesPart, occurrences
        from ingest.calendars.rules import UnfitRuleError

        member = fields[0].text("SUMMARY") or fields[0].text("UID")
        moments = self._calendar.moments
        if self._occurrences <= 0:
            self._refused += 1
            return
        parts = [SeriesPart(one, Timing.of(one, moments)) for one in fields]
        found = [(part, part.timing) for part in parts]
        try:
            found, narrowed = occurrences(parts, moments, self._scope)
            if narrowed is not None:
                remedy = f"Only its repetitions from {narrowed.begins:%Y-%m-%d} "
                remedy += f"to {narrowed.ends:%Y-%m-%d} are read; ask for other dates."
                yield self._origin.skipped(Reason.TOO_LARGE, remedy, member, ENTRIES)
        except UnfitRuleError as error:
            remedy = f"Of its repetitions only the first is read: {error}."
            yield self._origin.skipped(Reason.TOO_LARGE, remedy, member, ENTRIES)
        except DAMAGED:
            remedy = "Its repetition is damaged; correct it in your calendar program."
            yield self._origin.skipped(Reason.CORRUPT, remedy, member, ENTRIES)
        self._occurrences -= len(found)
        rule = next((part.in_words for part in parts if part.in_words), "")
        texts = {id(part): self._text_of(part.fields, kind, rule) for part in parts}
        for part, timing in found:
            times = Times.of(timing, self._scope.zone, kind)
            yield self._item(texts[id(part)], times) if self._admits(times) else LeftOut()

    def _admits(self, times: Times | None) -> bool:
        if times is None:
            return self._scope.admits_date(None)
        return self._scope.admits_date(times.begins, times.ends)

    def _item(self, entry: EntryText, times: Times | None) -> Read:
        titles = (entry.title, *self._origin.subjects)
        if not (self._scope.admits_people(entry.people) and self._scope.admits_titles(*titles)):
            return LeftOut()
        text = _text(entry, times)
        if len(text) > self._left:
            self._left = 0
            self._refused += 1
            return LeftOut(0)
        self._left -= len(text)
        is_long = times is not None and entry.kind is Kind.EVENT and times.ends > times.begins
        return Item(
            entry.kind,
            entry.title,
            times.begins if times else None,
            entry.people,
            text,
            replace(
                self._origin.locator,
                uid=entry.uid or None,
                occurrence=times.occurrence if times else None,
            ),
            until=times.ends if times and is_long else None,
            hidden_removed=entry.hidden,
        )

    def _text_of(self, part: Fields, kind: Kind, rule: str = "") -> EntryText:
        method = self._calendar.method
        status = part.text("STATUS").lower().replace("-", " ")
        guests = part.all("ATTENDEE")
        people = People(
            sender=tuple(map(_person, part.all("ORGANIZER"))),
            attendees=tuple(map(_person, guests)),
        )
        start = part.first("DUE") or part.first("DTSTART")
        uid = part.text("UID")
        fields = (
            ("Starts", self._starts(part)),
            ("Repeats", rule),
            ("Where", part.text("LOCATION")),
            ("Organiser", ", ".join(map(str, people.sender))),
            ("Attendees", _attendees(guests, people.attendees)),
            ("Status", status),
            ("Done", _done(part.text("PERCENT-COMPLETE"))),
            ("Completed", self._moment(part.first("COMPLETED"))),
            ("Categories", _categories(part.all("CATEGORIES"))),
            ("Link", part.text("URL")),
            ("Conference", part.text("CONFERENCE") or part.text("X-GOOGLE-CONFERENCE")),
            ("Message", _METHODS.get(method, "")),
            ("Calendar", self._calendar_name(uid)),
        )
        lines = [f"{name}: {value}" for name, value in fields if value]
        return EntryText(
            kind,
            part.text("SUMMARY"),
            status == "cancelled" or method == "CANCEL",
            people,
            "\n".join([*lines, *_description(part)]),
            uid,
            part.hidden,
            self._unknown_zone(start),
            start.value if start is not None else "",
        )

    def _unknown_zone(self, start: Line | None) -> str:
        name = start.option("TZID") if start is not None else ""
        if not name or start is None or start.value.endswith("Z"):
            return ""
        return name if self._calendar.moments.zone(name) is None else ""

    def _starts(self, part: Fields) -> str:
        """Return the start of a task that also has a due date."""
        return self._moment(part.first("DTSTART")) if "DUE" in part else ""

    def _moment(self, line: Line | None) -> str:
        when = self._calendar.moments.read(line) if line is not None else None
        return moment_in_words(when, self._scope.zone) if when is not None else ""

    def _calendar_name(self, uid: str) -> str:
        """Return the calendar's own name, else the file's; in a vdir, the folder's."""
        path, part = self._origin.locator.path, self._origin.locator.part
        if self._calendar.name or part is not None:
            return self._calendar.name
        return clean_line(path.parent.name if uid and path.stem == uid else path.stem)


def _text(entry: EntryText, times: Times | None) -> str:
    """Return the text of one occurrence."""
    label, when = _LABELS[entry.kind]
    moved_from = times.moved_from if times is not None else ""
    notes = ["moved"] * bool(moved_from) + ["cancelled"] * entry.is_cancelled
    lines = [f"{label}: {entry.title}" + (f" ({', '.join(notes)})" if notes else "")]
    if times is not None:
        lines.append(f"{when}: {times.in_words(entry.kind, entry.unknown_zone)}")
    elif entry.odd_date:
        lines.append(f"{when}: {clean_line(entry.odd_date)}")
    if moved_from:
        lines.append(f"Moved from: {moved_from}")
    if entry.details:
        lines.append(entry.details)
    return "\n".join(lines)


def _person(line: Line) -> Person:
    address = clean_line(line.value)
    address = address[7:] if address[:7].lower() == "mailto:" else address
    name = line.option("CN").strip("'\" ")
    return Person("" if name == address else name, address if "@" in address else "")


def _attendees(lines: list[Line], people: Sequence[Person]) -> str:
    """Return the attendees, each with the answer, where there is one."""
    shown = islice(zip(lines, people, strict=True), _ATTENDEES)
    said = ", ".join(_attendee(line, person) for line, person in shown)
    return said + f", and {len(lines) - _ATTENDEES} more" * (len(lines) > _ATTENDEES)


def _attendee(line: Line, person: Person) -> str:
    answer = line.option("PARTSTAT").lower().replace("-", " ")
    name = str(person) or clean_line(line.value)
    return f"{name} ({answer})" if answer and answer != "needs action" else name


def _done(percent: str) -> str:
    return f"{percent} %" if percent else ""


def _categories(lines: list[Line]) -> str:
    return ", ".join(clean_line(name) for line in lines for name in line.values)


def _description(part: Fields) -> list[str]:
    """Return the free text of an entry, below an empty line."""
    texts = [line.text for name in ("DESCRIPTION", "COMMENT") for line in part.all(name)]
    text = "\n".join(text for text in texts if text.strip())
    if _MARKUP.search(text):
        from ingest.html.text import html_text

        text = html_text(text.replace("\n", "<br>"))[0]
    text = clean(text)[0].strip()
    return ["", text] if text else []

"""What an item says of itself: its values by field, and the line of its text that says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache

from engine.compute.greeting import addressees
from engine.language.days import week
from engine.plan import Field, Unit
from ingest.item import Item, Kind, Person

# "Re: ", "FW[2]: AW: "
PREFIX = re.compile(
    r"^\s*(?:(?:re|fwd?|fw|aw|wg|sv|vs|antw|tr|rif|ref|odp|vb|ynt)\s*(?:\[\d+\]|\(\d+\))?\s*:\s*)+",
    re.IGNORECASE,
)
"""What mail programs put before the subject of a reply or a forwarded mail."""
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc", "'''")
_DOT_OF_A_WORD = re.compile(r"(?<=\w)\.(?= |$)")
# The next patterns read lines that reading writes: "Where: Room 3".
_PLACE = re.compile(r"^Where: (.+)$", re.MULTILINE)
_CALENDAR = re.compile(r"^Calendar: (.+)$", re.MULTILINE)
_SPEAKER_LINE = re.compile(r"^(?:Speakers?|Presenters?|Lecturers?|Host)s?: (.+)$", re.MULTILINE)
# "by Kim Lund"
_SPEAKER_IN_TITLE = re.compile(r"\b[Bb]y ([^\W\d_a-z][^()]*?)\)?\s*$")
_COMPLETED = re.compile(r"^(?:Status: completed|Completed: .+|Done: 100 %)$", re.MULTILINE)
# "(cancelled)", "(moved, cancelled)"
_CANCELLED = re.compile(r"\((?:moved, )?cancelled\)$")
"""What reading puts behind the title of an event that its calendar calls cancelled."""
_LINES: Mapping[Field, tuple[str, ...]] = {
    "title": ("Subject", "Event", "Task", "Note"),
    "thread": ("Subject",),
    "sender": ("From", "Organiser"),
    "recipient": ("To", "Attendees"),
    "addressee": ("To",),
    "place": ("Where",),
    "calendar": ("Calendar",),
    "speaker": ("Event",),
    "attachment": ("Attachments",),
    **dict.fromkeys(
        ("date", "start", "end", "month", "week", "year", "weekday", "duration"),
        ("Date", "When", "Due"),
    ),
}
"""How the line of an item's text begins that states a field."""
WORDS_SHOWN = 600
"""Code points of a text that a list shows; how many more there are is said."""
MINUTE = timedelta(minutes=1)
DAY_MINUTES = 24 * 60
IN_MINUTES: Mapping[Unit, int] = {
    "minutes": 1,
    "hours": 60,
    "days": DAY_MINUTES,
    "weeks": 7 * DAY_MINUTES,
}


@dataclass(frozen=True, slots=True)
class Value:
    """One value of one item."""

    key: str | date | datetime
    """What is compared: two values with the same key are one."""
    text: str
    """For people."""


def values_of(item: Item, field: Field, unit: Unit | None = None) -> tuple[Value, ...]:
    """Return an item's values of a field; none where it does not say."""
    if field == "speaker":
        return _speakers(item)
    if field in ("sender", "recipient", "addressee"):
        people = item.people.recipients if field == "recipient" else item.people.sender
        if field == "addressee":
            people = addressees(item)
        return tuple(_person(person) for person in people if person.name or person.address)
    if field in _OF_DATE:
        day = day_of(item)
        return (_OF_DATE[field](day),) if day is not None else ()
    if field == "start":
        return _start(item, unit)
    if field == "end":
        return _end(item)
    if field == "entry":
        return _entry(item)
    if field == "text":
        return _own_words(item)
    if field == "attachment":
        return tuple(Value(folded(name), name) for name in item.attachments)
    if field == "duration":
        length = minutes_of(item)
        return () if length is None else (Value(str(length), duration_text(length, unit)),)
    text = {"place": place_of, "calendar": calendar_of, "thread": thread_of}.get(field, title_of)
    said = text(item)
    return (Value(folded(said), said),) if said else ()


def _person(person: Person) -> Value:
    return Value((person.address or person.name).casefold(), person.spoken or person.address)


def _speakers(item: Item) -> tuple[Value, ...]:
    found = _SPEAKER_LINE.search(item.text) or _SPEAKER_IN_TITLE.search(item.title)
    if found:
        return (Value(folded(found[1]), found[1].strip()),)
    return tuple(_person(person) for person in item.people.sender)


def day_of(item: Item) -> date | None:
    """Return the day that the item shows: a mail's in its writer's zone, an event's here."""
    return item.when.date() if item.when is not None else None


def last_day_of(item: Item) -> date | None:
    """Return the last day of an event, else its day."""
    if item.until is None:
        return day_of(item)
    return (item.until - timedelta(microseconds=1)).date()


def is_all_day(item: Item) -> bool:
    """Say whether an event has no time of day."""
    occurrence = item.locator.occurrence
    return occurrence is not None and len(occurrence) == len("2026-11-17")


def is_cancelled(item: Item) -> bool:
    """Say whether an event or a task was called off."""
    if item.kind not in (Kind.EVENT, Kind.TASK):
        return False
    line = item.text.partition("\n")[0]
    behind_title = line[line.find(item.title) + len(item.title) :]
    return bool(_CANCELLED.search(behind_title))


def is_done(item: Item) -> bool:
    """Say whether a task was completed."""
    return item.kind is Kind.TASK and bool(_COMPLETED.search(item.text.partition("\n\n")[0]))


def lies_ahead(item: Item, now: datetime) -> bool:
    """Say whether an item has not begun; one that takes whole days lies ahead on its first day."""
    if item.when is None:
        return False
    if is_all_day(item):
        return item.when.date() >= now.astimezone(item.when.tzinfo).date()
    return item.when >= now


def _start(item: Item, unit: Unit | None) -> tuple[Value, ...]:
    if item.when is None:
        return ()
    if is_all_day(item):
        return (_day(item.when.date()),)
    when = item.when.astimezone(UTC) if unit == "utc" else item.when
    return (Value(when, f"{when:%Y-%m-%d %H:%M}"),)


def _end(item: Item) -> tuple[Value, ...]:
    """Return when an event is over: the minute, or the last of its whole days."""
    last = last_day_of(item)
    if item.until is None or last is None:
        return ()
    return (
        (_day(last),) if is_all_day(item) else (Value(item.until, f"{item.until:%Y-%m-%d %H:%M}"),)
    )


def _entry(item: Item) -> tuple[Value, ...]:
    """Return when an item is and its title, `Thu 2026-12-03 08:30-09:00 Dentist`."""
    due = ("due",) if item.kind is Kind.TASK and item.when else ()
    said = " ".join((*due, *_times(item), title_of(item)))
    return (Value(folded(said), said),)


def _times(item: Item) -> tuple[str, ...]:
    begins, last = item.when, last_day_of(item)
    if begins is None:
        return ()
    is_long = last is not None and last > begins.date()
    if is_all_day(item):
        return (f"{begins:%a %Y-%m-%d}", *((f"to {last:%a %Y-%m-%d}",) if is_long else ()))
    if item.until is None or item.until <= begins:
        return (f"{begins:%a %Y-%m-%d %H:%M}",)
    ends = f" to {item.until:%a %Y-%m-%d %H:%M}" if is_long else f"-{item.until:%H:%M}"
    return (f"{begins:%a %Y-%m-%d %H:%M}{ends}",)


def _own_words(item: Item) -> tuple[Value, ...]:
    """Return the first words of an item's own, and how many more characters its own words have."""
    stretches = _own_stretches(item)
    if not stretches:
        return ()
    said, *later = (" ".join(item.text[start:end].split()) for start, end in stretches)
    shown = said if len(said) <= WORDS_SHOWN else said[:WORDS_SHOWN].rsplit(" ", 1)[0]
    left = len(said) - len(shown) + sum(map(len, later))
    return (Value(said, f"{shown} … ({left:,} more characters)" if left else shown),)


def _own_stretches(item: Item) -> list[tuple[int, int]]:
    """Return where an item's own words begin and end, between what it quotes."""
    found, position = [], item.body
    for begin, end in (*item.quoted, (len(item.text), len(item.text))):
        stretch = item.text[position:begin]
        if stretch.strip():
            found.append((begin - len(stretch.lstrip()), position + len(stretch.rstrip())))
        position = end
    return found


def _day(day: date) -> Value:
    return Value(day, day.isoformat())


def _week(day: date) -> Value:
    monday = week(day).first
    return Value(monday, f"week of {monday}")


_OF_DATE: Mapping[Field, Callable[[date], Value]] = {
    "date": _day,
    "week": _week,
    "month": lambda day: Value(day.replace(day=1), f"{day:%B %Y}"),
    "year": lambda day: Value(day.replace(month=1, day=1), f"{day.year}"),
    "weekday": lambda day: Value(str(day.weekday()), f"{day:%A}"),
}


def minutes_of(item: Item) -> int | None:
    """Return how long an event takes; None where it has no end."""
    if item.kind is not Kind.EVENT or item.when is None or item.until is None:
        return None
    return int((item.until - item.when) / MINUTE)


def duration_text(minutes: int | Decimal, unit: Unit | None) -> str:
    """Return a duration as `1 h 30 min`, or in one unit."""
    if unit is not None and unit in IN_MINUTES:
        number = Decimal(minutes) / IN_MINUTES[unit]
        rounded = number.quantize(Decimal("0.01")).normalize()
        return f"{rounded:f} {unit if rounded != 1 else unit.removesuffix('s')}"
    left = int(minutes)
    days, left = divmod(left, DAY_MINUTES)
    hours, left = divmod(left, 60)
    named = ((days, "day" if days == 1 else "days"), (hours, "h"), (left, "min"))
    return " ".join(f"{count} {name}" for count, name in named if count) or "0 min"


def title_of(item: Item) -> str:
    """Return the title."""
    return item.title.strip()


def thread_of(item: Item) -> str:
    """Return the title of a mail without what its program put before it."""
    return PREFIX.sub("", item.title).strip()


def place_of(item: Item) -> str:
    """Return where an event takes place."""
    found = _PLACE.search(item.text) if item.kind is Kind.EVENT else None
    return found[1].strip() if found else ""


def calendar_of(item: Item) -> str:
    """Return the calendar's own name, else the name of the file."""
    found = _CALENDAR.search(item.text) if item.kind in (Kind.EVENT, Kind.TASK) else None
    return found[1].strip() if found else item.locator.path.stem


@lru_cache(maxsize=1 << 16)
def folded(text: str) -> str:
    """Return text as it is compared.

    Case, blanks, the dot of an abbreviation (`St.`) and how an apostrophe is drawn do not count.
    """
    if not text.isascii():
        text = text.translate(_APOSTROPHES)
    return _DOT_OF_A_WORD.sub("", " ".join(text.casefold().split()))


def line_of(item: Item, field: Field) -> tuple[int, int]:
    """Return where the text states a field: its line, else the title's, else the first."""
    if field == "text" and (own := _own_stretches(item)):
        return own[0]
    if field == "entry":
        start, title_ends = line_of(item, "title")
        return start, max(title_ends, line_of(item, "start")[1])
    for one in (field, "title"):
        names = _LINES.get(one, ())
        if names and (found := re.search(rf"^(?:{'|'.join(names)}): .*$", item.text, re.MULTILINE)):
            return found.span()
    end = item.text.find("\n")
    return 0, end if end >= 0 else len(item.text)

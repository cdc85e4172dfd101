"""Gold answers of our own question forms, by the standard library alone.

Independent of the program: neither its readers nor its plans take part. The forms name people,
threads and rooms by rank only, so that no text of the corpora stands in the project.
"""

from __future__ import annotations

import mailbox
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.header import decode_header, make_header
from email.utils import getaddresses, parsedate_to_datetime
from pathlib import Path

PREFIX = re.compile(r"^\s*(?:(?:re|fwd?|aw|sv)\s*(?:\[\d+\])?:\s*)+", re.IGNORECASE)
CONFERENCE = "pyconuk2015"
SLOT = re.compile(r"\{(sender|thread|room):(\d+)\}")


@dataclass(frozen=True, slots=True)
class Letter:
    """A message of the mailbox."""

    sender: str
    name: str
    day: date
    """In the writer's own zone."""
    at: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a calendar."""

    calendar: str
    title: str
    day: date
    """All-day entries as written, others in UTC."""
    starts: datetime
    minutes: int
    room: str


def letters(file: Path) -> list[Letter]:
    """Return the messages that have a sender and a date, each once."""
    found: dict[str, Letter] = {}
    for number, message in enumerate(mailbox.mbox(file)):
        try:
            at = parsedate_to_datetime(str(message["Date"]))
        except (TypeError, ValueError):
            continue
        name, address = getaddresses([str(message["From"])])[0]
        subject = str(make_header(decode_header(str(message["Subject"] or ""))))
        aware = at if at.tzinfo else at.replace(tzinfo=UTC)
        key = str(message["Message-ID"] or number).strip()
        letter = Letter(address.lower(), name, at.date(), aware, " ".join(subject.split()))
        found.setdefault(key, letter)
    return list(found.values())


def thread_of(letter: Letter) -> str:
    """Return the subject without reply prefixes."""
    return PREFIX.sub("", letter.subject).strip().lower()


def entries(folder: Path) -> list[Entry]:
    """Return the entries of all calendars that do not recur by a rule."""
    return [entry for file in sorted(folder.rglob("*.ics")) for entry in _entries_of(file)]


def _entries_of(file: Path) -> list[Entry]:
    text = file.read_text("utf-8").replace("\r\n", "\n").replace("\n ", "")
    found = []
    for block in text.split("BEGIN:VEVENT")[1:]:
        fields = dict(_field(line) for line in block.split("END:VEVENT")[0].strip().splitlines())
        starts = _moment(fields["DTSTART"])
        ends = _moment(fields["DTEND"]) if "DTEND" in fields else starts
        found.append(
            Entry(
                file.stem,
                fields.get("SUMMARY", ""),
                starts.date(),
                starts,
                int((ends - starts) / timedelta(minutes=1)),
                fields.get("LOCATION", ""),
            )
        )
    return found


def _field(line: str) -> tuple[str, str]:
    head, _, value = line.partition(":")
    return head.split(";")[0], re.sub(r"\\([,;\\])", r"\1", value)


def _moment(value: str) -> datetime:
    form = "%Y%m%d" if len(value) == len("20260101") else "%Y%m%dT%H%M%S"
    return datetime.strptime(value.rstrip("Z"), form).replace(tzinfo=UTC)


class Gold:
    """Fills the slots of a form, and answers it."""

    def __init__(self, letters: Sequence[Letter], entries: Sequence[Entry]) -> None:
        """Rank senders, threads and rooms, the most frequent first."""
        self.letters, self.entries = letters, entries
        threads = [thread_of(letter) for letter in letters]
        long = [one for one in threads if len(one) > len("a short one") and '"' not in one]
        self.ranked: Mapping[str, list[str]] = {
            "sender": _ranked(letter.sender for letter in letters),
            "thread": _ranked(long),
            "room": _ranked(one.room for one in entries if one.calendar == CONFERENCE and one.room),
        }

    def filled(self, question: str) -> str:
        """Return the question with people, threads and rooms in place of their ranks."""
        return SLOT.sub(lambda slot: self.ranked[slot[1]][int(slot[2])], question)

    def answers(self, form: str) -> list[list[str]]:
        """Return what must all be in the answer, each in the ways it may be written."""
        return FORMS[form](self)

    def sender(self, rank: int) -> list[Letter]:
        """Return the mail of one sender."""
        return [one for one in self.letters if one.sender == self.ranked["sender"][rank]]

    def thread(self, rank: int) -> list[Letter]:
        """Return the mail of one thread, oldest first."""
        found = [one for one in self.letters if thread_of(one) == self.ranked["thread"][rank]]
        return sorted(found, key=lambda one: one.at)

    def month(self, month: int, year: int = 2002) -> list[Letter]:
        """Return the mail of one month."""
        return [one for one in self.letters if (one.day.year, one.day.month) == (year, month)]

    def calendar(self, name: str, year: int, month: int | None = None) -> list[Entry]:
        """Return the entries of one calendar that begin in a year or month."""
        found = [one for one in self.entries if one.calendar == name and one.day.year == year]
        found = [one for one in found if month is None or one.day.month == month]
        return sorted(found, key=lambda one: one.starts)

    def sessions(self, day: date | None = None, room: str | None = None) -> list[Entry]:
        """Return the entries of the conference."""
        found = [one for one in self.entries if one.calendar == CONFERENCE]
        found = [one for one in found if day is None or one.day == day]
        found = [one for one in found if room is None or one.room == room]
        return sorted(found, key=lambda one: one.starts)


def _ranked(values: Iterable[str]) -> list[str]:
    counted = Counter(values)
    return sorted(counted, key=lambda value: (-counted[value], value))


def _day(day: date) -> list[str]:
    return [day.isoformat()]


def _most(values: Sequence[str]) -> list[str]:
    """Return every value that is most frequent: any of them will do."""
    counted = Counter(values)
    return [value for value, count in counted.items() if count == max(counted.values())]


def _who(letters: Sequence[Letter]) -> list[str]:
    best = _most([letter.sender for letter in letters])
    return best + [one.name for one in letters if one.sender in best and one.name]


def _counts(values: Sequence[object]) -> list[list[str]]:
    return [[str(count)] for count in Counter(values).values()]


def _dates(gold: Gold, name: str, year: int) -> set[date]:
    return {entry.day for entry in gold.calendar(name, year)}


def _more_often(gold: Gold) -> list[list[str]]:
    months = Counter(letter.day.month for letter in gold.sender(3) if letter.day.year == 2002)
    return [["August" if months[8] > months[9] else "September"]]


def _per_month(gold: Gold) -> list[list[str]]:
    return _counts([one.day.month for one in gold.letters if one.day.year == 2002])


def _people(gold: Gold) -> list[list[str]]:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for one in gold.thread(9):
        names[one.sender] |= {one.sender, one.name or one.sender}
    return [sorted(one) for one in names.values()]


def _top_month(gold: Gold) -> list[list[str]]:
    best = _most([f"{one.day:%Y-%m}" for one in gold.calendar("SpainHolidays", 2026)])
    return [[*best, *(f"{datetime.strptime(one, '%Y-%m'):%B}" for one in best)]]


def _average_length(gold: Gold) -> list[list[str]]:
    minutes = [one.minutes for one in gold.sessions(date(2015, 9, 20))]
    mean = sum(minutes) / len(minutes)
    return [[f"{mean:.2f}", f"{mean:.1f}", str(round(mean))]]


def _longest(gold: Gold) -> list[list[str]]:
    found = gold.sessions(date(2015, 9, 18))
    most = max(one.minutes for one in found)
    return [[one.title for one in found if one.minutes == most]]


def _first_titles(found: Sequence[Entry]) -> list[list[str]]:
    return [[one.title for one in found if one.starts == found[0].starts]]


def _last_titles(found: Sequence[Entry]) -> list[list[str]]:
    return [[one.title for one in found if one.day == found[-1].day]]


def _shared(gold: Gold) -> list[list[str]]:
    both = _dates(gold, "NorwegianHolidays", 2026) & _dates(gold, "DenmarkHolidays", 2026)
    return [_day(day) for day in sorted(both)]


FORMS: Mapping[str, Callable[[Gold], list[list[str]]]] = {
    "top-sender": lambda g: [_who(g.month(8))],
    "busiest-day": lambda g: [_most([one.day.isoformat() for one in g.month(9)])],
    "per-month": _per_month,
    "last-from": lambda g: [_day(max(g.sender(2), key=lambda one: one.at).day)],
    "first-from": lambda g: [_day(min(g.sender(5), key=lambda one: one.at).day)],
    "thread-span": lambda g: [[str((g.thread(3)[-1].day - g.thread(3)[0].day).days)]],
    "thread-people": _people,
    "thread-top": lambda g: [_who(g.thread(1))],
    "two-senders": lambda g: [
        [str(len([x for x in g.month(9) if x.sender in g.ranked["sender"][1:3]]))]
    ],
    "month-people": lambda g: [[str(len({one.sender for one in g.month(7)}))]],
    "sender-threads": lambda g: [[str(len({thread_of(one) for one in g.sender(4)}))]],
    "day-range": lambda g: [[str(len([one for one in g.month(8) if 10 <= one.day.day <= 20]))]],
    "last-subject": lambda g: [[max(g.sender(6), key=lambda one: one.at).subject]],
    "subject-word": lambda g: [
        [str(len([x for x in g.month(8) if re.search(r"\bkernel\b", x.subject.lower())]))]
    ],
    "more-often": _more_often,
    "year-count": lambda g: [[str(len(g.calendar("JapanHolidays", 2026)))]],
    "top-month": _top_month,
    "first-holiday": lambda g: _first_titles(g.calendar("ItalianHolidays", 2027)),
    "last-holiday": lambda g: _last_titles(g.calendar("PolishHolidays", 2026)),
    "shared-list": _shared,
    "month-list": lambda g: [[one.title] for one in g.calendar("IrelandHolidays", 2026, 12)],
    "rooms": lambda g: [[str(len({one.room for one in g.sessions() if one.room}))]],
    "room-hours": lambda g: [
        [str(sum(x.minutes for x in g.sessions(date(2015, 9, 19), g.ranked["room"][1])))]
    ],
    "longest": _longest,
    "average-length": _average_length,
    "busiest-room": lambda g: [
        _most([one.room for one in g.sessions(date(2015, 9, 18)) if one.room])
    ],
    "per-day": lambda g: _counts([one.day for one in g.sessions()]),
    "first-session": lambda g: _first_titles(g.sessions(date(2015, 9, 19), g.ranked["room"][2])),
}
"""What each form asks."""

"""Mails and events counted by hand, and a strategy that is asked to compute over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from engine.answer import answer
from engine.compute.plan_text import parsed
from engine.compute.run import run
from engine.compute.table import Table
from engine.events import Answered, Noted
from engine.question.acquaintances import Acquaintances
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.values import Answer, Query
from ingest.item import Item, Kind, People, Person
from ingest.reading.in_process import read
from models.roles import ModelSet
from tests.support.builders import event, mail

KIM = Person("Kim Sato", "kim@sato.example")
BOB = Person("Bob Reed", "bob@reed.example")
JO = Person("", "jo@lane.example")
NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
PACIFIC = timezone(timedelta(hours=-8))


def day(number: int, hour: int = 9, month: int = 3) -> datetime:
    return datetime(2026, month, number, hour, tzinfo=UTC)


MAILS = [
    mail("Boat house", KIM, day(2)),
    mail("Re: Boat house", BOB, day(3)),
    mail("RE: Fwd: Boat house", KIM, day(4)),
    mail("Lease", JO, datetime(2026, 3, 31, 20, tzinfo=PACIFIC)),  # 1 April in UTC
    mail("Lease", KIM, day(1, month=4)),
    mail("Undated", KIM, None),
]
EVENTS = [
    event("Sails", day(6), "Harbour", 90, "Red hall"),
    event("Ropes", day(6, 14), "Harbour", 30, "Blue hall"),
    event("Knots", day(7), "Harbour", 45, "Red hall"),
    event("Open end", day(8), "Harbour", None),
    event("Founding", day(6), "Norway", 24 * 60),
    event("Sun", day(21), "Norway", 24 * 60),
    event("Founding", day(6), "Sweden", 24 * 60),
]


def table(line: str, items: Sequence[Item] = (*MAILS, *EVENTS)) -> Table:
    return run(parsed(line), items, Acquaintances.of(items), NOW)


KIM_UNNAMED = Person("", "k.sato@work.example")
MET = [
    mail("Plans", Person("Kim Sato", "k.sato@work.example"), day(4)),
    mail("Re: Plans", BOB, day(5)),
    replace(
        mail("Minutes", JO, day(10)),
        people=People(sender=(JO,), to=(Person("Bob Reed", "bob@reed.example"), KIM_UNNAMED)),
    ),
    replace(event("Review", day(4, 14), "Work"), people=People(attendees=(KIM_UNNAMED, BOB))),
    replace(event("Party", day(12), "Work"), people=People(sender=(KIM_UNNAMED,))),
    event("Lunch with Kim", day(13), "Home"),
    replace(event("Budget", day(10), "Work"), people=People(attendees=(BOB,))),
    # an address card takes no part
    replace(mail("Kim", Person("Kim Sato", "k.sato@work.example"), day(20)), kind=Kind.CONTACT),
]
CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//harbour//EN
{}END:VCALENDAR
"""
EVENT = """BEGIN:VEVENT
UID:{title}
DTSTAMP:20260301T080000Z
DTSTART:202603{day:02}T090000Z
DTEND:202603{day:02}T100000Z
SUMMARY:{title}
STATUS:{status}
END:VEVENT
"""


def read_from(folder: Path) -> list[Item]:
    """Return the items of a folder as on 20 March."""
    found = read([folder], zone=UTC, now=day(20))
    return [one for one in found if isinstance(one, Item)]


def crossings(folder: Path) -> list[Item]:
    """Return the events of a calendar, some of them called off."""
    events = [
        EVENT.format(title=title, day=day, status=status)
        for title, day, status in (
            ("Regatta", 2, "CONFIRMED"),
            ("Crossing", 3, "CANCELLED"),
            ("Sale (cancelled)", 4, "CONFIRMED"),
            ("cancelled", 20, "CANCELLED"),
        )
    ]
    (folder / "harbour.ics").write_text(CALENDAR.format("".join(events)))
    return read_from(folder)


Ask = Callable[..., tuple[Answer, list[str], Any]]
"""Returns the answer, the remarks, and the models by name."""


def asking(fake_generator: Any) -> Ask:
    """Return what asks a question of items with models whose replies are known."""

    def ask(
        question: str,
        items: Sequence[Item] = (*MAILS, *EVENTS),
        lookahead: Any = ("none",),
        generator: Any = ("Not found.",),
        strategy: str = "aggregate",
        plan: str | None = None,
        **settings: Any,
    ) -> tuple[Answer, list[str], Any]:
        models = {"g": fake_generator("g", generator), "l": fake_generator("l", lookahead)}
        settings.setdefault("now", datetime(2026, 4, 20, tzinfo=UTC))
        events = list(
            answer(
                Query(question),
                corpus_of(split(items)),
                ModelSet("l", "g", models.__getitem__),
                Settings(
                    strategy=strategy, zone=UTC, plan=parsed(plan) if plan else None, **settings
                ),
            )
        )
        assert isinstance(events[-1], Answered)
        notes = [one.text for one in events if isinstance(one, Noted)]
        return events[-1].answer, notes, models

    return ask

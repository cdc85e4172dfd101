"""Plans run over items counted by hand; answers with their sources, bad input included."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine import abstaining
from engine.acquaintances import Acquaintances
from engine.answer import answer_over
from engine.compute.plan_text import parsed
from engine.compute.run import run
from engine.compute.table import Table
from engine.compute.units import Quantity, amounts, by_unit
from engine.corpus import corpus_of
from engine.errors import OwnAddressUnknown, PlanRefused
from engine.events import Answered, Noted
from engine.passages import split
from engine.settings import Settings
from engine.values import Answer, Query
from ingest.item import Copy, Item, Kind, Locator, People, Person, Shelf
from ingest.read import read
from models.roles import ModelSet

KIM = Person("Kim Sato", "kim@sato.example")
BOB = Person("Bob Reed", "bob@reed.example")
JO = Person("", "jo@lane.example")
NOW = datetime(2026, 3, 6, 12, tzinfo=UTC)
PACIFIC = timezone(timedelta(hours=-8))


def mail(
    title: str,
    sender: Person,
    when: datetime | None,
    body: str = "Hello.",
    shelf: Shelf | None = None,
    part: str | None = None,
) -> Item:
    text = f"Subject: {title}\nFrom: {sender}\nDate: {when}\n\n{body}"
    place = Locator(Path("/mail/inbox.mbox"), message_id=f"<{title}{when}>", part=part)
    return Item(Kind.MAIL, title, when, People(sender=(sender,)), text, place, shelf=shelf)


def event(
    title: str, day: datetime, calendar: str, minutes: int | None = 60, where: str = ""
) -> Item:
    text = f"Event: {title}\nWhen: {day:%a %Y-%m-%d %H:%M}" + (f"\nWhere: {where}" if where else "")
    place = Locator(Path(f"/calendars/{calendar}.ics"), uid=title, occurrence=day.isoformat())
    ends = day + timedelta(minutes=minutes) if minutes else None
    return Item(Kind.EVENT, title, day, People(), text, place, until=ends)


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


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("count mail", "6"),
        ("count mail from:kim", "4"),
        ("count mail from:Kim since:2026-03-01 until:2026-03-31", "2"),
        ("count mail from:jo@lane.example until:2026-03-31", "1"),  # as its header shows it
        ("count mail from:im", "0"),  # no part of a word
        ('count mail thread:"boat  house"', "3"),
        ('count mail subject:"boat house"', "1"),
        ("count mail title:house", "3"),
        ("distinct sender of mail", "3"),
        ("distinct thread of mail", "3"),
        ("first sender of mail", "Kim Sato"),
        ("last title of mail thread:Lease", "Lease"),
        ("last date of mail from:bob", "2026-03-03"),
        ("between date of mail thread:\"Boat house\"", "2"),
        ("between date of event title:Sails and event title:Sun", "15"),
        ("between date of event title:Sun and event title:Sails as weeks", "2.14"),
        ("shared date of event in:Norway and event in:Sweden", "1"),
        ("sum duration of event in:Harbour", "2 h 45 min"),
        ("average duration of event in:Harbour as minutes", "55"),
        ("max duration of event in:Harbour", "Sails (1 h 30 min)"),
        ("list place of event in:Harbour", "Red hall, Blue hall"),
        ("list start of event title:Ropes", "2026-03-06 14:00"),
        ("count mail by sender top 1", "Kim Sato"),
        ("count event in:Harbour by date top 1", "2026-03-06"),
        ("count event by calendar bottom 1", "Sweden"),
    ],
)  # fmt: skip
def test_a_plan_comes_to(line: str, value: str) -> None:
    found = table(line)
    assert (found.value or "0") == value


def test_groups_of_time_stand_in_order_and_others_by_size() -> None:
    months = table("count mail since:2026-01-01 by month")
    assert [(row.label, row.value) for row in months.rows] == [
        ("March 2026", "4"),
        ("April 2026", "1"),
    ]
    senders = table("count mail by sender")
    assert [(row.label, row.value) for row in senders.rows] == [
        ("Kim Sato", "4"),
        ("Bob Reed", "1"),
        ("jo@lane.example", "1"),
    ]


def test_groups_that_are_level_with_the_top_are_shown_too() -> None:
    assert [row.label for row in table("count mail by sender top 2").rows] == [
        "Kim Sato",
        "Bob Reed",
        "jo@lane.example",
    ]


def test_what_has_no_date_or_no_value_is_counted_and_named() -> None:
    assert [one.title for one in table("count mail since:2026-01-01").undated] == ["Undated"]
    found = table("sum duration of event in:Harbour")
    assert [(one.item.title, one.what) for one in found.unread] == [("Open end", "duration")]


@pytest.mark.parametrize(
    ("line", "lacking"),
    [
        ("count mail by month", ["Undated lacks month"]),
        ("sum duration of event in:Harbour by place", ["Open end lacks duration"]),
        ("count event in:Norway by place", ["Founding lacks place", "Sun lacks place"]),
        ("last sender of mail", ["Undated lacks date"]),
        ("first sender of mail by sender", ["Undated lacks date"]),
        ("between date of mail", ["Undated lacks date"]),
        ("shared date of mail from:kim and event in:Harbour", ["Undated lacks date"]),
        ("count mail", []),
    ],
)
def test_what_is_in_no_row_is_kept_with_what_it_lacks(line: str, lacking: list[str]) -> None:
    assert [f"{one.item.title} lacks {one.what}" for one in table(line).unread] == lacking


def test_a_mail_met_twice_counts_once_and_rubbish_only_when_asked_for() -> None:
    kept = mail("Kept", KIM, day(9), shelf=Shelf.TRASH)
    kept.copies.append(Copy(Locator(Path("/mail/archive.mbox")), (), None))
    items = [
        kept,
        mail("Thrown away", KIM, day(9), shelf=Shelf.TRASH),
        mail("Junk", BOB, day(9), shelf=Shelf.SPAM),
        mail("Attached", BOB, day(9), part="2"),
    ]
    found = table("count mail", items)
    assert found.value == "1"
    assert found.shelved == {Shelf.TRASH: 1, Shelf.SPAM: 1}
    assert table("count mail shelf:trash", items).value == "1"
    assert table("count mail shelf:any", items).value == "3"
    assert not table("count mail shelf:any", items).shelved
    assert table("count mail until:2026-03-08", items).shelved == {}  # not of these days either


# Mail and calendar in one plan

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


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("count event with:kim", "3"),  # attends, organises, stands in the title
        ('count event with:"Kim Sato"', "2"),
        ("count event with:k.sato@work.example", "2"),
        ("count item with:kim", "5"),
        ("count mail with:kim", "2"),  # a name from one mail, an address in another
        ("count item with:kim by date top 1", "2026-03-04"),
        ("list title of item with:kim since:2026-03-10", "Minutes, Party, Lunch with Kim"),
        ("last date of item with:kim", "2026-03-13"),
        ("shared date of mail and event", "2"),
        ("shared date of mail from:kim and event with:kim", "1"),
        ("shared date of mail from:bob and event with:bob", "0"),
        ("between date of mail subject:Plans and event title:party", "8"),
        ("between date of event title:party and mail subject:Plans as weeks", "1.14"),
        ("between date of item with:kim", "9"),
    ],
)
def test_a_plan_over_mail_and_calendar_comes_to(line: str, value: str) -> None:
    assert table(line, MET).value == value


def test_a_shared_day_cites_the_mail_and_the_event(ask: Ask) -> None:
    answer, _, _ = ask("anything", MET, plan="shared date of mail from:kim and event with:kim")
    assert answer.text == "1 date [1][2]\n2026-03-04"
    assert [one.quote for one in answer.citations] == [
        "Date: 2026-03-04 09:00:00+00:00",
        "When: Wed 2026-03-04 14:00",
    ]
    _, notes, _ = ask("anything", MET, plan="between date of mail with:bob and event title:party")
    assert "from the first of each side to the other: 3 items pass the plan" in notes
    answer, _, _ = ask("anything", MET, plan="count item with:kim")
    assert answer.text == "5 items [1][2][3][4][5]"
    assert [one.passage.item.title for one in answer.citations] == [
        "Plans",
        "Review",
        "Minutes",
        "Party",
        "Lunch with Kim",
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


@pytest.fixture
def crossings(tmp_path: Path) -> list[Item]:
    events = [
        EVENT.format(title=title, day=day, status=status)
        for title, day, status in (
            ("Regatta", 2, "CONFIRMED"),
            ("Crossing", 3, "CANCELLED"),
            ("Sale (cancelled)", 4, "CONFIRMED"),
            ("cancelled", 20, "CANCELLED"),
        )
    ]
    (tmp_path / "harbour.ics").write_text(CALENDAR.format("".join(events)))
    found = list(read([tmp_path], zone=UTC, now=day(20)))
    return [one for one in found if isinstance(one, Item)]


def _invited(title: str, uid: str, text: str = "", part: str | None = "2") -> Item:
    found = event(title, day(6), "Work")
    place = replace(found.locator, uid=uid, part=part)
    return replace(found, locator=place, text=f"Event: {title}{text}\nWhen: Fri 2026-03-06")


def test_an_invitation_to_what_the_calendar_has_does_not_count_again() -> None:
    items = [
        _invited("Review", "1"),
        _invited("Review", "1", part=None),
        _invited("Dinner", "2"),
        _invited("Dinner", "2"),
        _invited("Walk", "3"),
        _invited("Walk", "3", " (cancelled)"),
        _invited("Walk", "3"),
        _invited("Swim", "4"),
    ]
    found = table("list title of event", items)
    assert found.value == "Review, Dinner, Swim"
    assert found.rows[0].readings[0].item is items[1]
    assert [item.title for item in found.cancelled] == ["Walk"]
    assert found.of == 3


@pytest.mark.parametrize(
    ("line", "value", "left_out"),
    [
        ("count event", "2", ["Crossing", "cancelled"]),
        ("count event until:2026-03-09", "2", ["Crossing"]),
        ("list title of event status:cancelled", "Crossing, cancelled", []),
        ("count event status:any", "4", []),
        ("sum duration of event", "2 h", ["Crossing", "cancelled"]),
    ],
)
def test_what_was_cancelled_took_no_place_unless_it_is_asked_for(
    crossings: list[Item], line: str, value: str, left_out: list[str]
) -> None:
    found = table(line, crossings)
    assert found.value == value
    assert [item.title for item in found.cancelled] == left_out


# Amounts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Total: $1,234.50.", "1,234.50 USD"),
        ("1.234,50 €", "1,234.50 EUR"),
        ("EUR 12,30", "12.30 EUR"),
        ("1 234 people", "1"),
        ("CHF 1'000.00", "1,000.00 CHF"),
        ("-5.25 £", "-5.25 GBP"),
        ("paid 12,000 yen", "12,000"),
        ("0.125 km", "0.125 km"),
        ("3 euros", "3 EUR"),
        ("12 %", "12 %"),
        ("on 2026-03-01 at 10:30", ""),
        ("call 555-1234", ""),
        ("v1.2.3", ""),
    ],
)
def test_amounts_are_read_as_written(text: str, found: str) -> None:
    read = [str(one.quantity) for one in amounts(text)]
    assert (read[0] if read else "") == found


def test_amounts_of_different_units_are_never_added() -> None:
    found = by_unit(Quantity(Decimal(number), unit) for number, unit in ((1, "EUR"), (2, "USD")))
    assert found == {"EUR": [Decimal(1)], "USD": [Decimal(2)]}


def test_decimals_are_exact() -> None:
    numbers = by_unit(Quantity(Decimal("0.10"), "EUR") for _ in range(30))["EUR"]
    assert sum(numbers) == Decimal("3.00")


# Through the strategy


Ask = Callable[..., tuple[Answer, list[str], Any]]


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    def run_strategy(
        question: str,
        items: Sequence[Item] = (*MAILS, *EVENTS),
        lookahead: Any = ("none",),
        generator: Any = ("Not found.",),
        strategy: str = "aggregate",
        **settings: Any,
    ) -> tuple[Answer, list[str], Any]:
        models = {"g": fake_generator("g", generator), "l": fake_generator("l", lookahead)}
        settings.setdefault("now", datetime(2026, 4, 20, tzinfo=UTC))
        events = list(
            answer_over(
                Query(question),
                corpus_of(split(items)),
                ModelSet("l", "g", models.__getitem__),
                Settings(strategy=strategy, zone=UTC, **settings),
            )
        )
        assert isinstance(events[-1], Answered)
        notes = [one.text for one in events if isinstance(one, Noted)]
        return events[-1].answer, notes, models

    return run_strategy


def test_an_answer_is_computed_without_a_model_and_cites_its_items(ask: Ask) -> None:
    answer, notes, models = ask("How many mails did Kim send in March?")
    assert answer.text == "2 mails [1][2]"
    assert answer.grounded == "grounded"
    assert [one.quote for one in answer.citations] == [
        "Subject: Boat house",
        "Subject: RE: Fwd: Boat house",
    ]
    assert notes[0] == "plan: count mail from:Kim since:2026-03-01 until:2026-03-31"
    assert answer.table is not None
    assert answer.table.value == "2"
    assert not models["l"].prompts + models["g"].prompts
    assert answer.models.generator is None


def test_a_date_is_quoted_from_the_line_that_states_it(ask: Ask) -> None:
    answer, _, _ = ask("When did Bob last write?")
    assert answer.text == "2026-03-03 [1]"
    assert answer.citations[0].quote.startswith("Date: 2026-03-03")


def test_an_aggregate_over_nothing_abstains_and_says_why(ask: Ask) -> None:
    answer, notes, _ = ask("How many mails did Kim send in 1999?")
    assert answer.text == abstaining.ABSTENTION
    assert answer.grounded == "none"
    assert "there is no such mail in what was read" in notes


def test_what_was_left_out_is_said_with_the_way_to_ask_for_it(
    ask: Ask, crossings: list[Item]
) -> None:
    junk = mail("Junk", BOB, day(9), shelf=Shelf.SPAM)
    answer, notes, _ = ask("How many mails did Bob send in March?", [*MAILS, junk])
    assert answer.text == "1 mail [1]"
    remark = "left out, in Spam: 1; ask for them with shelf:spam, with the rest by shelf:any"
    assert answer.table is not None
    assert answer.table.remarks == (remark,)
    assert remark in notes
    answer, _, _ = ask("anything", [*MAILS, junk], plan="count mail from:bob shelf:any")
    assert answer.text == "2 mails [1][2]"
    answer, notes, _ = ask("anything", crossings, plan="count event")
    assert answer.text == "2 events [1][2]"
    remark = 'left out, cancelled: 2 ("Crossing", "cancelled"); ask for them with status:any'
    assert remark in notes


def test_a_plan_of_the_person_replaces_the_question(ask: Ask) -> None:
    answer, _, _ = ask("anything", plan="count mail from:bob")
    assert answer.text == "1 mail [1]"
    with pytest.raises(PlanRefused):
        ask("anything", plan="count spoons")


def test_a_calendar_may_be_called_by_its_country(ask: Ask) -> None:
    answer, notes, _ = ask("anything", plan="count event in:norwegian")
    assert answer.text == "2 events [1][2]"
    assert notes == ["plan: count event in:Norway"]


def test_words_that_are_not_understood_make_it_partial(ask: Ask) -> None:
    answer, notes, _ = ask("How many angry mails did Kim send?")
    assert answer.grounded == "partial"
    assert "not understood, and not in the plan: angry" in notes


def test_a_plan_of_the_model_is_checked_and_shown(ask: Ask) -> None:
    answer, notes, models = ask(
        "Kim's correspondence, its extent", lookahead=["count mail from:kim"]
    )
    assert answer.text.startswith("4 mails")
    assert notes[:2] == [
        "the plan is the model's: the question's grammar gave none",
        "plan: count mail from:kim",
    ]
    assert len(models["l"].prompts) == 1


def test_a_plan_that_the_model_writes_wrongly_is_shown_and_refused(ask: Ask) -> None:
    answer, notes, _ = ask("Kim's correspondence, its extent", lookahead=["sum title of mail"])
    assert answer.grounded == "none"
    assert notes == [
        "the model's plan was refused: 'sum title of mail'. "
        "The plan cannot be run: sum needs numbers."
    ]


STATEMENTS = [
    mail("Card statement", JO, day(1), "Your card statement. Amount due: $100.10, minimum $10.00."),
    mail("Card statement", JO, day(2), "Your card statement. Amount due: $200.20, minimum $20.00."),
    mail("Card statement", JO, day(3), "Your card statement. Amount due: 50,00 €."),
    mail("Card statement", JO, day(4), "Your card statement is attached."),
]


def test_amounts_are_chosen_by_the_model_and_added_by_currency(ask: Ask) -> None:
    answer, notes, models = ask(
        "Sum my 4 card statements", STATEMENTS, ["$100.10", "$200.20", "50,00 €"]
    )
    assert answer.text == "300.30 USD [1][2]\n50.00 EUR [3]"
    assert answer.grounded == "partial"  # one states no amount
    assert [one.quote for one in answer.citations] == ["$100.10", "$200.20", "50,00 €"]
    assert 'do not state the amount: 1 ("Card statement")' in notes
    assert "different units are not added: EUR, USD" in notes
    assert len(models["l"].prompts) == 3  # the fourth has no number to choose


MESSAGE = """From - Mon Mar  2 09:00:00 2026
From: Bank <bank@bank.example>
To: jo@lane.example
Date: {day} Mar 2026 09:00:00 +0000
Message-ID: <{number}@bank.example>
Subject: {title}

{text}

"""


def _statement(
    number: int, text: str = "Your card statement. Amount due: ${0}.10, minimum $9.99."
) -> str:
    return MESSAGE.format(
        number=number, day=number, title=f"Card statement {number}", text=text.format(number)
    )


def _mailboxes(folder: Path, **held: Sequence[str]) -> list[Item]:
    """Write mailboxes and return what is read from them."""
    for name, messages in held.items():
        (folder / name.replace("_", " ")).write_text("".join(messages))
    found = list(read([folder], zone=UTC, now=day(20)))
    return [one for one in found if isinstance(one, Item)]


def _due(prompt: str, _: int) -> str:
    """Choose as a good model does."""
    found = re.search(r"Amount due: (\$[\d.]+\d)", prompt)
    return found[1] if found else "none"


def test_thirteen_card_statements_count_once_each_wherever_their_copies_lie(
    ask: Ask, tmp_path: Path
) -> None:
    statements = [_statement(number) for number in range(1, 14)]
    other = MESSAGE.format(number=20, day=20, title="Lunch", text="It was $12.00.")
    items = _mailboxes(
        tmp_path,
        Inbox=[*statements[5:], other],
        Archive=statements[:9],
        All_Mail=[*statements, other],
        Trash=[statements[3], _statement(14)],
    )
    assert len(items) == 15
    answer, notes, models = ask("Sum my 13 card statements", items, _due)
    assert answer.text.startswith("92.30 USD [1]")  # 91 and thirteen times 0.10
    assert answer.table is not None
    assert [len(row.sources) for row in answer.table.rows] == [13]
    assert len(models["l"].prompts) == 13
    assert [len(one.passage.item.copies) for one in answer.citations[:6]] == [1, 1, 1, 2, 1, 2]
    remark = "left out, in Trash: 1; ask for them with shelf:trash, with the rest by shelf:any"
    assert remark in notes


def test_another_number_of_items_than_the_question_says_is_remarked_on(
    ask: Ask, tmp_path: Path
) -> None:
    items = _mailboxes(
        tmp_path,
        Inbox=[*map(_statement, range(1, 12)), _statement(12, "Your card statement is attached.")],
    )
    plan = 'sum "amount due" of mail text:"card statement"'
    answer, notes, _ = ask("anything", items, _due, plan=f"{plan} expecting 13")
    assert answer.text.startswith("67.10 USD [1]")
    assert "expected 13, computed from 11" in notes
    assert answer.grounded == "partial"
    _, notes, _ = ask("anything", items, _due, plan=f"{plan} expecting 11")
    assert not any("expected" in one for one in notes)
    answer, _, _ = ask("anything", items, _due, plan="count mail expecting 12")
    assert answer.grounded == "grounded"


def test_what_holds_more_amounts_than_the_model_is_shown_is_told(ask: Ask) -> None:
    several = " ".join(f"Fee {number} is ${number}.25." for number in range(30))
    items = [
        mail("Short", KIM, day(1), "Total: $1.50."),
        mail("Fees", KIM, day(2), f"Total: $2.50. {several}"),
        mail("Long", KIM, day(3), f"Total: $3.50.\n\n{'word ' * 300}\n\nIt was $7.00."),
    ]
    answer, notes, models = ask(
        "anything", items, ["$1.50", "$2.50", "$3.50"], plan='sum "total" of mail'
    )
    assert answer.text == "7.50 USD [1][2][3]"
    assert (
        'hold more amounts than were looked at, one passage and 24 at most: 2 ("Fees", "Long")'
        in notes
    )
    assert "$22.25\nnone" in models["l"].prompts[1]  # the total and 23 fees are offered


BILLS = [
    mail("Hotel", KIM, day(1), "Total: 300 USD."),
    mail("Train", KIM, day(2), "Total: 500 JPY."),
    mail("Taxi", BOB, day(3), "Total: 20 USD."),
    mail("Ferry", BOB, day(4), "Total: 900 JPY."),
]


def _sums(ask: Ask, plan: str) -> tuple[Answer, list[str]]:
    answer, notes, _ = ask(
        "anything", BILLS, ["300 USD", "500 JPY", "20 USD", "900 JPY"], plan=plan
    )
    return answer, notes


def test_a_group_of_two_currencies_has_a_row_and_the_sources_of_each(ask: Ask) -> None:
    answer, notes = _sums(ask, 'sum "total" of mail by month')
    assert answer.text == "March 2026: 320 USD [1]\nMarch 2026: 1,400 JPY [2]"
    assert [one.quote for one in answer.citations] == ["300 USD", "500 JPY"]
    assert answer.table is not None
    assert [[one.text for one in row.sources] for row in answer.table.rows] == [
        ["300 USD", "20 USD"],
        ["500 JPY", "900 JPY"],
    ]
    assert "different units are not added: JPY, USD" in notes


def test_the_top_is_the_top_of_each_currency_and_no_chart_scales_both(ask: Ask) -> None:
    answer, notes = _sums(ask, 'sum "total" of mail by sender top 1')
    assert answer.text == "Bob Reed: 900 JPY [1]\nKim Sato: 300 USD [2]"
    assert "different units are not compared: JPY, USD" in notes
    answer, _ = _sums(ask, 'sum "total" of mail by sender')
    assert answer.text.splitlines() == [
        "Bob Reed: 900 JPY [1]",
        "Kim Sato: 500 JPY [2]",
        "Kim Sato: 300 USD [3]",
        "Bob Reed: 20 USD [4]",
    ]
    assert answer.table is not None
    assert not answer.table.is_chart


def test_items_without_a_group_are_counted_and_named_and_the_table_has_all(ask: Ask) -> None:
    many = [mail(f"Loose {number}", KIM, None) for number in range(7)]
    answer, notes, _ = ask("anything", [*MAILS[:2], *many], plan="count mail by month")
    assert answer.text == "March 2026: 2 mails [1]"
    assert answer.grounded == "partial"
    assert notes[1] == (
        'do not state the month: 7 ("Loose 0", "Loose 1", "Loose 2", "Loose 3", "Loose 4"'
        " and 2 more)"
    )
    assert answer.table is not None
    assert [(one.lacks, one.source.text) for one in answer.table.unread] == [
        ("month", f"Subject: Loose {number}") for number in range(7)
    ]


def test_a_model_cannot_bring_in_a_number_of_its_own(ask: Ask) -> None:
    answer, _, _ = ask("Sum my card statements", STATEMENTS[:1], ["$999.99"])
    assert answer.grounded == "none"


def test_me_is_the_owner_and_nobody_without_one(ask: Ask) -> None:
    with pytest.raises(OwnAddressUnknown):
        ask("How many mails did I send?")
    answer, _, _ = ask("How many mails did I send?", own=("bob@reed.example",))
    assert answer.text == "1 mail [1]"


def test_a_list_is_no_longer_than_a_screen_and_its_table_has_all(ask: Ask) -> None:
    many = [
        mail(f"Note {number}", KIM, day(1, 0) + timedelta(hours=number)) for number in range(60)
    ]
    answer, _, _ = ask("anything", many, plan="list title of mail")
    assert answer.text.splitlines()[-1] == "and 20 more"
    assert answer.table is not None
    assert len(answer.table.rows) == 60
    assert len(answer.citations) == 20

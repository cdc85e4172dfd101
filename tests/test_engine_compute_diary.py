"""What somebody asks a diary: sixty questions over the sample files, and what each rule is for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from engine.compute import diary
from engine.compute.plan_text import parsed, written
from engine.compute.question_plan import read_plan
from engine.compute.run import run
from engine.compute.table import Table
from engine.compute.vocabulary import QuestionVocabulary
from engine.question.acquaintances import Acquaintances
from ingest.item import Item, Kind, Locator, People, Person
from ingest.reading.in_process import read
from tests.support.builders import mail

ROOT = Path(__file__).parent.parent
ASKED = [
    json.loads(line)
    for line in (ROOT / "tests" / "bench" / "compute_agenda.jsonl").read_text().splitlines()
]
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANN = Person("Ann Smith", "ann@smith.example")


@cache
def sample() -> QuestionVocabulary:
    found = read([ROOT / "app" / "sample" / "data"], zone=UTC, now=NOW)
    return QuestionVocabulary.of([one for one in found if isinstance(one, Item)])


def entries(table: Table) -> list[str]:
    readings = [one for row in table.rows for one in row.values]
    return sorted({f"{one.item.when:%Y-%m-%d} {one.item.title}" for one in readings})


@pytest.mark.parametrize("row", ASKED, ids=[row["question"] for row in ASKED])
def test_a_diary_is_read_as_a_person_reads_it(row: dict[str, str | list[str] | None]) -> None:
    vocabulary = sample()
    read_as = read_plan(str(row["question"]), vocabulary, NOW.date())
    assert read_as.sure is (row["gold"] is not None), read_as
    if read_as.plan and isinstance(row["gold"], list):
        table = run(read_as.plan, vocabulary.items, vocabulary.known, NOW)
        assert entries(table) == sorted(row["gold"])


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("What do I have on Tuesday?",
         "list entry of event since:2026-11-24 until:2026-11-24"),
        ("What have I got on on 24 November?",
         "list entry of event since:2026-11-24 until:2026-11-24"),
        ("What have I got on in the diary on 24 November?",
         "list entry of event since:2026-11-24 until:2026-11-24"),
        ("What did I have on Tuesday?",
         "list entry of event since:2026-11-17 until:2026-11-17"),
        ("How many mails did I get in December?",
         "count mail since:2025-12-01 until:2025-12-31"),
        ("How many meetings do I have in December?",
         "count event since:2026-12-01 until:2026-12-31"),
        ("When are the choir rehearsals?",
         'list start of event title:"choir rehearsal" since:2026-11-21'),
        ("When was the budget talk?", 'list start of event title:"budget talk"'),
        ("When is the budget talk?", 'list start of event title:"budget talk"'),
        ("When is the Open Day?", 'next start of event title:"Open Day"'),
        ("Which tasks are done?", "list title of task status:done"),
        ("What are my next two meetings?", "next entry of event top 2"),
        ("What is planned for December?",
         "list entry of event since:2026-12-01 until:2026-12-31"
         " and task since:2026-12-01 until:2026-12-31 status:open"),
        ("What is scheduled for December?",
         "list entry of event since:2026-12-01 until:2026-12-31"),
        ("What is on my calendar?", "list entry of event since:2026-11-21"),
        ("What was on my calendar?", "list entry of event"),
        ("Do I have any appointments?", "list entry of event since:2026-11-21"),
        ("Do I have a meeting with Dana?", "list entry of event with:Dana since:2026-11-21"),
        ("Did I have a budget talk?", 'list entry of event title:"budget talk"'),
        ("When does the staff meeting end?", 'next end of event title:"staff meeting"'),
        ("On which day is the safety drill?", 'next date of event title:"safety drill"'),
        ("Who is attending the staff meeting?",
         'list recipient of event title:"staff meeting"'),
    ],
)  # fmt: skip
def test_a_question_of_the_diary_becomes_a_plan(question: str, line: str) -> None:
    found = read_plan(question, sample(), NOW.date())
    assert found.plan is not None
    assert written(found.plan) == line
    assert found.sure
    assert parsed(line) == found.plan


@pytest.mark.parametrize(
    "question",
    [
        "What is the safety drill?",  # no entry says so
        "How many people were at the safety drill?",
        "Who is my next meeting with?",
        "Who met with Dana?",
        "Did I finish the interim report?",
        "What happened at the last staff meeting?",
        "Where was the meeting held?",  # which one?
        "Where does Dana work?",  # the calendar is called Work
        "When is Priya's birthday?",  # there is no such entry; a mail may say it
        "Who is Dana Okafor?",
        "What did I do last week?",  # more than the calendar knows
        "What do I have to do on Friday?",
        "Are you free on Friday?",
        "What does the lease say about the open day?",
    ],
)
def test_what_a_calendar_does_not_say_is_left_to_reading(question: str) -> None:
    assert not read_plan(question, sample(), NOW.date()).sure


def test_a_title_within_a_question_about_mail_is_no_event() -> None:
    found = read_plan("How many mails mention the staff meeting?", sample(), NOW.date())
    assert found.plan is not None
    assert written(found.plan) == 'count mail text:"staff meeting"'


def event(title: str, begins: datetime, hours: float = 1, *, all_day: bool = False) -> Item:
    occurrence = begins.date().isoformat() if all_day else begins.isoformat()
    text = f"Event: {title}\nWhen: {begins:%a %Y-%m-%d %H:%M}\nWhere: Quay"
    place = Locator(Path("/c.ics"), uid=title, occurrence=occurrence)
    ends = begins + timedelta(hours=hours) if hours else None
    return Item(Kind.EVENT, title, begins, People(sender=(ANN,)), text, place, until=ends)


def task(title: str, due: datetime | None, state: str = "") -> Item:
    text = f"Task: {title}" + (f"\nDue: {due:%a %Y-%m-%d %H:%M}" if due else "")
    text += f"\n{state}" * bool(state) + "\n\nStatus: completed, says a text that is no field"
    return Item(Kind.TASK, title, due, People(), text, Locator(Path("/t.ics"), uid=title))


def day(number: int, hour: int = 9) -> datetime:
    return datetime(2026, 11, number, hour, tzinfo=UTC)


def value(line: str, items: Sequence[Item], now: datetime = NOW) -> str:
    return run(parsed(line), items, Acquaintances.of(items), now).value


def test_what_is_next_has_not_begun() -> None:
    items = [
        event("Running", day(21, 11), 3),
        event("Today", day(21, 12)),
        event("Tomorrow", day(22)),
        event("Whole day", day(21, 0), 24, all_day=True),
    ]
    assert value("next title of event", items) == "Whole day"
    assert value("next title of event title:today", items) == "Today"
    assert value("next title of event title:running", items) == ""
    later = day(21, 13)
    assert value("next title of event", items[:3], later) == "Tomorrow"


def test_an_event_ends_at_its_last_minute_or_day() -> None:
    items = [event("Drill", day(27, 10), 1.5), event("Call", day(27), 0)]
    assert value("next end of event title:drill", items) == "2026-11-27 11:30"
    assert value("next end of event title:call", items) == ""  # it does not say
    trip = [event("Trip", day(28, 0), 72, all_day=True)]
    assert value("next end of event", trip) == "2026-11-30"


def test_the_next_two_come_in_order() -> None:
    items = [event("C", day(25)), event("A", day(23)), event("B", day(24)), event("Z", day(1))]
    assert value("next title of event top 2", items) == "A, B"


def test_what_is_next_at_the_same_moment_is_all_named() -> None:
    items = [event("A", day(23)), event("B", day(23)), event("C", day(24))]
    assert value("next title of event", items) == "A, B"


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (event("Drill", day(27, 10), 1.5), "Fri 2026-11-27 10:00-11:30 Drill"),
        (event("Call", day(27, 10), 0), "Fri 2026-11-27 10:00 Call"),
        (event("Watch", day(27, 22), 4), "Fri 2026-11-27 22:00 to Sat 2026-11-28 02:00 Watch"),
        (event("Fair", day(28, 0), 24, all_day=True), "Sat 2026-11-28 Fair"),
        (event("Trip", day(28, 0), 72, all_day=True), "Sat 2026-11-28 to Mon 2026-11-30 Trip"),
        (task("Report", day(30, 17)), "due Mon 2026-11-30 17:00 Report"),
        (task("Some day", None), "Some day"),
    ],
)
def test_an_entry_is_shown_as_a_calendar_shows_it(item: Item, shown: str) -> None:
    table = run(parsed(f"list entry of {item.kind.value}"), [item], Acquaintances(), NOW)
    assert table.value == shown
    reading = table.rows[0].values[0]
    quoted = item.text[reading.start : reading.end]
    assert item.title in quoted
    assert item.when is None or f"{item.when:%H:%M}" in quoted  # what is cited says when


def test_tasks_are_open_or_done() -> None:
    items = [
        task("Open", day(20)),
        task("Waiting", day(20), "Status: needs action"),
        task("Done", day(20), "Status: completed"),
        task("Ended", day(20), "Completed: Thu 2026-11-19 10:00"),
        task("Whole", day(20), "Done: 100 %"),
        replace(task("Off (cancelled)", day(20)), title="Off"),
    ]
    assert value("list title of task status:open", items) == "Open, Waiting"
    assert value("list title of task status:done", items) == "Done, Ended, Whole"
    assert value("count task", items) == "5"
    assert value("count task status:any", items) == "6"


@pytest.mark.parametrize(
    ("question", "shown"),
    [
        ("What do I have on Monday?",
         "Mon 2026-11-23 08:00-09:00 Swim, due Mon 2026-11-23 12:00 Rent,"
         " Mon 2026-11-23 18:00-19:00 Choir"),
        ("Do I have anything on Tuesday?", "due Tue 2026-11-24 09:00 Tax"),
        ("What is on my calendar on Monday?",
         "Mon 2026-11-23 08:00-09:00 Swim, Mon 2026-11-23 18:00-19:00 Choir"),
        ("Am I free on Tuesday?", ""),
        ("What did I have on Friday?", "Fri 2026-11-20 10:00-11:00 Walk"),
    ],
)  # fmt: skip
def test_what_is_due_stands_among_the_events_of_a_day(question: str, shown: str) -> None:
    items = [
        *(event("Choir", day(23, 18)), event("Swim", day(23, 8)), event("Walk", day(20, 10))),
        *(task("Rent", day(23, 12)), task("Tax", day(24)), task("Sale", day(20))),
        task("Paid", day(23), "Status: completed"),
    ]
    vocabulary = QuestionVocabulary.of(items)
    found = read_plan(question, vocabulary, NOW.date())
    assert found.sure
    assert found.plan is not None
    assert run(found.plan, vocabulary.items, vocabulary.known, NOW).value == shown
    assert parsed(written(found.plan)) == found.plan


def test_what_is_overdue_was_due_before_today_and_is_open() -> None:
    vocabulary = QuestionVocabulary.of(
        [task("Old", day(20)), task("Paid", day(19), "Status: completed")]
    )
    found = read_plan("Which tasks are overdue?", vocabulary, NOW.date())
    assert found.plan is not None
    assert written(found.plan) == "list title of task until:2026-11-20 status:open"
    assert run(found.plan, vocabulary.items, vocabulary.known, NOW).value == "Old"


def test_a_single_word_names_an_event_only_beside_what_it_tells_apart() -> None:
    vocabulary = QuestionVocabulary.of([event("Lease talk", day(27)), event("Dentist", day(28))])
    today = date(2026, 11, 21)
    assert read_plan("When is the dentist?", vocabulary, today).sure
    for question in ("When am I next on at the dentist?", "when did I last go to the dentist"):
        assert read_plan(question, vocabulary, today).sure
    assert not read_plan("When was I last in the office for a talk?", vocabulary, today).sure
    assert read_plan("When is my next lease meeting?", vocabulary, today).sure
    assert not read_plan("When is the lease?", vocabulary, today).sure


@pytest.mark.parametrize("title", ["St. Brigid\u2019s Day", "St Brigid's Day"])
@pytest.mark.parametrize("called", ["St Brigid's Day", "St. Brigid\u2019s Day", "st. brigid's day"])
def test_dots_and_apostrophes_make_no_other_title(title: str, called: str) -> None:
    vocabulary = QuestionVocabulary.of([event(title, day(27)), event("St. Leo's Day", day(28))])
    found = read_plan(f"When is {called}?", vocabulary, date(2026, 11, 21))
    assert found.sure
    assert found.plan is not None
    assert entries(run(found.plan, vocabulary.items, vocabulary.known, NOW)) == [
        f"2026-11-27 {title}"
    ]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("When is my next call?", "next start of event title:call"),
        ("How many calls did I have in November?",
         "count event title:call since:2026-11-01 until:2026-11-30"),
        ("Do I have a lesson tomorrow?", None),
        ("How many lessons were there in November?",
         "count event since:2026-11-01 until:2026-11-30"),
    ],
)  # fmt: skip
def test_a_sort_of_events_is_some_of_a_diary(question: str, line: str | None) -> None:
    vocabulary = QuestionVocabulary.of([event("Call with Kim", day(24)), event("Knots", day(22))])
    found = read_plan(question, vocabulary, NOW.date())
    assert (written(found.plan) if found.plan else None) == line


def test_what_is_next_is_no_title() -> None:
    vocabulary = QuestionVocabulary.of(
        [event("Talk: the next five years", day(2)), event("Knots", day(28))]
    )
    found = read_plan("When is the next talk?", vocabulary, NOW.date())
    assert found.plan is not None
    assert written(found.plan) == "next start of event title:talk"


def test_the_words_of_a_person_are_no_title() -> None:
    vocabulary = QuestionVocabulary.of(
        [event("Lunch with Ann Smith", day(27)), event("Open day", day(28))]
    )
    assert diary.titled("When do I meet Ann Smith?", vocabulary) is None
    assert diary.titled("Where is the open day?", vocabulary) == (13, 21, "open day", Kind.EVENT)


def test_a_whole_title_may_be_made_of_words_for_other_things() -> None:
    vocabulary = QuestionVocabulary.of([event("Poster Session", day(27)), event("Posters", day(8))])
    found = read_plan("Where was the poster session?", vocabulary, NOW.date())
    assert found.sure
    assert written(found.plan) == 'list place of event title:"poster session"'


def test_when_something_is_no_mail_says_by_its_date() -> None:
    mails = [mail("T09 blade lift", ANN, NOW)]
    vocabulary = QuestionVocabulary.of(mails)
    for question in ("When is the T09 blade lift happening now?", "when is the T09 blade lift"):
        assert read_plan(question, vocabulary, NOW.date()).plan is None
    written = read_plan('when did Ann send "T09 blade lift"?', vocabulary, NOW.date())
    assert written.plan is not None
    newest = read_plan("When is the newest mail from Ann?", vocabulary, NOW.date())
    assert newest.plan is not None

"""Plans as text, and the questions that become plans: composed freely, over a tiny vocabulary."""

from __future__ import annotations

from datetime import date

import pytest

from engine.compute.plan_text import grammar, parsed, written
from engine.compute.question_plan import read_plan
from engine.compute.vocabulary import QuestionVocabulary
from engine.errors import PlanRefused
from engine.plan import Plan, Sought, Source, checked
from ingest.item import Kind, Shelf
from tests.support.builders import event, mail
from tests.support.toy_compute import BOB, KIM, day

TODAY = date(2026, 3, 20)


VOCABULARY = QuestionVocabulary.of(
    [
        mail("Boat house", KIM, day(2)),
        mail("Re: Boat house", BOB, day(3)),
        mail("Re: Boat house", KIM, day(4)),
        mail("Lease renewal", BOB, day(5)),
        event("Sail making (talk by Kim Sato)", day(6), "Harbour Days 2026", 90, "Red hall"),
        event("Rope work", day(7), "Harbour Days 2026", 30, "Blue hall"),
        event("Founding day", day(9), "NorwegianHolidays"),
        event("Founding day", day(9), "SwedishHolidays"),
    ]
)

PLANS = (
    "count mail from:kim since:2025-10-01 until:2025-10-31 by week",
    'last sender of mail thread:"Boat house"',
    'between date of event title:"a \\"b\\" \\\\ c" in:Spain and event subject:Easter as weeks',
    'sum "amount charged" of mail text:"card statement" shelf:spam',
    "count event with:kim by place bottom 2",
    "shared date of event in:Norway and event in:Sweden since:2026-01-01",
    "list start of event as utc",
    "count mail from:kim shelf:any",
    "count event shelf:any status:cancelled by month",
    "list title of event status:any",
    'sum "amount" of mail text:"card statement" expecting 13',
    "sum duration of event by month top 3 as hours expecting 400",
)


@pytest.mark.parametrize("line", PLANS)
def test_a_plan_is_read_back_as_it_is_shown(line: str) -> None:
    plan = parsed(line)
    assert parsed(written(plan)) == plan
    assert written(plan) == line


def test_a_plan_means_what_it_says() -> None:
    assert parsed('sum "total" of mail from:kim to:"Bob Reed" until:2026-02-01') == Plan(
        "sum",
        Sought("total"),
        (Source(Kind.MAIL, senders=("kim",), recipients=("Bob Reed",), until=date(2026, 2, 1)),),
    )
    assert parsed("count mail shelf:trash").sources[0].shelf is Shelf.TRASH


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "a word is missing"),
        ("guess mail", "one of these belongs there"),
        ("count spoons", "one of these belongs there"),
        ("count mail colour:red", "the fields are"),
        ("count mail since:yesterday", "a day is written"),
        ("count mail by colour", "one of these belongs there"),
        ("count mail by sender top many", "a number belongs there"),
        ("count mail expecting some", "a number belongs there"),
        ("count mail expecting 1234567", "a number belongs there"),
        ("count mail please", "has no place for it"),
        ("count mail shelf:attic", "one of these belongs there: trash, spam, drafts, any"),
        ("count event status:moved", "one of these belongs there: cancelled, open, done, any"),
        ("sum title of mail", "sum needs numbers"),
        ("list mail", "list needs a field"),
        ("count mail and event", "count takes one source"),
        ("list title of mail and event and task", "list takes two sources at most"),
        ("shared date of mail", "shared compares two sources"),
        ("between title of mail", "between compares dates"),
        ("count mail top 3", "top needs groups"),
        ("count mail since:2026-02-01 until:2026-01-01", "first day is after its last"),
        ("count item", "names no items"),
        ("count mail " + "x" * 3000, "too long"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(line: str, why: str) -> None:
    with pytest.raises(PlanRefused, match=why) as refused:
        parsed(line)
    assert refused.value.remedy


def test_a_plan_made_in_code_is_checked_too() -> None:
    with pytest.raises(PlanRefused):
        checked(Plan("distinct", "item", (Source(Kind.MAIL),)))


def test_the_grammar_for_models_has_every_operation() -> None:
    text = grammar()
    assert text.startswith("root ::= ")
    assert all(f'"{word}"' in text for word in ("count", "shared", "thread:", "weekday"))


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("How many mails did Kim send in March?",
         "count mail from:Kim since:2026-03-01 until:2026-03-31"),
        ("How often did Bob write to Kim?", "count mail from:Bob to:Kim"),
        ('Who wrote last in the thread "Boat house"?', 'last sender of mail thread:"Boat house"'),
        ('When did Kim write "Boat house"?', 'list date of mail from:Kim subject:"Boat house"'),
        ("Who mailed me most this month?",
         "count mail since:2026-03-01 until:2026-03-31 by sender top 1"),
        ("How many mails per week did Bob Reed send?", 'count mail from:"Bob Reed" by week'),
        ("How many mails by each sender?", "count mail by sender"),
        ("When did I last hear from Bob?", "last date of mail from:Bob"),
        ("When did I last write to Kim?", "last date of mail from:me to:Kim"),
        ("How many times did I meet Kim in March?",
         "count event with:Kim since:2026-03-01 until:2026-03-31"),
        ('How many people took part in the conversation "Boat house"?',
         'distinct sender of mail thread:"Boat house"'),
        ("Which day had the fewest mails?", "count mail by date bottom 1"),
        ('Who received "Lease renewal" from Bob?',
         'list recipient of mail from:Bob subject:"Lease renewal"'),
        ('Who else got "Lease renewal" by mail?',
         'list recipient of mail subject:"Lease renewal"'),
        ("Who wrote more recently, Kim or Bob?", "last sender of mail from:Kim from:Bob"),
        ("To whom did Kim write last?", "last recipient of mail from:Kim"),
        ('Who was the mail "Lease renewal" sent to?',
         'list recipient of mail subject:"Lease renewal"'),
        ('Who are the recipients of the mail "Lease renewal"?',
         'list recipient of mail subject:"Lease renewal"'),
        ('In the mail "Lease renewal" from Bob: who is the main recipient?',
         'list addressee of mail from:Bob subject:"Lease renewal"'),
        ("Who received the most mails from Kim?", "count mail from:Kim by recipient top 1"),
        ('Who sent the mail "Lease renewal" to Kim?',
         'list sender of mail to:Kim subject:"Lease renewal"'),
        ('When did Kim mail about the "Boat house" meeting?',
         'list date of mail from:Kim subject:"Boat house"'),
        ("How many messages are in my trash?", "count mail shelf:trash"),
        ("How many mails mention the boat?", "count mail text:boat"),
        ('Where is "Rope work"?', 'list place of event subject:"Rope work"'),
        ('Who gives "Sail making"?', 'list speaker of event title:"Sail making"'),
        ('How long is "Rope work"?', 'list duration of event subject:"Rope work"'),
        ("Total length of the sessions at Harbour Days, in hours?",
         'sum duration of event in:"Harbour Days 2026" as hours'),
        ("On which days in 2026 do both Norway and Sweden have a holiday?",
         "shared date of event in:NorwegianHolidays since:2026-01-01 until:2026-12-31"
         " and event in:SwedishHolidays since:2026-01-01 until:2026-12-31"),
        ("What is the total of the card statements per month?",
         'sum "amount" of item text:"card statements" by month'),
        ("Sum my 13 card statements", 'sum "amount" of item text:"card statements" expecting 13'),
        ("Which meetings were cancelled in March?",
         "list title of event since:2026-03-01 until:2026-03-31 status:cancelled"),
        ("Sum the 3 hours of sessions", "sum duration of event as hours"),
        ("Average length of meetings per week", "average duration of event by week"),
        ("How many hours of meetings are there per day?",
         "sum duration of event by date as hours"),
        ('How many days passed between the first and the last mail of the thread "Boat house"?',
         'between date of mail thread:"Boat house"'),
        ('How many people wrote in the thread "Boat house", ignoring "Re:" prefixes?',
         'distinct sender of mail thread:"Boat house"'),
        ("How often did I meet or mail Kim?", "count item with:Kim"),
        ("How many events and mails were there with Kim?", "count item with:Kim"),
        ("When did I last have contact with Kim?", "last date of item with:Kim until:2026-03-20"),
        ("When did I last see Kim?", "last start of event with:Kim until:2026-03-20"),
        ("On which days did I both get a mail from Kim and meet Kim?",
         "shared date of mail from:Kim and event with:Kim"),
        ("Whom did I mail most?", "count mail from:me by recipient top 1"),
        ("Who wrote first, Kim or Bob?", "first sender of mail from:Kim from:Bob"),
    ],
)  # fmt: skip
def test_a_question_becomes_a_plan(question: str, line: str) -> None:
    read = read_plan(question, VOCABULARY, TODAY)
    assert read.plan is not None, read
    assert written(read.plan) == line
    assert read.sure


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of France?",
        "Why did the boat sink?",
        "How many moons has Jupiter?",
        "Did Kim agree to the lease?",
        "What does Kim think about the colour of the sails?",
        "How much is the rent?",
        "How much does Nordvik pay for each day of late delivery?",
        'In the mail "Lease renewal" from Bob: who is Kim?',
        'In the mail "Lease renewal" from Bob: what is the email address of Kim?',
        'In the mail "Lease renewal": what is Kim\'s address?',
        'In the mail "Lease renewal" from Bob: when will the meeting take place?',
        'In the mail "Lease renewal" from Bob: where does the event take place?',
        "",
    ],
)
def test_what_is_no_computation_gets_no_sure_plan(question: str) -> None:
    assert not read_plan(question, VOCABULARY, TODAY).sure


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("How many mails were not sent by Kim?", "not"),
        ("Which mails did I not answer?", "not"),
        ("How many people other than Kim wrote to me?", "other"),
        ("How many replies did only Bob send?", "only"),
        ("How many mails neither from Kim nor from Bob?", "neither"),
        ("How many mails from Kim, ignoring replies?", "ignoring"),
        ("How many messages do I have including those from Bob?", "including"),
        ("How many meetings lasted more than 60 minutes?", "than"),
        ("How many people sent at least 2 mails?", "at least"),
        ("How many meetings did I have on weekdays?", "weekdays"),
        ("How many mails came before Bob wrote?", "before"),
        ("How many mails did Kim send after Bob?", "after"),
        ("How many mails were sent to me and Bob?", "to me"),
        ("How many mails were sent to Bob and me?", "and me"),
        ("How many mails about the meeting did Kim send?", "about"),
        ("Who did I meet most?", "who did i meet"),
        ("Which holidays fall on a Sunday?", "a"),
        ("How many meetings did I have including cancelled ones?", "including"),
        ("Planning: final time and room", "time and room"),
        ("When was the last Planning and where?", "when was the last planning and where"),
    ],
)
def test_a_word_that_turns_a_question_round_is_not_passed_over(question: str, left: str) -> None:
    read = read_plan(question, VOCABULARY, TODAY)
    assert left in [one.strip() for one in read.left]
    assert not read.sure


def test_who_wrote_most_to_me_is_not_me() -> None:
    question = "Who mailed me most?"
    plan = read_plan(question, VOCABULARY, TODAY, me_known=True).plan
    assert plan is not None
    assert written(plan) == "count mail to:me by sender top 1"
    assert read_plan("Who wrote most?", VOCABULARY, TODAY, me_known=True).plan == parsed(
        "count mail by sender top 1"
    )


def test_words_that_are_not_understood_are_told() -> None:
    read = read_plan("How many angry mails did Kim send?", VOCABULARY, TODAY)
    assert read.left == ("angry",)
    assert not read.sure


def test_a_whole_calendar_is_not_listed_where_one_thing_is_meant() -> None:
    items = [event(f"Talk {place}", day(place), "Harbour Days") for place in range(2, 10)]
    for several, question, line in (
        (items, "When does Harbour Days take place?", None),
        (items, "When are the talks at Harbour Days?", 'list start of event in:"Harbour Days"'),
        (items[:2], "When does Harbour Days take place?", 'list start of event in:"Harbour Days"'),
    ):
        plan = read_plan(question, QuestionVocabulary.of(several), TODAY).plan
        assert (written(plan) if plan else None) == line, question

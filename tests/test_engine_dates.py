"""Natural dates against fixed clocks."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.language.dates import Direction, Span, find_spans, parse_span

WEDNESDAY = date(2026, 11, 18)
MONDAY = date(2026, 11, 16)
SUNDAY = date(2026, 11, 22)
NEW_YEAR = date(2027, 1, 1)  # a Friday
LEAP_DAY = date(2028, 2, 29)  # a Tuesday


def days(text: str) -> Span:
    """Read `2026-11-16/2026-11-22`, one day, or a span that is open where a side is empty."""
    first, _, last = text.partition("/")
    if not _:
        last = first
    return Span(*(date.fromisoformat(side) if side else None for side in (first, last)))


WRITTEN = [
    ("2001-04-20", "2001-04-20"),
    ("2001/4/20", "2001-04-20"),
    ("20 April 2001", "2001-04-20"),
    ("the 20th of April 2001", "2001-04-20"),
    ("April 20, 2001", "2001-04-20"),
    ("Friday, 20 April 2001", "2001-04-20"),
    ("Fri, 20 Apr 2001", "2001-04-20"),
    ("Apr. 20", "2026-04-20"),
    ("20/04/2001", "2001-04-20"),
    ("04/20/2001", "2001-04-20"),
    ("03/04/2001", "2001-04-03"),
    ("20.4.2001", "2001-04-20"),
    ("2001", "2001-01-01/2001-12-31"),
    ("in 2001", "2001-01-01/2001-12-31"),
    ("2001-04", "2001-04-01/2001-04-30"),
    ("March 2024", "2024-03-01/2024-03-31"),
    ("February 2024", "2024-02-01/2024-02-29"),
    ("in Sept 2024", "2024-09-01/2024-09-30"),
    ("early May 2001", "2001-05-01/2001-05-31"),
    ("Q3 2025", "2025-07-01/2025-09-30"),
    ("2025-Q1", "2025-01-01/2025-03-31"),
    ("the second quarter of 2024", "2024-04-01/2024-06-30"),
    ("the first half of 2024", "2024-01-01/2024-06-30"),
    ("H2 2024", "2024-07-01/2024-12-31"),
    ("jan-nov 2024", "2024-01-01/2024-11-30"),
    ("the week of 5 May 2026", "2026-05-04/2026-05-10"),
]

RELATIVE = [
    ("today", "2026-11-18"),
    ("yesterday", "2026-11-17"),
    ("tomorrow morning", "2026-11-19"),
    ("tonight", "2026-11-18"),
    ("last night", "2026-11-17"),
    ("the day  before yesterday", "2026-11-16"),
    ("3 days ago", "2026-11-15"),
    ("two weeks ago", "2026-11-02/2026-11-08"),
    ("a month ago", "2026-10-01/2026-10-31"),
    ("a week from now", "2026-11-23/2026-11-29"),
    ("in the last two weeks", "2026-11-04/2026-11-18"),
    ("past 10 days", "2026-11-08/2026-11-18"),
    ("the last month", "2026-10-18/2026-11-18"),
    ("next 3 days", "2026-11-18/2026-11-21"),
    ("last week", "2026-11-09/2026-11-15"),
    ("this week", "2026-11-16/2026-11-22"),
    ("next week", "2026-11-23/2026-11-29"),
    ("last weekend", "2026-11-14/2026-11-15"),
    ("next weekend", "2026-11-28/2026-11-29"),
    ("this coming weekend", "2026-11-21/2026-11-22"),
    ("the coming friday", "2026-11-20"),
    ("last month", "2026-10-01/2026-10-31"),
    ("next month", "2026-12-01/2026-12-31"),
    ("last quarter", "2026-07-01/2026-09-30"),
    ("last year", "2025-01-01/2025-12-31"),
    ("Friday next week", "2026-11-27"),
    ("last Tuesday", "2026-11-17"),
    ("last Wednesday", "2026-11-11"),
    ("next Friday", "2026-11-27"),
    ("this Monday", "2026-11-16"),
    ("last March", "2026-03-01/2026-03-31"),
    ("last November", "2025-11-01/2025-11-30"),
    ("next November", "2027-11-01/2027-11-30"),
]

OPEN_AND_RANGES = [
    ("since March", "2026-03-01/"),
    ("since last week", "2026-11-09/"),
    ("from Tuesday onwards", "2026-11-17/"),
    ("after 20 April 2001", "2001-04-21/"),
    ("before May 2001", "/2001-04-30"),
    ("until yesterday", "/2026-11-17"),
    ("by 2001-05-02", "/2001-05-02"),
    ("between March and May 2001", "2001-03-01/2001-05-31"),
    ("from 3 to 5 May", "2026-05-03/2026-05-05"),
    ("3-5 May 2001", "2001-05-03/2001-05-05"),
    ("from November to February", "2025-11-01/2026-02-28"),
    ("between November 2000 and February 2001", "2000-11-01/2001-02-28"),
    ("31/12/2025 - 02/01/2026", "2025-12-31/2026-01-02"),
    ("2001 to 2003", "2001-01-01/2003-12-31"),
    ("May to June next year", "2027-05-01/2027-06-30"),
    ("July to October of last year", "2025-07-01/2025-10-31"),
    ("March this year", "2026-03-01/2026-03-31"),
    ("20 March last year", "2025-03-20"),
    ("last year's March", "2025-03-01/2025-03-31"),
]


@pytest.mark.parametrize(("words", "wanted"), WRITTEN + RELATIVE + OPEN_AND_RANGES)
def test_words_mean_these_days_on_a_wednesday(words: str, wanted: str) -> None:
    assert parse_span(words, WEDNESDAY) == days(wanted)
    assert parse_span(words.upper(), WEDNESDAY) == days(wanted)


@pytest.mark.parametrize(
    ("words", "past", "future", "nearest"),
    [
        ("Tuesday", "2026-11-17", "2026-11-24", "2026-11-17"),
        ("Saturday", "2026-11-14", "2026-11-21", "2026-11-21"),
        ("Wednesday", "2026-11-18", "2026-11-18", "2026-11-18"),
        ("20 April", "2026-04-20", "2027-04-20", "2027-04-20"),
        ("12 November", "2026-11-12", "2027-11-12", "2026-11-12"),
        ("March", "2026-03-01/2026-03-31", "2027-03-01/2027-03-31", "2027-03-01/2027-03-31"),
        ("November", *["2026-11-01/2026-11-30"] * 3),
        ("Q1", "2026-01-01/2026-03-31", "2027-01-01/2027-03-31", "2027-01-01/2027-03-31"),
        ("the weekend", "2026-11-14/2026-11-15", "2026-11-21/2026-11-22", "2026-11-21/2026-11-22"),
        ("29 February", "2024-02-29", "2028-02-29", "2028-02-29"),
    ],
)
def test_direction_decides_what_is_open(words: str, past: str, future: str, nearest: str) -> None:
    found = [parse_span(words, WEDNESDAY, way) for way in ("past", "future", "nearest")]
    assert found == [days(past), days(future), days(nearest)]


@pytest.mark.parametrize(
    ("today", "words", "wanted"),
    [
        (MONDAY, "this week", "2026-11-16/2026-11-22"),
        (SUNDAY, "this week", "2026-11-16/2026-11-22"),
        (SUNDAY, "last weekend", "2026-11-14/2026-11-15"),
        (SUNDAY, "next Monday", "2026-11-23"),
        (NEW_YEAR, "last month", "2026-12-01/2026-12-31"),
        (NEW_YEAR, "last week", "2026-12-21/2026-12-27"),
        (NEW_YEAR, "this week", "2026-12-28/2027-01-03"),
        (NEW_YEAR, "yesterday", "2026-12-31"),
        (NEW_YEAR, "last quarter", "2026-10-01/2026-12-31"),
        (NEW_YEAR, "31 December", "2026-12-31"),
        (NEW_YEAR, "December", "2026-12-01/2026-12-31"),
        (LEAP_DAY, "last year", "2027-01-01/2027-12-31"),
        (LEAP_DAY, "the last year", "2027-02-28/2028-02-29"),
        (LEAP_DAY, "29 February", "2028-02-29"),
        (LEAP_DAY, "this month", "2028-02-01/2028-02-29"),
        (date(2026, 3, 31), "the last month", "2026-02-28/2026-03-31"),
    ],
)
def test_year_ends_leap_days_and_week_starts(today: date, words: str, wanted: str) -> None:
    assert parse_span(words, today) == days(wanted)


@pytest.mark.parametrize(
    "words",
    [
        *("", "soon", "31 June", "29 February 2027", "May I", "20", "2001-13-01", "a second ago"),
        *("between May 2002 and May 2001", "before 0001-01-01", "9999 years ago", "since", "to"),
    ],
)
def test_what_names_no_days_is_none(words: str) -> None:
    assert parse_span(words, WEDNESDAY) is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("mails from last week about the May 2001 budget", ["last week", "May 2001"]),
        ("Which mails sent between 3 and 5 May 2001 name it?", ["between 3 and 5 May 2001"]),
        ("What did Ann write in May?", ["May"]),
        ("what did ann write in march", ["march"]),
        ("Dated 2001-04-20 or Fri, 20 Apr 2001.", ["2001-04-20", "Fri, 20 Apr 2001"]),
        ("What do I have on Tuesday, and on friday?", ["Tuesday", "friday"]),
        ("Everything since March 2024, or after 2001", ["since March 2024", "after 2001"]),
        ("in the last two weeks, 3 days ago", ["the last two weeks", "3 days ago"]),
        ("Was it in 2001 or during Q3 2002?", ["2001", "Q3 2002"]),
        ("What arrives on 5 May?", ["5 May"]),
        ("electricity jan-nov 2001 altogether", ["jan-nov 2001"]),
        (
            "Rent from Jan 2001 to Feb 2002, and the rent Jan to May 2001",
            ["from Jan 2001 to Feb 2002", "Jan to May 2001"],
        ),
        ("costs in march \u2013 may", ["march \u2013 may"]),
        ("taken 3 May to 5 June 2001", ["3 May to 5 June 2001"]),
        ("costs in the first half of 2001", ["the first half of 2001"]),
        ("costs in the second half of last year", ["the second half of last year"]),
        ("all of H1 2001", ["H1 2001"]),
        ("the gas bill in march this year", ["march this year"]),
        ("invoices of 20 March of last year", ["20 March of last year"]),
        ("last year's October invoice", ["last year's October"]),
        ("add up the hours july to october", ["july to october"]),
        ("rent May to June next year", ["May to June next year"]),
        ("does the bin go out this wed?", ["this wed"]),
        ("is the market on sat", ["sat"]),
        ("what time on 19 march did rob write", ["19 march"]),
        ("when is it, on may 3 or june 5", ["may 3", "june 5"]),
        ("did we meet 3 may?", ["3 may"]),
    ],
)
def test_dates_in_running_text(text: str, wanted: list[str]) -> None:
    found = find_spans(text, WEDNESDAY)
    assert [span.words for span in found] == wanted
    assert [text[span.start : span.end] for span in found] == wanted


@pytest.mark.parametrize(
    "text",
    [
        "May I bring 2001 apples?",
        "We march on, and the second march of the band may end.",
        "May 5 people come, or may 5 of them?",
        "What did June and April say to May?",
        "What is in the e-mail from June?",
        "before Jan wrote to Sun about a Mon server",
        "Good Friday and Ruby Tuesday",
        "wed in haste, sat down, a sun hat",
        "on sun cream, and what they sat on",
        "does this sat nav work?",
        "report-2001-04-20.pdf, 10.1.2.2001, call 555-2001",
        "on 03/04/2001",  # the third of April or the fourth of March
        "the last week of March's plan",
        "a friday feeling",
        "What did Jan to May say?",
        "What did Jan through May say?",
        "the first half of the game",
        "I may go",
        "section 3 may apply, all 3 march in",
    ],
)
def test_no_dates_in_running_text(text: str) -> None:
    assert find_spans(text, WEDNESDAY) == []


def test_this_week_begins_on_sunday_where_it_is_to_come() -> None:
    assert parse_span("this week", SUNDAY, "future") == days("2026-11-22/2026-11-28")
    assert parse_span("this week", MONDAY, "future") == days("2026-11-16/2026-11-22")
    assert parse_span("next week", SUNDAY, "future") == days("2026-11-23/2026-11-29")


def test_may_is_a_verb_before_this_year_too() -> None:
    assert [one.words for one in find_spans("I may this year", WEDNESDAY)] == ["this year"]


def test_an_ambiguous_date_counts_when_it_is_typed_as_a_date() -> None:
    assert parse_span("03/04/2001", WEDNESDAY) == days("2001-04-03")


def test_the_direction_reaches_running_text() -> None:
    text = "What do I have on Friday and in 3 days?"
    found = find_spans(text, WEDNESDAY, "future")
    assert [span.span for span in found] == [days("2026-11-20"), days("2026-11-21")]


PIECES = """between and from to since before after until in on the of last this next past week month
    year quarter weekend day days ago 2 31 29 2001 9999 0 a May March Feb April q1 Q4 2000-02 now
    2001-04-20 29/02/2001 Tuesday Sun Fri today yesterday , - a couple of night"""
WORDS = st.lists(st.sampled_from(PIECES.split()) | st.text(max_size=3), max_size=7).map(" ".join)
DAYS = st.dates() | st.sampled_from([date.min, date.max, LEAP_DAY, NEW_YEAR, SUNDAY])
DIRECTIONS: st.SearchStrategy[Direction] = st.sampled_from(["past", "future", "nearest"])


@given(WORDS, DAYS, DIRECTIONS)
def test_any_words_give_a_span_in_order_or_none(text: str, today: date, way: Direction) -> None:
    span = parse_span(text, today, way)
    assert span is None or span.first or span.last
    assert not (span and span.first and span.last and span.first > span.last)
    for found in find_spans(text, today, way):
        assert text[found.start : found.end] == found.words
        assert found.span == parse_span(found.words, today, way)

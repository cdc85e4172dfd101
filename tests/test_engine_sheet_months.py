"""Tables of months are turned, titles stand above headers, and people have last names in sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.language.days import Closed
from engine.sheets.asked import rows_asked
from engine.sheets.columns import days_of
from engine.sheets.computed import RowsComputed, computed, draft_of
from engine.sheets.months import as_asked, by_month
from engine.sheets.people import by_last_name, by_own_name
from engine.sheets.posed import posed
from engine.sheets.proposal import candidate, computed_by, query_by
from engine.sheets.query import Form
from engine.sheets.rows import NamedTable, tables_of
from ingest.item import Item, People, Person
from models.llama.generator import load_llama
from tests.support.builders import document, sheet
from tests.support.in_store import weights_of
from tests.support.toy_compute import asking

TODAY = date(2026, 11, 28)

BILLS = """\
Household bills 2026
Bill | Jan | Feb | Mar | Nov* | Total | Notes
Household bills 2026 | Bill: Gas | Jan: 148.20 | Feb: 139.75 | Nov*: 104.85 | Total: 392.80
Household bills 2026 | Bill: Water | Jan: 40 | Feb: 40 | Mar: 42 | Total: 122 | Notes: by post
Household bills 2026 | Bill: Total | Jan: 188.20 | Feb: 179.75 | Mar: 42 | Nov*: 104.85
"""
ROTA = """\
Hours worked 2026
without overtime
Name | Role | Contract | Sep | Oct | Nov
Hours worked 2026 | Name: Fox, Omar | Role: Nurse | Contract: 140 | Sep: 131 | Oct: 137 | Nov: 96.5
Hours worked 2026 | Name: Lovell, Pat | Role: Desk | Contract: 80 | Sep: 82 | Oct: 79.5
"""
DRIVES = """\
Date | Driver | Reason | Miles
Date: 2-Nov-26 | Driver: Tarrant | Reason: clinic | Miles: 17.6
Date: 9-Nov-26 | Driver: Tarrant | Reason: home visit | Miles: 8
Date: 11-Nov-26 | Driver: Ortega | Reason: clinic | Miles: 22
"""


def table(text: str, name: str) -> NamedTable:
    [found] = tables_of([sheet(text, name)])
    return found


FILES = (sheet(BILLS, "bills.xlsx"), sheet(ROTA, "rota.xlsx"), sheet(DRIVES, "mileage log.csv"))


def found(question: str, files: Sequence[Item] = FILES) -> RowsComputed | None:
    asked = rows_asked(question, TODAY)
    if asked is None:
        return None
    form: Form = "counted" if asked.operation == "count" else "summed"
    return computed(
        asked, as_asked(tables_of(files), form, asked.days, asked.words, asked.heads), TODAY
    )


def test_each_cell_of_a_month_is_a_row_of_its_own() -> None:
    turned = by_month(table(BILLS, "bills.xlsx"))
    assert turned is not None
    assert turned.columns == ("Bill", "Notes", "Month", "Amount")  # the total of a row is no month
    assert [row.cells["Month"] for row in turned.rows[:3]] == [
        "January 2026",
        "February 2026",
        "November 2026",
    ]
    assert turned.rows[0].cells["Amount"] == "148.20"


@pytest.mark.parametrize(
    ("text", "name", "first"),
    [
        (
            "Name | Jan 25 | Feb 25 | Mar 25\nName: A | Jan 25: 1 | Feb 25: 2",
            "a.csv",
            "January 2025",
        ),
        ("Name | Nov | Dec | Jan\nName: A | Nov: 1 | Jan: 2", "rent 2025-26.csv", "November 2025"),
        ("Name | Jan | Feb | Mar\nName: A | Jan: 1 | Feb: 2", "a.csv", None),  # of no year
        ("Name | Nov | Dec | Jan\nName: A | Nov: 1 | Jan: 2", "rent 2026.csv", None),  # from or to
        ("Name | Jan | Feb | Mar\nName: A | Jan: 1 | Feb: 2", "2025 and 2026.csv", None),
        ("Name | Jan | Feb\nName: A | Jan: 1 | Feb: 2", "2026.csv", None),
        ("Name | Marta | Junia | Augusto\nName: A | Marta: 1 | Junia: 2", "2026.csv", None),
        ("Name | Jan | Feb | Mar\nName: A | Jan: Kim | Feb: Lee", "2026.csv", None),  # on duty
        ("Jan | Feb | Mar\nJan: 1 | Feb: 2", "2026.csv", None),  # nothing says what a row is
    ],
)
def test_the_year_of_a_month_is_certain_or_it_is_left(
    text: str, name: str, first: str | None
) -> None:
    turned = by_month(table(text, name))
    assert (turned and turned.rows[0].cells["Month"]) == first


@pytest.mark.parametrize(
    ("question", "number", "told"),
    [
        ("How much have we spent on gas so far in 2026?", "392.80", "the sum of 3 cells of bills"),
        ("How much did we pay for water in February 2026?", "40", "the sum of 1 cell of bills"),
        ("how many hours did Omar work in October", "137", "the sum of 1 cell of rota"),
        ("how many hours did Omar work", "364.5", "the sum of 3 cells of rota"),
        ("how many nurses are on the rota", "1", "counted: 1 row of rota"),
        ("total contract hours of Omar", "140", "the sum of Contract in 1 row of rota"),
    ],
)
def test_months_are_chosen_and_added(question: str, number: str, told: str) -> None:
    result = found(question)
    assert result is not None
    assert str(result.number) == number
    draft = draft_of(result)
    assert told in draft.text
    assert len(draft.citations) == 1  # all cells are of one row


def test_a_title_above_a_remark_is_no_part_of_the_first_cell() -> None:
    rota = table(ROTA, "rota.xlsx")
    assert rota.caption == "Hours worked 2026"
    assert rota.rows[0].cells["Name"] == "Fox, Omar"
    two = f"{ROTA}\nTrips\nDate | Miles\nTrips | Date: 2026-01-02 | Miles: 3\n"
    assert [one.caption for one in tables_of([sheet(two, "a.xlsx")])] == [
        "Hours worked 2026",
        "Trips",
    ]


@pytest.mark.parametrize("cell", ["2-Nov-26", "2 Nov 26", "2 November '26", "02-Nov-2026"])
def test_days_as_sheets_show_them(cell: str) -> None:
    found = days_of(cell, TODAY)
    assert found is not None
    assert found.first == found.last == date(2026, 11, 2)


def test_a_month_as_sheets_show_it() -> None:
    assert days_of("12-May-78", TODAY) == Closed(date(1978, 5, 12), date(1978, 5, 12))
    assert days_of("Nov-26", TODAY) == Closed(date(2026, 11, 1), date(2026, 11, 30))
    assert days_of("Nov 26", TODAY) == Closed(date(2026, 11, 26), date(2026, 11, 26))


def test_what_is_due_is_no_day_of_a_row_unless_it_is_named() -> None:
    text = "Date | Pet | Next due\nDate: 2026-10-05 | Pet: cat | Next due: Oct 2027\n"
    files = [sheet(text + "Date: 2025-10-09 | Pet: cat | Next due: Oct 2026\n", "jabs.csv")]
    assert getattr(found("how many cats in October 2026 in the jabs list", files), "number", 0) == 1
    due = found("how many cats are due in October 2026 in the jabs list", files)
    assert due is not None
    assert due.chosen.conditions[-1].startswith("Next due is")


def person(name: str) -> Item:
    return replace(document("Hello", "a mail"), people=People((Person(name, ""),)))


def test_who_is_called_by_the_first_name_is_looked_for_by_the_last() -> None:
    tables = list(tables_of(FILES))
    question = "total miles becky drove for the clinic in November"
    [meant] = by_last_name(question, [person("Becky Tarrant"), person("Becky T")], tables)
    assert meant.text == "total miles tarrant drove for the clinic in November"
    assert meant.name == "Becky Tarrant"
    assert [one.item.title for one in meant.tables] == ["mileage log.csv, Sheet1"]
    two = [person("Becky Tarrant"), person("Becky Ortega")]
    assert not list(by_last_name(question, two, tables))  # which one is not known
    assert not list(by_last_name("total miles pat drove", [person("Pat Tarrant")], [tables[1]]))


@pytest.mark.parametrize(
    "rows",
    [
        "Driver | Miles\nDriver: Tarrant, Jo | Miles: 3\n",  # another one of the name
        "First name | Last name | Miles\nFirst name: Jo | Last name: Tarrant | Miles: 3\n",
    ],
)
def test_another_person_of_the_name_is_not_meant(rows: str) -> None:
    tables = list(tables_of([sheet(rows, "drives.csv")]))
    assert not list(by_last_name("miles becky drove", [person("Becky Tarrant")], tables))


TIMES = """\
Staff | Client | Hours
Staff: {} | Client: Kite | Hours: 2
Staff: {} | Client: Kite | Hours: 1.5
Staff: DP | Client: Kite | Hours: 3
"""


@pytest.mark.parametrize("called", ["EW", "Ella", "Weiss", "Ella Weiss"])
@pytest.mark.parametrize("question", ["my hours for Kite in total", "total hours I did for Kite"])
def test_i_am_whoever_the_addresses_belong_to(called: str, question: str) -> None:
    tables = list(tables_of([sheet(TIMES.format(called, called), "times.csv")]))
    me = replace(document("Hello"), people=People((Person("Weiss, Ella", "ella@x.example"),)))
    [meant] = by_own_name(question, [me], tables, {"ella@x.example"})
    assert meant.name == "Ella Weiss"
    asked = rows_asked(meant.text, TODAY)
    assert asked is not None
    result = computed(asked, meant.tables, TODAY)
    assert result is not None
    assert str(result.number) == "3.5"
    assert not list(by_own_name(question, [me], tables, {"dan@x.example"}))
    assert not list(by_own_name("total hours for Kite", [me], tables, {"ella@x.example"}))


@pytest.mark.parametrize(
    "question",
    ["give me the total hours for Kite", "can I see the total hours for Kite?"],
)
def test_whoever_wants_to_see_rows_is_not_in_them(question: str) -> None:
    tables = list(tables_of([sheet(TIMES.format("EW", "EW"), "times.csv")]))
    me = replace(document("Hello"), people=People((Person("Ella Weiss", "ella@x.example"),)))
    assert not list(by_own_name(question, [me], tables, {"ella@x.example"}))


def test_a_name_of_any_characters_takes_the_place_of_i() -> None:
    name = r"Ella \g<9> Weiss"
    tables = list(tables_of([sheet(TIMES.format(name, name), "times.csv")]))
    me = replace(document("Hello"), people=People((Person(name, "ella@x.example"),)))
    [meant] = by_own_name("total of my hours for Kite", [me], tables, {"ella@x.example"})
    assert meant.text == f"total of {name} hours for Kite"


def test_auto_says_who_was_taken_to_be_meant(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "total miles becky drove for the clinic in November"
    files = [*FILES, person("Becky Tarrant")]
    now = datetime(2026, 11, 28, tzinfo=UTC)
    answered, _, models = ask(question, files, strategy="auto", now=now)
    assert not models["g"].prompts
    assert answered.text.startswith("17.6 [1]")
    assert answered.text.endswith("(Becky Tarrant is taken to be meant.)")
    assert answered.certainty == "unsure"


@pytest.mark.slow
def test_a_real_model_asks_tables_of_months() -> None:
    large = "qwen2.5-coder-1.5b-instruct-q4_k_m"
    model = load_llama(weights_of(large), large, context=2048)
    answers = []
    try:
        for question in (
            "who worked the most hours in September",
            "which month had our lowest gas bill in 2026",
            "average monthly gas bill this year",
            "who drove the most miles since November 3",
        ):
            asked = posed(question, TODAY)
            assert asked is not None
            tables = as_asked(tables_of(FILES), asked.form, asked.days, asked.words, asked.heads)
            found = candidate(asked, tables, TODAY)
            assert found is not None
            query = query_by(model, asked, found)
            draft = computed_by(query, found) if query else None
            answers.append(draft and draft.text.partition(" [")[0])
    finally:
        model.close()
    assert answers == ["Fox, Omar", "November 2026", "130.93", "Ortega"]

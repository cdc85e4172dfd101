"""Rows of tables are counted and added where a table accounts for every word of the question."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.sheets.asked import rows_asked
from engine.sheets.columns import newest_of_running
from engine.sheets.computed import BY_WORDS, RowsComputed, computed, draft_of
from engine.sheets.execution import run
from engine.sheets.query import RowsQuery
from engine.sheets.rows import tables_of
from ingest.item import Item
from tests.support.builders import document, sheet
from tests.support.toy_compute import MAILS, asking

TODAY = date(2026, 11, 28)

COSTS = """\
Date | Category | Shop | Amount | Balance | Note
Date: 2026-01-05 | Category: Groceries | Shop: Market | Amount: -114.36 | Balance: 900
Date: 2026-10-02 | Category: Groceries | Shop: Market | Amount: -86.20 | Balance: 813.80
Date: 2026-10-09 | Category: Fuel | Shop: Shell A1 | Amount: -60 | Note: groceries too
Date: 2026-10-30 | Category: Groceries | Shop: Ter Weele butcher | Amount: -14.30 | Balance: 739.50
Category: Total | Amount: -274.86
"""
LOAN = """\
Date | Paid back | Left to pay
Date: 2026-01-02 | Paid back: 250 | Left to pay: 1750
Date: 2026-02-02 | Paid back: 250 | Left to pay: 1500
Date: 2026-03-02 | Paid back: 100 | Left to pay: 1400
Date: 2026-04-02 | Paid back: 0 | Left to pay: 1400
Date: 2026-05-02 | Paid back: 400 | Left to pay: 1000
"""
FEES = """\
No | Name | Type | Fee | Paid
No: 1 | Name: Ana Lund | Type: junior | Fee: 60 | Paid: 60
No: 2 | Name: Bob Sato | Type: senior | Fee: 113 | Paid: 113
No: 3 | Name: Cy Junior Post | Type: senior | Fee: 113
No: 4 | Name: Di Roos | Type: junior | Fee: 60 | Paid: 30
"""
PARTS = """\
Pos | Part no | Description | Qty | Supplier | Lead time weeks
Pos: 1 | Part no: R-1 | Description: Casing | Qty: 1 | Supplier: Kok | Lead time weeks: 9
Pos: 2 | Part no: R-2 | Description: Stud | Qty: 12 | Supplier: Bolt Centrum | Lead time weeks: 2
Pos: 3 | Part no: R-3 | Description: Washer | Qty: 24 | Supplier: Bolt Centrum | Lead time weeks: 1
"""
HOURS = """\
Date | Fee earner | Client | Hours | Rate | Value
Date: 07/09/2026 | Fee earner: EW | Client: Orchard Cycles | Hours: 0.5 | Rate: 200 | Value: 100
Date: 21/09/2026 | Fee earner: DP | Client: Orchard Cycles | Hours: 1.5 | Rate: 285 | Value: 427.50
Date: 22/09/2026 | Fee earner: DP | Client: Hadnall | Hours: 3 | Rate: 285 | Value: 855
"""

BILLS = """\
Number | Date | Client | Net | VAT | Total | Status | Note
Number: INV-1 | Date: 2026-10-05 | Client: Kite & Co | Net: 50 | VAT: 10 | Total: 60 | Status: paid
Number: INV-2 | Date: 2026-11-05 | Client: Kite & Co | Net: 30 | VAT: 6 | Total: 36 | Status: open
Number: INV-3 | Date: 2026-10-06 | Client: Pelham | Net: 5 | VAT: 1 | Total: 6 | Note: see Kite & Co
"""
MONTHS = """\
month | service | amount | paid on
month: 2025-02 | service: gas | amount: 30 | paid on: 2025-03-05
month: 2026-01 | service: gas | amount: 30.1 | paid on: 2026-02-05
month: 2026-02 | service: gas | amount: 31.5 | paid on: 2026-03-05
month: 2026-02 | service: water | amount: 8 | paid on: 2026-03-05
"""
HONEY = """\
Season | Hive | Honey kg | Feed ltr
Season: 2024-25 | Hive: Boadicea | Honey kg: 18.2 | Feed ltr: 9
Season: 2025-26 | Hive: Boadicea | Honey kg: 31.2 | Feed ltr: 7
Season: 2025-26 | Hive: Maud | Honey kg: 12 | Feed ltr: 8
"""

FILES = (
    sheet(COSTS, "Household costs 2026.xlsx"),
    sheet(FEES, "Membership 2026.xlsx"),
    sheet(PARTS, "RX-150 parts.xlsx"),
    sheet(HOURS, "Time sheet.xlsx"),
    sheet(BILLS, "bills.csv"),
    sheet(MONTHS, "OldCoop utilities 2025-2026.csv"),
    sheet(HONEY, "hives.csv"),
    document("Ann | Bob\nA note that is no table. We spent 12 on groceries."),
)


def found(question: str, files: Sequence[Item] = FILES) -> RowsComputed | None:
    asked = rows_asked(question, TODAY)
    return computed(asked, tables_of(files), TODAY) if asked else None


def newest_first(table: str) -> str:
    header, *rows = table.splitlines()
    return "\n".join([header, *reversed(rows)])


@pytest.mark.parametrize("table", [LOAN, newest_first(LOAN)])
def test_a_running_column_is_not_added(table: str) -> None:
    (loan,) = tables_of([sheet(table, "Loan of Orla.xlsx")])
    everything = range(len(loan.rows))
    newest = newest_of_running(loan, "Left to pay", everything)
    assert newest is not None
    assert loan.rows[newest].cells["Date"] == "2026-05-02"
    assert newest_of_running(loan, "Paid back", everything) is None
    first_quarter = [i for i, row in enumerate(loan.rows) if row.cells["Date"] < "2026-04"]
    newest = newest_of_running(loan, "Left to pay", first_quarter)
    assert newest is not None
    assert loan.rows[newest].cells["Left to pay"] == "1400"

    overdrawn = sheet(
        "Date | Out | Amount\n"
        + "\n".join(f"Date: 2026-0{m}-01 | Out: 50 | Amount: {-50 * m}" for m in range(1, 6)),
        "Shop account.xlsx",
    )
    below = found("total of the shop account", [overdrawn])
    assert below is not None
    assert below.runs
    assert str(below.number) == "-250"  # below zero, and not paid
    (account,) = tables_of([overdrawn])
    queried = run(RowsQuery("sum", "Amount"), account, range(5))
    assert queried is not None
    assert queried.values[0][0] == "-250"

    marks = "Day | Score | Games\n" + "\n".join(
        f"Day: 2026-01-0{day} | Score: {day} | Games: 1" for day in range(1, 6)
    )
    (scores,) = tables_of([sheet(marks, "Scores.xlsx")])
    assert newest_of_running(scores, "Score", range(5)) is None  # each may be a score of its own

    asked = rows_asked("what was left to pay of the loan of orla", TODAY)
    assert asked is None  # a model asks
    query = RowsQuery("sum", "Left to pay")
    result = run(query, loan, everything)
    assert result is not None
    assert result.values[0][0] == "1,000"
    assert result.how == "the newest Left to pay in"
    paid = found(
        "how much did orla pay back on the loan in total", [sheet(table, "Loan of Orla.xlsx")]
    )
    assert paid is not None
    assert str(paid.number) == "1000"


@pytest.mark.parametrize(
    ("question", "number", "rows"),
    [
        ("total of groceries last month", "100.50", 2),  # all negative: what was paid
        ("How much have we spent on groceries this year so far?", "214.86", 3),
        ("what did we spend at Ter Weele altogether?", "14.30", 1),
        ("How many junior members do we have this season?", "2", 2),  # no name holds it alone
        ("How much have the junior members paid?", "90", 2),
        ("how many positions of the RX-150 parts come from Bolt Centrum?", "2", 2),
        ("How many hours were booked on Orchard Cycles in September?", "2.0", 2),
        ("how many hours did we log for orchard cycles since 15 September 2026", "1.5", 1),
        ("Total value for Hadnall", "855", 1),
        ("How much did we pay Kite & Co last month with VAT?", "60", 1),
        ("How much did we pay Kite & Co last month before VAT?", "50", 1),
        ("How many Kite & Co bills are paid?", "1", 1),  # a note that has it is none
        ("hours for Orchard Cycles in September, those of EW included", "2.0", 2),
        ("everybody's total hours for Orchard Cycles, including EW", "2.0", 2),
        ("groceries spending oct-nov 2026", "100.50", 2),  # not of November alone
        ("What did we spend on groceries in the first half of 2026?", "114.36", 1),
        ("How much have we billed Kite & Co in total, net of GST?", "80", 2),
        ("total for Kite & Co in October, net", "50", 1),
        ("What's the total we've been billed for Hadnall per the time sheet?", "855", 1),
        ("total for Kite & Co in October, gross", "60", 1),
        ("How many kilos of honey from hive Boadicea in all?", "49.4", 2),
        ("How many litres of feed for hive Maud?", "8", 1),
        ("How much gas was charged to the co-op for February 2026?", "31.5", 1),  # its month
    ],
)
def test_rows_are_counted_or_added(question: str, number: str, rows: int) -> None:
    result = found(question)
    assert result is not None
    assert str(result.number) == number
    assert len(result.chosen.numbers) == rows


@pytest.mark.parametrize(
    "question",
    [
        "How much have we spent on holidays this year?",  # no table has the word
        "How much have we spent on groceries in 2019?",  # no row of those days
        "How many junior members have not paid?",
        "What was the average we spent on groceries?",
        "Which shop did we spend the most at?",
        "How much more did we spend on fuel than on groceries?",
        "How many people came for the groceries?",  # rows of shopping are no people
        "hours for Orchard Cycles in September, calls included",  # no row is a call
        "total gas charged to the co-op since 15 February 2026",  # the row is all of the month
        "How many hours did I log for Orchard Cycles?",  # who "I" is among the fee earners
        "How many washers do we have?",  # a row is of 24
        "How much fuel did we spend between May and groceries?",
        "When did we spend money on groceries?",
        "How many groceries did Ann buy last month?",  # Ann is nowhere
        "Who are the junior members?",
        "What is the lead time of the casing?",
        "How much did the casing cost?",  # numbers alone are no amounts
        "How many junior members have paid?",  # not the sum of what they paid
        "How much did Kite & Co spend?",  # one bill is open
    ],
)
def test_other_questions_are_left_to_reading(question: str) -> None:
    assert found(question) is None


def test_two_tables_that_come_to_different_numbers_settle_nothing() -> None:
    other = sheet(COSTS.replace("-86.20", "-80"), "Old costs 2026.xlsx")
    assert found("total of groceries last month", [*FILES, other]) is None
    same = sheet(COSTS, "Copy of costs 2026.xlsx")
    assert found("total of groceries last month", [*FILES, same]) is not None


def test_the_answer_says_how_it_was_computed_and_cites_each_row() -> None:
    result = found("total of groceries last month")
    assert result is not None
    draft = draft_of(result)
    assert draft.text.splitlines() == [
        "100.50 [1][2]",
        "(the sum of Amount in 2 rows of Household costs 2026.xlsx, Sheet1, where a cell has "
        '"groceries" and Date is 2026-10-01 to 2026-10-31)',
    ]
    assert ["Groceries" in one.quote for one in draft.citations] == [True, True]


def test_a_cell_may_have_a_bar_and_an_empty_cell_is_left_out() -> None:
    (table,) = tables_of([document("A | B | C\nA: x | y | C: 3\nB: 2\nText ends it.\n")])
    assert [row.cells for row in table.rows] == [{"A": "x | y", "C": "3"}, {"B": "2"}]


@pytest.mark.parametrize(
    ("rows", "computed_as"),
    [
        (
            "Date: 2026-10-01 | Shop: Total | Amount: 5\nDate: 2026-10-02 | Shop: Aldi | Amount: 7",
            "12",
        ),
        (
            "Date: 2026-10-01 | Shop: A | Amount: 5 EUR\nDate: 2026-10-02 | Amount: 7 USD",
            None,
        ),
        (
            "Date: 10/02/2026 | Shop: Aldi | Amount: 5\nDate: 10/22/2026 | Shop: Aldi | Amount: 7",
            None,
        ),
    ],
)
def test_what_is_not_told_apart_is_not_added(rows: str, computed_as: str | None) -> None:
    costs = sheet(f"Date | Shop | Amount\n{rows}\n", "food costs.csv")
    result = found("How much did we spend on food last month?", [costs])
    assert (str(result.number) if result else None) == computed_as


def test_what_is_left_out_of_a_sum_is_said() -> None:
    days = [f"Date: 2026-10-0{i} | Shop: Aldi | Amount: {2 * i}" for i in range(1, 9)]
    rows = [
        *days,
        "Date: soon | Shop: Aldi | Amount: 9",
        "Date: 2026-10-09 | Shop: Aldi | Amount: ?",
    ]
    costs = sheet("\n".join(["Date | Shop | Amount", *rows]), "food costs.csv")
    result = found("How much did we spend on food last month?", [costs])
    assert result is not None
    said = draft_of(result).text
    assert said.startswith("72 ")
    assert "1 row without a number; left out, without a day: 1 row)" in said


def test_the_header_of_a_markdown_table_keeps_its_bars_and_its_rule() -> None:
    text = "# Costs\n\n| Shop | Net |\n|---|---:|\nShop: Aldi | Net: 3\nShop: Lidl | Net: 4\n"
    (table,) = tables_of([document(text)])
    assert (table.columns, len(table.rows)) == (("Shop", "Net"), 2)


def test_a_document_may_hold_several_tables() -> None:
    text = "A | B\nA: 1 | B: 2\n\nThen\nC | D\nC: 3 | D: 4\nC: 5 | D: 6\n"
    tables = list(tables_of([document(text)]))
    assert [(one.columns, len(one.rows)) for one in tables] == [(("A", "B"), 1), (("C", "D"), 2)]
    for one in tables:
        for row in one.rows:
            assert text[row.start : row.end].startswith(f"{one.columns[0]}: ")


def test_auto_computes_rows_without_a_model_and_is_unsure(fake_generator: Any) -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    ask = asking(fake_generator)
    answer, _, models = ask("total of groceries last month", FILES, strategy="auto", now=now)
    assert answer.text.startswith("100.50 [1][2]")
    assert (answer.certainty, answer.grounded) == ("unsure", "grounded")
    assert [one.text for one in answer.reasons] == [BY_WORDS.text]
    assert not models["g"].prompts + models["l"].prompts
    answer, _, models = ask("average of groceries last month", FILES, strategy="auto", now=now)
    assert models["g"].prompts


def test_a_question_for_mails_is_not_answered_from_a_table_of_them(fake_generator: Any) -> None:
    listed = "Date | From | Subject\nDate: 2026-03-05 | From: Kim | Subject: Boat\n"
    ask = asking(fake_generator)
    items = [*MAILS, sheet(listed, "mails.csv")]
    answer, _, _ = ask("How many mails from Kim in March?", items, strategy="auto", infer=False)
    assert answer.text == "2 mails [1][2]"

"""A model asks a table what a question says; the program checks it, runs it and cites the rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.generation.draft import Draft
from engine.sheets.execution import run
from engine.sheets.posed import posed
from engine.sheets.proposal import BY_MODEL, Candidate, candidate, computed_by, query_by
from engine.sheets.query import Condition, RowsQuery
from engine.sheets.rows import tables_of
from ingest.item import Item
from models.llama.generator import load_llama
from models.protocols import Grammar
from tests.support.builders import sheet
from tests.support.in_store import weights_of
from tests.support.toy_compute import asking

TODAY = date(2026, 11, 28)

FEES = """\
Fees of the season
No | Name | Type | Fee | Date paid
Fees of the season | No: 1 | Name: Ana Lund | Type: junior | Fee: 60 | Date paid: 2026-09-01
Fees of the season | No: 2 | Name: Bob Sato | Type: senior | Fee: 110
Fees of the season | No: 3 | Name: Cy Post | Type: senior | Fee: 110 | Date paid: 2026-10-02
Fees of the season | No: 4 | Name: Di Roos | Type: junior | Fee: 60
"""
TRIPS = """\
Date | Driver | To | Miles | Claim
Date: 2026-01-05 | Driver: Derek | To: Harlow | Miles: 40 | Claim: 18
Date: 2026-03-02 | Driver: Sue | To: Bath | Miles: 90 | Claim: 40.50
Date: 2026-06-09 | Driver: Derek | To: Harlow | Miles: 35 | Claim: 15.75
Date: 2026-10-01 | Driver: Derek | To: York | Miles: 60 | Claim: 27
"""
BILLS = """\
Number | Client | Job | Total | Status
Number: INV-1 | Client: Kite | Job: Roof of Pelham hall | Total: 60 | Status: paid
Number: INV-2 | Client: Pelham | Job: Gutters | Total: 36 | Status: unpaid
Number: INV-3 | Client: Kite | Job: Chimney | Total: 90 | Status: unpaid
Number: INV-4 | Client: Hadnall | Job: Doors | Total: 12.50 | Status: paid
"""
MARKS = """\
Reg. no. | Name | Task 1 (10) | Task 2 (10) | Remark
Reg. no.: A/1 | Name: Ana Lund | Task 1 (10): 8 | Task 2 (10): 9 | Remark: late
Reg. no.: A/2 | Name: Bob Sato | Task 1 (10): 6 | Remark: ill
Reg. no.: A/3 | Name: Cy Post | Task 1 (10): 6 | Task 2 (10): 5
Reg. no.: A/4 | Name: Di Roos | Task 2 (10): 7
"""
MONTHS = """\
month | service | amount | paid on
month: 2025-02 | service: gas | amount: 99 | paid on: 2025-03-05
month: 2026-01 | service: gas | amount: 30.1 | paid on: 2026-02-05
month: 2026-02 | service: gas | amount: 31.5 | paid on: 2026-03-05
month: 2026-02 | service: water | amount: 80 | paid on: 2026-03-05
"""
SUBS = """\
first | last | due | paid
first: Alan | last: Prowse | due: 60 | paid: no
first: Mo | last: Prowse | due: 60 | paid: yes
first: Alan | last: Haddad | due: 60 | paid: no
"""
TERM = """\
Family | Invoiced | Paid | Owing
Family: Li | Invoiced: 400 | Paid: 380 | Owing: 20
Family: O'Hara | Invoiced: 484 | Owing: 484
Family: Roe | Invoiced: 4 | Paid: 4 | Owing: 0
"""
TRUSSES = """\
Truss | Span | Load
Truss: T1 | Span: 12 | Load: 3.1
Truss: T2 | Span: 12 | Load: 4.4
Truss: T3 | Span: 14 | Load: 2.9
"""
BERTHS = """\
Berth | Boat | Fee GBP | Insurance seen
Berth: A1 | Boat: Kestrel | Fee GBP: 100 | Insurance seen: yes
Berth: A2 | Boat: Puffin | Fee GBP: 120 | Insurance seen: no
Berth: A3 | Boat: Tern | Fee GBP: 90 | Insurance seen: no
"""
LEDGER = """\
Date | What | In/Out | Category | Balance
Date: 2026-01-05 | What: Opening balance | Balance: 500
Date: 2026-01-20 | What: Clay | In/Out: -60 | Category: clay | Balance: 440
Date: 2026-02-01 | What: January firing | In/Out: 35 | Category: kiln fees | Balance: 475
Date: 2026-02-10 | What: Glaze | In/Out: -20 | Category: clay | Balance: 455
Date: 2026-03-01 | What: February firing | In/Out: 28 | Category: kiln fees | Balance: 483
Date: 2026-03-04 | What: Clay sent back | In/Out: 12 | Category: clay | Balance: 495
"""
HOUSEHOLD = """\
Month 2026 | Groceries | Petrol
Month 2026: Jul | Groceries: 800 | Petrol: 90
Month 2026: Aug | Groceries: 948 | Petrol: 120
Month 2026: Sep | Groceries: 790 | Petrol: 100
"""
LOANED = """\
No | Object | Value GBP
No: 4 | Object: oar | Value GBP: 40
No: 9 | Object: tapestry | Value GBP: 900
No: 12 | Object: compass | Value GBP: 200
"""
HANDLED = """\
No | Object | Method
No: 3 | Object: oar | Method: two people
No: 9 | Object: tapestry | Method: on a roll
No: 12 | Object: compass | Method: gloves
"""


FILES = (
    *(sheet(FEES, "Membership.xlsx"), sheet(TRIPS, "Mileage.csv")),
    *(sheet(BILLS, "Invoices.xlsx"), sheet(MARKS, "SWE-9.xlsx")),
    *(sheet(SUBS, "choir subs.csv"), sheet(TERM, "Term 4 accounts.xlsx")),
    *(sheet(MONTHS, "coop 2025-2026.csv"), sheet(TRUSSES, "26-002_OldMill loads.xlsx")),
    *(sheet(BERTHS, "Berth list.xlsx"), sheet(LEDGER, "Guild accounts 2026.xlsx")),
    sheet(HOUSEHOLD, "household.xlsx"),
    *(sheet(LOANED, "Clyde annex.csv"), sheet(HANDLED, "Clyde annex signed.pdf")),
)


def chosen(question: str, files: Sequence[Item] = FILES) -> Candidate | None:
    asked = posed(question, TODAY)
    return candidate(asked, tables_of(files), TODAY) if asked else None


def told(question: str, line: str, fake_generator: Any) -> Draft | None:
    """Return what a question comes to where the model writes this line behind SELECT."""
    asked, found = posed(question, TODAY), chosen(question)
    assert asked is not None
    assert found is not None
    query = query_by(fake_generator("g", [f" {line}"]), asked, found)
    return None if query is None else computed_by(query, found)


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        ("who hasn't paid the membership fee yet?", "name FROM t WHERE date_paid IS NULL",
         "Bob Sato [1]\nDi Roos [2]"),
        ("Which juniors have not paid their fee?",
         "name FROM t WHERE date_paid IS NULL AND type = 'junior'", "Di Roos [1]"),
        ("how many people have paid the choir subs?", "COUNT(*) FROM t WHERE paid = 'yes'",
         "1 [1]"),
        ("how many members paid since October", "COUNT(*) FROM t WHERE date_paid IS NOT NULL",
         "1 [1]"),
        ("Who has driven the most miles this year?",
         "driver FROM t ORDER BY miles DESC LIMIT 1", "Derek [1][2][3]"),
        ("Who has driven the fewest miles?".replace("fewest", "least"),
         "driver FROM t GROUP BY driver ORDER BY SUM(miles) DESC LIMIT 1", "Sue [1]"),
        ("Which single trip row had the most miles, to where?".replace("trip ", ""),
         "to FROM t ORDER BY miles DESC LIMIT 1", "Bath [1]"),
        ("What is the average claim of Derek?", "AVG(claim) FROM t WHERE driver = 'Derek'",
         "20.25 [1][2][3]"),
        ("how many miles did Derek drive to Harlow",
         "SUM(miles) FROM t WHERE driver = 'Derek' AND to = 'Harlow'", "75 [1][2]"),
        ("What was the largest claim this year, how much?", "MIN(claim) FROM t", "40.50 [1]"),
        ("peak claim logged this year", "MAX(claim) FROM t", "40.50 [1]"),
        ("min claim this year", "MAX(claim) FROM t", "15.75 [1]"),
        ("priciest item of the claims", "to FROM t ORDER BY claim DESC LIMIT 1", "Bath [1]"),
        ("How many claims of more than 20 pounds are there?",
         "COUNT(*) FROM t WHERE claim > 20", "2 [1][2]"),
        ("Which type is Bob Sato?", "type FROM t WHERE name = 'Bob Sato'", "senior [1]"),
        ("Which claims are 20 pounds or more?", "claim FROM t WHERE claim >= 20",
         "40.50 [1]\n27 [2]"),
        ("which clients still have bills outstanding?",
         "client FROM t WHERE status = 'unpaid'", "Pelham [1]\nKite [2]"),
        ("How many different clients do the invoices have?", "COUNT(DISTINCT client) FROM t",
         "3 [1][2][3][4]"),
        ("Which student has not handed in task 2?", "name FROM t WHERE task_2_10 IS NULL",
         "Bob Sato [1]"),
        ("Which student has the most in task 2?",
         "name FROM t ORDER BY task_2_10 DESC LIMIT 1", "Ana Lund [1]"),
        ("who has not paid the choir subs?", "first FROM t WHERE paid = 'no'",
         "Alan Prowse [1]\nAlan Haddad [2]"),
        ("which family owes most for term 4?",
         "family FROM t ORDER BY owing DESC LIMIT 1", "O'Hara [1]"),
        ("number of our biggest invoice", "number FROM t ORDER BY total DESC LIMIT 1", "INV-3 [1]"),
        ("which month of 2026 had the highest gas bill at the co-op?",
         "month FROM t WHERE service = 'gas' ORDER BY amount DESC LIMIT 1", "2026-02 [1]"),
        ("co-op gas bill for february 2026, how much", "SUM(amount) FROM t WHERE service = 'gas'",
         "31.5 [1]"),
        ("which truss at the old mill has the highest load?",
         "truss FROM t ORDER BY load DESC LIMIT 1", "T2 [1]"),
        ("how many boats on the berth list have not shown us insurance",
         "COUNT(*) FROM t WHERE insurance_seen = 'no'", "2 [1][2]"),
        ("kiln fee income 2026 guild", "SUM(in_out) FROM t WHERE category = 'kiln fees'",
         "63 [1][2]"),
        ("groceries august 2026, total in the household sheet", "SUM(groceries) FROM t", "948 [1]"),
        ("what is the claim total of Derek",
         "SUM(claim) FROM t WHERE driver = 'Derek' AND driver != 'Derek'", "60.75 [1][2][3]"),
        ("priciest thing on clyde annex", "object FROM t ORDER BY value_gbp DESC LIMIT 1",
         "tapestry [1]"),
        ("dereks outlay on mileage claims this year, all up",
         "SUM(claim) FROM t WHERE driver = 'Derek'", "60.75 [1][2][3]"),
    ],
)  # fmt: skip
def test_a_query_is_run_and_cites_its_rows(
    question: str, line: str, answer: str, fake_generator: Any
) -> None:
    draft = told(question, line, fake_generator)
    assert draft is not None
    said, _, how = draft.text.partition("\n(")
    assert said == answer
    assert how.endswith(")")
    assert BY_MODEL in draft.reasons
    assert len(draft.citations) == said.count("[")
    assert all(": " in one.quote for one in draft.citations)


@pytest.mark.parametrize(
    ("question", "line"),
    [
        # A condition that the question does not state.
        ("How many juniors are there?", "COUNT(*) FROM t WHERE fee = 60"),
        ("Which juniors have not paid their fee?", "name FROM t WHERE date_paid IS NULL"),
        # What is denied is left out.
        ("who hasn't paid the membership fee yet?", "name FROM t WHERE date_paid IS NOT NULL"),
        ("who hasn't paid the membership fee yet?", "name FROM t"),
        # Another column than the one that is named.
        ("how much is the total claim of Derek?", "SUM(miles) FROM t WHERE driver = 'Derek'"),
        # A word without a part in it.
        ("how many miles did Derek drive to Harlow", "SUM(miles) FROM t WHERE to = 'Harlow'"),
        ("How many claims of more than 20 pounds are there?", "COUNT(*) FROM t"),
        # Another column is listed.
        ("Which type is Bob Sato?", "name FROM t WHERE name = 'Bob Sato'"),
        ("who hasn't paid the membership fee yet?", "fee FROM t WHERE date_paid IS NULL"),
        ("Which student has not handed in task 2?", "reg_no FROM t WHERE task_2_10 IS NULL"),
        # Another column of the same name is empty.
        ("Which student has not handed in task 2?", "name FROM t WHERE task_1_10 IS NULL"),
        ("Which student has the most in task 2?", "name FROM t ORDER BY task_1_10 DESC LIMIT 1"),
        # What came in and what went out, as if both were the one.
        ("clay outlay 2026 guild", "SUM(in_out) FROM t WHERE category = 'clay'"),
        ("clay income 2026-01-20 guild", "SUM(in_out) FROM t WHERE category = 'clay'"),
        # A balance is no amount of its own.
        ("kiln fee income 2026 guild", "SUM(balance) FROM t WHERE category = 'kiln fees'"),
        # Cut off, or none of the grammar.
        ("who hasn't paid the membership fee yet?", "name FR"),
        ("who hasn't paid the membership fee yet?", "name FROM t WHERE nothing IS NULL"),
    ],
)
def test_a_query_that_does_not_account_for_the_question_is_not_run(
    question: str, line: str, fake_generator: Any
) -> None:
    assert told(question, line, fake_generator) is None


@pytest.mark.parametrize(
    "question",
    [
        "who hasn't paid the parking permit?",  # no table has the word
        "Which pump has not handed in task 2?",  # a row is nothing that it names
        "How many trips did Derek make?",  # nor is a row called a trip by any name here
        "How many miles per driver?",
        "berth number of Puffin",
        "What is the box number of Puffin?",
        "How many more miles did Derek drive?",
        "Who drove more miles than Sue?",
        "Why has Bob not paid the membership fee?",
        "What will the largest claim be?",
        "How much VAT is on the invoices?",
        "When did Derek drive to Harlow?",
        "Which claims are from before March and after May?",
    ],
)
def test_other_questions_ask_no_table(question: str) -> None:
    assert chosen(question) is None


def test_people_are_not_counted_in_rows_of_which_each_has_several() -> None:
    assert chosen("How many people drove to Harlow?") is None
    assert chosen("How many people paid the choir subs?") is not None


def test_names_of_things_are_not_of_people() -> None:
    question = "Which student has not handed in task 2?"
    assert chosen(question, [sheet(MARKS, "SWE-9.xlsx")])
    assert not chosen(question, [sheet(MARKS.replace("Name", "File name"), "SWE-9.xlsx")])


def test_two_tables_that_have_the_words_alike_are_not_asked() -> None:
    other = sheet(TRIPS, "Mileage 2.csv")
    assert chosen("how many miles did Derek drive to Harlow", [*FILES, other]) is None


def test_only_rows_of_the_days_count_and_the_others_are_said(fake_generator: Any) -> None:
    question = "how many miles did Derek drive since June"
    draft = told(question, "SUM(miles) FROM t WHERE driver = 'Derek'", fake_generator)
    assert draft is not None
    assert draft.text.splitlines() == [
        "95 [1][2]",
        '(the sum of Miles in 2 rows of Mileage.csv, Sheet1, where Driver is "Derek" and '
        "Date is from 2026-06-01 on)",
    ]


def test_rows_that_lack_what_is_added_or_listed_are_said(fake_generator: Any) -> None:
    trips = f"{TRIPS}Date: 2026-11-02 | Driver: Derek | To: Harlow | Miles: ?\n"
    trips += "Date: 2026-11-03 | To: Harlow | Miles: 3\n"
    files = [sheet(trips, "Mileage.csv")]

    def said(question: str, line: str) -> str:
        asked, found = posed(question, TODAY), chosen(question, files)
        assert asked is not None
        assert found is not None
        query = query_by(fake_generator("g", [f" {line}"]), asked, found)
        draft = computed_by(query, found) if query else None
        assert draft is not None
        return draft.text

    added = said("how many miles did Derek drive", "SUM(miles) FROM t WHERE driver = 'Derek'")
    assert added.startswith("135 ")
    assert added.endswith("; 1 row without a number in Miles)")
    listed = said("which driver was in Harlow?", "driver FROM t WHERE to = 'Harlow'")
    assert listed.startswith("Derek [1]")
    assert listed.endswith("; 1 row without Driver)")


@pytest.mark.parametrize(
    "query",
    [
        RowsQuery("list", "Driver", by="Driver", ordered=("sum", "Claim")),
        RowsQuery("list", "Driver", ordered=("list", "Claim"), single=True),
        RowsQuery("sum", "Claim"),
        RowsQuery("max", "Claim"),
    ],
)
def test_different_units_are_neither_added_nor_compared(query: RowsQuery) -> None:
    (dollars,) = tables_of([sheet(TRIPS.replace("Claim: 18", "Claim: 18 USD"), "Mileage.csv")])
    (plain,) = tables_of([sheet(TRIPS, "Mileage.csv")])
    assert run(query, plain, range(4)) is not None
    assert run(query, dollars, range(4)) is None


def test_a_cell_that_is_an_amount_may_be_a_condition() -> None:
    (bills,) = tables_of([sheet(BILLS.replace("Job: Doors", "Job: 12 EUR"), "Invoices.xlsx")])
    query = RowsQuery("list", "Client", (Condition("Job", "=", "12 EUR"),))
    found = run(query, bills, range(4))
    assert found is not None
    assert found.values == (("Hadnall", (3,)),)


def test_words_of_a_whole_cell_are_no_condition_on_another(fake_generator: Any) -> None:
    question = "How many invoices of Pelham are there?"
    line = "COUNT(*) FROM t WHERE client = 'Pelham' AND job LIKE '%Pelham%'"
    draft = told(question, line, fake_generator)
    assert draft is not None
    assert draft.text.startswith("1 [1]")


@pytest.mark.parametrize(
    ("question", "columns"),
    [
        ("which clients have unpaid bills?", '"client"'),
        (
            "how many different clients have unpaid bills?",
            '"number" | "client" | "job" | "total" | "status"',
        ),
    ],
)
def test_the_model_may_write_nothing_but_columns_and_cells_of_the_table(
    question: str, columns: str, fake_generator: Any
) -> None:
    asked, found = posed(question, TODAY), chosen(question)
    assert asked is not None
    assert found is not None
    model = fake_generator("g", [" client FROM t"])
    query_by(model, asked, found)
    (request,) = model.requests
    assert isinstance(request.constraint, Grammar)
    rules = dict(line.split(" ::= ") for line in request.constraint.gbnf.splitlines())
    assert rules["column"] == columns
    assert "'unpaid'" in rules["condition"]
    assert "Gutters" not in request.constraint.gbnf


def test_auto_asks_a_table_and_is_unsure(fake_generator: Any) -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    lines = [" name FROM t WHERE date_paid IS NULL"]
    question = "who hasn't paid the membership fee yet?"
    ask = asking(fake_generator)
    answer, _, models = ask(question, FILES, generator=lines, strategy="auto", now=now)
    assert answer.text.splitlines()[:2] == ["Bob Sato [1]", "Di Roos [2]"]
    assert answer.certainty == "unsure"
    assert len(models["g"].prompts) == 1


@pytest.mark.slow
def test_a_real_model_asks_tables() -> None:
    large = "qwen2.5-coder-1.5b-instruct-q4_k_m"
    model = load_llama(weights_of(large), large, context=2048)
    answers = []
    try:
        for question in (
            "who hasn't paid the membership fee yet?",
            "Who has driven the most miles this year?",
            "how many miles did Derek drive to Harlow",
            "Which student has not handed in task 2?",
        ):
            asked, found = posed(question, TODAY), chosen(question)
            assert asked is not None
            assert found is not None
            query = query_by(model, asked, found)
            draft = computed_by(query, found) if query else None
            answers.append(draft and draft.text.partition(" [")[0])
    finally:
        model.close()
    assert answers == ["Bob Sato", "Derek", "75", "Bob Sato"]

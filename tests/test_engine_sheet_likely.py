"""A question in other words than its table's is asked of the table that has most of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest

from engine.generation.draft import Draft
from engine.sheets.completeness import is_sound
from engine.sheets.likely import Likely, lacks, likely, likely_query
from engine.sheets.posed import posed_loosely
from engine.sheets.proposal import computed_by
from engine.sheets.query import Condition, RowsQuery
from engine.sheets.rows import tables_of
from ingest.item import Item
from models.llama.generator import load_llama
from models.protocols import Grammar
from tests.support.builders import document, sheet
from tests.support.in_store import weights_of
from tests.support.toy_compute import asking

TODAY = date(2026, 11, 30)
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)

SUBS = """\
Surname | Voice | Rate F/C | Due £ | Pd £
Surname: Lund | Voice: S | Rate F/C: F | Due £: 130 | Pd £: 130
Surname: Sato | Voice: A | Rate F/C: C | Due £: 90
Surname: Post | Voice: T | Rate F/C: C | Due £: 90 | Pd £: 45
Surname: Roos | Voice: B | Rate F/C: F | Due £: 130
"""
BANK = """\
Date | Type | Description | Debit GBP | Credit GBP
Date: 2026-07-30 | Type: FPO | Description: Ellis & Co | Debit GBP: 400
Date: 2026-08-09 | Type: FPO | Description: Ellis & Co | Debit GBP: 300
Date: 2026-08-21 | Type: DD | Description: Kelp Power | Debit GBP: 60
Date: 2026-09-02 | Type: BGC | Description: Marlow | Credit GBP: 900
Date: 2026-10-08 | Type: FPO | Description: Ellis & Co | Debit GBP: 250
"""
CORES = """\
No. | Place | Type | Strength N/mm2
No.: S1 | Place: wall A, low | Type: core | Strength N/mm2: 8
No.: S2 | Place: wall B | Type: core | Strength N/mm2: 2
No.: S3 | Place: wall A, high | Type: core | Strength N/mm2: 9
No.: S4 | Place: pier | Type: cube | Strength N/mm2: 30
"""
HOURS = """\
Month | Clerk | Calls
Month: September | Clerk: Ida | Calls: 4
Month: October | Clerk: Ida | Calls: 11
Month: November | Clerk: Ida | Calls: 7
"""
TRIPS = """\
Date | Who | Miles
Date: 2026-05-02 | Who: Ida | Miles: 12
Date: 2026-05-09 | Who: Bo | Miles: 30
Date: 2026-06-11 | Who: Ida | Miles: 8
"""
BILLS = """\
Number | Firm | Net | Total | State
Number: 1 | Firm: Kelp | Net: 50 | Total: 60 | State: paid
Number: 2 | Firm: Kelp | Net: 30 | Total: 36 | State: cancelled
Number: 3 | Firm: Marlow | Net: 75 | Total: 90 | State: paid
"""
FILES = (
    *(
        sheet(SUBS, "choir subs.xlsx"),
        sheet(BANK, "business account.csv"),
        sheet(CORES, "samples.csv"),
    ),
    *(sheet(HOURS, "applications.xlsx"), sheet(TRIPS, "mileage.csv"), sheet(BILLS, "bills.csv")),
)


def chosen(question: str, files: Sequence[Item] = FILES) -> Likely | None:
    """Return the table that is asked first, each file ranked by its place."""
    asked = posed_loosely(question, TODAY)
    ranks = {id(one): rank for rank, one in enumerate(files, start=1)}
    return next(likely(asked, tables_of(files), ranks, TODAY), None) if asked else None


def told(question: str, line: str, fake_generator: Any) -> Draft | None:
    """Return what a question comes to where the model writes this line behind SELECT."""
    one = chosen(question)
    assert one is not None
    query = likely_query(fake_generator("g", [f" {line}"]), one)
    return None if query is None else computed_by(query, one.found)


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        ("how many singers haven't handed over a penny of their subs yet?",
         "COUNT(*) FROM t WHERE pd IS NULL", "2"),
        ("how many in the choir are on the concession rate",
         "COUNT(*) FROM t WHERE rate_f_c = 'C'", "2"),
        ("what did the business account transfer to Ellis since august, all together",
         "SUM(debit_gbp) FROM t WHERE description LIKE '%Ellis%'", "550"),
        ("Mean strength of the two cores from wall A",
         "AVG(strength_n_mm2) FROM t WHERE place LIKE '%wall A%'", "8.50"),
        ("how many calls did Ida take for us in october",
         "SUM(calls) FROM t WHERE month = 'October'", "11"),
        ("how many miles in total please, not those of Bo",
         "SUM(miles) FROM t WHERE who NOT LIKE '%Bo%'", "20"),
        ("going by the samples sheet, the average strength of it all",
         "AVG(strength_n_mm2) FROM t", "12.25"),
        ("how much did I bill Marlow for, in total, before VAT",
         "SUM(net) FROM t WHERE firm = 'Marlow'", "75"),
    ],
)  # fmt: skip
def test_a_table_is_asked_in_other_words_than_its_own(
    question: str, line: str, answer: str | None, fake_generator: Any
) -> None:
    draft = told(question, line, fake_generator)
    assert (draft and draft.text.partition(" [")[0]) == answer


@pytest.mark.parametrize(
    ("question", "line"),
    [
        # nothing is denied
        ("how many singers haven't paid a penny of their subs?", "COUNT(*) FROM t"),
        # a word of the table is left out and all rows are counted
        ("how many in the choir are on the concession rate", "COUNT(*) FROM t"),
        # the month has no part in it
        ("how many calls did Ida take for us in october", "SUM(calls) FROM t"),
        # what is counted is not what is added
        ("how many singers in the choir have a rate", "SUM(due) FROM t"),
        # of several people, none of them named
        ("how many miles did I drive in total", "SUM(miles) FROM t"),
        # a number that is neither named nor money
        ("what did the wall A come to in total", "SUM(strength_n_mm2) FROM t"),
        # some are cancelled
        ("what did Kelp bill come to in total", "SUM(total) FROM t WHERE firm = 'Kelp'"),
    ],
)
def test_a_query_that_says_too_little_is_not_run(
    question: str, line: str, fake_generator: Any
) -> None:
    assert told(question, line, fake_generator) is None


@pytest.mark.parametrize(
    "question",
    [
        # too few words of any table
        "how many guests did we settle on for the interval drinks",
        # "how much" of what a table hardly has
        "how much did the rotten wood add to the bank job?",
        # an amount that is written somewhere
        "number of the choir certificate",
        # two amounts, a price
        "how much more is the full rate of the choir than the concession",
        "how many subs does the choir take per head",
        # it asks for words
        "what did the choir decide about subs",
        "what does calls mean on the applications",
        # amounts that say nothing of tax, rows that may not be there
        ("what did the business account pay Ellis in total, before VAT"),
        ("what did the business account pay Ellis in total, tips included"),
        # a name and a letter that the table lacks
        "how many subs of the choir has Pemberton paid in total",
        "Mean strength of the cores from wall D",
    ],
)
def test_other_questions_have_no_likely_table(question: str) -> None:
    assert chosen(question) is None


def test_no_table_is_likely_whose_passages_rank_last() -> None:
    asked = posed_loosely("how many in the choir are on the concession rate", TODAY)
    assert asked is not None
    assert not list(likely(asked, tables_of(FILES), {}, TODAY))


def test_days_that_no_column_has_leave_no_rows() -> None:
    assert chosen("what did the miles of Ida come to in october") is None


def test_of_sheets_alike_the_one_named_by_its_months_is_meant() -> None:
    days = "Date | Trip | Pkg/toll £\n"
    rows = "".join(
        f"Date: 2026-{month:02}-0{day} | Trip: Leith | Pkg/toll £: {day}\n"
        for month in (7, 8, 9)
        for day in (1, 2)
    )
    spring = rows.replace("-07-", "-04-").replace("-08-", "-05-").replace("-09-", "-06-")
    files = []
    for name, text in (("Apr-Jun", spring), ("Jul-Sep", rows)):
        item = sheet(days + text, "mileage.xlsx")
        files.append(replace(item, locator=replace(item.locator, sheet=name)))
    one = chosen("What did the tolls come to in the July to September sheet?", files)
    assert one is not None
    assert one.found.table.item.locator.sheet == "Jul-Sep"
    assert len(one.found.rows) == 6


@pytest.mark.parametrize(
    ("question", "query"),
    [
        # somebody's miles, who need not be the person
        ("how many miles did I drive in total",
         RowsQuery("sum", "Miles", (Condition("Miles", "=", "30"),))),
        # the only bill that is meant is cancelled
        ("what did the bills of 30 come to in total",
         RowsQuery("sum", "Total", (Condition("Net", "=", "30"),))),
    ],
)  # fmt: skip
def test_rows_that_may_not_be_meant_are_not_added(question: str, query: RowsQuery) -> None:
    asked = posed_loosely(question, TODAY)
    assert asked is not None
    (table,) = (one for one in tables_of(FILES) if query.column in one.columns)
    assert not is_sound(query, asked, table, range(len(table.rows)))


def test_what_goes_in_and_out_of_an_account_is_not_added(fake_generator: Any) -> None:
    text = "Date | Payee | Amount\n" + "".join(
        f"Date: 2026-0{month}-02 | Payee: Ellis | Amount: {amount}\n"
        for month, amount in ((1, -40), (2, 15), (3, -40))
    )
    one = chosen("what did we transfer to Ellis from the club account, in total",
                 (sheet(text, "club account.csv"),))  # fmt: skip
    assert one is not None
    model = fake_generator("g", [" SUM(amount) FROM t WHERE payee = 'Ellis'"])
    assert likely_query(model, one) is None


def test_codes_and_phrases_are_all_that_a_condition_may_name(fake_generator: Any) -> None:
    one = chosen("how many in the choir are on the concession rate")
    assert one is not None
    model = fake_generator("g", [" COUNT(*) FROM t"])
    likely_query(model, one)
    (request,) = model.requests
    assert isinstance(request.constraint, Grammar)
    assert "rate_f_c" in request.constraint.gbnf
    assert "\"'C'\"" in request.constraint.gbnf
    assert "Lund" not in request.constraint.gbnf
    assert "IS NULL" not in request.constraint.gbnf


def test_what_the_table_lacks_speaks_against_the_answer(fake_generator: Any) -> None:
    question = "how many singers haven't handed over a penny of their subs yet?"
    one = chosen(question)
    assert one is not None
    (lacking,) = lacks(one)
    assert lacking.text == 'the table does not have "singers", "penny"'
    assert not lacking.speaks_for
    ask = asking(fake_generator)
    lines = [" COUNT(*) FROM t WHERE pd IS NULL"]
    answer, _, models = ask(question, FILES, generator=lines, strategy="auto", now=NOW)
    assert answer.text.startswith("2 [1][2]")
    assert "where Pd £ is empty" in answer.text
    assert answer.certainty == "unsure"
    assert lacking in answer.reasons
    assert len(models["g"].prompts) == 1


def test_a_question_of_mails_is_not_asked_of_a_table(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    files = (*FILES, document("The choir met on Tuesday.", "minutes.txt"))
    question = "how many emails about the choir subs did I get in total?"
    _, _, models = ask(question, files, generator=["none"], strategy="auto", now=NOW)
    assert all("CREATE TABLE" not in prompt for prompt in models["g"].prompts)


@pytest.mark.slow
def test_a_real_model_asks_tables_in_other_words() -> None:
    large = "qwen2.5-coder-1.5b-instruct-q4_k_m"
    model = load_llama(weights_of(large), large, context=2048)
    answers = []
    try:
        for question in (
            "how many singers haven't handed over a penny of their subs yet?",
            "how many in the choir are on the concession rate",
            "what have I transferred to Ellis from the business account since august, all together",
            "Mean strength of the two cores from wall A",
        ):
            one = chosen(question)
            assert one is not None
            query = likely_query(model, one)
            draft = computed_by(query, one.found) if query else None
            answers.append(draft and draft.text.partition(" [")[0])
    finally:
        model.close()
    assert answers == ["2", "2", "550", "8.50"]

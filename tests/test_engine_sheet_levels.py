"""Rows below or above another column of theirs: stock below its reorder level."""

from __future__ import annotations

from typing import Any

import pytest

from engine.generation.draft import Draft
from engine.sheets.levels import level, level_asked
from engine.sheets.rows import tables_of
from tests.support.builders import sheet
from tests.support.toy_compute import asking

STOCK = """\
Item | Category | On hand | Reorder level | Unit cost
Item: Suture | Category: Surgical | On hand: 7 | Reorder level: 12 | Unit cost: 49.78
Item: Drape | Category: Surgical | On hand: 10 | Reorder level: 10 | Unit cost: 3
Item: Gloves | Category: Exam | On hand: 4 | Reorder level: 20 | Unit cost: 8
Item: Gauze | Category: Exam | On hand: 40 | Reorder level: 20 | Unit cost: 2
Item: Swabs | Category: Exam | Reorder level: 20 | Unit cost: 2
"""
JOBS = """\
Job | Budget | Actual
Job: Roof | Budget: 9,800 | Actual: 10,465
Job: Wall | Budget: 900 | Actual: 900
Job: Porch | Budget: 400 | Actual: 350
"""
FILES = (sheet(STOCK, "stock_count.xlsx"), sheet(JOBS, "jobs.csv"))


def told(question: str, *files: Any) -> Draft | None:
    asked = level_asked(question)
    assert asked is not None
    return level(asked, tables_of(files or FILES))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many stock items are below their reorder level?", ["2 [1][2]"]),
        ("how many surgical items are under the reorder level", ["1 [1]"]),
        ("how many items are at or below their reorder level", ["3 [1][2][3]"]),
        ("how many items are above reorder level right now", ["1 [1]"]),
        ("which items have fallen below their reorder level?",
         ["Suture: 7 of 12 [1]", "Gloves: 4 of 20 [2]"]),
        ("which jobs are over their budget", ["Roof: 10,465 of 9,800 [1]"]),
        ("anything in exam above its reorder level?", ["Gauze: 40 of 20 [1]"]),
        ("which surgical items are above reorder level", ["None [1][2]"]),
        ("how many surgical items are above reorder level", ["0 [1][2]"]),
    ],
)  # fmt: skip
def test_two_columns_of_a_row_are_compared(question: str, answer: list[str]) -> None:
    draft = told(question)
    assert draft is not None
    *said, how = draft.text.splitlines()
    assert said == answer
    is_told = "surgical" not in question and "job" not in question
    assert ("without two numbers of one unit: 1 row" in how) == is_told


@pytest.mark.parametrize(
    ("question", "files"),
    [
        ("how many dental items are below their reorder level", FILES),
        ("how many items are below their reorder level", (*FILES, FILES[0])),
        ("how many items are below their target", FILES),
        ("how many items are below their unit cost", (FILES[1],)),
        ("how many items are below their reorder level",
         (sheet(STOCK.replace("Unit cost", "Stocked"), "a.csv"),)),  # two columns of stock
    ],
)  # fmt: skip
def test_what_is_not_plain_is_left_alone(question: str, files: tuple[Any, ...]) -> None:
    assert told(question, *files) is None


@pytest.mark.parametrize(
    "question",
    [
        "how many items are there",
        "how much is below the line",
        "how many items are below 20",
        "is the stock below its reorder level?",
        "what did Ann say about the reorder level",
    ],
)
def test_other_questions_compare_no_columns(question: str) -> None:
    assert level_asked(question) is None


def test_amounts_of_two_units_are_not_compared() -> None:
    draft = told("how many items are below their reorder level",
                 sheet(STOCK.replace("On hand: 4 ", "On hand: 4 kg "), "stock.csv"))  # fmt: skip
    assert draft is not None
    assert draft.text.startswith("1 [1]")
    assert "without two numbers of one unit: 2 rows" in draft.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many stock items are below their reorder level?", "2 [1][2]"),
        ("How many surgical items are above their reorder level?", "0 [1][2]"),
    ],
)
def test_auto_compares_without_a_model(fake_generator: Any, question: str, answer: str) -> None:
    ask = asking(fake_generator)
    found, _, models = ask(question, FILES, strategy="auto")
    assert found.text.startswith(answer)
    assert found.certainty == "unsure"
    assert models["g"].prompts == []

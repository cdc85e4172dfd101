"""By how much something went over its budget is subtracted from its row."""

from __future__ import annotations

from typing import Any

import pytest

from engine.generation.draft import Draft
from engine.sheets.computed import BY_WORDS
from engine.sheets.overrun import overrun, overrun_asked
from engine.sheets.rows import tables_of
from tests.support.builders import document
from tests.support.toy_compute import asking

BUDGET = """\
Item | Supplier | Budget GBP | Actual GBP
Item: Roof | Supplier: Carne | Budget GBP: 9,800 | Actual GBP: 10,465
Item: Kitchen units | Supplier: Wren | Budget GBP: 7,000 | Actual GBP: 6,812.50
Item: Lights, kitchen | Supplier: Volt | Budget GBP: 500 | Actual GBP: 500
Item: Garden wall | Supplier: Carne | Budget GBP: 900
Item: Total | Budget GBP: 18,200 | Actual GBP: 17,777.50
"""


def told(question: str, *texts: str) -> Draft | None:
    asked = overrun_asked(question)
    assert asked is not None
    return overrun(asked, tables_of(document(text) for text in texts or (BUDGET,)))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("by how much did the roof go over", "665 over [1]"),
        ("How much was the roof over budget?", "665 over [1]"),
        ("how far over budget is the roof", "665 over [1]"),
        ("how much are we over the estimate on the roof?", "665 over [1]"),
        ("how far under did the kitchen units come", "187.50 under [1]"),
        ("how much did the kitchen lights go over by", "0 over [1]"),
    ],
)
def test_what_is_over_or_under_is_told_with_both_amounts(question: str, first: str) -> None:
    draft = told(question)
    assert draft is not None
    said, how = draft.text.splitlines()
    assert said == first
    assert "Budget GBP: " in how
    assert "Actual GBP: " in how
    assert draft.reasons == (BY_WORDS,)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("how much did the kitchen go over?", (BUDGET,)),  # units or lights
        ("how much did the porch go over?", (BUDGET,)),
        ("how much did the garden wall go over?", (BUDGET,)),  # not paid yet
        ("how much did the roof go over?", (BUDGET.replace("Budget", "Deposit"),)),
        ("how much did the roof go over?", (BUDGET, BUDGET.replace("9,800", "9,000"))),
    ],
)
def test_what_no_single_row_tells_is_left_alone(question: str, texts: tuple[str, ...]) -> None:
    assert told(question, *texts) is None


@pytest.mark.parametrize(
    "question",
    [
        "how much did we spend on the roof?",
        "how many rows are over 500",
        "how much is it over",
        "is the roof over budget?",
        "how far is it over the hill to Hexham",
    ],
)
def test_other_questions_ask_for_no_overrun(question: str) -> None:
    assert overrun_asked(question) is None


def test_auto_subtracts_without_a_model(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    found, _, models = ask("By how much did the roof go over?", [document(BUDGET)], strategy="auto")
    assert found.text.startswith("665 over")
    assert found.certainty == "unsure"
    assert models["g"].prompts == []

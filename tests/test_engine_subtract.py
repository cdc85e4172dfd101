"""Questions for the difference of two amounts: each is asked for alone, the program subtracts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.answer import answer
from engine.comparison.amounts import difference
from engine.comparison.difference import difference_of
from engine.events import Answered, Decided, Event, Provisional, Token
from engine.settings import Budget, Settings
from engine.values import Answer
from models.llama.generator import load_llama
from models.roles import ModelSet
from models.store.catalogue import load_catalogue
from tests.support.in_store import weights_of

TODAY = date(2026, 11, 28)
TEXTS = {
    "lion.txt": "The Lion wrote: a room with breakfast is $2,050 for the week.\n",
    "grand.txt": "The Grand has sent its final bill: $2,015 for the week, paid in March.\n",
}
QUESTION = "How much cheaper was the final bill of the Grand than the room at the Lion?"


@pytest.mark.parametrize(
    ("question", "first", "second", "is_less"),
    [
        (
            QUESTION,
            "how much was the final bill of the Grand",
            "how much the room at the Lion",
            True,
        ),
        (
            "with vat how much dearer was the Lion than what Kim charged in the end?",
            "with vat how much was the Lion",
            "with vat how much Kim charged in the end",
            False,
        ),
        (
            "how much less than we claimed did they pay for the freezer",
            "how much did they pay for the freezer",
            "how much we claimed",
            True,
        ),
        (
            "how much over the quote was the final invoice",
            "how much was the final invoice",
            "how much the quote",
            False,
        ),
        (
            "by how much was the Lion above Kim's estimate",
            "how much was the Lion",
            "how much Kim's estimate",
            False,
        ),
        (
            "how much did the bill go over the quote",
            "how much was the bill",
            "how much the quote",
            False,
        ),
        (
            "How far is the revised price above the limit?",
            "how much is the revised price",
            "how much the limit",
            False,
        ),
        (
            "how far below the asking price did the old boat go for",
            "how much did the old boat go for",
            "how much the asking price",
            True,
        ),
        (
            "how much longer is the watch under the new policy than the old",
            "how long is the watch under the new policy",
            "how long is the watch under the old policy",
            False,
        ),
        (
            "how many fewer hours did Tom work in May than in June",
            "how many hours did Tom work in May",
            "how many hours did Tom work in June",
            True,
        ),
        (
            "how many more people came to the fair than to the concert",
            "how many people came to the fair",
            "how many people came to the concert",
            False,
        ),
        (
            "how much longer is the new boat than the old one",
            "how long is the new boat",
            "how long the old boat",
            False,
        ),
        (
            "what's the difference between the quote and the bill?",
            "how much: the quote",
            "how much: the bill",
            None,
        ),
        (
            "difference in weight between the 2025 and 2026 boats",
            "what weight: the 2025 boats",
            "what weight: 2026 boats",
            None,
        ),
        (
            "how much did the rent go up from 2025 to 2026",
            "how much was the rent 2026",
            "how much was the rent 2025",
            False,
        ),
        (
            "how much did we save by taking the Lion instead of the Grand",
            "how much: the Lion",
            "how much: the Grand",
            True,
        ),
        (
            "how much more is the rent of shed 4 than shed 2",
            "how much is the rent of shed 4",
            "how much is the rent of shed 2",
            False,
        ),
        (
            "how many more litres of diesel did we sell in August than July",
            "how many litres of diesel did we sell in August",
            "how many litres of diesel did we sell in July",
            False,
        ),
        (
            "how many slides over the limit is the talk of Ben",
            "how many slides is the talk of Ben",
            "how many slides the limit",
            False,
        ),
        (
            "what's the gap between my rent and what Orla pays?",
            "how much: my rent",
            "how much: what Orla pays",
            None,
        ),
        (
            "difference in the limit, 2025 policy vs 2026",
            "what the limit: 2025 policy",
            "what the limit: 2026",
            None,
        ),
        (
            "how much more than last year did we spend on ropes",
            "how much did we spend on ropes",
            "how much did we spend on ropes last year",
            False,
        ),
        (
            "how much more a day would Kim get next year than this year",
            "how much a day would Kim get next year",
            "how much a day would Kim get this year",
            False,
        ),
    ],
)
def test_two_amounts_are_asked_for(
    question: str, first: str, second: str, is_less: bool | None
) -> None:
    found = difference_of(question, TODAY)
    assert found is not None
    assert found.questions == (first, second)
    assert found.is_less == is_less


@pytest.mark.parametrize(
    "question",
    [
        "How much was the Lion?",
        "Which was cheaper, the Lion or the Grand?",
        "how much over the quote was the final invoice, and why",
        "How much was the Lion above the harbour? And who paid?",
        "how much more do we need",
        "by how much did we overrun the budget",
        "how much over budget are we?",
        f"how much more was {'very ' * 80}much than the rest",
    ],
)
def test_other_questions_are_no_difference(question: str) -> None:
    assert difference_of(question, TODAY) is None


WORDS = st.sampled_from(
    [
        *("how much", "how many", "more", "less", "over", "was", "did", "than", "the", "one", ","),
        *("of", "in", "2025", "difference", "between", "and", "vs", "go up", "from", "to", "save"),
        *("by", "x", "instead of", "\\1", "?", ":", "\n", "last year", "compared to"),
    ]
)


@given(st.lists(WORDS, max_size=14).map(" ".join))
@example("how much more is , than the old one")
@example("how much more is C:\\1 than the old one")
@example("difference between , and ,")
def test_any_question_is_read_or_left(question: str) -> None:
    found = difference_of(question, TODAY)
    assert found is None or all(one.strip() for one in found.questions)


@pytest.mark.parametrize(
    ("one", "other", "amount"),
    [
        ("$2,050", "2,015.50", "34.5"),
        ("12 hours", "15 hours", "-3"),
        ("12 hours", "15 days", None),
        ("8 to 11 species", "4 species", None),
        ("Ann Lee", "4", None),
    ],
)
def test_amounts_are_subtracted_in_one_unit(one: str, other: str, amount: str | None) -> None:
    assert difference(one, other) == (None if amount is None else Decimal(amount))


def asked(folder: Path, models: Any, **settings: Any) -> tuple[list[Event], Answer]:
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    events = list(answer(QUESTION, [folder], models, Settings(**settings)))
    assert isinstance(events[-1], Answered)
    return events, events[-1].answer


def is_subtracted(events: list[Event]) -> list[bool]:
    return [one.taken for one in events if isinstance(one, Decided) and one.stage == "subtract"]


def test_both_amounts_are_shown_with_their_sources(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    events, found = asked(tmp_path, fake_models(generator=["$2,015", "$2,050"]))
    assert is_subtracted(events) == [True]
    assert found.text == "$35\n($2,050 [2] less $2,015 [1])"
    assert [one.passage.item.title for one in found.citations] == ["grand.txt", "lion.txt"]
    assert found.certainty == "unsure"
    assert found.confidence is not None
    assert found.reasons[0].text == (
        "compared: how much was the final bill of the Grand: $2,015; "
        "how much the room at the Lion: $2,050"
    )


def test_one_amount_is_never_shown_for_the_answer(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    """Neither as it is written nor as a provisional answer, however unsure it is."""
    unsure: dict[str, Any] = {"generator": ["$2,015", "$2,015", "$2,050", "$2,050"]}
    budget = Budget(1000, 1200, 1, lookahead_share=0, generator_share=0, enough_confidence=1.0)
    for number in range(40):
        (tmp_path / f"{number}.txt").write_text(
            f"The final bill of house {number} for the room.\n" * 9
        )
    events, _ = asked(tmp_path, fake_models(**unsure), budget=budget)
    at = next(
        n for n, one in enumerate(events) if isinstance(one, Decided) and one.stage == "subtract"
    )
    assert any(
        isinstance(one, Decided) and one.stage == "read on" and one.taken for one in events[:at]
    )
    assert not any(isinstance(one, Token | Provisional) for one in events[:at])


@pytest.mark.parametrize(
    "replies",
    [
        ["$2,050", "$2,015"],  # not cheaper
        ["$2,015", "$2,015"],
        ["the week", "$2,050"],
        ["$2,015", "Not found."],
        ["$2,015", "$9,999"],  # no source says so
    ],
)
def test_what_does_not_fit_is_read_as_it_stands(
    tmp_path: Path, fake_models: Callable[..., Any], replies: list[str]
) -> None:
    def reply(prompt: str, _: int) -> str:
        if QUESTION in prompt:
            return "$2,015"
        return replies["how much the room" in prompt]

    events, found = asked(tmp_path, fake_models(generator=reply))
    assert is_subtracted(events) == [False]
    assert found.text == "$2,015 [1]"


def test_quick_effort_and_a_study_leave_it_out(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    for settings in ({"effort": "quick"}, {"strategy": "auto:subtract=never"}):
        events, _ = asked(tmp_path, fake_models(generator="$2,015"), **settings)
        assert is_subtracted(events) == []
    wanted = {"effort": "quick", "strategy": "auto:subtract=always"}
    events, _ = asked(tmp_path, fake_models(generator=["$2,015", "$2,050"]), **wanted)
    assert is_subtracted(events) == [True]


@pytest.mark.slow
def test_the_starter_model_states_both_amounts(tmp_path: Path) -> None:
    row = load_catalogue().default("generator")
    model = load_llama(weights_of(row.id), row.id, context=2048, adapter=row.adapter_path)
    models = ModelSet(row.id, row.id, lambda _: model, denial_bias=row.denial_bias)
    try:
        events, found = asked(tmp_path, models)
    finally:
        model.close()
    assert is_subtracted(events) == [True]
    assert found.text.startswith("$35\n")

"""A newer source with another value beside the same words leaves an answer unsure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.checking.newer_value import has_another_value
from engine.confidence.reasons import OTHERWISE
from engine.events import Answered
from engine.settings import Settings
from engine.values import Passage
from ingest.item import Item, Kind
from tests.support.builders import document

ASKED = "current code of the keysafe at the cabin"
OLD = "I changed the keysafe at the cabin, its code is 7316."


def of(text: str, month: int | None, title: str = "Note") -> Passage:
    when = datetime(2026, month, 1, tzinfo=UTC) if month else None
    item: Item = replace(document(text), title=title, when=when, kind=Kind.MAIL)
    return Passage(item, 0, len(item.text))


@pytest.mark.parametrize(
    ("newer", "month", "is_other"),
    [
        ("New code of the cabin keysafe: 9042", 10, True),
        ("New code of the cabin keysafe: 9042", 1, False),  # older
        ("New code of the cabin keysafe: 9042", None, False),
        ("The code of the cabin keysafe is still 7316, not 2580.", 10, False),
        ("New code of the cabin gate: 9042", 10, False),  # of something else
        ("New code of the cabin keysafe in 2026", 10, False),  # a year
        ("Invoice 9042\nThe keysafe of the cabin has a new code.", 10, False),  # another line
        ("New code of the cabin keysafe: 90", 10, False),  # another shape
        ("New code of the cabin keysafe at 20:15, 9042-17", 10, False),
    ],
)
def test_another_value_stands_beside_the_same_words(
    newer: str, month: int | None, is_other: bool
) -> None:
    found = has_another_value(of(newer, month), of(OLD, 3), ASKED, "The code is 7316 [1]")
    assert found is is_other


@pytest.mark.parametrize(
    ("question", "said"),
    [(ASKED, "Bridget"), (ASKED, "17 [1]"), ("Which code?", "7316 [1]")],
)
def test_without_a_value_or_two_words_there_is_none(question: str, said: str) -> None:
    newer = of("New code of the cabin keysafe: 9042", 10)
    assert not has_another_value(newer, of(OLD, 3), question, said)


@pytest.mark.parametrize(("month", "newer"), [(10, True), (2, False)])
def test_an_answer_from_before_another_value_is_unsure(
    tmp_path: Path, fake_models: Callable[..., Any], month: int, newer: bool
) -> None:
    (tmp_path / "WhatsApp Chat with family.txt").write_text(f"16/03/2026, 09:00 - Bridget: {OLD}\n")
    (tmp_path / "WhatsApp Chat with cabin.txt").write_text(
        f"12/{month:02}/2026, 09:00 - Hester: the code of the keysafe: 9042\n"
    )
    models = fake_models(generator=["7316"])
    settings = Settings(now=datetime(2026, 11, 29, tzinfo=UTC), sure_confidence=0.1)
    *_, last = answer(ASKED, [tmp_path], models, settings)
    assert isinstance(last, Answered)
    told = [one.text for one in last.answer.reasons if one.text.startswith(OTHERWISE)]
    assert told == ([f"{OTHERWISE}cabin"] if newer else [])
    assert last.answer.certainty == ("unsure" if newer else "sure")

"""A newer source with another value beside the same words leaves an answer unsure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.checking.newer import changes, has_another_value
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


@pytest.mark.parametrize(
    ("message", "answer", "is_change"),
    [
        ("The hall is let on the 29th. Now Sunday 30 Aug, same hours", "Sat 29 Aug, 2 to 6", True),
        ("Rain on the 13th so June 20 instead", "June 13, 8 to noon", True),
        ("She asked for the 14th as the 7th is her bridge day", "Oct 7", True),
        ("correction: the counter ran double, it is 18,931", "19,246", True),
        ("The 29th it is", "Sat 29 Aug", False),  # no other day
        ("Sunday 30 Aug is the fair", "Sat 29 Aug", False),  # another day, not in its place
        ("we came 9th of 31", "booked for the 17th", False),
        ("at 9:13 and for 12.50", "on the 13th", False),  # a time and an amount
        ("we counted 18,931", "19,246", False),  # of something else
        ("correction: 19,246 of 20,118 came", "19,246", False),  # it has the value itself
        ("correction: it is 31", "19,246", False),
    ],
)
def test_a_message_gives_another_day_or_value(message: str, answer: str, is_change: bool) -> None:
    assert changes(message, answer) is is_change


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

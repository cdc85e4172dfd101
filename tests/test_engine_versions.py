"""Of several versions of a mail or a document the newest comes first, and is read last."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.answer import answer
from engine.confidence.reasons import CORRECTED
from engine.events import Answered, Ranked, Selected
from engine.retrieval.passages import split
from engine.retrieval.versions import (
    VersionMeant,
    meant_last,
    version_meant,
    with_meant,
)
from engine.settings import Settings
from ingest.item import Item, Kind
from tests.support.builders import document

TODAY = date(2026, 11, 29)
NEWEST = VersionMeant(None, is_newest=True)


def dated(item: Item, year: int, month: int = 1) -> Item:
    return replace(item, when=datetime(year, month, 1, tzinfo=UTC))


def letter(title: str, year: int, month: int = 1) -> Item:
    return dated(document(f"{title}\nThe rent is {year}."), year, month)


ITEMS = [
    replace(letter("rent-2025.pdf", 2025), title="rent-2025.pdf"),
    replace(letter("rent-2027.pdf", 2026), title="rent-2027.pdf"),
    replace(letter("Re: The roof", 2026, 3), title="Re: The roof", kind=Kind.MAIL),
    replace(letter("The roof", 2026, 2), title="The roof", kind=Kind.MAIL),
    replace(letter("The roof", 2026, 5), title="The roof", kind=Kind.EVENT),
    replace(letter("2026", 2026), title="2026"),
    replace(letter("2024", 2024), title="2024"),
]
PASSAGES = split(ITEMS)
OLD_RENT, NEW_RENT, REPLY, ROOF, EVENT, BARE, BARE_OLD = range(7)


def test_the_newest_version_rises_and_the_best_score_of_a_subject_stays() -> None:
    scores = np.array([4.0, 3.5, 2.0, 3.0, 3.8, 3.2, 3.3])
    found = with_meant(scores, PASSAGES, NEWEST)
    assert found[NEW_RENT] == 4.0
    assert found[OLD_RENT] == pytest.approx(4.0 * 4.0 / (3.5 * 1.5))
    assert found[ROOF] == 3.0  # its reply has too few of the words: 2.0 · 1.5
    assert found[REPLY] == 3.0
    assert found[[EVENT, BARE, BARE_OLD]].tolist() == [3.8, 3.2, 3.3]  # of another kind, no name


def test_what_scores_far_below_the_best_is_no_version() -> None:
    scores = np.array([10.0, 3.9, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert with_meant(scores, PASSAGES, NEWEST).tolist() == scores.tolist()


def test_nothing_found_stays_nothing() -> None:
    assert not with_meant(np.zeros(len(PASSAGES)), PASSAGES, NEWEST).any()


def test_versions_are_read_in_the_order_of_time_at_their_places() -> None:
    chosen = [NEW_RENT, EVENT, REPLY, OLD_RENT, ROOF]
    ordered = meant_last(chosen, PASSAGES, NEWEST)
    assert ordered == [OLD_RENT, EVENT, ROOF, NEW_RENT, REPLY]


def test_a_newer_correction_is_read_last() -> None:
    items = [
        *ITEMS[:2],
        replace(letter("Correction", 2026, 3), title="Correction to the letter", kind=Kind.MAIL),
        replace(letter("Correction", 2024), title="Correction of 2023", kind=Kind.MAIL),
    ]
    assert meant_last([2, 3, 1, 0], split(items), NEWEST) == [3, 0, 1, 2]


TRIP = "12/11/2026, 09:00 - Sofia: The trip costs 14.50 euros per child, says the teacher.\n"
COSTS = "What does the trip cost per child, says the teacher?"
NEWS = "16/11/2026, 09:00 - Sofia: It is 12.50 instead of the old price, pay for the trip.\n"


@pytest.mark.parametrize(
    ("chat", "asked", "newer"),
    [
        (TRIP + NEWS, COSTS, True),
        (NEWS.replace("16/11", "02/11") + TRIP, COSTS, False),  # it was corrected before
        (TRIP + NEWS.replace("instead of", "or"), COSTS, False),
        (TRIP + NEWS, COSTS.replace("does", "did").replace("trip", "trip originally"), False),
    ],
)
def test_an_answer_from_before_a_correction_is_unsure(
    tmp_path: Path, fake_models: Callable[..., Any], chat: str, asked: str, newer: bool
) -> None:
    (tmp_path / "WhatsApp Chat with parents.txt").write_text(chat)
    models = fake_models(generator=["14.50 euros per child"])
    settings = Settings(now=datetime(2026, 11, 29, tzinfo=UTC), sure_confidence=0.1)
    *_, last = answer(asked, [tmp_path], models, settings)
    assert isinstance(last, Answered)
    found = last.answer
    told = [one.text for one in found.reasons if one.text.startswith(CORRECTED)]
    assert told == ([f"{CORRECTED}parents"] if newer else [])
    assert found.certainty == ("unsure" if newer else "sure")


@pytest.mark.parametrize(
    ("question", "newest"),
    [
        ("What is the rent?", True),
        ("What will the rent be from January 2027?", True),
        ("What is the rent since May 2025?", True),
        ("What was the rent in 2025?", False),
        ("What was the original rent?", False),
        ("What did the roof cost before the second quote?", False),
    ],
)
def test_a_question_may_mean_what_was(question: str, newest: bool) -> None:
    meant = version_meant(question, TODAY)
    assert (meant is not None and meant.is_newest) is newest


@pytest.mark.parametrize(
    ("question", "year"),
    [
        ("What was the rent in 2025?", 2025),
        ("how much is it under last years terms", 2025),
        ("last year\u2019s rent?", 2025),
        ("what is this years rent", 2026),
        ("What is the rent?", None),
        ("Was it less in 2025 than in 2026?", None),
        ("What did invoice 12/2025 cost?", None),
    ],
)
def test_a_question_may_name_the_year_of_a_version(question: str, year: int | None) -> None:
    meant = version_meant(question, TODAY)
    assert (meant and meant.year) == year


def test_the_version_of_the_year_is_meant_and_else_the_newest() -> None:
    scores = np.array([3.5, 4.0, 2.5, 3.0, 3.8, 3.2, 3.3])
    found = with_meant(scores, PASSAGES, VersionMeant(2025, is_newest=True))
    assert found[OLD_RENT] == 4.0
    assert found[NEW_RENT] < 4.0
    assert found[REPLY] > found[ROOF]  # no title of them has a year
    found = with_meant(scores, PASSAGES, VersionMeant(2025, is_newest=False))
    assert found[[REPLY, ROOF]].tolist() == [2.5, 3.0]
    chosen = [OLD_RENT, NEW_RENT, REPLY, ROOF]
    ordered = meant_last(chosen, PASSAGES, VersionMeant(2025, is_newest=False))
    assert ordered == [NEW_RENT, OLD_RENT, REPLY, ROOF]


def test_the_newest_mail_of_a_thread_is_read_next_to_the_question(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    for name, title, day, text in (
        ("a.eml", "Roof", 3, "The roof costs 900 euros: a roof, no more."),
        ("b.eml", "Re: Roof", 9, "The roof costs 700 euros."),
    ):
        (tmp_path / name).write_text(
            f"From: Ann <ann@x.example>\nTo: bob@x.example\nSubject: {title}\n"
            f"Date: {day:02} Nov 2026 10:00:00 +0000\n\n{text}\n"
        )
    models = fake_models(generator=["700 euros"])
    events = list(
        answer(
            "What does the roof cost?",
            [tmp_path],
            models,
            Settings(now=datetime(2026, 11, 29, tzinfo=UTC)),
        )
    )
    [kept] = [one.kept for one in events if isinstance(one, Selected) and one.stage == "write"]
    assert [one.item.title for one in kept] == ["Roof", "Re: Roof"]
    ranked = next(one for one in events if isinstance(one, Ranked))
    assert [one.item.title for one in ranked.passages] == ["Re: Roof", "Roof"]

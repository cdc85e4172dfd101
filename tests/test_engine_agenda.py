"""What calendars have on the days of a question is read first, whatever it is called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from engine.strategies.agenda import MOST, entries_meant, raised
from engine.values import Passage
from ingest.item import Item
from tests.support.builders import document, event
from tests.support.toy_compute import asking

NOW = datetime(2026, 10, 12, 9, tzinfo=UTC)  # a Monday


def at(month: int, day: int, hour: int) -> datetime:
    return datetime(2026, month, day, hour, tzinfo=UTC)


BIN = tuple(event("Blue bin", at(10, 15, 7) + timedelta(days=14 * n), "home") for n in range(5))
VET = event("Vet - Bramble kennel cough", at(10, 14, 16), "home", where="Restalrig")
OBOE = event("Ailsa oboe", at(10, 14, 17), "home")
AWAY = event("Schools off", at(10, 13, 0), "home", minutes=5 * 24 * 60)
CHOIR = tuple(event("Choir", at(10, 13, 19) + timedelta(days=7 * n), "home") for n in range(6))
NOTE = document("The dog had her jab last year. Blue is the colour of the bin.", "note.txt")
ITEMS = (NOTE, *BIN, VET, OBOE, AWAY, *CHOIR)


def meant(question: str, scored: dict[str, float], items: tuple[Item, ...] = ITEMS) -> list[str]:
    """Return the titles and days of the entries that are read first."""
    passages = [Passage.of(one) if hasattr(Passage, "of") else Passage(one, 0, len(one.text))
                for one in items]  # fmt: skip
    scores = np.array([scored.get(one.title, 0.0) for one in items])
    found = entries_meant(question, passages, scores, NOW)
    return [f"{items[n].title} {items[n].when:%d %b}" for n in found]


@pytest.mark.parametrize(
    ("question", "scored", "entries"),
    [
        # no word in common: all of the day, what lasts long behind the others
        ("what time on Wednesday do I take the dog for her jab", {},
         ["Vet - Bramble kennel cough 14 Oct", "Ailsa oboe 14 Oct", "Schools off 13 Oct"]),
        # a word in common comes first
        ("when is oboe on the 14th", {"Ailsa oboe": 2.0},
         ["Ailsa oboe 14 Oct", "Vet - Bramble kennel cough 14 Oct", "Schools off 13 Oct"]),
        # of a week only what shares a word
        ("when does choir meet next week", {"Choir": 1.0}, ["Choir 20 Oct"]),
        ("where do we rehearse on 10 november?", {}, ["Choir 10 Nov"]),
        # the next times
        ("blue bin: date after this week's collection?", {"Blue bin": 3.0},
         ["Blue bin 29 Oct", "Blue bin 12 Nov", "Blue bin 26 Nov"]),
        ("when is the next blue bin", {"Blue bin": 3.0},
         ["Blue bin 15 Oct", "Blue bin 29 Oct", "Blue bin 12 Nov"]),
        # nothing is known of it
        ("when is the next parish lunch", {}, []),
        # neither a day nor a place is asked for
        ("what does Wim want to know on Wednesday", {}, []),
        ("who wrote about the bin", {"Blue bin": 1.0}, []),
        # too many days, two of them
        ("when do we have choir in October", {"Choir": 1.0}, []),
        ("when is choir, on 13 October or on 20 October", {"Choir": 1.0}, []),
    ],
)  # fmt: skip
def test_entries_of_the_days_are_meant(
    question: str, scored: dict[str, float], entries: list[str]
) -> None:
    assert meant(question, scored) == entries


def test_no_more_than_a_few_are_read_first() -> None:
    many = tuple(event(f"Meeting {n}", at(10, 14, 8 + n), "work") for n in range(9))
    found = meant("where am I on Wednesday", {}, many)
    assert found == [f"Meeting {n} 14 Oct" for n in range(MOST)]


def test_entries_stand_above_all_others_in_their_order() -> None:
    scores = np.array([3.0, 0.0, 1.0])
    assert np.argsort(-raised(scores, [1, 2])).tolist() == [1, 2, 0]
    assert raised(scores, []) is scores
    assert scores.tolist() == [3.0, 0.0, 1.0]


def test_auto_reads_the_entries_of_the_day(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "where on Wednesday do I take the dog for her jab"
    answer, _, models = ask(question, ITEMS, generator=["Restalrig [1]"], strategy="auto", now=NOW)
    first = models["g"].prompts[0]
    assert first.index("had her jab") < first.index("Ailsa oboe") < first.index("kennel cough")
    assert answer.text.startswith("Restalrig")

"""What calendars have on the days of a question is read first, whatever it is called."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from engine.strategies.agenda import MOST, by_days
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


def read_first(
    question: str,
    scored: dict[str, float],
    items: tuple[Item, ...] = ITEMS,
    allowed: tuple[int, ...] = (),
) -> tuple[list[str], list[str]]:
    """Return the titles and days of what is read first, and of entries that lose their score."""
    passages = [Passage(one, 0, len(one.text)) for one in items]
    scores = np.array([scored.get(one.title, 0.0) for one in items])
    found = by_days(question, passages, allowed or range(len(items)), scores, NOW)
    most = scores.max()
    order = [int(n) for n in np.argsort(-found, kind="stable") if found[n] > most]
    lost = [n for n in range(len(items)) if scores[n] > 0 and found[n] == 0]
    return tuple(
        [f"{items[n].title} {items[n].when:%d %b}" for n in some] for some in (order, lost)
    )


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
         ["Blue bin 29 Oct"]),
        ("when is the next blue bin", {"Blue bin": 3.0},
         ["Blue bin 15 Oct"]),
        # nothing is known of it
        ("when is the next parish lunch", {}, []),
        # of a day ahead anything may be asked
        ("how much will the vet charge on Wednesday", {},
         ["Vet - Bramble kennel cough 14 Oct", "Ailsa oboe 14 Oct", "Schools off 13 Oct"]),
        # neither a time nor a place is asked for
        ("what did Wim want to know last week", {}, []),
        ("who wrote about the bin", {"Blue bin": 1.0}, []),
        # too many days, two of them
        ("when do we have choir in October", {"Choir": 1.0}, []),
        ("when is choir, on 13 October or on 20 October", {"Choir": 1.0}, []),
    ],
)  # fmt: skip
def test_entries_of_the_days_are_meant(
    question: str, scored: dict[str, float], entries: list[str]
) -> None:
    assert read_first(question, scored)[0] == entries


def test_no_more_than_a_few_are_read_first() -> None:
    many = tuple(event(f"Meeting {n}", at(10, 14, 8 + n), "work") for n in range(9))
    found, _ = read_first("where am I on Wednesday", {}, many)
    assert found == [f"Meeting {n} 14 Oct" for n in range(MOST)]


def test_entries_of_other_days_are_not_read() -> None:
    scored = {"Choir": 2.0, "note.txt": 3.0}
    found, lost = read_first("where does choir meet on 20 October", scored)
    assert found == ["Choir 20 Oct"]
    assert lost == [f"Choir {day}" for day in ("13 Oct", "27 Oct", "03 Nov", "10 Nov", "17 Nov")]


def test_other_times_are_not_read_where_the_next_one_is_asked_for() -> None:
    _, lost = read_first("when is the next blue bin", {"Blue bin": 3.0, "Choir": 1.0})
    assert lost == [f"Blue bin {day}" for day in ("29 Oct", "12 Nov", "26 Nov", "10 Dec")]


def test_what_a_question_excludes_is_not_raised() -> None:
    vet, oboe = ITEMS.index(VET), ITEMS.index(OBOE)
    question = "where do I go on Wednesday"
    assert len(read_first(question, {}, ITEMS)[0]) == 3
    assert read_first(question, {}, ITEMS, (oboe,))[0] == ["Ailsa oboe 14 Oct"]
    assert vet != oboe


def test_nothing_changes_where_nothing_is_on() -> None:
    assert read_first("where does choir meet on 2 December", {"Choir": 2.0}) == ([], [])


def test_a_further_reading_leaves_out_entries_of_other_days(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "where on Wednesday do I sing in the choir for the dog"
    notes = [document(f"The choir sings of a dog. {'So it goes. ' * 60}", f"{n}") for n in range(9)]
    _, _, models = ask(
        question, (*ITEMS, *notes), generator=["Not found."], strategy="auto", now=NOW
    )
    assert len(models["g"].prompts) > 1
    assert all("kennel cough" in one for one in models["g"].prompts)
    assert not any("Event: Choir" in one for one in models["g"].prompts)


def test_auto_reads_the_entries_of_the_day(fake_generator: Any) -> None:
    ask = asking(fake_generator)
    question = "where on Wednesday do I take the dog for her jab"
    answer, remarks, models = ask(
        question, ITEMS, generator=["Restalrig [1]"], strategy="auto", now=NOW
    )
    first = models["g"].prompts[0]
    assert first.index("had her jab") < first.index("Ailsa oboe") < first.index("kennel cough")
    assert answer.text.startswith("Restalrig")
    assert "what calendars have on the days asked for is read first" in remarks

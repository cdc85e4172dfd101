"""Days that a text names by their distance get their dates where a question asks when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import answer
from engine.checking.citation_check import check
from engine.confidence.reasons import COUNTED
from engine.events import Answered
from engine.generation.dated import MOST_CHARACTERS, asks_when, dated
from engine.language.relative_days import relative_days
from engine.settings import Settings
from engine.values import Dated, Excerpt, Passage
from ingest.item import ChatTurn, Kind, Person
from models.roles import ModelSet
from tests.support.builders import document

MakeModels = Callable[..., ModelSet]

WEDNESDAY = datetime(2023, 6, 21)
CHAT = "Ann: We moved in last week.\n> Bob: They left yesterday.\nAnn: The piano came two days ago."


def message(text: str, when: datetime | None = WEDNESDAY, kind: Kind = Kind.MESSAGE) -> Passage:
    return Passage(document(text, "chat", kind=kind, when=when), 0, len(text))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("yesterday", "20 June 2023"),
        ("last night", "20 June 2023"),
        ("last Friday", "16 June 2023"),
        ("last week", "12 to 18 June 2023"),
        ("last weekend", "17 to 18 June 2023"),
        ("three weeks ago", "29 May to 4 June 2023"),
        ("a month ago", "May 2023"),
        ("next month", "July 2023"),
        ("ten years ago", "2013"),
        ("on Friday", None),
        ("next Friday", None),
        ("this Friday", "23 June 2023"),
        ("the past two weeks", None),
        ("the last two years", None),
        ("on 3 May", None),
        ("a few years ago", None),
    ],
)
def test_days_are_counted_from_the_day_of_writing(words: str, said: str | None) -> None:
    text = f"They came {words}, all of them."
    found = relative_days(text, WEDNESDAY.date())
    assert found == ([(text.index(","), said)] if said else [])


def test_a_week_over_two_years_and_the_ends_of_the_calendar() -> None:
    assert relative_days("last week", date(2024, 1, 3)) == [(9, "25 to 31 December 2023")]
    assert relative_days("last week", date(2024, 2, 7)) == [(9, "29 January to 4 February 2024")]
    assert relative_days("last week", date(1, 1, 1)) == []
    assert relative_days("tomorrow", date.max) == []


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("When did Ann move?", True),
        ("Who moved, and since when?", True),
        ("In what year did Ann move?", True),
        ("Tell me when Ann moved.", True),
        ("How did Ann feel when she moved?", False),
        ("Where was the piano?", False),
    ],
)
def test_what_asks_when(question: str, asked: bool) -> None:
    assert asks_when(question) is asked


def test_what_is_quoted_is_of_another_day() -> None:
    [found] = dated([message(CHAT)])
    assert "last week (12 to 18 June 2023)." in found.text
    assert "yesterday.\n" in found.text
    assert "two days ago (19 June 2023)." in found.text


def test_a_message_of_a_later_day_counts_from_its_own() -> None:
    said = ("09:00 Ann: We moved yesterday.\n", "Fri 2023-06-23\n10:00 Bob: They left yesterday.\n")
    ann, bob = Person("Ann", ""), Person("Bob", "")
    turns = (
        ChatTurn(0, ann, WEDNESDAY),
        ChatTurn(len(said[0]), bob, WEDNESDAY + timedelta(days=2)),
    )
    item = replace(message("".join(said)).item, turns=turns)
    [found] = dated([Passage(item, 0, len(item.text))])
    assert "moved yesterday (20 June 2023)." in found.text
    assert "left yesterday (22 June 2023)." in found.text
    second = Excerpt(item, 0, len(item.text), ((len(said[0]), len(item.text)),))
    assert "left yesterday (22 June 2023)." in dated([second])[0].text


def test_a_document_begins_with_its_day_or_has_none() -> None:
    minutes = "Minutes of 21 June 2023\n\nThe roof was mended yesterday."
    changed = message(minutes, datetime(2026, 1, 1), Kind.DOCUMENT)
    assert dated([changed])[0].text.endswith("yesterday (20 June 2023).")
    for text in ("The roof was mended yesterday.", "Minutes of June\n\nIt was mended yesterday."):
        other = message(text, datetime(2026, 1, 1), Kind.DOCUMENT)
        assert dated([other]) == (other,)
    assert dated([message(CHAT, None)]) == (message(CHAT, None),)


def test_a_cut_passage_stays_cut() -> None:
    passage = message(CHAT)
    runs = ((0, 27), (54, len(CHAT)))
    cut = Excerpt(passage.item, 0, len(CHAT), runs, True)
    [found] = dated([cut])
    assert isinstance(found, Dated)
    assert (found.runs, found.nameless) == (runs, True)
    assert "Bob" not in found.text
    assert found.text.count("2023") == 2


def test_a_prompt_has_room_for_so_many_dates() -> None:
    passages = dated([message("We met yesterday. " * 20)] * 3)
    added = [len(one.text) - len("We met yesterday. " * 20) for one in passages]
    assert added[0] > 0
    assert added[2] == 0
    assert sum(added) <= 2 * MOST_CHARACTERS


@given(st.lists(st.sampled_from(["We met yesterday. ", "It rained. ", "last week it\n", "> "])))
def test_every_character_has_its_place(pieces: list[str]) -> None:
    text = "".join(pieces)
    [found] = dated([message(text)])
    places = [found.place(offset) for offset in range(len(found.text) + 1)]
    assert places == sorted(places)
    own = dict(zip(places, found.text, strict=False))
    assert (places[0], places[-1]) == (0, len(text))
    assert len(own) >= len(text)
    first = {place: found.text[places.index(place)] for place in range(len(text))}
    kept = [char for place, char in first.items() if char != text[place] and char != " "]
    assert not kept


def test_a_date_that_was_counted_is_supported_and_cites_the_words_themselves() -> None:
    question = "When did the piano come?"
    passage = message(CHAT)
    assert check("19 June 2023", [passage], question).grounded == "none"
    checked = check("19 June 2023", dated([passage]), question)
    assert checked.grounded == "grounded"
    [citation] = checked.citations
    assert citation.quote == "Ann: The piano came two days ago."
    assert citation.passage is passage  # whoever is shown it reads what the file holds
    assert check("20 June 2023", dated([passage]), question).grounded == "none"


@pytest.mark.parametrize("asked", ["When did the piano come?", "Who got the piano?"])
def test_the_generator_reads_dates_where_it_is_asked_when(
    tmp_path: Path, fake_models: MakeModels, asked: str
) -> None:
    note = "Diary of 21 June 2023\n\nThe piano came two days ago, and Ann got it.\n"
    (tmp_path / "diary.txt").write_text(note)
    models = fake_models(["19 June 2023"])
    [found] = [e for e in answer(asked, [tmp_path], models, Settings()) if isinstance(e, Answered)]
    prompt = models.generator.prompts[0]  # type: ignore[attr-defined]
    assert ("two days ago (19 June 2023)" in prompt) is asked.startswith("When")
    assert all(one.passage.text in note for one in found.answer.citations)
    if asked.startswith("When"):
        assert found.answer.grounded == "grounded"
        assert found.answer.citations[0].quote in note
    assert (COUNTED in found.answer.reasons) is asked.startswith("When")


def test_a_day_that_the_item_states_itself_was_not_counted(
    tmp_path: Path, fake_models: MakeModels
) -> None:
    note = "Diary of 21 June 2023\n\nOn 19 June 2023, two days ago, the piano came.\n"
    (tmp_path / "diary.txt").write_text(note)
    events = answer(
        "When did the piano come?", [tmp_path], fake_models(["19 June 2023"]), Settings()
    )
    [found] = [event for event in events if isinstance(event, Answered)]
    assert COUNTED not in found.answer.reasons

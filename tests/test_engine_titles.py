"""Documents that a passage or the question names by title or file name rank higher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.retrieval.titles import ASKED, BONUS, Followed, follow
from engine.values import Passage
from ingest.item import Item, Kind, Locator
from tests.support.builders import document, passage
from tests.support.toy_corpus import split

FILM = passage("The film Jawbreaker has Rose McGowan in it.", "Jawbreaker (film)", line=1)
ACTRESS = passage("She was a witch in Charmed.", "Rose McGowan", line=2)
OTHER = passage("Bees live behind the mill.", "Bees", line=3)


def followed(
    passages: Sequence[Passage], scores: Sequence[float], question: str = "which series"
) -> Followed:
    return follow(question, np.array(scores), passages)


def test_what_the_best_passage_names_gets_a_share_of_its_score() -> None:
    found = followed([FILM, ACTRESS, OTHER], [4.0, 0.5, 1.0])
    assert found.scores.tolist() == [4.0, 0.5 + BONUS * 4.0, 1.0]
    assert found.titles == ("Rose McGowan",)


def test_scores_given_are_not_changed() -> None:
    scores = np.array([4.0, 0.5, 1.0])
    follow("which series", scores, [FILM, ACTRESS, OTHER])
    assert scores.tolist() == [4.0, 0.5, 1.0]


def test_a_passage_does_not_raise_its_own_document() -> None:
    own = passage("Jawbreaker is a film.", "Jawbreaker", line=1)
    assert followed([own, OTHER], [4.0, 0.0]).scores.tolist() == [4.0, 0.0]


def test_only_the_two_best_passages_name() -> None:
    first, second = passage("Nets.", "a", line=5), passage("Ropes.", "b", line=6)
    assert followed([first, second, FILM, ACTRESS], [9.0, 8.0, 7.0, 0.0]).titles == ()
    assert followed([first, FILM, ACTRESS], [9.0, 8.0, 0.0]).titles == ("Rose McGowan",)


def test_nothing_is_followed_where_nothing_was_found() -> None:
    assert followed([FILM, ACTRESS], [0.0, 0.0], "Rose McGowan").titles == ()
    assert follow("x", np.zeros(0), []).titles == ()


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("who was rose mcgowan", True),
        ("Who was Rose McGowan?", True),
        ("who was primrose mcgowans aunt", False),
        ("what are bees", False),  # one word: only as it is written
        ("What are Bees?", True),
    ],
)
def test_the_question_names_a_document(question: str, named: bool) -> None:
    plain = passage("Nets are mended.", "Nets and ropes", line=9)
    found = followed([plain, ACTRESS, OTHER], [4.0, 0.0, 0.0], question)
    assert bool(found.titles) is named
    assert found.scores.max() == 4.0
    assert float(found.scores.sum()) == pytest.approx(4.0 + ASKED * 4.0 * named)


def of_file(name: str, text: str, title: str | None = None) -> Item:
    return document(text, name if title is None else title, path=f"/files/{name}")


def test_a_file_is_named_by_its_file_name() -> None:
    mail = passage("The deposit is in boathouse-lease.pdf.", "Deposit", kind=Kind.MAIL)
    lease = of_file("boathouse-lease.pdf", "Eight hundred.", title="Agreement")
    assert followed([mail, *split([lease])], [3.0, 0.0]).titles == ("boathouse-lease.pdf",)


def test_an_attachment_is_named_by_its_own_name() -> None:
    mail = passage("See plan-b.odt.", "Plan", kind=Kind.MAIL)
    place = Locator(Path("/mail/inbox.mbox"), message_id="<1>", part="2", member="plan-b.odt")
    attached = replace(document("Eight hundred.", "plan-b.odt"), locator=place)
    assert followed([mail, *split([attached])], [3.0, 0.0]).titles == ("plan-b.odt",)


def test_subjects_of_mail_are_no_titles() -> None:
    mail = passage("It is like Rose McGowan.", "x", kind=Kind.MAIL)
    reply = passage("Yes.", "Rose McGowan", kind=Kind.MAIL)
    assert followed([mail, reply], [3.0, 0.0], "Rose McGowan").titles == ()


@pytest.mark.parametrize(
    "title",
    ["These", "note", "1999", "12 34", "Ann", "", "What to do", "all of a b c d e f g"],
    ids=[
        *("function word", "plain word", "year", "figures", "short", "none"),
        *("function words", "a sentence"),
    ],
)
def test_a_title_that_any_text_may_use_names_nothing(title: str) -> None:
    naming = passage(f"About {title} and so on.", "Naming", line=1)
    assert followed([naming, passage("Bees.", title, line=2)], [3.0, 0.0]).titles == ()


def test_a_title_is_a_whole_run_of_words_as_it_is_written() -> None:
    for text in ("Primrose McGowan", "rose mcgowan", "Rose McGowans"):
        naming = passage(f"It is {text}.", "Naming", line=1)
        assert followed([naming, ACTRESS], [3.0, 0.0]).titles == ()


def test_a_title_is_found_over_the_end_of_a_line() -> None:
    naming = passage("She is called Rose\n  McGowan there.", "Naming", line=1)
    assert followed([naming, ACTRESS], [3.0, 0.0]).titles == ("Rose McGowan",)


def test_a_title_with_signs_of_a_pattern_is_found() -> None:
    naming = passage("See costs (2025)+.xlsx for all.", "Naming", line=1)
    costs = of_file("costs (2025)+.xlsx", "Eight hundred.")
    assert "costs (2025)+.xlsx" in followed([naming, *split([costs])], [3.0, 0.0]).titles


def test_the_longest_of_two_titles_is_meant() -> None:
    naming = passage("He moved to New York City.", "Naming", line=1)
    short, long = passage("A state.", "New York", line=2), passage("Big.", "New York City", line=3)
    found = followed([naming, short, long], [3.0, 0.0, 0.0])
    assert found.titles == ("New York City",)
    assert found.scores[1] == 0.0


def test_two_versions_are_both_meant_and_three_are_not() -> None:
    naming = passage("See Boat lease.", "Naming", line=1)
    versions = [passage("Eight hundred.", "Boat lease", line=line) for line in (2, 3, 4)]
    two = followed([naming, *versions[:2]], [3.0, 0.0, 0.0])
    assert (two.scores[1:] > 0).all()
    assert followed([naming, *versions], [3.0, 0.0, 0.0, 0.0]).titles == ()


def test_of_a_long_document_its_best_passage_is_raised() -> None:
    naming = passage("See Boat lease.", "Naming", line=1)
    item = document("one. " * 400, "Boat lease")
    parts = split([item])
    assert len(parts) > 2
    scored = followed([naming, *parts], [3.0, 0.0, 1.0, *[0.0] * (len(parts) - 2)]).scores
    assert scored[2] == 1.0 + BONUS * 3.0
    assert float(scored.sum()) == pytest.approx(3.0 + 1.0 + BONUS * 3.0)
    unscored = followed([naming, *parts], [3.0, *[0.0] * len(parts)]).scores
    assert unscored[1] == BONUS * 3.0

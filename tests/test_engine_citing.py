"""Markers are checked, quotes are literal, attribution afterwards is marked."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import abstaining
from engine.citing import check, split_sentences
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People

LEASE = "Subject: Lease\n\nThe lease ends on 30 June 2027.\nPlease bring the signed form."
LUNCH = "Subject: Lunch\n\nLunch is at Trattoria Rosa on Friday."


def passage(text: str) -> Passage:
    item = Item(Kind.MAIL, "", None, People(), text, Locator(Path("/inbox")))
    return Passage(item, 0, len(text))


EVIDENCE = [passage(LUNCH), passage(LEASE)]


def test_a_right_marker_is_kept_and_renumbered() -> None:
    checked = check("The lease ends on 30 June 2027 [2].", EVIDENCE, "When does the lease end?")
    assert checked.text == "The lease ends on 30 June 2027. [1]"
    [citation] = checked.citations
    assert citation.how == "model"
    assert citation.quote == "The lease ends on 30 June 2027."
    assert citation.quote in LEASE
    assert checked.grounded == "grounded"


def test_a_wrong_marker_is_replaced_by_what_supports_it() -> None:
    checked = check("It ends on 30 June 2027 [1].", EVIDENCE, "When does the lease end?")
    [citation] = checked.citations
    assert citation.how == "matched"
    assert citation.passage is EVIDENCE[1]


def test_a_marker_of_no_passage_never_prints() -> None:
    checked = check("On Friday [7].", EVIDENCE, "When is lunch?")
    assert "[7]" not in checked.text
    assert [c.id for c in checked.citations] == [1]


def test_an_invented_fact_has_no_citation() -> None:
    checked = check("The rent is 900 euros [2].", EVIDENCE, "What is the rent?")
    assert checked.grounded == "none"
    assert not checked.citations


def test_repeating_the_question_is_no_support() -> None:
    checked = check("The lease was signed by Zoe.", EVIDENCE, "Who signed the lease form?")
    assert checked.grounded == "none"


def test_one_unsupported_sentence_makes_it_partial() -> None:
    text = "The lease ends on 30 June 2027 [2]. Rent doubles afterwards [2]."
    checked = check(text, EVIDENCE, "When does the lease end?")
    assert checked.grounded == "partial"
    assert checked.text.endswith("Rent doubles afterwards.")


def test_sentences_keep_their_markers_and_initials() -> None:
    text = "Dr. J. Roe called. [1] She left at 5.30 p.m. today [2]. Then home."
    assert split_sentences(text) == [
        "Dr. J. Roe called. [1]",
        "She left at 5.30 p.m. today [2].",
        "Then home.",
    ]


def test_a_title_with_a_full_stop_is_one_sentence() -> None:
    title = passage("Subject: Japan Weekly Conf. Update\n\nHello.")
    checked = check("Japan Weekly Conf. Update [1]", [title], "What is the subject?")
    assert checked.text == "Japan Weekly Conf. Update [1]"


@pytest.mark.parametrize(
    "text",
    [
        "Not found.",
        "",
        "The passages do not mention an attachment.",
        "There is no information about this.",
        "It is not specified [1].",
    ],
)
def test_denials_are_recognised(text: str) -> None:
    assert abstaining.denies(text)


@pytest.mark.parametrize("text", ["The lease ends in June.", "No. 5 Main Street.", "Nora said so."])
def test_answers_are_not_denials(text: str) -> None:
    assert not abstaining.denies(text)

"""What `--explain` says of the steps of an answer."""

from __future__ import annotations

from typing import Any

from app.output.trail import PassageNumbers, Trail, event_lines
from engine.events import Drafted, FollowedUp, Ranked, Sampled, Selected, Voted
from tests.support.builders import passage
from tests.support.toy_talk import answer_to


def test_each_rewritten_question_is_shown() -> None:
    trail = Trail()
    trail.note(FollowedUp(0, "Who leases the boathouse?", ""))
    trail.note(FollowedUp(1, "When does Dana's lease end?", ""))
    shown = trail.text(answer_to("When does it end?")).splitlines()
    assert shown[2:4] == [
        "  rewritten question 1: Who leases the boathouse?",
        "  rewritten question 2: When does Dana's lease end?",
    ]


def test_a_question_answered_on_the_way_is_shown_with_its_answer() -> None:
    assert event_lines(FollowedUp(0, "Who leases it?", "Dana"), PassageNumbers()) == [
        "  follow-up 1: Who leases it? -> Dana"
    ]


def test_what_stages_kept_and_dropped_is_named() -> None:
    oak, elm, fir = (passage("", name, path=name) for name in ("oak", "elm", "fir"))
    trail = Trail()
    trail.note(Ranked("recall", (oak, elm), (2.0, 1.0)))
    trail.note(Selected("lookahead", (elm, oak), 3))
    trail.note(Selected("write", (fir,), 3))
    trail.note(Drafted(0, (fir, elm), "Ann"))
    assert trail.text(answer_to("Who?")).splitlines()[2:9] == [
        "  ranked by recall (score):",
        "      p1    2.000  document oak",
        "      p2    1.000  document elm",
        "  kept by lookahead: 2 of 3 passages: p2 p1",
        "  kept by write: 1 of 3 passages: p3; dropped: p1 p2",
        "      p3 document fir",
        "  reading 1, of p3 p2: Ann",
    ]


def test_samples_and_readings_stand_in_the_order_of_the_matrix() -> None:
    trail = Trail()
    for index, name in ((1, "Ann"), (0, "Bob Hill of the office")):
        trail.note(Drafted(index, (), name))
        trail.note(Sampled(index, "", name))
    found: Any = trail.object(answer_to("Who?"))
    assert [one["text"] for one in found["readings"]] == ["Bob Hill of the office", "Ann"]
    assert [(one["index"], one["answer"]) for one in found["samples"]] == [
        (0, "Bob Hill of the office"),
        (1, "Ann"),
    ]


def test_tokens_that_a_vote_saved_are_shown() -> None:
    voted = Voted(2, 2, [[1.0, 0.5], [0.5, 1.0]], 0, 14)
    lines = event_lines(voted, PassageNumbers())
    assert lines[-1] == "    tokens saved against 2 whole answers: 14"
    trail = Trail()
    trail.note(voted)
    found: Any = trail.object(answer_to("Who?"))
    assert found["votes"][0]["tokens_saved"] == 14

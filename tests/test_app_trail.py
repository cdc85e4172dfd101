"""What `--explain` says of the steps of an answer."""

from __future__ import annotations

from app.shown.trail import Trail, event_lines
from engine.events import FollowedUp
from tests.toy_talk import answer_to


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
    assert event_lines(FollowedUp(0, "Who leases it?", "Dana")) == [
        "  follow-up 1: Who leases it? -> Dana"
    ]

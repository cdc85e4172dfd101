"""What a question shortens is written out before it is read, and kept as typed."""

from __future__ import annotations

import pytest

from engine.answer import understand
from engine.language.shortened import written_out
from engine.settings import Settings


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("whens the dinner, and who hasnt paid?", "when's the dinner, and who hasn't paid?"),
        ("whats on friday", "what's on friday"),
        ("bills this yr, last Wk; 3 mths", "bills this year, last week; 3 months"),
        ("What cant i do, jony ive asked im haus", "What can't i do, jony ive asked im haus"),
        ("youve got mail, theyre here, weve left", "you've got mail, they're here, we've left"),
        ('who wrote "whats up" and whens he in', 'who wrote "whats up" and when\'s he in'),
        (
            "its on, lets see; wed ill were, well, shell",
            "its on, lets see; wed ill were, well, shell",
        ),
        ("whose wont, thatsome, dont's", "whose won't, thatsome, dont's"),
        ("who hasn\u2019t paid", "who hasn\u2019t paid"),
    ],
)
def test_what_is_shortened_is_written_out(typed: str, read: str) -> None:
    assert written_out(typed) == read


def test_the_question_is_kept_as_typed() -> None:
    query = understand("whats new from:me", None, Settings(own=("ann@x.example",)))
    assert (query.text, query.asked) == ("what's new", "whats new from:me")
    query = understand("whos there", None, Settings())
    assert (query.text, query.asked) == ("who's there", "whos there")
    assert understand("whats new", None, Settings(), "search").text == "whats new"

"""Short replies are set as the passages write them, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.generation.literal import as_written, with_beginning
from engine.retrieval.passages import split
from ingest.item import Item, Kind, Locator, People

TEXT = """From: Phillip K Allen <phillip.allen@x.example>
To: "Prior, Liz" <liz.prior@x.example>

Fax 63 2 9229
2352, room B-12, at the main boardroom. Ann Lee and Lee, Ann came. Bob A. B. Clark did not.
"""
EVIDENCE = split([Item(Kind.MAIL, "", None, People(), TEXT, Locator(Path("/mail")))])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("Phillip Allen [1]", "Phillip K Allen [1]"),
        ("[1] phillip allen", "[1] Phillip K Allen"),
        ("Liz Prior [1].", "Prior, Liz [1]."),
        ("63292292352 [1]", "63 2 9229 2352 [1]"),
        ("632-9229-2352", "63 2 9229 2352"),
        ("Main boardroom [1]", "main boardroom [1]"),
        ("Ann Lee [1]", "Ann Lee [1]"),
        ("liz.prior@x.example", "liz.prior@x.example"),
        ("Bob Clark", "Bob Clark"),
        ("Allen Prior", "Allen Prior"),
        ("2 9229", "2 9229"),
        ("922", "922"),
        ("Not found.", "Not found."),
        ("[1]", "[1]"),
        ("", ""),
    ],
)
def test_replies(reply: str, expected: str) -> None:
    assert as_written(reply, EVIDENCE) == expected


def test_without_evidence_nothing_changes() -> None:
    assert as_written("Phillip Allen [1]", []) == "Phillip Allen [1]"


def test_a_long_reply_stays() -> None:
    reply = "phillip allen " * 5
    assert as_written(reply, EVIDENCE) == reply


def vet(text: str) -> Item:
    return Item(Kind.EVENT, "Vet", None, People(), f"Event: Vet\nWhen: {text}", Locator(Path("/c")))


BLOODS = vet("Sat 2026-12-05 09:40-10:00 (20 min)")


@pytest.mark.parametrize(
    ("reply", "question", "items", "expected"),
    [
        ("10:00", "what time is the vet on Saturday", [BLOODS], "09:40-10:00"),
        ("At 10.00.", "When do I have to be at the vet?", [BLOODS], "09:40-10:00"),
        ("09:40", "what time is the vet", [BLOODS], "09:40"),
        ("10:00", "when does the vet's appointment end", [BLOODS], "10:00"),
        ("10:00 on Saturday", "what time is the vet", [BLOODS], "10:00 on Saturday"),
        # Something else is then.
        ("10:00", "what time is lunch", [BLOODS, vet("Sat 2026-12-05 10:00-11:00")], "10:00"),
        ("10:00", "what time is lunch", [BLOODS, vet("Sun 2026-12-06 09:00-10:00")], "10:00"),
    ],
)
def test_the_end_of_an_event_is_not_its_time(
    reply: str, question: str, items: list[Item], expected: str
) -> None:
    assert with_beginning(reply, question, split(items)) == expected


def test_a_time_that_a_mail_says_stays() -> None:
    mail = Item(Kind.MAIL, "", None, People(), "Lunch at 10:00.", Locator(Path("/mail")))
    assert with_beginning("10:00", "what time is lunch", split([BLOODS, mail])) == "10:00"

"""Short replies are set as the passages write them, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.generation.literal import as_written
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

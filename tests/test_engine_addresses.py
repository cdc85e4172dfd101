"""A long web address is cut for the models, and is whole again in an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.language.addresses import KEPT, LONGEST, with_short_addresses, written_out
from engine.prompts.templates import show, show_plain
from engine.retrieval.passages import split
from engine.retrieval.selection import OVERHEAD, tokens
from ingest.item import Item, Kind, Locator, People
from models.fake import FakeGenerator

HOST = "https://click.shop.example/track/"
OFFER, LEAVE = (f"{HOST}{letter * 90}?utm_medium=email" for letter in "ab")
MAIL = f"Your code is SPRING. Use it ({OFFER}) or leave ({LEAVE})."


def test_an_address_is_cut_behind_its_beginning() -> None:
    cut = with_short_addresses(MAIL)
    assert cut.startswith(f"Your code is SPRING. Use it ({OFFER[:KEPT]}")
    assert cut.endswith(").")
    assert len(cut) < len(MAIL) / 2


@pytest.mark.parametrize(
    "text",
    [
        "https://short.example/".ljust(LONGEST, "x"),
        "x" * 200,
        '{"a":1,' * 40,
        f"mailto:{'x' * 100}@y.example",
        "",
    ],
)
def test_all_else_is_left(text: str) -> None:
    assert with_short_addresses(text) == text


def test_a_reply_has_the_address_that_is_in_the_text() -> None:
    assert written_out(with_short_addresses(f"Click {LEAVE}"), [MAIL]) == f"Click {LEAVE}"
    assert (
        written_out(with_short_addresses(f"{OFFER} or {LEAVE}"), ["", MAIL])
        == f"{OFFER} or {LEAVE}"
    )
    assert written_out("SPRING", [MAIL]) == "SPRING"
    assert written_out("and so on…", [MAIL]) == "and so on…"


def test_prompts_show_it_short_and_budgets_count_it_so() -> None:
    passages = split([Item(Kind.MAIL, "", None, People(), MAIL, Locator(Path("/mail")))])
    for prompt in (show(passages), show_plain(passages)):
        assert OFFER[:KEPT] in prompt
        assert OFFER not in prompt
    assert tokens(passages, _CountsCharacters()) == len(with_short_addresses(MAIL)) + OVERHEAD


class _CountsCharacters(FakeGenerator):
    def count(self, text: str) -> int:
        """A token is a character."""
        return len(text)

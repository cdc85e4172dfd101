"""What is typed without accents finds what is written with them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.question.acquaintances import Acquaintances
from engine.retrieval.recall import Recall
from engine.retrieval.scan_numpy import NumpyScan
from ingest.item import Person
from ingest.places import lies_in, place_of
from ingest.text.accents import unaccented
from tests.support.builders import mail


@pytest.mark.parametrize(
    ("written", "typed"),
    [
        ("Siobhán Ó Súilleabháin", "siobhan o suilleabhain"),
        ("Łódź, Ærø, Đà Nẵng", "lodz, aero, da nang"),
        ("Straße nach Köln", "strasse nach koln"),
        ("İstanbul", "istanbul"),
        ("Αθήνα", "αθηνα"),
        ("Семён и йод", "семен и йод"),  # и and й are two letters
        ("東京 हिन्दी", "東京 हिन्दी"),
        ("e\u0301cole n\u0304", "ecole n"),
    ],
)
def test_letters_lose_their_accents(written: str, typed: str) -> None:
    assert unaccented(written) == typed
    assert unaccented(typed) == typed


@pytest.mark.parametrize("scan", [None, NumpyScan()])
def test_recall_finds_a_word_without_its_accent_and_with_it(scan: NumpyScan | None) -> None:
    recall = Recall(["Lucía sings", "the lucia train", "a ferry"], scan=scan)
    for asked in ("lucia", "Lucía", "LUCI\u0301A"):
        assert (recall.scores([asked])[0] > 0).tolist() == [True, True, False]
    assert recall.holding("lucia sings").tolist() == [True, False, False]


def test_a_person_is_known_without_accents() -> None:
    person = Person("Siobhán Quinn", "s.quinn@firm.example")
    assert person.matches("siobhan")
    assert person.matches("Siobhán")
    known = Acquaintances.of([mail("Hello", person, datetime(2026, 5, 1, tzinfo=UTC))])
    assert known.senders["siobhan"] == known.senders["siobhán quinn"] == {"s.quinn@firm.example"}


def test_a_folder_is_found_without_accents(tmp_path: Path) -> None:
    place = place_of(tmp_path / "Büro" / "a.txt", [tmp_path])
    assert lies_in(place, "buro")
    assert lies_in(place, "Büro")

"""Cards of what was found, and how far a stage is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.output.evidence import SIGNS, ago, evidence_cards
from app.output.stages import Stages, bar
from engine.events import Expected, Ranked, Reading, Stage
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People, Person

NOW = datetime(2026, 11, 25, 9, 0, tzinfo=UTC)
KIM = Person("Kim Ode", "kim@x.example")


def passage(title: str, text: str, kind: Kind = Kind.MAIL, body: int = 0) -> Passage:
    when = NOW - timedelta(days=15)
    at = Locator(Path(f"/mail/{title}.mbox"))
    item = Item(kind, title, when, People((KIM,)), text, at, body=body)
    return Passage(item, 0, len(text))


def cards(question: str, *passages: Passage, most: int = 5):
    return evidence_cards(Ranked("recall", list(passages), []), question, UTC, NOW, most)


def test_a_card_has_sign_people_day_and_the_line_with_most_words() -> None:
    told = "The boats are green. The leases of both boats end in June. Goodbye for now."
    text = f"Subject: Boats\n\n{told}"
    [card] = cards("When does the lease of the boat end?", passage("Boats", text, body=16))
    assert card.title == "✉ Boats"
    assert card.about == "Kim Ode, Tue 2026-11-10 09:00 (2 weeks ago) · /mail/Boats.mbox"
    assert card.line == "The leases of both boats end in June."
    assert [card.line[a:b] for a, b in card.lit] == ["leases", "boats", "end"]


def test_header_fields_of_a_mail_are_no_line_of_it() -> None:
    text = "Subject: The lease\n\nIt ends soon."
    [card] = cards("the lease", passage("The lease", text, body=20))
    assert card.line == "It ends soon."
    assert not card.lit


def test_a_source_has_one_card_and_signs_are_one_column_wide() -> None:
    from rich.cells import cell_len

    one = passage("One", "A boat. Another boat.")
    again = Passage(one.item, 8, len(one.item.text))
    found = cards("boat", one, again, passage("Two", "A boat.", Kind.DOCUMENT))
    assert [card.title for card in found] == ["✉ One", "▤ Two"]
    assert len(cards("boat", one, passage("Two", "A boat."), most=1)) == 1
    assert set(SIGNS) == set(Kind)
    assert {cell_len(sign) for sign in SIGNS.values()} == {1}


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0, "today"),
        (1, "yesterday"),
        (-1, "tomorrow"),
        (5, "5 days ago"),
        (-3, "in 3 days"),
        (13, "13 days ago"),
        (14, "2 weeks ago"),
        (100, "3 months ago"),
        (729, "24 months ago"),
        (800, "2 years ago"),
    ],
)
def test_days_are_said_in_words(days: int, said: str) -> None:
    assert ago(NOW - timedelta(days=days), NOW) == said


def test_a_bar_says_how_far_it_is() -> None:
    assert [bar(share) for share in (-1.0, 0.0, 0.34, 1.0, 7.0)] == [
        "▱▱▱▱▱▱▱▱▱▱",
        "▱▱▱▱▱▱▱▱▱▱",
        "▰▰▰▱▱▱▱▱▱▱",
        "▰▰▰▰▰▰▰▰▰▰",
        "▰▰▰▰▰▰▰▰▰▰",
    ]


def test_what_runs_now_is_said_with_what_is_left() -> None:
    now = [0.0]
    stages = Stages(clock=lambda: now[0])
    assert stages.now() == "…"
    stages.note(Stage("read", "started"))
    stages.note(Reading(done=1, total=4, bytes=30, total_bytes=100, skipped=0))
    now[0] = 2.0
    assert stages.now() == "Reading ▰▰▰▱▱▱▱▱▱▱ 1 of 4 2 s …"
    stages.note(Reading(4, 4, 100, 100, 0, scans=5, scans_done=4))
    assert stages.now() == "Reading ▰▰▰▰▰▰▰▰▱▱ scans 4 of 5 2 s …"
    stages.note(Stage("read", "done", 2.0))
    stages.note(Stage("write", "started"))
    assert stages.now() == "Writing 0 s …"
    stages.note(Expected(700, 10.0, 700))
    now[0] = 7.0
    assert stages.now() == "Writing ▰▰▰▰▰▱▱▱▱▱ about 5 s left …"
    now[0] = 30.0
    assert stages.now() == "Writing ▰▰▰▰▰▰▰▰▰▰ about 1 s left …"

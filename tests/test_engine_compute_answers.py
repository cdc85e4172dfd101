"""Answers that are computed, with their sources and remarks; plans of models and people."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.checking import abstention
from engine.compute.plan_text import parsed
from engine.confidence.reasons import ALL_MEANT, UNREAD
from engine.errors import OwnAddressUnknown, PlanRefused
from engine.events import Answered
from engine.settings import Settings
from ingest.item import Person, Shelf
from models.roles import ModelSet
from tests.support.builders import mail
from tests.support.toy_compute import BOB, KIM, MAILS, MET, Ask, asking, crossings, day

CATHERINE = Person("Lund, Catherine", "cl@lund.example")
KIM_LUND = Person("Kim Lund", "kl@lund.example")
ALLEN = Person("Phil Allen", "pa@lund.example")


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    return asking(fake_generator)


def test_an_answer_is_computed_without_a_model_and_cites_its_items(ask: Ask) -> None:
    answer, notes, models = ask("How many mails did Kim send in March?")
    assert answer.text == "2 mails [1][2]"
    assert answer.grounded == "grounded"
    assert [one.quote for one in answer.citations] == [
        "Subject: Boat house",
        "Subject: RE: Fwd: Boat house",
    ]
    assert notes[0] == "plan: count mail from:Kim since:2026-03-01 until:2026-03-31"
    assert answer.table is not None
    assert answer.table.value == "2"
    assert not models["l"].prompts + models["g"].prompts
    assert answer.models.generator is None


def test_a_date_is_quoted_from_the_line_that_states_it(ask: Ask) -> None:
    answer, _, _ = ask("When did Bob last write?")
    assert answer.text == "2026-03-03 [1]"
    assert answer.citations[0].quote.startswith("Date: 2026-03-03")


def test_an_aggregate_over_nothing_abstains_and_says_why(ask: Ask) -> None:
    answer, notes, _ = ask("How many mails did Kim send in 1999?")
    assert answer.text == abstention.ABSTENTION
    assert answer.grounded == "none"
    assert "there is no such mail in what was read" in notes
    _, notes, _ = ask("anything", plan="list title of event in:Nowhere and task")
    assert "there is no such event or task in what was read" in notes


def test_what_was_left_out_is_said_with_the_way_to_ask_for_it(ask: Ask, tmp_path: Path) -> None:
    junk = mail("Junk", BOB, day(9), shelf=Shelf.SPAM)
    answer, notes, _ = ask("How many mails did Bob send in March?", [*MAILS, junk])
    assert answer.text == "1 mail [1]"
    remark = "left out, in Spam: 1; ask for them with shelf:spam, with the rest by shelf:any"
    assert answer.table is not None
    assert answer.table.remarks == (remark,)
    assert remark in notes
    answer, _, _ = ask("anything", [*MAILS, junk], plan="count mail from:bob shelf:any")
    assert answer.text == "2 mails [1][2]"
    answer, notes, _ = ask("anything", crossings(tmp_path), plan="count event")
    assert answer.text == "2 events [1][2]"
    remark = 'left out, cancelled: 2 ("Crossing", "cancelled"); ask for them with status:any'
    assert remark in notes


def test_a_plan_of_the_person_replaces_the_question(ask: Ask) -> None:
    answer, _, _ = ask("anything", plan="count mail from:bob")
    assert answer.text == "1 mail [1]"
    with pytest.raises(PlanRefused):
        ask("anything", plan="count spoons")


def test_a_calendar_may_be_called_by_its_country(ask: Ask) -> None:
    answer, notes, _ = ask("anything", plan="count event in:norwegian")
    assert answer.text == "2 events [1][2]"
    assert notes == ["plan: count event in:Norway"]


def test_words_that_are_not_understood_make_it_partial(ask: Ask) -> None:
    answer, notes, _ = ask("How many angry mails did Kim send?")
    assert answer.grounded == "partial"
    assert "not understood, and not in the plan: angry" in notes


def test_a_plan_of_the_model_is_checked_and_shown(ask: Ask) -> None:
    answer, notes, models = ask(
        "Kim's correspondence, its extent", lookahead=["count mail from:kim"]
    )
    assert answer.text.startswith("4 mails")
    assert notes[:2] == [
        "the plan is the model's: the question's grammar gave none",
        "plan: count mail from:kim",
    ]
    assert len(models["l"].prompts) == 1


def test_a_plan_that_the_model_writes_wrongly_is_shown_and_refused(ask: Ask) -> None:
    answer, notes, _ = ask("Kim's correspondence, its extent", lookahead=["sum title of mail"])
    assert answer.grounded == "none"
    assert notes == [
        "the model's plan was refused: 'sum title of mail'. "
        "The plan cannot be run: sum needs numbers."
    ]


def test_a_shared_day_cites_the_mail_and_the_event(ask: Ask) -> None:
    answer, _, _ = ask("anything", MET, plan="shared date of mail from:kim and event with:kim")
    assert answer.text == "1 date [1][2]\n2026-03-04"
    assert [one.quote for one in answer.citations] == [
        "Date: 2026-03-04 09:00:00+00:00",
        "When: Wed 2026-03-04 14:00",
    ]
    _, notes, _ = ask("anything", MET, plan="between date of mail with:bob and event title:party")
    assert "from the first of each side to the other: 3 items pass the plan" in notes
    answer, _, _ = ask("anything", MET, plan="count item with:kim")
    assert answer.text == "5 items [1][2][3][4][5]"
    assert [one.passage.item.title for one in answer.citations] == [
        "Plans",
        "Review",
        "Minutes",
        "Party",
        "Lunch with Kim",
    ]


def test_items_without_a_group_are_counted_and_named_and_the_table_has_all(ask: Ask) -> None:
    many = [mail(f"Loose {number}", KIM, None) for number in range(7)]
    answer, notes, _ = ask("anything", [*MAILS[:2], *many], plan="count mail by month")
    assert answer.text == "March 2026: 2 mails [1]"
    assert answer.grounded == "partial"
    assert notes[1] == (
        'do not state the month: 7 ("Loose 0", "Loose 1", "Loose 2", "Loose 3", "Loose 4"'
        " and 2 more)"
    )
    assert answer.table is not None
    assert [(one.lacks, one.source.text) for one in answer.table.unread] == [
        ("month", f"Subject: Loose {number}") for number in range(7)
    ]


def test_me_is_the_owner_and_nobody_without_one(ask: Ask) -> None:
    with pytest.raises(OwnAddressUnknown):
        ask("How many mails did I send?")
    answer, _, _ = ask("How many mails did I send?", own=("bob@reed.example",))
    assert answer.text == "1 mail [1]"


def test_a_list_is_no_longer_than_a_screen_and_its_table_has_all(ask: Ask) -> None:
    many = [
        mail(f"Note {number}", KIM, day(1, 0) + timedelta(hours=number)) for number in range(60)
    ]
    answer, _, _ = ask("anything", many, plan="list title of mail")
    assert answer.text.splitlines()[-1] == "and 20 more"
    assert answer.table is not None
    assert len(answer.table.rows) == 60
    assert len(answer.citations) == 20


@pytest.mark.parametrize(
    ("plan", "sure"), [("count event", True), ("count item title:regatta", False)]
)
def test_a_file_that_could_not_have_held_it_leaves_a_count_sure(
    fake_models: Callable[..., ModelSet], tmp_path: Path, plan: str, sure: bool
) -> None:
    crossings(tmp_path)
    (tmp_path / "sealed.pdf").write_bytes(b"%PDF-1.7 nothing")
    *_, end = answer("How many?", [tmp_path], fake_models(), Settings(plan=parsed(plan)))
    assert isinstance(end, Answered)
    found = end.answer
    assert len(found.coverage.skipped) == 1
    assert (found.certainty == "sure") is sure
    assert (found.grounded == "grounded") is sure
    assert [one.text for one in found.reasons] == [UNREAD.text] * (not sure)


@pytest.mark.parametrize(
    ("to", "begins", "named", "sure"),
    [
        ((KIM,), "The boat leaks.", "Kim Sato", True),
        ((KIM, CATHERINE), "Hi Cath\nThe boat leaks.", "Catherine Lund", True),
        ((KIM, CATHERINE), "Sato,\nthe boat leaks.", "Kim Sato", True),
        ((KIM, CATHERINE), "Guys, the boat leaks.", "Kim Sato", False),
        ((KIM, CATHERINE), "Kim thinks that the boat leaks", "Kim Sato", False),
        ((KIM, CATHERINE), "Kim and Cath,\nthe boat leaks", "Kim Sato", False),
        ((KIM, CATHERINE, ALLEN), "All,\nthe boat leaks", "Kim Sato", False),
        ((KIM, KIM_LUND, CATHERINE), "Dear Kim Sato,\nthe boat leaks", "Kim Sato", True),
    ],
)
def test_the_main_recipient_is_whom_the_mail_greets_else_all_are_shown_unsure(
    ask: Ask, to: tuple[Person, ...], begins: str, named: str, sure: bool
) -> None:
    leak = mail("Leak", BOB, day(9), begins, to=to)
    asked = 'In the mail "Leak" from Bob: who is the main recipient?'
    found, _, models = ask(asked, [*MAILS, leak])
    assert found.text.startswith(named)
    assert (found.certainty == "sure") is sure
    assert found.grounded == "grounded"
    assert [one.text for one in found.reasons] == [ALL_MEANT.text] * (not sure)
    assert ("Catherine Lund" in found.text) is (not sure or named == "Catherine Lund")
    assert not models["g"].prompts

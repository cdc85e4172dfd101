"""Questions about somebody who is described: who that is comes first."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.errors import BudgetTooSmall
from engine.events import Answered, Decided, Event, Noted, Token
from engine.generation.draft import Draft
from engine.outcome import certainty_of
from engine.question.description import called_in, description_of, named_in
from engine.settings import Budget, Settings
from engine.sheets.computed import BY_WORDS
from engine.values import Citation, Passage
from models.llama.generator import load_llama
from models.roles import ModelSet
from models.store.catalogue import load_catalogue
from tests.support.builders import document
from tests.support.in_store import weights_of

TEXTS = {
    "boiler.txt": "Rui Fernandes mended the boiler on Monday.\n",
    "people.txt": "Phone numbers\nRui Fernandes: 912 555 874\nAna Lopes: 925 555 641\n",
}
QUESTION = "What is the phone number of the man who mended the boiler?"


@pytest.mark.parametrize(
    ("question", "who", "named"),
    [
        (QUESTION, "Who mended the boiler?", "What is the phone number of Al Roe?"),
        (
            "mobile for the reviser on the wind farm job",
            "Who is the reviser on the wind farm job?",
            "mobile for Al Roe",
        ),
        (
            "birthday of Lena's mum, the one with the boat?",
            "Who is Lena's mum, the one with the boat?",
            "birthday of Al Roe?",
        ),
        (
            "What's our landlord's phone number?",
            "Who is our landlord?",
            "What's Al Roe's phone number?",
        ),
        ("number for our plumber", "Who is our plumber?", "number for Al Roe"),
        ("how do I reach whoever tuned the piano", "Who tuned the piano?", "how do I reach Al Roe"),
        (
            "email of the firm that repairs bikes",
            "Who is the firm that repairs bikes?",
            "email of Al Roe",
        ),
        ("E-mail of my dentist, please.", "Who is my dentist, please?", "E-mail of Al Roe."),
        (
            "Who is the spouse of the actor who played Zeb?",
            "Who is the actor who played Zeb?",
            "Who is the spouse of Al Roe?",
        ),
        (
            "yearly fee of the boat we lifted by mistake",
            "What is the name of the boat we lifted by mistake?",
            "yearly fee of Al Roe",
        ),
        (
            "What is the population of the town where our vet lives?",
            "What is the name of the town where our vet lives?",
            "What is the population of Al Roe?",
        ),
    ],
)
def test_a_person_is_described(question: str, who: str, named: str) -> None:
    found = description_of(question)
    assert found is not None
    assert (found.who, found.asked_of("Al Roe")) == (who, named)


@pytest.mark.parametrize(
    "question",
    [
        "What is the phone number of Ann Lee?",
        "What is Ann Lee's phone number?",
        "address of the hotel in Vienna",
        "number of the invoice from the plumber",
        "what is the address for the meeting with the lawyer?",
        "mobile number of Rui, the plumber",
        "email for the order of the sampler",
        "number of the letter that my landlord sent",
        "order number of the laser meter",
        "what is the invoice number of the plumber?",
        "Who mended the boiler?",
        "What did the man who mended the boiler charge?",
        "which of the people that we asked came",
        "one of the boats that we lifted",
        "what share of the fee would we owe",
        "how much did Di pay for the tyres on the van after she bought it",
        "name of the firm that guards the gate at night",
        "What relation did the inventors of the method through which wood is bent have?",
        "role on the show that was about the lives of teenagers from what town?",
        "Who wrote the song of the Thinking About You singer?",
        "price of the Boat that we lifted",
        "how much was the deposit for the sofa we ordered in May",
        "what time is dinner at the place we booked",
    ],
)
def test_this_is_no_description(question: str) -> None:
    assert description_of(question) is None


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("Rui Fernandes", "Rui Fernandes"),
        ("It was mended by Rui Fernandes of Aquafix.", "Rui Fernandes"),
        ("The Boiler was mended by Ana da Silva.", "Ana da Silva"),
        ("Dr. J. van der Berg.", "Dr. J. van der Berg"),
        ("The boiler man", None),
        ("a plumber", None),
    ],
)
def test_a_name_is_what_the_question_does_not_have(reply: str, name: str | None) -> None:
    assert named_in(reply, "Who mended the boiler?") == name


@pytest.mark.parametrize(
    ("reply", "name"),
    [
        ("Lady Maud", "Lady Maud"),
        (" ML-35.\n", "ML-35"),
        ("The boat", None),
        ("Yes, the Lady Maud", None),
        ("It was the Lady Maud which they lifted", None),
        ("", None),
    ],
)
def test_a_thing_is_called_by_a_short_reply(reply: str, name: str | None) -> None:
    assert called_in(reply, "What is the name of the boat that we lifted?") == name


def asked(
    folder: Path, models: Any, question: str = QUESTION, **settings: Any
) -> tuple[list[Event], Answered]:
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    events = list(answer(question, [folder], models, Settings(**settings)))
    assert isinstance(events[-1], Answered)
    return events, events[-1]


def test_who_is_described_is_asked_first(tmp_path: Path, fake_models: Callable[..., Any]) -> None:
    models = fake_models(generator=["Rui Fernandes", "912 555 874"])
    events, last = asked(tmp_path, models)
    found = last.answer
    first, second = found.text.splitlines()
    assert first.startswith("912 555 874 [")
    assert second.startswith("The man who mended the boiler is Rui Fernandes. [")
    assert {one.passage.item.title for one in found.citations} == {"boiler.txt", "people.txt"}
    assert found.confidence is not None
    assert found.certainty == "unsure"
    decided = {event.stage: event.taken for event in events if isinstance(event, Decided)}
    assert decided["sub-questions"]
    assert "".join(event.text for event in events if isinstance(event, Token)) == "912 555 874"
    [_, prompt] = models.generator.prompts
    assert "What is the phone number of Rui Fernandes?" in prompt


@pytest.mark.parametrize("reply", ["Not found.", "a plumber"])
def test_without_a_name_it_is_read_as_it_stands(
    tmp_path: Path, fake_models: Callable[..., Any], reply: str
) -> None:
    models = fake_models(generator=[reply, "912 555 874"])
    events, last = asked(tmp_path, models)
    assert last.answer.text.startswith("912 555 874 [1]")
    assert "is Rui" not in last.answer.text
    decided = [event for event in events if isinstance(event, Decided)]
    assert not next(one.taken for one in decided if one.stage == "sub-questions")
    assert QUESTION in models.generator.prompts[-1]


def test_the_first_token_is_the_first_that_is_shown(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    models = fake_models(generator=["Rui Fernandes", "912 555 874"])
    began, shown = time.monotonic(), 0.0
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text)
    for event in answer(QUESTION, [tmp_path], models, Settings()):
        if isinstance(event, Decided) and event.stage == "sub-questions":
            time.sleep(0.2)  # the first reading is over by now
        if isinstance(event, Token) and not shown:
            shown = time.monotonic() - began
    assert isinstance(event, Answered)
    assert event.answer.timings["first_token"] == pytest.approx(shown, abs=0.05)


@pytest.mark.parametrize(("likely", "certainty"), [(0.99, "unsure"), (0.0, "none")])
def test_what_was_computed_for_a_name_is_no_surer_than_its_reasons(
    likely: float, certainty: str
) -> None:
    """Rows that were chosen by words stay unsure, however sure it is who is meant."""
    item = document("Owing: 20", "accounts.csv")
    cited = (Citation(1, Passage(item, 0, 9), 0, 9, "matched", support=True),)
    draft = Draft("20 [1]", citations=cited, reasons=(BY_WORDS,), confidence=likely)
    assert certainty_of(draft, "grounded", Settings()) == certainty


def test_passages_that_fit_no_budget_fail_as_without_a_description(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    """The first reading gives way to the question as it stands, which says what is wrong."""
    budget = Budget(2, 2, 1, lookahead_share=0, generator_share=0, first_tokens=2)
    ended = [
        outcome_of(tmp_path, fake_models(generator=["912 555 874"]), question, budget)
        for question in (QUESTION, "What is the phone number of Rui Fernandes?")
    ]
    assert ended[0] == ended[1]


def outcome_of(folder: Path, models: Any, question: str, budget: Budget) -> str:
    try:
        return asked(folder, models, question, budget=budget)[1].answer.text
    except BudgetTooSmall as error:
        return error.message


@pytest.mark.slow
def test_the_starter_model_names_who_is_described_and_the_number(tmp_path: Path) -> None:
    row = load_catalogue().default("generator")
    model = load_llama(weights_of(row.id), row.id, context=2048, adapter=row.adapter_path)
    models = ModelSet(row.id, row.id, lambda _: model, denial_bias=row.denial_bias)
    try:
        _, last = asked(tmp_path, models)
    finally:
        model.close()
    assert "912 555 874" in last.answer.text
    assert "is Rui Fernandes" in last.answer.text
    assert {one.passage.item.title for one in last.answer.citations} == {*TEXTS}
    assert last.answer.signals is not None
    assert last.answer.signals["adapted"] == 1.0


def test_a_name_without_the_detail_is_no_answer(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    models = fake_models(generator=["Rui Fernandes", "Not found."])
    _, last = asked(tmp_path, models)
    assert last.answer.certainty == "none"


BOAT = "yearly fee of the boat that we lifted by mistake"


def test_a_thing_is_named_first(tmp_path: Path, fake_models: Callable[..., Any]) -> None:
    (tmp_path / "log.txt").write_text("We lifted Lady Maud by mistake.\n")
    (tmp_path / "fees.txt").write_text("Yearly fees\nLady Maud: 3,378\nPuffin: 1,200\n")
    models = fake_models(generator=["Lady Maud", "3,378"])
    _, last = asked(tmp_path, models, BOAT, sure_confidence=0.01)
    first, second = last.answer.text.splitlines()
    assert first.startswith("3,378 [")
    assert second.startswith("The boat that we lifted by mistake is Lady Maud. [")
    [_, prompt] = models.generator.prompts
    assert "yearly fee of Lady Maud" in prompt
    doubts = [one.text for one in last.answer.reasons if not one.speaks_for]
    assert "it is right only if the boat that we lifted by mistake is Lady Maud" in doubts
    assert last.answer.certainty == "unsure"
    assert "first_token" not in last.answer.timings  # nothing was shown before the end


def test_a_thing_without_the_detail_is_read_as_it_stands(
    tmp_path: Path, fake_models: Callable[..., Any]
) -> None:
    (tmp_path / "log.txt").write_text("We lifted Lady Maud by mistake; its fee is 3,378.\n")
    models = fake_models(generator=["Lady Maud", "Not found.", "3,378"])
    events, last = asked(tmp_path, models, BOAT)
    assert last.answer.text.startswith("3,378 [1]")
    assert "is Lady" not in last.answer.text
    noted = [event.text for event in events if isinstance(event, Noted)]
    assert noted == ["Nothing is found about Lady Maud: the question is read as it stands."]
    shown = "".join(event.text for event in events if isinstance(event, Token))
    assert shown == "3,378"

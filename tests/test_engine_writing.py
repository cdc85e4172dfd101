"""What the generator is asked, and how its reply is judged."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.confidence.calibration import Calibration
from engine.events import Token
from engine.generation.draft import Draft
from engine.generation.reply import (
    GeneratorQuestion,
    asks_several,
    finish,
    form_asked,
    states_first,
    unshown,
    write,
    write_verdict,
)
from engine.prompts.tasks import QUESTION as QUESTION_TASK
from engine.retrieval.passages import split
from ingest.item import Item, Kind, Locator, People
from models.fake import LIKELY
from models.protocols import Beginnings, Generator

QUESTION = "What is the e-mail address of Ann Lee?"
WEIGHTS = {"intercept": -1.0, "mean": 0.5, "held": 1.0}


def mail(text: str) -> Item:
    return Item(Kind.MAIL, "Lunch", None, People(), text, Locator(Path("/mail")))


def written(model: Generator, question: str = QUESTION) -> tuple[list[str], Draft]:
    """Return the tokens shown and the reply that stands."""
    asked = GeneratorQuestion(QUESTION_TASK, question, date(2026, 11, 21))
    passages = split([mail("From: Ann Lee <ann@x.example>")])
    steps = write(model, asked, asked.prompt(model, passages))
    shown = []
    while True:
        try:
            event = next(steps)
        except StopIteration as stop:
            return shown, finish(asked, passages, stop.value, Calibration(WEIGHTS))
        assert isinstance(event, Token)
        shown.append(event.text)


def test_a_reply_is_judged_without_another_call(fake_generator: Callable[..., Any]) -> None:
    model = fake_generator("fake", ["ann@x.example"])
    shown, answer = written(model)
    assert "".join(shown) == answer.text == "ann@x.example"
    assert len(model.prompts) == 1
    assert answer.signals is not None
    assert (answer.signals.held, answer.signals.echoed) == (1, 0)
    assert answer.signals.mean == answer.signals.least == LIKELY
    assert answer.confidence == Calibration(WEIGHTS).confidence(answer.signals)


def test_a_denial_is_not_judged(fake_generator: Callable[..., Any]) -> None:
    model = fake_generator("fake", ["Not found."])
    _, answer = written(model)
    assert answer.confidence is None
    assert len(model.prompts) == 1


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Did Ann sign the lease?", "verdict"),
        ('In the mail "Lease": is it signed?', "verdict"),
        ("Is it the red or the blue boat?", "one"),
        ("Who signed the lease?", "one"),
        ("Who signed it, and when?", "several"),
    ],
)
def test_the_form_of_an_answer_follows_the_question(question: str, form: str) -> None:
    assert form_asked(question) == form


@pytest.mark.parametrize(
    ("question", "bias", "states"),
    [
        ("Did Ann sign it?", 3.0, True),
        ("Did Ann sign it?", 0.0, False),  # what the model says was not measured
        ("Who signed it?", 3.0, False),
    ],
)
def test_only_a_question_of_yes_or_no_states_first(
    question: str, bias: float, states: bool
) -> None:
    asked = GeneratorQuestion(QUESTION_TASK, question, date(2026, 11, 27))
    assert states_first(asked, bias) is states


@pytest.mark.parametrize(
    ("stated", "odds", "reply"),
    [
        ("the lease is signed by Bob.", 2.0, "No. The lease is signed by Bob."),
        ("Ann signed it.", 4.0, "Yes. Ann signed it."),
        ("there is no information about the lease.", 4.0, "there is no information"),
    ],
)
def test_yes_or_no_is_what_the_statement_amounts_to(
    fake_generator: Callable[..., Any], stated: str, odds: float, reply: str
) -> None:
    model = fake_generator("fake", [stated], logprobs=lambda *_: [-0.1, -0.1 - odds])
    asked = GeneratorQuestion(QUESTION_TASK, "Did Ann sign it?", date(2026, 11, 27))
    draft = unshown(write_verdict(model, asked, split([mail("The lease is signed by Bob.")]), 3.0))
    assert draft.text.startswith(reply)
    assert model.prompts[0].endswith("The passages say that")
    assert all(prompt.startswith(model.prompts[0]) for prompt in model.prompts[1:])


@pytest.mark.parametrize(
    ("stated", "reply", "constraint"),
    [
        ("Ann signed it.", "No, Bob signed it.", Beginnings(("No,", "No."))),
        ("Ann did not sign it.", "No. Ann did not sign it.", None),
    ],
)
def test_what_only_repeats_the_question_is_no_reason_for_a_no(
    fake_generator: Callable[..., Any], stated: str, reply: str, constraint: Beginnings | None
) -> None:
    model = fake_generator(
        "fake",
        lambda prompt, _: stated if prompt.endswith("The passages say that") else reply,
        logprobs=lambda *_: [-0.1, -0.1],
    )
    asked = GeneratorQuestion(QUESTION_TASK, "Did Ann sign it?", date(2026, 11, 27))
    passages = list(split([mail("The lease is signed by Bob.")]))
    assert unshown(write_verdict(model, asked, passages, 3.0)).text == reply
    assert model.requests[-1].constraint == constraint


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Who wrote it, and when?", True),
        ("Where is it? And in which room?", True),
        ("Which politician who has served held the office that was founded in 1990?", False),
        ('In the mail "Which way": what is attached?', False),
    ],
)
def test_parts_of_a_question_are_no_clauses(question: str, several: bool) -> None:
    assert asks_several(question) is several


@pytest.mark.parametrize(
    ("reply", "stands"),
    [
        (
            "The key is at the shop [1]. It is red. The key is at the shop. It is red. The",
            "The key is at the shop [1]. It is red.",
        ),
        (
            "The key is at the shop. [1] The key is at the shop. [1] The key",
            "The key is at the shop. [1]",
        ),
        (
            "- The key is at the shop\n- Ann has a key\n- The key is at the shop\n- Ann",
            "- The key is at the shop\n- Ann has a key",
        ),
        ("No. No. No. The key is at the shop.", "No. No. No. The key is at the shop."),
        ("It is 3.5 euros a day. It is 3.5 euros.", "It is 3.5 euros a day. It is 3.5 euros."),
    ],
)
def test_what_is_said_again_is_dropped(
    fake_generator: Callable[..., Any], reply: str, stands: str
) -> None:
    model = fake_generator("fake", [reply], logprobs=lambda *_: [-0.1, -3.0])
    _, answer = written(model, "Where is the key?")
    assert answer.text == stands
    assert answer.ended

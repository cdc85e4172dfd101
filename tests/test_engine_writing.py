"""What the generator is asked, and how its reply is judged."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer
from engine.confidence.calibration import Calibration
from engine.events import Decided, Token
from engine.generation.draft import Draft
from engine.generation.first_words import Opening, held_to_no, opening_of
from engine.generation.reply import (
    GeneratorQuestion,
    asks_several,
    finish,
    form_asked,
    write,
)
from engine.prompts.tasks import QUESTION as QUESTION_TASK
from engine.retrieval.passages import split
from engine.settings import Settings
from ingest.item import Item, Kind, Locator, People
from models.fake import LIKELY
from models.protocols import Generator, OtherBeginnings
from models.roles import ModelSet

QUESTION = "What is the e-mail address of Ann Lee?"
WEIGHTS = {"intercept": -1.0, "likely": 0.5, "held": 1.0}


def written(model: Generator, question: str = QUESTION) -> tuple[list[str], Draft]:
    """Return the tokens shown and the reply that stands."""
    text = "From: Ann Lee <ann@x.example>"
    item = Item(Kind.MAIL, "Lunch", None, People(), text, Locator(Path("/mail")))
    asked = GeneratorQuestion(QUESTION_TASK, question, date(2026, 11, 21))
    passages = split([item])
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
    assert answer.signals.likely == answer.signals.least_likely == pytest.approx(math.exp(LIKELY))
    assert (answer.signals.adapted, answer.signals.denied) == (0.0, None)
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
        ("While Ann is away, is the office open?", "verdict"),
        ("Going by the lease, doesn't Ann pay for heating?", "verdict"),
        ("The lease ends in May. Did Ann sign it?", "verdict"),
        ("When is Ann away, and is the office open?", "one"),
        ("In which year, so the lease, did it begin?", "one"),
        ("Who is Ann Lee? Did she sign it?", "one"),
        ("Is it the red or the blue boat?", "one"),
        ("Who signed the lease?", "one"),
        ("Who signed it, and when?", "several"),
        ("Could you please tell me by when Ann wants the lease?", "one"),
        ("do you know what my blood group is", "one"),
        ("Can you check whether Ann signed?", "verdict"),
        ("Do you know if Ann signed what we sent?", "verdict"),
    ],
)
def test_the_form_of_an_answer_follows_the_question(question: str, form: str) -> None:
    assert form_asked(question) == form


@pytest.mark.parametrize(
    ("question", "likely", "bias", "held"),
    [
        ("Did Ann sign it?", (0.6, 0.3), 1.0, True),
        ("Did Ann sign it?", (0.6, 0.3), 0.5, False),  # the odds are 2, their logarithm 0.69
        ("Did Ann sign it?", (0.6, 0.3), 0.0, False),
        ("Did Ann sign it?", (0.3, 0.6), 1.0, False),  # it says no by itself
        ("Did Ann sign it?", (0.2, 0.1), 1.0, False),  # it is about to say something else
        ("Who signed it?", (0.6, 0.3), 1.0, False),
    ],
)
def test_a_model_that_likes_to_say_yes_is_held_to_no(
    fake_generator: Callable[..., Any],
    question: str,
    likely: tuple[float, float],
    bias: float,
    held: bool,
) -> None:
    model = fake_generator("fake", logprobs=lambda *_: [math.log(one) for one in likely])
    asked = GeneratorQuestion(QUESTION_TASK, question, date(2026, 11, 27))
    assert held_to_no(model, asked, "a prompt", bias) is held


@pytest.mark.parametrize(
    ("denied", "bias", "held", "told"),
    [
        (0.2, 2.0, True, False),  # no denial was to come
        (0.7, 2.0, True, True),  # the odds are 2.3, their logarithm 0.85
        (0.9, 2.0, False, False),  # 2.2
        (0.7, 0.0, False, False),
        (0.7, None, False, False),  # not trained to deny
    ],
)
def test_a_model_that_likes_to_deny_is_held_to_an_answer(
    fake_generator: Callable[..., Any],
    denied: float,
    bias: float | None,
    held: bool,
    told: bool,
) -> None:
    model = fake_generator("fake", logprobs=lambda *_: [math.log(denied)])
    roles = ModelSet("fake", "fake", lambda _: model, denial_bias=bias)
    asked = GeneratorQuestion(QUESTION_TASK, "Who signed it?", date(2026, 11, 27))
    opening = opening_of(model, asked, "a prompt", roles)
    assert isinstance(opening.held, OtherBeginnings) is held
    assert opening.denied == (None if bias is None else pytest.approx(denied))
    assert (opening.decided is not None) is told
    assert opening.adapted


def test_several_questions_are_read_without_the_adapter(
    fake_generator: Callable[..., Any],
) -> None:
    model = fake_generator("fake")
    roles = ModelSet("fake", "fake", lambda _: model, denial_bias=2.0)
    asked = GeneratorQuestion(QUESTION_TASK, "Who signed it, and when?", date(2026, 11, 27))
    assert opening_of(model, asked, "a prompt", roles) == Opening()
    assert model.prompts == []


@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_a_reply_held_to_no_says_so(
    tmp_path: Path, fake_generator: Callable[..., Any], bias: float
) -> None:
    (tmp_path / "lease.txt").write_text("Ann has not signed the lease of the boathouse.\n")
    model = fake_generator(
        "fake",
        ["No, Ann has not signed the lease."],
        logprobs=lambda *_: [math.log(0.6), math.log(0.3)],
    )
    models = ModelSet("fake", "fake", lambda _: model, yes_bias=bias)
    events = answer("Did Ann sign the lease?", [tmp_path], models, Settings(strategy="vanilla"))
    decided = [event.stage for event in events if isinstance(event, Decided)]
    assert decided == (["say no"] if bias else [])


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("Who wrote it, and when?", True),
        ("Where is it? And in which room?", True),
        ("Which politician who has served held the office that was founded in 1990?", False),
        ('In the mail "Which way": what is attached?', False),
        ("What was the rent in May and in June?", True),
        ("How high up are Wengen and Davos, in feet?", True),
        ("What was the rent in May and June?", False),
        ("For how long were the vans used for water and blankets?", False),
        ("Did the rent rise in May and in June?", False),
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

"""When the generator is asked again, and which of its two replies stands."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.events import Token
from engine.generation.draft import Draft
from engine.generation.reply import GeneratorQuestion, finish, write
from engine.prompts.tasks import QUESTION as QUESTION_TASK
from engine.retrieval.passages import split
from ingest.item import Item, Kind, Locator, People
from models.protocols import Generator

QUESTION = "What is the e-mail address of Ann Lee?"
SENTENCE = "Ann Lee's address is ann@x.example [1]."


def written(
    model: Generator, question: str = QUESTION, deadline: float | None = None
) -> tuple[list[str], Draft]:
    """Return the tokens shown and the reply that stands."""
    text = "From: Ann Lee <ann@x.example>"
    item = Item(Kind.MAIL, "Lunch", None, People(), text, Locator(Path("/mail")))
    asked = GeneratorQuestion(QUESTION_TASK, question, date(2026, 11, 21), deadline)
    passages = split([item])
    steps = write(model, asked, asked.prompt(model, passages))
    shown = []
    while True:
        try:
            event = next(steps)
        except StopIteration as stop:
            return shown, finish(model, asked, passages, stop.value)
        assert isinstance(event, Token)
        shown.append(event.text)


def surer_of(part: str) -> Callable[[str, Sequence[str]], list[float]]:
    """Return Yes more likely for a proposed answer that has `part`."""
    return lambda prompt, _: [-0.1, -3.0] if part in prompt.partition("Proposed")[2] else [-1.0, -1]


@pytest.mark.parametrize("reply", ["Ann Lee [1]", "[1]"])
def test_a_reply_that_adds_nothing_gives_way_to_a_surer_sentence(
    reply: str, fake_generator: Callable[..., Any]
) -> None:
    replies = lambda prompt, _: SENTENCE if "short sentence" in prompt else reply  # noqa: E731
    model = fake_generator("fake", replies, logprobs=surer_of("ann@"))
    shown, answer = written(model)
    assert answer.text == SENTENCE
    assert "".join(shown) == reply
    assert answer.confidence is not None
    assert answer.confidence > 0.5


def test_a_reply_that_adds_nothing_stands_when_the_model_is_surer_of_it(
    fake_generator: Callable[..., Any],
) -> None:
    replies = lambda prompt, _: "No idea, Bob [1]" if "sentence" in prompt else "Lunch [1]"  # noqa: E731
    model = fake_generator("fake", replies, logprobs=surer_of("Lunch"))
    _, answer = written(model, 'What is the subject of the mail "Lunch"?')
    assert answer.text == "Lunch [1]"


def test_a_reply_that_adds_something_is_asked_for_once(fake_generator: Callable[..., Any]) -> None:
    model = fake_generator("fake", ["ann@x.example [1]"])
    _, answer = written(model)
    assert answer.text == "ann@x.example [1]"
    assert len(model.prompts) == 2  # the question and its check


def test_a_denial_is_neither_checked_nor_asked_again(fake_generator: Callable[..., Any]) -> None:
    model = fake_generator("fake", ["Not found."])
    _, answer = written(model)
    assert answer.confidence is None
    assert len(model.prompts) == 1


def test_no_second_reply_once_time_is_spent(fake_generator: Callable[..., Any]) -> None:
    def slow(prompt: str, choices: Sequence[str]) -> list[float]:
        time.sleep(0.3)
        return [-0.1, -3.0]

    model = fake_generator("fake", ["Ann"], logprobs=slow)
    _, answer = written(model, deadline=time.monotonic() + 0.2)
    assert answer.text == "Ann"
    assert len(model.prompts) == 2


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

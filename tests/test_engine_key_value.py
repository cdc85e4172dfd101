"""Key-value: whole keys, whole values, and a prompt whose tokens are counted by its model."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime

import pytest

from engine.answer import answer
from engine.events import Answered
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.strategies.key_value import PROMPT_TOKENS, member_value
from engine.values import Answer, Query
from models.fake import FakeGenerator
from models.roles import ModelSet
from tests.support.builders import document, passage


class Fine(FakeGenerator):
    """Counts as models do: a token for each digit, Chinese character, mark and word."""

    def count(self, text: str) -> int:
        return len(re.findall(r"\d|[\u4e00-\u9fff]|[^\W\d\u4e00-\u9fff]+|[^\w\s]", text))


def ask(question: str, text: str, reply: str) -> tuple[Answer, Fine]:
    model = Fine("g", [reply])
    *_, last = answer(
        Query(question),
        corpus_of(split([document(text, "records")])),
        ModelSet("g", "g", lambda _: model),
        Settings(
            strategy="key_value", least_confidence=0, now=datetime(2026, 4, 1, tzinfo=UTC), zone=UTC
        ),
    )
    assert isinstance(last, Answered)
    return last.answer, model


@pytest.mark.parametrize(
    ("member", "question", "value"),
    [
        ("name: Ann", "What is the hostname?", None),
        ("name: Ann", "What is the name?", "Ann"),
        ("name: Ann", "What is the user_name?", None),
        ('"abc-1": "one"', "What is under the key abc-12?", None),
        ('"abc": "one"', "What is under the key abc-12?", None),
        ('"12": "one"', "What is under the key abc-12?", None),
        ('"abc-12": "one"', 'What is under the key "abc-12"?', "one"),
        ('"abc-12": "one"', "Look up abc-12.", "one"),
        ("Licence  plate: HH-AB 12", "What is the licence plate?", "HH-AB 12"),
        (" = green", "What is set?", None),
        ("colour = green", "What is the boat's colour?", "green"),
        ("密码: 4411", "密码是什么?", "4411"),
    ],
)
def test_a_key_is_named_whole_or_not_at_all(member: str, question: str, value: str | None) -> None:
    found = member_value(passage(member, "records"), question)
    assert (member[slice(*found)] if found else None) == value


DRAWN = random.Random(3)
LONG = {
    "digits": "".join(DRAWN.choices("0123456789", k=900)),
    "chinese": "".join(DRAWN.choices("东西南北中发白", k=900)),
    "words": " ".join(["filler"] * 150),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("at", [0, 450])
def test_the_prompt_stays_below_its_tokens_whatever_the_record_holds(kind: str, at: int) -> None:
    long = LONG[kind]
    text = f"{long[:at]} Skagen ferry cabin 4411. {long[at:]}"
    answer, model = ask("Which cabin on the Skagen ferry?", text, "4411")
    assert answer.text == "4411 [1]"
    assert [model.count(prompt) < PROMPT_TOKENS for prompt in model.prompts] == [True]
    assert "cabin 4411" in model.prompts[0]


@pytest.mark.parametrize(
    ("text", "reply", "is_found"),
    [
        ("Skagen ferry, cabin 4411", "44", False),
        ("Skagen ferry, cabin 44, 11 beds", "44", True),
        ("Skagen ferry, cabin 44.11", "44", False),
        ("Skagen ferry, cabin for Annika", "Ann", False),
        ("Skagen ferry, cabin after 12km", "12", True),
        ("Skagen ferry, cabin 44af09", "44", False),
        ("Skagen ferry, cabin 3f9ab2", "3f9a", False),
    ],
)
def test_a_part_of_a_value_is_no_value(text: str, reply: str, is_found: bool) -> None:
    answer, _ = ask("Which cabin on the Skagen ferry?", text, reply)
    assert (answer.text == f"{reply} [1]") is is_found


def test_a_question_longer_than_the_prompt_leaves_some_of_the_record() -> None:
    question = "Which cabin on the Skagen ferry? " + "1 " * 400
    answer, model = ask(question, f"Skagen ferry cabin 4411. {LONG['words']}", "4411")
    assert answer.text == "4411 [1]"
    assert model.prompts[0].count("filler") < 20

"""The starter answer model with its reading adapter names what is stated, and denies the rest."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from engine.generation.first_words import DENIAL, opening_of
from engine.generation.reply import GeneratorQuestion, unshown, write
from engine.prompts.tasks import QUESTION
from engine.retrieval.passages import split
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People
from models.llama.generator import LlamaGenerator, load_llama
from models.roles import ModelSet
from models.store.catalogue import load_catalogue
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow
ROW = load_catalogue().default("generator")
LOCATOR = Locator(Path("/notes/boathouse.txt"))
LEASE = (
    "Boathouse lease, Vestre Havn. The yearly rent is 14,400 NOK, payable in March. The deposit is "
    "two months' rent. Notice is three months to the end of a quarter. Until 2024 the rent was "
    "12,900 NOK. The harbour office, Signe Aune, keeps the second key."
)
ROOF = (
    "Boathouse roof: Ringdal offers new sheets for 61,000 NOK, Bakke for 54,500 NOK without the "
    "scaffold. The board decided for Ringdal on 3 May. Bakke can be reached at 902 11 734."
)


@pytest.fixture(scope="module")
def model() -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights_of(ROW.id), ROW.id, context=2048, adapter=ROW.adapter_path)
    yield loaded
    loaded.close()


def passages_of(*texts: str) -> list[Passage]:
    items = (Item(Kind.DOCUMENT, "Boathouse", None, People(), text, LOCATOR) for text in texts)
    return split(items)


def read(
    model: LlamaGenerator, question: str, *, bias: float = 0.0, adapted: bool = True
) -> tuple[str, float]:
    """Return the reply, and how likely the model was to begin a denial."""
    passages = passages_of(ROOF, LEASE)
    asked = GeneratorQuestion(QUESTION, question, date(2026, 11, 28))
    prompt = asked.prompt(model, passages)
    roles = ModelSet(ROW.id, ROW.id, lambda _: model, denial_bias=bias if adapted else None)
    opening = opening_of(model, asked, prompt, roles)
    reply = write(model, asked, prompt, constraint=opening.held, adapted=adapted)
    return unshown(reply).text, opening.denied


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what do we pay a year for the boathouse", "14,400"),
        ("what was the boathouse rent before?", "12,900"),
        ("who has the other key of the boathouse?", "Signe Aune"),
        ("whose offer for the roof did the board take?", "Ringdal"),
    ],
)
def test_it_names_what_is_stated(model: LlamaGenerator, question: str, answer: str) -> None:
    text, denied = read(model, question, bias=ROW.denial_bias)
    assert answer in text
    assert len(text.split()) < 8
    assert denied < 0.9


@pytest.mark.parametrize(
    "question",
    [
        "what is Signe Aune's phone number?",
        "What did the scaffold cost in the end?",
        "Who owned the boathouse before us?",
    ],
)
def test_it_denies_a_near_miss_that_the_bare_model_answers(
    model: LlamaGenerator, question: str
) -> None:
    text, denied = read(model, question)
    bare, _ = read(model, question, adapted=False)
    assert denied > 0.5
    assert text == DENIAL
    assert DENIAL not in bare.lower()


def test_below_its_bias_a_denial_is_held_to_an_answer(model: LlamaGenerator) -> None:
    text, denied = read(model, "what is Signe Aune's phone number?", bias=30.0)
    assert denied > 0.5
    assert text
    assert DENIAL not in text.lower()

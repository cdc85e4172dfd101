"""A sweep on a real model: the examples of a setting are computed once, not for each question."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.evaluation.choice import Choice
from engine.evaluation.runner import Scored, evaluate
from engine.settings import Settings
from models.llama.generator import load_llama
from models.protocols import Generator
from models.roles import ModelSet
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"


@pytest.fixture
def model() -> Iterator[Generator]:
    loaded = load_llama(weights_of(SMALL), SMALL, context=2048)
    yield loaded
    loaded.close()


def test_a_sweep_computes_the_examples_of_each_setting_once(
    model: Generator, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("The lease of the boathouse ends in June.")
    row = {"dataset": "hotpotqa", "answers": ["June"], "corpus": "notes.txt"}
    asked = ("When does the lease end?", "Which lease ends in June?")
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row | {"id": one, "question": one}) + "\n" for one in asked))
    models = ModelSet(SMALL, SMALL, lambda _: model)
    arms = [Settings(strategy=f"drag:k=1,m={m}") for m in (1, 2)]
    steps = evaluate(file, [], models, arms, Choice())
    used = [one.row["tokens"]["generator"] for one in steps if isinstance(one, Scored)]
    first, second = used[::2], used[1::2]
    assert all(one["computed"] > 0.9 * one["prompt"] for one in first)
    assert all(one["computed"] < 0.6 * one["prompt"] for one in second)

"""The study of attention: its arms, its rows and what it says of them."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from engine.evaluation.questions import Question, Support
from engine.strategies import registry
from models.roles import ModelSet
from tests.bench import youra_answers, youra_cost
from tests.toy_attention import CLUB, LEASE, QUESTION, FakeReader, attending, passages_of

NAMES = ["whole", "youra", "BM25 50", "truncate middle", "fb_rag reaction", "fb_rag youra"]


@pytest.mark.parametrize("arm", youra_answers.ARMS)
def test_every_arm_is_a_strategy(arm: str) -> None:
    registry.get(youra_answers.ARMS[arm][0])


def test_arms_are_answered_once_and_compared(
    fake_generator: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    liked = {"Tomas": 1.0, "keys": 1.0}
    attentive = attending(fake_generator)
    models = ModelSet(
        *("reader", "generator", lambda name: fake_generator(name, ["Tomas"])),
        load_attention=lambda _: FakeReader(liked),
        load_attentive=lambda _: attentive(liked),
    )
    support = (Support("club note 1"),)
    question = Question(
        *("q1", "hotpotqa", QUESTION, QUESTION, ("Tomas",), "any", False, None, (), support)
    )
    monkeypatch.setattr(youra_answers, "loaded", lambda args: models)
    monkeypatch.setattr(
        youra_answers, "asked", lambda args: [(question, passages_of(LEASE * 3, CLUB))]
    )
    args = Namespace(
        run=tmp_path / "run.jsonl",
        arms=NAMES,
        against="BM25 50",
        budget=60,
        samples=2,
        context=2000,
        encoder=None,
        limit=1,
    )
    for _ in range(2):
        youra_answers.compare(args)
    found = {row["arm"]: row for row in map(json.loads, args.run.read_text().splitlines())}
    assert list(found) == NAMES
    assert found["whole"]["ratio"] == 1
    assert found["youra"]["ratio"] > 2
    assert found["youra"]["prompt"] < found["whole"]["prompt"]
    assert all(row["f1"] == 1 and row["generated"] > 0 for row in found.values())
    last = capsys.readouterr().out.splitlines()[-len(NAMES) :]
    assert all("tokens/s" in line and "answers/min" in line for line in last)
    assert sum("F1 less BM25 50's +0.000 [+0.000, +0.000] (1)" in line for line in last) == 5


def test_what_is_timed_takes_turns() -> None:
    turns: list[str] = []

    def timed(name: str) -> Any:
        def way() -> float:
            turns.append(name)
            return float(len(turns))

        return way

    found = youra_cost.alternating({"a": timed("a"), "b": timed("b")}, 3)
    assert turns == ["a", "b", "b", "a", "a", "b"]
    assert found == {"a": 4.0, "b": 3.0}

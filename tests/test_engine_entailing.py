"""The second opinion: what it doubts is named, and no citation is taken away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from app.output.report import answer_text
from engine.answer import answer
from engine.events import Answered
from engine.settings import Settings
from engine.values import Answer
from models.roles import ModelSet

REPLY = "The lease ends on 30 June 2027 [1]. Lunch is at Trattoria Rosa [2]."


def opinion(doubted: str) -> Callable[[str, Sequence[str]], list[float]]:
    """Return log-probabilities of Yes and No: No only for a statement with this word."""

    def logprobs(prompt: str, choices: Sequence[str]) -> list[float]:
        statement = prompt.rpartition("Statement: ")[2].partition("\n")[0]
        return [-3.0, -0.05] if doubted in statement else [-0.05, -3.0]

    return logprobs


@pytest.fixture
def asked(tmp_path: Path, fake_generator: Any) -> Callable[..., tuple[Answer, Any]]:
    (tmp_path / "lease.txt").write_text("The lease ends on 30 June 2027.\n")
    (tmp_path / "lunch.txt").write_text("Lunch is at Trattoria Rosa on Friday.\n")

    def ask(doubted: str, **named: Any) -> tuple[Answer, Any]:
        made = {
            "small": fake_generator("small", ["Answer: x"], logprobs=opinion(doubted)),
            "large": fake_generator("large", [REPLY]),
        }
        settings = Settings(strategy="vanilla", infer=False, effort="thorough", **named)
        models = ModelSet("small", "large", made.__getitem__)
        question = "When does the lease end, and where is lunch?"
        *_, last = answer(question, [tmp_path], models, settings)
        assert isinstance(last, Answered)
        return last.answer, made["small"]

    return ask


def test_what_is_doubted_is_named_and_keeps_its_citation(asked: Any) -> None:
    found, small = asked("Trattoria", second_opinion=True)
    assert [one.sentence for one in found.unsupported] == ["Lunch is at Trattoria Rosa."]
    assert found.unsupported[0].is_doubted
    assert found.grounded == "partial"
    assert len(found.citations) == 2
    assert len(small.prompts) == 2
    assert 'Doubted by the second opinion: "Lunch is at' in answer_text(found, None)
    assert found.usage.lookahead.prompt > 0


def test_it_is_asked_for_only_where_it_is_wanted(asked: Any) -> None:
    found, small = asked("Trattoria")
    assert found.grounded == "grounded"
    assert small.prompts == []


def test_an_answer_that_it_believes_stays_grounded(asked: Any) -> None:
    found, _ = asked("nothing at all", second_opinion=True)
    assert found.grounded == "grounded"
    assert found.unsupported == ()

"""What is read first is ranked by query likelihood, where a ranker is installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.answer import answer
from engine.events import Answered, Decided, Noted
from engine.retrieval import likelihood
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from models.errors import ModelMissing, RuntimeFailed
from models.llama.generator import load_llama
from models.llama.likelihood import load_llama_ranker
from models.protocols import TokenCount
from models.roles import ModelSet
from tests.support.builders import documents
from tests.support.in_store import weights_of

NOTES = (
    "The landlord of the shed is away.",
    "The landlord of the mill is old.",
    "The landlord of the weir is asleep.",
    "The owner and landlord of the jetty is Ingrid Halloran, who lets it by the month and by the "
    "year, to whoever pays in advance and mends the planks before the ice comes in November.",
)
QUESTION = "Who is my landlord?"
TIGHT = Budget(
    600, 100, samples=2, lookahead_share=0.0, generator_share=0.0, first_tokens=60,
    enough_confidence=0.9,
)  # fmt: skip
"""Room for the longest passage, then for one more."""


class FakeRanker:
    """A `models.rankers.Ranker` that likes owners."""

    id = "r"
    closed = False

    def __init__(self) -> None:
        self.usage = TokenCount()
        self.texts: list[str] = []

    def likelihoods(self, question: str, texts: Sequence[str], **_: Any) -> Any:
        self.usage.prompt += len(texts)
        self.texts += texts
        return np.array([-2.0 if "owner" in text else -4.0 for text in texts])

    def close(self) -> None:
        """Nothing is held."""


def asked(
    fake_generator: Any, ranker: FakeRanker | None, **settings: Any
) -> tuple[Answer, list[Any], Any]:
    models = {"g": fake_generator("g", ["Kim [1]", "Ingrid Halloran [2]"])}
    models["l"] = fake_generator("l", ["Reason. Answer."])
    models_of = ModelSet(
        *("l", "g", models.__getitem__),
        ranker="r" if ranker else None,
        load_ranker=lambda _: ranker,  # type: ignore[arg-type, return-value]
    )
    chosen = Settings(**{"budget": TIGHT, "sure_confidence": 0.5, **settings})
    events = list(answer(Query(QUESTION), corpus_of(split(documents(NOTES))), models_of, chosen))
    assert isinstance(events[-1], Answered)
    return events[-1].answer, events, models["g"]


def decided(events: Sequence[Any], name: str) -> Decided | None:
    return next((e for e in events if isinstance(e, Decided) and e.stage == name), None)


def test_what_the_question_is_likeliest_behind_is_read_first(fake_generator: Any) -> None:
    ranker = FakeRanker()
    found, events, generator = asked(fake_generator, ranker)
    assert NOTES[3] in generator.prompts[0]
    assert sorted(ranker.texts) == sorted(NOTES)
    assert found.models.ranker == "r"
    assert found.usage.ranker.prompt == len(NOTES)
    assert found.usage.effective_context == found.usage.generator.prompt
    assert decided(events, "weigh words") is None


@pytest.mark.parametrize(
    ("installed", "settings", "why"),
    [
        (False, {}, "no ranker is installed"),
        (True, {"strategy": "auto:rerank=never"}, "asked for"),
        (True, {"effort": "quick"}, "takes seconds"),
        (True, {"budget": replace(TIGHT, first_tokens=400, generator_tokens=400)}, "all that was"),
    ],
)
def test_without_it_the_order_is_that_of_recall(
    fake_generator: Any, installed: bool, settings: dict[str, Any], why: str
) -> None:
    ranker = FakeRanker()
    found, events, _ = asked(fake_generator, ranker if installed else None, **settings)
    rule = decided(events, "rerank")
    assert rule is not None
    assert not rule.taken
    assert why in rule.why
    assert found.models.ranker is None
    assert not ranker.texts


def test_one_that_fails_leaves_the_order_of_recall_and_says_so(fake_generator: Any) -> None:
    class Failing(FakeRanker):
        def likelihoods(self, question: str, texts: Sequence[str], **_: Any) -> Any:
            raise RuntimeFailed("The disk is full.", remedy="Make room.")

    found, events, generator = asked(fake_generator, Failing())
    assert NOTES[3] not in generator.prompts[0]
    assert any("The disk is full." in e.text for e in events if isinstance(e, Noted))
    assert found.text


def test_one_that_is_asked_for_and_not_installed_is_named(fake_generator: Any) -> None:
    with pytest.raises(ModelMissing, match="needs a ranker") as missing:
        asked(fake_generator, None, strategy="auto:rerank=always")
    assert "askance models pull" in missing.value.remedy


def test_the_scores_stay_and_change_places() -> None:
    recalled = np.array([8.0, 4.0, 2.0, 0.0, 1.0])
    found = likelihood.reranked(recalled, recalled, [0, 1, 2], np.array([-9.0, -5.0, -2.0]))
    assert found == pytest.approx([2.0, 4.0, 8.0, 0.0, 1.0])
    by_words = np.array([8.0, 4.0, 2.0, 0.0, 6.0])
    found = likelihood.reranked(recalled, by_words, [0, 4], np.array([-3.0, -1.0]))
    assert found == pytest.approx([4.0, 2.0, 1.0, 0.0, 8.0])
    alone = likelihood.reranked(recalled, recalled, [1], np.array([-3.0]))
    assert alone == pytest.approx([4.0, 8.0, 2.0, 0.0, 1.0])


def test_equal_scores_keep_the_new_order() -> None:
    recalled = np.array([3.0, 3.0, 3.0, 3.0])
    found = likelihood.reranked(recalled, recalled, [0, 1, 2], np.array([-9.0, -2.0, -5.0]))
    assert np.argsort(-found).tolist() == [1, 2, 0, 3]


LETTERS = (
    *(f"The vet, number {n}, sent a letter about the vet and the yard." for n in range(12)),
    "Nuala: the animal doctor took 145 euro off us for both ponies",
)


@pytest.mark.slow
def test_the_starter_reads_first_what_says_it_in_other_words(tmp_path: Path) -> None:
    small, large = "smollm2-135m-instruct-q4_1", "qwen2.5-coder-1.5b-instruct-q4_k_m"
    models = ModelSet(
        *(large, large, lambda name: load_llama(weights_of(name), name, context=2048)),
        ranker=small,
        load_ranker=lambda name: load_llama_ranker(weights_of(name), name),
    )
    for number, text in enumerate(LETTERS):
        (tmp_path / f"{number}.txt").write_text(text, encoding="utf-8")
    asking = "How much did the vet charge for the ponies?"
    settings = Settings(budget=replace(TIGHT, generator_tokens=400, first_tokens=80))
    *events, last = answer(asking, [tmp_path], models, settings)
    models.close()
    assert isinstance(last, Answered)
    assert "145" in last.answer.text
    rule = decided(events, "rerank")
    assert rule is not None
    assert rule.taken

"""Reading on weighs words of the same meaning, where a sparse encoder is installed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from engine.answer import answer
from engine.events import Answered, Decided, Noted
from engine.retrieval import sparse
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from models.errors import ModelMissing, RuntimeFailed
from models.protocols import TokenCount
from models.roles import ModelSet
from models.sparse import Expansion
from tests.support.builders import documents

NOTES = (
    "The landlord of the shed is away.",
    "The landlord of the mill is old.",
    "The landlord of the weir is asleep.",
    "The owner and landlord of the jetty is Ingrid Halloran, who lets it by the month and by the "
    "year, to whoever pays in advance and mends the planks before the ice comes in November.",
)
QUESTION = "Who is my landlord?"
TIGHT = Budget(
    600, 100, samples=2, lookahead_share=0.0, generator_share=0.0, first_tokens=40,
    enough_confidence=0.9,
)  # fmt: skip
"""Room for one passage, then for one more."""


class FakeSparseEncoder:
    """A `models.sparse.SparseEncoder` that likes owners."""

    id = "s"
    closed = False

    def __init__(self) -> None:
        self.usage = TokenCount()
        self.texts: list[str] = []

    def expand(self, question: str) -> Expansion:
        self.usage.prompt += len(question.split())
        return Expansion(np.array([7, 8]), np.array([2.0, 1.5], np.float32), ("landlord", "owner"))

    def scores(self, question: Expansion, texts: Sequence[str], **_: Any) -> Any:
        self.texts += texts
        return np.array([3.0 if "owner" in text else 0.5 for text in texts])

    def close(self) -> None:
        """Nothing is held."""


def asked(
    fake_generator: Any, encoder: FakeSparseEncoder | None, strategy: str = "auto"
) -> tuple[Answer, list[Any], Any]:
    models = {"g": fake_generator("g", ["Kim [1]", "Ingrid Halloran [2]"])}
    models["l"] = fake_generator("l", ["Reason. Answer."])
    models_of = ModelSet(
        *("l", "g", models.__getitem__),
        sparse_encoder="s" if encoder else None,
        load_sparse_encoder=lambda _: encoder,  # type: ignore[arg-type, return-value]
    )
    settings = Settings(strategy=strategy, budget=TIGHT, sure_confidence=0.5)
    events = list(answer(Query(QUESTION), corpus_of(split(documents(NOTES))), models_of, settings))
    assert isinstance(events[-1], Answered)
    return events[-1].answer, events, models["g"]


def test_reading_on_finds_what_says_it_in_other_words(fake_generator: Any) -> None:
    encoder = FakeSparseEncoder()
    found, events, generator = asked(fake_generator, encoder)
    taken = [one.stage for one in events if isinstance(one, Decided) and one.taken]
    assert taken == ["read on", "weigh words"]
    assert NOTES[3] not in generator.prompts[0]
    assert NOTES[3] in generator.prompts[1]
    assert "words of the same meaning: owner" in [e.text for e in events if isinstance(e, Noted)]
    assert found.models.sparse_encoder == "s"
    assert found.usage.sparse_encoder.prompt > 0
    assert found.usage.effective_context == found.usage.generator.prompt
    assert len(encoder.texts) == len(NOTES)


@pytest.mark.parametrize(("strategy", "installed"), [("auto:weigh=never", True), ("auto", False)])
def test_without_it_the_next_by_recall_is_read(
    fake_generator: Any, strategy: str, installed: bool
) -> None:
    encoder = FakeSparseEncoder()
    found, events, generator = asked(fake_generator, encoder if installed else None, strategy)
    assert NOTES[3] not in generator.prompts[1]
    [decided] = [e for e in events if isinstance(e, Decided) and e.stage == "weigh words"]
    assert not decided.taken
    assert found.models.sparse_encoder is None
    assert not encoder.texts


def test_one_that_fails_leaves_the_order_of_recall_and_says_so(fake_generator: Any) -> None:
    class Failing(FakeSparseEncoder):
        def scores(self, question: Expansion, texts: Sequence[str], **_: Any) -> Any:
            raise RuntimeFailed("The disk is full.", remedy="Make room.")

    found, events, generator = asked(fake_generator, Failing())
    assert NOTES[3] not in generator.prompts[1]
    assert any("The disk is full." in e.text for e in events if isinstance(e, Noted))
    assert found.text


def test_one_that_is_asked_for_and_not_installed_is_named(fake_generator: Any) -> None:
    with pytest.raises(ModelMissing, match="needs a sparse encoder") as missing:
        asked(fake_generator, None, "auto:weigh=always")
    assert "askance models pull" in missing.value.remedy


def test_both_scores_count_half_and_half() -> None:
    scores = np.array([8.0, 4.0, 2.0, 0.0, 1.0])
    found = sparse.weighed(scores, [0, 1, 2], np.array([0.0, 6.0, 3.0]))
    assert found.tolist() == [4.0, 2.0 + 4.0, 1.0 + 2.0, 0.0, 0.5]
    assert sparse.weighed(scores, [0, 1], np.zeros(2)).tolist() == [4.0, 2.0, 1.0, 0.0, 0.5]
    assert sparse.weighed(np.zeros(5), [], np.zeros(0)).tolist() == [0.0] * 5

"""Candidates ranked by an encoder, and rewriting, by hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from engine.events import FollowedUp, Noted, Ranked
from engine.retrieval.embedding import reranked
from models.encoder import Encoded
from models.errors import ModelMissing
from models.protocols import Beginnings
from tests.support.toy_corpus import QUESTION, TEXTS, FakeEncoder, Run, asking, texts

ALONE = {"cedar": 0.2, "dogwood": 0.8, "fir": 0.4}
CONDITIONED = {"cedar": 0.9, "dogwood": 0.1, "fir": 0.3}
"""Cosines of the texts that recall finds: 0, 1 and 2."""


@pytest.fixture
def run(fake_generator: Any) -> Callable[..., Run]:
    return asking(fake_generator)


def test_recall_keeps_its_proportions_beside_the_cosines() -> None:
    scores = np.array([0.4, 0.0, 0.8, 0.6])
    found = reranked(scores, [2, 3, 0], np.array([0.1, 0.5, -0.7]), weight=0.25)
    # 0.75 * (1, 0.75, 0.5) + 0.25 * cosine is 0.775, 0.6875, 0.2 for 2, 3 and 0; then stretched
    assert found.tolist() == pytest.approx([1e-6, 0.0, 1.0, 0.4875 / 0.575])


def test_the_last_candidate_stays_a_hit() -> None:
    found = reranked(np.array([0.4, 0.8]), [1, 0], np.array([0.9, 0.1]), weight=0.5)
    assert found[0] > 0


@pytest.mark.parametrize(
    ("strategy", "scores", "order", "calls"),
    [
        # the encoder alone: 0.8, 0.4, 0.2 stretched to 1, 1/3, 0
        ("ce_filter:weight=1,candidates=8", [1, 1 / 3, 0], [1, 2, 0], ["encode"]),
        # 0.9, 0.3, 0.1 stretched to 1, 0.25, 0
        ("ce:weight=1,plain=0,candidates=8", [1, 0.25, 0], [0, 2, 1], ["encode_conditioned"]),
        # BM25 by its maximum is 1 for 2, 0.3797 for both others: 0.65, 0.6399 and 0.2399
        (
            "ce:plain=0,candidates=8",
            [1, (0.639867 - 0.239867) / (0.65 - 0.239867), 0],
            [2, 0, 1],
            ["encode_conditioned"],
        ),
        # two candidates only: 2 and 0
        ("ce:weight=1,plain=0,candidates=2", [1, 0], [0, 2], ["encode_conditioned"]),
        # half of both cosines: 0.55, 0.45 and 0.35 for 0, 1 and 2
        (
            "ce:weight=1,candidates=8",
            [1, 0.5, 0],
            [0, 1, 2],
            ["encode_conditioned", "encode"],
        ),
    ],
)
def test_candidates_by_hand(
    run: Callable[..., Run], strategy: str, scores: list[float], order: list[int], calls: list[str]
) -> None:
    encoder = FakeEncoder(ALONE, CONDITIONED)
    found = run(strategy, encoder=encoder)
    ranked = found.all(Ranked)[-1]
    assert texts(ranked.passages) == [TEXTS[i] for i in order]
    assert ranked.scores == pytest.approx(scores, abs=1e-5)
    assert encoder.calls == calls
    assert found.prompt() == [TEXTS[i] for i in order[:2]]
    assert found.answer.models.encoder == "e"
    assert found.answer.usage.encoder.prompt > 0


def test_without_an_encoder_it_says_what_to_do(run: Callable[..., Run]) -> None:
    with pytest.raises(ModelMissing, match="encoder"):
        run("ce")


class CuttingEncoder(FakeEncoder):
    """Leaves out the end of two of the texts."""

    def _encoded(self, texts: Sequence[str], liked: dict[str, float]) -> Encoded:
        cut = [3 * any(word in text for word in ("cedar", "fir")) for text in texts]
        cut[0] = 0  # the question
        return Encoded(super()._encoded(texts, liked).vectors, np.array(cut))


@pytest.mark.parametrize("strategy", ["ce_filter", "ce", "ce:plain=0"])
def test_candidates_that_are_cut_are_counted(run: Callable[..., Run], strategy: str) -> None:
    found = run(strategy, encoder=CuttingEncoder(ALONE, CONDITIONED))
    assert [noted.text for noted in found.all(Noted)] == [
        "2 of 3 candidates are ranked by their beginnings: the encoder takes no more."
    ]
    assert not run(strategy, encoder=FakeEncoder(ALONE, CONDITIONED)).all(Noted)


@pytest.mark.parametrize(
    ("strategy", "context", "best"),
    [
        # the question's four words and the frame leave 63 tokens or 64
        ("ce:weight=1,plain=0", 69, 2),
        ("ce:weight=1,plain=0", 70, 0),
        # alone it needs room for itself
        ("ce_filter:weight=1", 5, 2),
        ("ce_filter:weight=1", 6, 1),
    ],
)
def test_bm25_ranks_alone_where_the_question_fills_the_encoder(
    run: Callable[..., Run], strategy: str, context: int, best: int
) -> None:
    encoder = FakeEncoder(ALONE, CONDITIONED)
    encoder.context = context
    found = run(f"{strategy},candidates=8", encoder=encoder)
    alone = [noted for noted in found.all(Noted) if "BM25 ranks alone" in noted.text]
    assert bool(alone) == (best == 2) == (not encoder.calls)
    assert found.prompt()[0] == TEXTS[best]
    assert found.answer.raw == "Ann Lee"


def test_an_encoder_finds_candidates_that_share_no_word(run: Callable[..., Run]) -> None:
    """The encoder likes 3, which BM25 does not find; the paper's weight leaves BM25 out."""
    encoder = FakeEncoder(ALONE | {"ginkgo": 0.95}, CONDITIONED | {"ginkgo": 0.2})
    found = run("ce_filter:weight=1,retriever=embedding,candidates=2", encoder=encoder)
    assert found.prompt() == [TEXTS[3], TEXTS[1]]
    assert found.all(Noted)[0].text == "4 of 4 passages are encoded"
    assert TEXTS[3] not in run("ce_filter:weight=1,candidates=2", encoder=encoder).prompt()


def test_passages_are_encoded_once_for_all_rounds(run: Callable[..., Run]) -> None:
    encoder = FakeEncoder(ALONE | {"ginkgo": 0.95}, CONDITIONED)
    found = run(
        "ttrag:mode=question,ranker=ce,weight=1,plain=0,retriever=embedding,candidates=1,documents=1",
        ["Rewritten question: Where is the dogwood?", "Answer: Ann Lee"],
        encoder=encoder,
    )
    assert not found.lookahead.prompts  # nothing classifies
    assert found.prompt(0) == [TEXTS[3]]
    assert found.prompt(1) == [TEXTS[1]]  # the next one: nothing is shown twice
    rounds = ["encode", "encode_conditioned"]
    assert encoder.calls == ["encode", *rounds, *rounds]


def test_rewriting_asks_again_with_what_it_has_read(run: Callable[..., Run]) -> None:
    found = run(
        "rewrite:documents=1", ["Rewritten question: Where is the ginkgo?", "Answer: Ann Lee"]
    )
    prompts = found.generator.prompts
    assert len(prompts) == 2
    assert found.prompt(0) == [TEXTS[2]]
    assert found.prompt(1) == [TEXTS[3]]
    assert f"User question: {QUESTION}" in prompts[0]
    assert "User question: Where is the ginkgo?" in prompts[1]
    assert found.all(FollowedUp) == [FollowedUp(0, "Where is the ginkgo?", "")]
    assert found.answer.raw == "Ann Lee"


def test_rewriting_tells_answer_from_question_by_constraint(
    run: Callable[..., Run], monkeypatch: pytest.MonkeyPatch, fake_generator: Any
) -> None:
    asked: list[Any] = []
    plain = fake_generator.sample

    def sample(self: Any, request: Any) -> Any:
        asked.append(request.constraint)
        return plain(self, request)

    monkeypatch.setattr(fake_generator, "sample", sample)
    run("rewrite", ["Answer: Ann Lee"])
    assert asked == [Beginnings(("Answer: ", "Rewritten question: "))]


@pytest.mark.parametrize(
    ("parameters", "replies", "shown", "seen"),
    [
        # no rewriting left: all passages seen are read together
        ("documents=1,rewrites=1", ["Rewritten question: birch?"] * 2, 3, [2, 0]),
        # the same question again
        ("documents=1", [f"Rewritten question: {QUESTION}"], 2, [2]),
        # a passage is never shown twice, and k of them end it
        ("documents=1,total=1", ["Rewritten question: fir?"], 2, [2]),
        # an answer that says there is none
        ("documents=1", ["Answer: Not found."], 2, [2]),
    ],
)  # fmt: skip
def test_rewriting_ends_with_all_it_has_seen(
    run: Callable[..., Run], parameters: str, replies: list[str], shown: int, seen: list[int]
) -> None:
    found = run(f"rewrite:{parameters}", [*replies, "Ann Lee"])
    assert len(found.generator.prompts) == shown
    assert found.prompt(-1) == [TEXTS[i] for i in seen]
    assert found.answer.raw == "Ann Lee"


def test_rewriting_ranks_by_an_encoder(run: Callable[..., Run]) -> None:
    encoder = FakeEncoder(ALONE, CONDITIONED)
    found = run("rewrite:ranker=ce_filter,documents=1", ["Answer: Ann Lee"], encoder=encoder)
    # half of BM25's 1, 0, 0 and half of the encoder's 1/3, 0, 1 for 2, 0 and 1
    assert found.prompt(0) == [TEXTS[2]]
    assert found.answer.usage.encoder.prompt > 0


def test_passages_seen_take_no_candidates_place(run: Callable[..., Run]) -> None:
    found = run(
        "rewrite:ranker=ce_filter,candidates=1,documents=1",
        ["Rewritten question: fir elm birch cedar?", "Answer: Ann Lee"],
        encoder=FakeEncoder(ALONE, CONDITIONED),
    )
    assert found.prompt(0) == [TEXTS[2]]  # best by BM25 in the second round too
    assert found.prompt(1) == [TEXTS[0]]
    assert found.answer.raw == "Ann Lee"


@pytest.mark.parametrize(
    ("parameters", "first", "encoded"),
    [
        # as `test_candidates_by_hand`: 1 is best by the encoder alone, 2 with BM25
        ("weight=1,", 1, ["encode"]),
        ("", 2, ["encode"]),
        # 0 is best by conditioned cosines
        ("ranker=ce,weight=1,", 0, ["encode_conditioned", "encode"]),
    ],
)
def test_ttrag_classifies_ranks_by_an_encoder_and_rewrites(
    run: Callable[..., Run], parameters: str, first: int, encoded: list[str]
) -> None:
    """The second round finds 3 only."""
    encoder = FakeEncoder(ALONE, CONDITIONED)
    found = run(
        f"ttrag:{parameters}documents=1",
        ["Rewritten question: Where is the ginkgo?", "Answer: Ann Lee"],
        encoder=encoder,
    )
    assert found.all(Noted)[0].text.startswith("class: question, by model")
    assert len(found.lookahead.prompts) == 4
    assert found.prompt(0) == [TEXTS[first]]
    assert found.all(FollowedUp) == [FollowedUp(0, "Where is the ginkgo?", "")]
    assert found.prompt(1) == [TEXTS[3]]
    assert encoder.calls == encoded * 2
    assert found.answer.raw == "Ann Lee"
    assert found.answer.strategy == f"ttrag:{parameters.replace('=1,', '=1.0,')}documents=1"


def test_ttrag_without_an_encoder_goes_by_bm25_and_says_so(run: Callable[..., Run]) -> None:
    found = run("ttrag:documents=1", ["Answer: Ann Lee"])
    assert found.prompt(0) == [TEXTS[2]]
    assert "no encoder" in found.all(Noted)[-1].text
    assert found.answer.strategy == "ttrag:ranker=bm25,documents=1"

"""Scores against published implementations, and on worked examples where there is none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import pytrec_eval
from rouge_score.rouge_scorer import RougeScorer
from scipy.stats import binomtest, permutation_test

from engine.evaluation import metrics
from engine.evaluation.comparing import paired_test
from engine.evaluation.data import Support
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People

WORDS = ["boat", "lease", "ends", "june", "harbour", "keeper", "pays", "rent", "month", "until"]


def passage(line: int) -> Passage:
    item = Item(Kind.DOCUMENT, "", None, People(), "text", Locator(Path("/corpus"), line=line))
    return Passage(item, 0, 4)


def test_rouge_l_is_that_of_rouge_score() -> None:
    draw, scorer = random.Random(3), RougeScorer(["rougeL"])
    for _ in range(50):
        one, other = (" ".join(draw.choices(WORDS, k=draw.randint(1, 15))) for _ in range(2))
        theirs = scorer.score(other, one)["rougeL"].fmeasure
        assert metrics.rouge_l(one, [other]) == pytest.approx(theirs)


def test_recall_ndcg_and_reciprocal_rank_are_those_of_trec_eval() -> None:
    draw = random.Random(5)
    for _ in range(50):
        ranked = draw.sample(range(1, 31), 20)
        gold = draw.sample(range(1, 31), draw.randint(1, 12))
        evaluator = pytrec_eval.RelevanceEvaluator(
            {"q": {str(line): 1 for line in gold}}, {"recall_5", "ndcg_cut_10", "recip_rank"}
        )
        run = {"q": {str(line): float(-place) for place, line in enumerate(ranked)}}
        theirs = evaluator.evaluate(run)["q"]
        passages = [passage(line) for line in ranked]
        support = [Support(lines=(line - 1,)) for line in gold]
        assert metrics.recall_at(passages, support, 5) == pytest.approx(theirs["recall_5"])
        assert metrics.ndcg_at(passages, support, 10) == pytest.approx(theirs["ndcg_cut_10"])
        assert metrics.reciprocal_rank(passages, support) == pytest.approx(theirs["recip_rank"])


@pytest.mark.parametrize("count", [8, 40])
def test_the_paired_test_is_scipys(count: int) -> None:
    draw = random.Random(count)
    ones = [draw.random() for _ in range(count)]
    others = [one - draw.gauss(0.1, 0.3) for one in ones]
    theirs = permutation_test(
        (ones, others),
        lambda x, y: sum(x) - sum(y),
        permutation_type="samples",
        n_resamples=10_000,
        rng=1,
    ).pvalue
    assert paired_test(ones, others) == pytest.approx(theirs, abs=1e-9 if count == 8 else 0.02)


def test_the_paired_test_of_right_and_wrong_is_mcnemars() -> None:
    ones, others = [1.0] * 9 + [0.0] * 2 + [1.0] * 20, [0.0] * 9 + [1.0] * 2 + [1.0] * 20
    assert paired_test(ones, others) == pytest.approx(binomtest(2, 11).pvalue)
    assert paired_test([1.0, 0.0], [1.0, 0.0]) == 1
    with pytest.raises(ValueError, match="nothing"):
        paired_test([], [])


OPTIONS = ["a criminal that Blake hunts", "a psychologist", "an old friend", "Blake's wife"]


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("C", 2),
        ("(B) a psychologist", 1),
        ("Answer: D.", 3),
        ("a psychologist", 1),  # begins with a letter that is a word
        ("She is an old friend of his.", 2),
        ("A criminal Blake hunts", 0),
        ("G", None),
        ("", None),
        ("no idea", None),
    ],
)
def test_choice_accuracy_finds_the_option_that_was_named(said: str, chosen: int | None) -> None:
    right = [metrics.choice_accuracy(said, OPTIONS, place) for place in range(4)]
    assert right == [float(place == chosen) for place in range(4)]


@pytest.mark.parametrize(
    ("said", "scores"),
    [
        ("Ann, Bob and Cy", (1, 1, 1)),
        ("Ann\n- Dora", (1 / 2, 1 / 3, 2 / 5)),
        ("Ann Lee; Ann Lee", (1 / 2, 1 / 3, 2 / 5)),  # one gold answer is worth one part
        ("nobody", (0, 0, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_lists_by_hand(said: str, scores: tuple[float, float, float]) -> None:
    assert metrics.list_scores(said, ["Ann", "Bob", "Cy"]) == pytest.approx(scores)


def test_a_gold_answer_that_holds_and_is_one_answer() -> None:
    found = metrics.list_scores(
        "Research and Development, Sales", ["Sales", "Research and Development"]
    )
    assert found == (1, 1, 1)


def test_the_cost_formula_by_hand() -> None:
    # 100 questions of 2,000 tokens at 0.50 a million, replies of at most 50 at 1.50 a million
    assert metrics.cost(100, 2_000, 50, 0.5, 1.5) == pytest.approx(0.1 + 0.0075)

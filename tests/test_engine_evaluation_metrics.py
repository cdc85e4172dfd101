"""Scores against published implementations, and on worked examples where there is none."""

from __future__ import annotations

import random

import pytest
import pytrec_eval
from scipy.stats import binomtest, permutation_test

from engine.evaluation import metrics, significance
from engine.evaluation.questions import Support
from engine.evaluation.significance import paired_test
from tests.support.builders import passage

WORDS = ["boat", "lease", "ends", "june", "harbour", "keeper", "pays", "rent", "month", "until"]


def test_rouge_l_is_that_of_rouge_score() -> None:
    from rouge_score.rouge_scorer import RougeScorer  # two seconds, and few tests need it

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
        passages = [passage(line=line) for line in ranked]
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


@pytest.mark.parametrize(
    ("turn", "text", "held"),
    [
        ("D1:3", "[D1:3] Ann: hello", True),
        ("D1:3", "D1:3", True),
        ("D1:3", "[D1:30] Ann: hello", False),
        ("D1:3", "[D11:3] Ann: hello\n[D1:3] Bob: hi", True),
        ("D1:3", "[BD1:3] Ann: hello", False),
        ("[3]", "hello[3]there", True),
    ],
)
def test_a_turn_is_held_by_its_whole_mark(turn: str, text: str, held: bool) -> None:
    assert Support("T", turn=turn).held_by(passage(text, "T")) is held
    assert not Support("U", turn=turn).held_by(passage(text, "T"))


@pytest.mark.parametrize(("better", "worse"), [(75, 25), (20, 8), (7, 7), (4000, 3400), (0, 14)])
def test_many_right_and_wrong_are_mcnemars_too(better: int, worse: int) -> None:
    ones = [1.0] * better + [0.0] * worse
    exact = binomtest(better, better + worse).pvalue
    assert paired_test(ones, [1 - one for one in ones]) == pytest.approx(exact)


def test_blocks_change_no_figure_and_bound_what_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(4)
    ones, others = ([draw.random() for _ in range(90)] for _ in range(2))
    blocks = []
    for size in (significance.DRAWS * 90, 5_000):
        monkeypatch.setattr(significance, "BLOCK", size)
        blocks.append((significance.mean_interval(ones), paired_test(ones, others)))
    assert blocks[0] == blocks[1]
    shapes = list(significance._blocks(significance.DRAWS, 90))
    assert sum(count for count, _ in shapes) == significance.DRAWS
    assert max(count * width for count, width in shapes) <= 5_000


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


BARNS = ["red house", "blue barn", "green mill", "grey shed"]


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("The answer is B.", 1),
        ("The correct answer is (B)", 1),
        ("The answer is **B**, the blue barn", 1),
        ("Answer: B because it floats", 1),
        ("Option B is right", 1),
        ("B is correct", 1),
        ("A is correct", 0),
        ("It is B", 1),
        ("I think that it is (C).", 2),
        ("I'd say it was the blue barn", 1),
        ("I'm sure: the blue barn.", 1),
        ("The answer is A blue barn", 1),
        ("Not option A. The answer is B.", None),  # two letters, no words
        ("The answer is E.", None),
        ("E: the blue barn", 1),
        ("a blue barn", 1),
    ],
)
def test_choice_accuracy_understands_ordinary_replies(said: str, chosen: int | None) -> None:
    right = [metrics.choice_accuracy(said, BARNS, place) for place in range(4)]
    assert right == [float(place == chosen) for place in range(4)]
    ten = [*BARNS, *"efghij"]
    if "I" in said:
        assert metrics.choice_accuracy(said, ten, 8) == 0


@pytest.mark.parametrize(
    ("said", "gold", "right"),
    [
        ("It ends on 31 December 2026 [1].", "31 December 2026", True),
        ("December", "31 December 2026", False),
        ("2026", "31 December 2026", False),
        ("word " * 60 + "31 December 2026.", "31 December 2026", True),
        ("Hannah", "Ann", False),
        ("", "Ann", False),
        ("", "A", False),
        ("An answer", "", False),
    ],
)
def test_a_reply_holds_all_of_an_answer_or_not(said: str, gold: str, right: bool) -> None:
    assert metrics.holds(said, ["no other", gold]) == right


def test_an_abstention_is_no_answer_even_to_what_normalises_to_nothing() -> None:
    assert metrics.exact_match("", ["A"]) == metrics.token_f1("", ["The"]) == 0
    assert metrics.exact_match("A", ["A"]) == metrics.token_f1("A.", ["A"]) == 1


@pytest.mark.parametrize(
    ("said", "golds", "scores"),
    [
        ("The rowers were Ann Lee and Bob Roy.", ["Ann Lee", "Bob Roy"], (1, 1, 1)),
        ("in New York, in Paris", ["New York", "Paris"], (1, 1, 1)),
        ("in New York, NY, in Paris", ["Paris", "New York, NY"], (1, 1, 1)),
        ("The boat is called Blue Kestrel.", ["Blue Kestrel"], (1, 1, 1)),
        ("1,200 and 3,400", ["1,200", "3,400"], (1, 1, 1)),
        ("EUR 1,200, EUR 3,400", ["1,200", "3,400"], (1, 1, 1)),
        ("1990,1995", ["1990", "1995"], (1, 1, 1)),
        ("Ann Lee with Bob Roy", ["Ann Lee", "Bob Roy"], (1, 1, 1)),
        ("Ann, Ann Lee", ["Ann Lee", "Ann Roy"], (1, 1, 1)),
        ("Ann Lee", ["Ann", "Ann Lee"], (1, 1 / 2, 2 / 3)),
        ("Development", ["Research and Development"], (1, 1, 1)),
        ("research (and development)", ["Research and Development"], (1, 1, 1)),
        ("Ann Lee and Cy", ["Ann Lee", "Bob"], (1 / 2, 1 / 2, 1 / 2)),
    ],
)
def test_lists_in_sentences_by_hand(
    said: str, golds: list[str], scores: tuple[float, float, float]
) -> None:
    assert metrics.list_scores(said, golds) == pytest.approx(scores)


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

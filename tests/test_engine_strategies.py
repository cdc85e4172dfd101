"""Every strategy against an example worked by hand: a tiny corpus, models with known replies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.agreement.consensus import by_overlap, consensus
from engine.answer import answer
from engine.answer_parts import ModelTokens
from engine.checking import abstention
from engine.errors import BudgetTooSmall, CorpusTooLarge, QuestionError, StrategyUnknown
from engine.evaluation.sweep import expanded
from engine.events import Answered, Drafted, Noted, Ranked, Sampled, Selected, Voted
from engine.prompts.examples import Example
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.strategies import registry
from engine.strategies.et2rag import organise
from engine.toolbox.budget import QuestionBudget
from engine.values import GAP, Answer, Query
from ingest.item import Kind
from models.fake import FakeGenerator
from models.protocols import GenerationRequest, Piece, Sampling
from models.roles import ModelSet
from tests.support.builders import document
from tests.support.toy_corpus import (
    BUDGET,
    QUESTION,
    TEXTS,
    FakeEncoder,
    Replies,
    Run,
    asking,
    texts,
)


@pytest.fixture
def run(fake_generator: Any) -> Callable[..., Run]:
    return asking(fake_generator)


def test_vanilla_reads_the_best_passages_best_first(run: Callable[..., Run]) -> None:
    found = run("vanilla")
    ranked = found.all(Ranked)[0]
    assert texts(ranked.passages) == [TEXTS[2], TEXTS[0], TEXTS[1]]
    assert ranked.scores == pytest.approx([1.967701, 0.747204, 0.747204], abs=1e-5)
    assert found.prompt() == [TEXTS[2], TEXTS[0]]
    assert found.answer.raw == "Ann Lee"
    assert found.answer.usage.generator.calls == 1
    assert found.answer.usage.effective_context == found.generator.usage.prompt


def test_order_preserving_reads_them_as_they_stand(run: Callable[..., Run]) -> None:
    assert run("order_preserving").prompt() == [TEXTS[0], TEXTS[2]]


SAMPLES = ("It is ginkgo.\nAnswer: hazel", "It is ivy.")
"""Score 3 alone, which recall does not find: 2 * 0.856920 and 0.856920."""


def test_fb_rag_scores_every_passage_forward_and_backward(run: Callable[..., Run]) -> None:
    found = run("fb_rag", lookahead=lambda _, index: SAMPLES[index])
    assert texts(found.all(Selected)[0].kept) == [TEXTS[2], TEXTS[0]]  # stage I, within X
    # the paper's sampling; 32 tokens of an answer and 64 of a rationale
    how = Sampling(0.7, top_p=0.9, top_k=50, seed=0)
    [drawn] = found.lookahead.requests
    assert (drawn.n, drawn.max_tokens, drawn.sampling) == (2, 96, how)
    assert drawn.stop == ("\n\n\n", "\nQuestion:")
    assert found.generator.requests[0].sampling == Sampling()  # the likeliest words
    drawn = sorted(found.all(Sampled), key=lambda one: one.index)
    assert [(one.rationale, one.answer) for one in drawn] == [
        ("It is ginkgo.", "hazel"),
        ("It is ivy.", ""),  # without the form all of it is text
    ]
    ranked = found.all(Ranked)[-1]
    # half of backward, and half of the larger of (1.713840, 0.856920)
    assert texts(ranked.passages) == [TEXTS[2], TEXTS[3], TEXTS[0], TEXTS[1]]
    assert ranked.scores == pytest.approx([0.983851, 0.856920, 0.373602, 0.373602], abs=1e-5)
    assert ranked.parts["backward"] == pytest.approx([1.967701, 0, 0.747204, 0.747204], abs=1e-5)
    assert ranked.parts["forward"] == pytest.approx([0, 1.713840, 0, 0], abs=1e-5)
    assert found.prompt() == [TEXTS[2], TEXTS[3]]
    usage = found.answer.usage
    assert (usage.lookahead.calls, usage.generator.calls) == (1, 1)
    assert usage.effective_context == found.lookahead.usage.prompt + found.generator.usage.prompt


@pytest.mark.parametrize(
    ("parameters", "scores", "read"),
    [
        # F of the paper: the maximum over samples alone
        ("backward=0,forward=1,over_samples=max", [1.713840], [3]),
        # the mean of (1.713840, 0.856920)
        (
            "backward=0.7,forward=0.3,over_samples=mean",
            [1.377391, 0.523043, 0.523043, 0.385614],
            [2, 0],
        ),
        # each divided by its largest: 0.7 + 0, 0.3 * 1, 0.7 * 0.379735 twice
        ("backward=0.7,forward=0.3,fusion=normalised", [0.7, 0.3, 0.265815, 0.265815], [2, 3]),
        # ranks: 1/61 for the first of either, then 1/62, 1/63; backward weighs 0.7, forward 0.3
        (
            "backward=0.7,forward=0.3,fusion=ranks",
            [0.7 / 61, 0.7 / 62, 0.7 / 63, 0.3 / 61],
            [2, 0],
        ),
        (
            "backward=0.7,forward=0.3,fusion=ranks,order=document",
            [0.7 / 61, 0.7 / 62, 0.7 / 63, 0.3 / 61],
            [0, 2],
        ),
    ],
)
def test_fb_rag_as_its_parameters_say(
    run: Callable[..., Run], parameters: str, scores: list[float], read: list[int]
) -> None:
    found = run(f"fb_rag:{parameters}", lookahead=lambda _, index: SAMPLES[index])
    assert found.all(Ranked)[-1].scores == pytest.approx(scores, abs=1e-5)
    assert found.prompt() == [TEXTS[i] for i in read]
    assert registry.get(found.answer.strategy) == registry.get(f"fb_rag:{parameters}")


def test_fb_rag_falls_back_where_no_sample_hits(run: Callable[..., Run]) -> None:
    found = run("fb_rag:backward=0,forward=1,over_samples=max", lookahead=["nothing known"])
    assert found.prompt() == [TEXTS[2], TEXTS[0]]  # as recalled
    assert "ranked as recalled" in found.all(Noted)[0].text


@pytest.mark.parametrize(
    ("form", "reply", "sample"),
    [
        ("thought", "Hm.\nAnswer: ivy", ("Hm.", "ivy")),
        ("explanation", " ivy\nExplanation: It says so.", ("It says so.", "ivy")),
        ("answers", " ivy", ("", "ivy")),
    ],
)
def test_fb_rag_draws_the_forms_of_table_8(
    run: Callable[..., Run], form: str, reply: str, sample: tuple[str, str]
) -> None:
    found = run(f"fb_rag:form={form}", lookahead=[reply])
    drawn = found.all(Sampled)[0]
    assert (drawn.rationale, drawn.answer) == sample
    assert found.lookahead.prompts[0].endswith("Thought process:" if form == "thought" else ":")


def test_self_route_stays_with_what_answers(run: Callable[..., Run]) -> None:
    found = run("self_route")
    assert 'write "unanswerable"' in found.generator.prompts[0]
    assert len(found.generator.prompts) == 1


def test_self_route_reads_everything_when_told_so(run: Callable[..., Run]) -> None:
    found = run("self_route", ["Unanswerable.", "Ann Lee"])
    assert found.prompt(0) == [TEXTS[2], TEXTS[0]]
    assert found.prompt(1) == list(TEXTS)
    assert "unanswerable" not in found.generator.prompts[1]
    assert found.answer.raw == "Ann Lee"
    assert found.answer.usage.generator.calls == 2


def test_self_route_reads_everything_where_recall_finds_nothing(run: Callable[..., Run]) -> None:
    others = ("maple oak pine", "quince rowan spruce", "teak", "willow yew")
    found = run("self_route", texts=others)  # more than Y, within the window
    assert texts(found.all(Selected)[-1].kept) == list(others)
    assert found.answer.raw == "Ann Lee"


SMALL = replace(BUDGET, window=400)
"""400 less 250 for the prompt, 4 for the question, 32 for the answer: 114, four passages fit."""
TOO_SMALL = replace(BUDGET, window=385)
"""99: three passages fit."""


def test_self_route_says_that_everything_does_not_fit(run: Callable[..., Run]) -> None:
    found = run("self_route", ["unanswerable"], budget=TOO_SMALL)
    assert "108 tokens; the context has room for 99" in found.all(Noted)[0].text
    assert found.answer.text == abstention.ABSTENTION


def test_long_context_reads_everything_or_refuses(run: Callable[..., Run]) -> None:
    assert run("long_context", budget=SMALL).prompt() == list(TEXTS)
    with pytest.raises(CorpusTooLarge, match="108 tokens; the context has room for 99"):
        run("long_context", budget=TOO_SMALL)


def test_a_context_without_room_has_none(run: Callable[..., Run]) -> None:
    with pytest.raises(CorpusTooLarge, match="has room for 0"):
        run("long_context", budget=replace(BUDGET, window=100))


def test_truncate_middle_keeps_head_and_tail(run: Callable[..., Run]) -> None:
    # half of 99 is 49: one passage of 27 from either end, and 22 is no room for a heading (24)
    assert run("truncate_middle", budget=TOO_SMALL).prompt() == [TEXTS[0], TEXTS[3]]
    # half of 107 is 53: of the next passage from either end 2 words
    nearly = replace(BUDGET, window=393)
    (read,) = run("truncate_middle", budget=nearly).all(Selected)
    assert texts(read.kept) == [TEXTS[0], "alder birch", "elm fir", TEXTS[3]]


def test_truncate_middle_leaves_out_nothing_that_fits(run: Callable[..., Run]) -> None:
    assert run("truncate_middle", budget=SMALL).prompt() == list(TEXTS)


def test_truncate_middle_cuts_a_single_passage_in_its_middle(
    run: Callable[..., Run],
) -> None:
    long = " ".join(f"w{number}" for number in range(100))
    # half of 99 is 49, less 24 for the heading: 25 words from either end
    found = run("truncate_middle", budget=TOO_SMALL, texts=(long,))
    (read,) = found.all(Selected)
    assert read.kept[0].text == f"{' '.join(long.split()[:25])}{GAP}{' '.join(long.split()[-25:])}"


def test_ttrag_baseline_hides_the_best_among_others(run: Callable[..., Run]) -> None:
    found = run("ttrag_baseline:best=1", budget=TOO_SMALL)
    assert len(found.prompt()) == 3
    assert TEXTS[2] in found.prompt()
    orders = {
        tuple(run("ttrag_baseline:best=1", budget=SMALL, seed=seed).prompt()) for seed in range(8)
    }
    assert len(orders) > 2
    assert {tuple(sorted(order)) for order in orders} == {tuple(sorted(TEXTS))}


def test_zero_shot_reads_nothing(run: Callable[..., Run]) -> None:
    found = run("zero_shot")
    assert found.prompt() == []
    assert found.answer.raw == "Ann Lee"
    assert found.answer.grounded == "none"


def test_more_solved_questions_than_there_are_are_refused(run: Callable[..., Run]) -> None:
    with pytest.raises(QuestionError, match="8 worked examples are asked for, and there are 4"):
        run("many_shot:examples=8")


def test_many_shot_shows_solved_questions_first(run: Callable[..., Run]) -> None:
    examples = tuple(Example(f"Who is {i}?", f"Number {i}") for i in range(3))
    prompt = run("many_shot:examples=2", examples=examples).generator.prompts[0]
    assert "Question: Who is 0?\nAnswer: Number 0\n\nQuestion: Who is 1?\n" in prompt
    assert "Who is 2?" not in prompt
    assert "Who is 2?" in run("many_shot", examples=examples).generator.prompts[0]
    assert prompt.index("Number 1") < prompt.index(QUESTION)


def test_chain_of_thought_reasons_before_it_answers(run: Callable[..., Run]) -> None:
    found = run("chain_of_thought:documents=1", ["The elm is his.\nAnswer: Ann Lee"])
    prompt = found.generator.prompts[0]
    assert prompt.count("\nRationale: ") == 4
    assert prompt.endswith("Rationale:")
    assert found.prompt() == [TEXTS[2]]
    assert found.all(Sampled)[0].rationale == "The elm is his."
    assert found.answer.raw == "Ann Lee"


def test_examples_without_a_rationale_are_not_replaced_unsaid(run: Callable[..., Run]) -> None:
    examples = (Example("Who is 0?", "Number 0"),)
    found = run("chain_of_thought", examples=examples)
    assert "has a rationale" in found.all(Noted)[0].text
    reasoned = (Example("Who is 1?", "Number 1", "He says so."), *examples)
    with pytest.raises(QuestionError, match="4 worked examples are asked for, and there are 1"):
        run("chain_of_thought", examples=reasoned)
    assert not run("chain_of_thought:examples=1", examples=reasoned).all(Noted)


NO_ROOM = replace(BUDGET, generator_tokens=10)
CLOSED_BOOK = ("chain_of_thought", "drag:k=1,m=1", "iterdrag:k=1,m=1,n=1")


@pytest.mark.parametrize("strategy", CLOSED_BOOK)
def test_a_data_set_without_passages_asks_what_the_model_knows(
    run: Callable[..., Run], strategy: str
) -> None:
    assert run(strategy, ["Ann Lee"], texts=()).answer.raw == "Ann Lee"
    assert run(strategy, texts=(), task="question").generator.prompts == []
    # There are passages, and neither is one a hit nor do all of them fit.
    assert run(strategy, texts=("quartz slate",), budget=NO_ROOM).generator.prompts == []


@pytest.mark.parametrize("strategy", ["zero_shot", "many_shot", "drag:k=0,m=1"])
def test_what_reads_no_passage_needs_no_room_for_one(
    run: Callable[..., Run], strategy: str
) -> None:
    assert run(strategy, max_context=512).answer.usage.effective_context <= 512
    with pytest.raises(BudgetTooSmall, match=r"would read [\d,]+ tokens, and 9 are left"):
        run(strategy, max_context=9)
    with pytest.raises(QuestionError, match="no room for a passage"):
        run("vanilla", max_context=512)


def test_chain_of_thought_keeps_an_answer_behind_an_empty_line(run: Callable[..., Run]) -> None:
    found = run("chain_of_thought", ["The elm is his.\n\nAnswer: Ann Lee\n\nSo it is."])
    assert found.answer.raw == "Ann Lee"
    assert found.prompt() == [TEXTS[2], TEXTS[0]]  # five at most, within Y


@pytest.mark.parametrize("strategy", ["self_consistency:samples=17", "self_consistency:samples=0"])
def test_more_samples_than_a_runtime_draws_are_refused(strategy: str) -> None:
    with pytest.raises(StrategyUnknown, match="samples"):
        registry.get(strategy)


@pytest.mark.parametrize("strategy", ["fb_rag", "self_consistency", "et2rag:tokens=40"])
def test_samples_and_readings_leave_time_to_write(
    strategy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    clock = [began]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    class Slow(FakeGenerator):
        """A second for every word."""

        def sample(self, request: GenerationRequest) -> Iterator[Piece]:
            for piece in super().sample(request):
                clock[0] += 1
                yield piece

    long = " ".join([TEXTS[2]] * 20)  # supported, so that it is no error to be cut off
    found = asking(Slow)(strategy, [long], [long], time_budget=40)
    assert found.answer.raw.startswith(TEXTS[2])
    assert clock[0] - began < 45


def test_looking_ahead_leaves_time_to_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    budget = QuestionBudget(limits=BUDGET, deadline=110.0)
    assert budget.due(0.5) == 105
    assert replace(budget, deadline=None).due(0.5) is None


@pytest.mark.parametrize(
    ("how", "subsets"),
    [
        ("top", [[9, 8, 6], [9, 7, 5]]),
        ("contiguous", [[9, 8], [7, 6, 5]]),
        ("round_robin", [[9, 7, 5], [8, 6]]),
    ],
)
def test_subsets_are_organised_by_hand(how: Any, subsets: list[list[int]]) -> None:
    assert organise([9, 8, 7, 6, 5], 2, how) == subsets


@pytest.mark.parametrize("how", ["top", "contiguous", "round_robin"])
@pytest.mark.parametrize("ranked", [1, 2, 3, 7])
@pytest.mark.parametrize("count", [1, 3, 5])
def test_no_subset_is_empty_and_none_is_lost(how: Any, ranked: int, count: int) -> None:
    subsets = organise(range(ranked), count, how)
    assert all(subsets)
    assert len(subsets) <= count
    assert {number for subset in subsets for number in subset} == set(range(ranked))
    if how != "top":
        assert sum(map(len, subsets)) == ranked


def test_agreement_by_hand() -> None:
    found = consensus(
        ["Ann Lee [1]", "Ann", "Not found.", "It is not mentioned."], by_overlap("token_f1")
    )
    # F1("ann lee", "ann") = 2 * 1 * 0.5 / 1.5; both denials are one reading
    expected = [[1, 2 / 3, 0, 0], [2 / 3, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]
    assert found.matrix.tolist() == [pytest.approx(row) for row in expected]
    assert found.agreement.tolist() == pytest.approx([5 / 3, 5 / 3, 2, 2])
    assert found.winner == 2
    assert (found.votes.votes, found.votes.of, found.votes.majority) == (2, 4, False)
    assert found.dissenters == (0,)


def test_agreement_needs_a_reading() -> None:
    with pytest.raises(ValueError, match="no reading"):
        consensus([], by_overlap("token_f1"))


def test_readings_may_be_compared_by_meaning(run: Callable[..., Run]) -> None:
    replies = ("Ann Lee", "Mrs Lee of Oslo", "nobody")
    # cosines with the question of 0.6, 0.8 and 0: 0.6 * 0.8 + 0.8 * 0.6 = 0.96, 0.8, 0.6
    encoder = FakeEncoder({"Ann": 0.6, "Oslo": 0.8, "nobody": 0.0}, {})
    found = run(
        "self_consistency:samples=3,similarity=embedding",
        lambda _, index: replies[index],
        encoder=encoder,
    )
    voted = found.all(Voted)[0]
    assert voted.matrix[0] == pytest.approx([1, 0.96, 0.8], abs=1e-6)
    assert voted.matrix[1] == pytest.approx([0.96, 1, 0.6], abs=1e-6)
    assert (voted.votes, voted.winner) == (3, 0)


def by_subset(prompt: str, index: int) -> str:
    return "Ann" if "dogwood" in prompt else "Ann Lee"


def test_et2rag_votes_on_short_answers_and_writes_one_out(run: Callable[..., Run]) -> None:
    three = replace(BUDGET, generator_tokens=90)
    found = run("et2rag:tokens=1", by_subset, budget=three)
    drafted = found.all(Drafted)
    assert [texts(one.passages) for one in drafted] == [
        [TEXTS[2], TEXTS[0]],
        [TEXTS[2], TEXTS[1]],
    ]
    assert [one.text for one in drafted] == ["Ann", "Ann"]  # cut after one token
    voted = found.all(Voted)[0]
    assert (voted.votes, voted.of, voted.winner) == (2, 2, 0)
    assert voted.matrix == [[1, 1], [1, 1]]
    assert found.prompt(-1) == [TEXTS[2], TEXTS[0]]  # the winner's subset alone
    assert found.answer.raw == "Ann Lee"
    assert found.answer.agreement is not None
    assert found.answer.usage.generator.calls == 3  # two short ones, one whole


def test_et2rag_by_hand_with_the_last_of_three_winning(run: Callable[..., Run]) -> None:
    """Ranked 2, 0, 1 (three of 27 tokens); one passage each; T = 2."""
    replies = {TEXTS[2]: "oak teak yew", TEXTS[0]: "fig", TEXTS[1]: "fig oak pine"}

    def reply(prompt: str, index: int) -> str:
        return next(said for text, said in replies.items() if text in prompt)

    how = "et2rag:subsets=3,tokens=2,organisation=contiguous"
    found = run(how, reply, budget=replace(BUDGET, generator_tokens=81))
    drafted = sorted(found.all(Drafted), key=lambda one: one.index)
    assert [texts(one.passages) for one in drafted] == [[TEXTS[2]], [TEXTS[0]], [TEXTS[1]]]
    assert [one.text for one in drafted] == ["oak teak", "fig", "fig oak"]
    voted = found.all(Voted)[0]
    # F1 of (oak teak, fig oak): 1 of 2 and 1 of 2; of (fig, fig oak): 1 of 1 and 1 of 2
    assert voted.matrix == [
        pytest.approx(row) for row in ([1, 0, 0.5], [0, 1, 2 / 3], [0.5, 2 / 3, 1])
    ]
    # A: 1.5, 1.667, 2.167
    assert (voted.winner, voted.votes, voted.of) == (2, 3, 3)
    drawn = [(len(one.prompts), one.max_tokens) for one in found.generator.requests]
    assert drawn == [(3, 2), (1, 32)]
    assert {one.sampling for one in found.generator.requests} == {Sampling()}
    assert found.prompt(-1) == [TEXTS[1]]  # the winner's subset
    assert found.answer.raw == "fig oak pine"
    counts = [found.generator.count(prompt) for prompt in found.generator.prompts]
    assert found.answer.usage.generator == ModelTokens(sum(counts), sum(counts), 2 + 1 + 2 + 3, 4)


def test_whole_readings_of_et2rag_overlap(run: Callable[..., Run]) -> None:
    """Ranked 2, 0, 1. Of the best 108 tokens each subset takes its share, then fills up to 54."""
    found = run("et2rag:subsets=3,fill=whole,organisation=contiguous", ["Ann Lee"])
    drafted = sorted(found.all(Drafted), key=lambda one: one.index)
    assert [texts(one.passages) for one in drafted] == [
        [TEXTS[2], TEXTS[0]],
        [TEXTS[0], TEXTS[2]],
        [TEXTS[1], TEXTS[2]],
    ]


def test_et2rag_lets_the_look_ahead_model_vote(run: Callable[..., Run]) -> None:
    found = run("et2rag:writer=lookahead,organisation=contiguous", lookahead=["Ann Lee"])
    assert found.answer.usage.lookahead.calls == 2
    assert found.answer.usage.generator.calls == 1


def test_self_consistency_takes_what_most_samples_say(run: Callable[..., Run]) -> None:
    replies = ("Bob Hill", "Ann Lee", "Lee, Ann")
    found = run("self_consistency:samples=3", lambda _, index: replies[index])
    voted = found.all(Voted)[0]
    assert voted.matrix == [[1, 0, 0], [0, 1, 1], [0, 1, 1]]
    assert (voted.votes, voted.of, voted.winner) == (2, 3, 1)
    assert found.answer.raw == "Ann Lee"
    assert found.answer.usage.generator.calls == 1


def test_braces_stand_for_every_choice() -> None:
    assert expanded("vanilla") == ["vanilla"]
    assert expanded("drag:k={1,5},m={0,2}") == [
        "drag:k=1,m=0",
        "drag:k=1,m=2",
        "drag:k=5,m=0",
        "drag:k=5,m=2",
    ]


def test_the_page_of_strategies_names_every_one() -> None:
    page = Path(__file__).parents[1] / "docs" / "reference" / "strategies.md"
    text = page.read_text("utf-8")
    assert [name for name in registry.names() if f"`{name}`" not in text] == []


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("et2rag:subsets=0", "subsets=N"),
        ("et2rag:subset=3", "subsets=N"),
        ("et2rag:organisation=odd", "top|contiguous|round_robin"),
        ("fb_rag:backward=much", "backward=NUMBER"),
        ("vanilla:x=1", "It takes none"),
        ("youra:layers=2/", "layers=N/N"),
        ("youra:layers=-1", "layers=N/N"),
        ("youra:share=1.5", "share=NUMBER"),
        ("ce:weight=2", "weight=NUMBER"),
        ("et3rag", "et2rag"),
    ],
)
def test_an_unknown_parameter_is_refused_with_those_there_are(wanted: str, said: str) -> None:
    with pytest.raises(StrategyUnknown) as raised:
        registry.get(wanted)
    assert said in raised.value.remedy


MAILS = (
    ("The meeting about the roof is on Monday at nine.", datetime(2026, 3, 2, tzinfo=UTC)),
    ("The meeting about the roof is moved to Thursday at ten.", datetime(2026, 3, 5, tzinfo=UTC)),
)


def meeting(fake_generator: Any, reply: Replies, **settings: Any) -> Answer:
    """Ask two mails that contradict each other; each is a subset of its own."""
    items = [
        document(text, "Roof", kind=Kind.MAIL, when=when, path=f"/{i}")
        for i, (text, when) in enumerate(MAILS)
    ]
    model = fake_generator("g", reply)
    models = ModelSet("g", "g", lambda _: model)
    chosen = Settings(strategy="et2rag:organisation=contiguous", **settings)
    query = Query("When is the meeting about the roof?")
    last = list(answer(query, corpus_of(split(items)), models, chosen))[-1]
    assert isinstance(last, Answered)
    return last.answer


def which_day(prompt: str, index: int) -> str:
    return "on Monday at nine [1]" if "Monday" in prompt else "Thursday at ten [1]"


def test_sources_that_disagree_are_both_named_the_newest_first(fake_generator: Any) -> None:
    found = meeting(fake_generator, which_day)
    assert found.agreement is not None
    assert (found.agreement.votes, found.agreement.of) == (1, 2)
    heading, newest, older = found.text.splitlines()
    assert "disagree" in heading
    assert "1 of 2 readings" in heading
    assert newest == "- Thursday at ten [1] (2026-03-05)"
    assert older == "- on Monday at nine [2] (2026-03-02)"
    assert [one.passage.text for one in found.citations] == [MAILS[1][0], MAILS[0][0]]


def test_a_strict_answer_abstains_without_a_majority(fake_generator: Any) -> None:
    found = meeting(fake_generator, which_day, strict=True)
    assert found.text == abstention.ABSTENTION
    assert found.grounded == "none"


def test_a_dissent_that_the_model_doubts_is_not_shown(fake_generator: Any) -> None:
    found = meeting(fake_generator, which_day, least_confidence=1.0)
    assert found.text == abstention.ABSTENTION


def test_agreeing_sources_need_no_heading(fake_generator: Any) -> None:
    found = meeting(fake_generator, ["The meeting is about the roof [1]"])
    assert found.agreement is not None
    assert found.agreement.majority
    assert "\n" not in found.text

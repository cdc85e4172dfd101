"""What an effort may spend, what is chosen within it, and how long it is said to take."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.output.progress import StatusLine, Watcher
from engine.allocation import PAPER, PUBLISHED, Allocation, Informativeness
from engine.answer import answer
from engine.answer_parts import ModelTokens
from engine.budget.allocation_file import read_allocation, written
from engine.budget.effort import (
    Costs,
    Theta,
    iterdrag_longest,
    iterdrag_tokens,
    iterdrag_within,
    spending_of,
)
from engine.budget.work import CorrectedSpeed, Work
from engine.errors import DataError, QuestionError
from engine.events import Answered, Expected, Stage
from engine.retrieval import selection
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings, budget_for
from engine.strategies.second_look import costs_of, rewriting_tokens
from engine.toolbox.steps import Toolbox
from engine.values import Query
from models import speed
from models.roles import ModelSet
from models.speed import Speed, measured
from tests.support.builders import document, documents


@pytest.mark.parametrize(
    ("effort", "tokens"),
    # X + Y + two prompts of 250, times what the effort allows
    [("quick", 800 + 800 + 500), ("balanced", 2 * 2700), ("thorough", 3 * 8000)],
)
def test_an_effort_is_a_number_of_tokens(effort: Any, tokens: int) -> None:
    assert spending_of(Settings(effort=effort)).tokens == tokens
    assert spending_of(Settings(effort=effort, max_context=3000)).tokens == 3000


def test_a_budget_too_small_for_a_passage_is_refused() -> None:
    with pytest.raises(QuestionError, match="no room for a passage"):
        budget_for(Settings(max_context=900))


def test_the_tokens_of_sub_questions_by_hand() -> None:
    """Two documents of 100, an example of 100: calls over 2, 4, 4 and 4 documents.

    One of them holds the follow-up question, and two its answer too.
    """
    costs = Costs(100, lambda examples, documents: 50.0 * examples * documents)
    assert iterdrag_tokens(Theta(2, 1, 1), costs) == 3 * (100 + 250) + 10 * 100 + 3 * 48
    assert iterdrag_longest(Theta(2, 1, 1), costs) == 100 + 250 + 400 + 2 * 48


@pytest.mark.parametrize("theta", [Theta(1, 0, 5), Theta(1, 2, 5), Theta(1, 4, 5), Theta(2, 3, 2)])
def test_sub_questions_take_no_more_than_was_said(
    theta: Theta, toolbox: Callable[..., Toolbox], fake_generator: Any
) -> None:
    texts = [f"number{i} boathouse lease {'word ' * 60}" for i in range(30)]
    items = documents(texts, "n")
    replies = []
    for i in range(theta.n):
        replies += [f"Follow up: number{i + 9} {'why ' * 40}", f"Intermediate answer: {'m ' * 44}"]
    model = fake_generator("g", [*replies, "z"])
    events = answer(
        Query("boathouse lease?"),
        corpus_of(split(items)),
        ModelSet("l", "g", lambda _: model),
        Settings(
            strategy=f"iterdrag:k={theta.k},m={theta.m},n={theta.n}",
            budget=Budget(9000, 9000, samples=2, lookahead_share=0, generator_share=0),
        ),
    )
    used = next(event for event in events if isinstance(event, Answered)).answer.usage
    costs = costs_of(toolbox(None), 63 + selection.OVERHEAD)
    assert len(model.prompts) == 2 * theta.n + 1
    assert 0.6 * iterdrag_tokens(theta, costs) < used.effective_context
    assert used.effective_context <= iterdrag_tokens(theta, costs)
    assert max(map(model.count, model.prompts)) <= iterdrag_longest(theta, costs)


def test_the_tokens_of_rewriting_by_hand() -> None:
    """Two rounds over 3 passages, once over all 6."""
    assert rewriting_tokens(3, 1, 100) == 2 * (300 + 250) + 600 + 250


ALIKE = Costs(100, lambda examples, documents: 100.0 * examples * documents)
LIKES_ROUNDS = Allocation(replace(PAPER, a=(0.1, 0.1, 0.9)))
LIKES_DOCUMENTS = Allocation(replace(PAPER, a=(0.9, 0.1, 0.1)))


def test_the_allocation_model_picks_within_the_tokens() -> None:
    def picked(tokens: int, by: Allocation) -> Theta | None:
        return iterdrag_within(tokens, 8000, ALIKE, by)

    assert picked(1000, PUBLISHED) is None
    rounds, documents = picked(6000, LIKES_ROUNDS), picked(6000, LIKES_DOCUMENTS)
    assert rounds is not None
    assert documents is not None
    assert rounds.n > documents.n
    assert documents.k > rounds.k
    for one in (rounds, documents):
        assert iterdrag_tokens(one, ALIKE) <= 6000


def test_examples_longer_than_the_context_are_not_chosen() -> None:
    long = Costs(100, lambda examples, documents: 1800.0 * examples)
    found = iterdrag_within(60_000, 2000, long, PUBLISHED)
    assert found is not None
    assert found.m == 0
    assert iterdrag_longest(found, long) <= 2000
    assert iterdrag_within(60_000, 400, long, PUBLISHED) is None


def test_what_would_not_be_shown_is_not_chosen() -> None:
    """Two examples there are, and room for three passages a round."""
    scarce = replace(ALIKE, known=2, room=350)
    found = iterdrag_within(60_000, 8000, scarce, PUBLISHED)
    more = iterdrag_within(60_000, 8000, ALIKE, PUBLISHED)
    assert found is not None
    assert more is not None
    assert (found.k, found.m) == (3, 2)
    assert (more.k, more.m) > (found.k, found.m)
    tiny = iterdrag_within(60_000, 8000, replace(ALIKE, room=50), PUBLISHED)
    assert tiny is not None
    assert tiny.k == 1


def test_a_fitted_file_is_used_and_named(tmp_path: Path) -> None:
    file = tmp_path / "fit.json"
    about = [Informativeness(0.4, 0.2), Informativeness(0.2, 0.0)]
    file.write_text(written(replace(PAPER, r2=0.5, points=24), about, "0.5B"))
    found = read_allocation(file)
    assert found.fit.a == PAPER.a
    assert found.about.document == pytest.approx(0.3)
    assert found.source == "fit.json, fitted to 0.5B over 24 configurations"
    assert "table 8" in PUBLISHED.source


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"a": [1, 2]}', None])
def test_another_file_is_refused(text: str | None, tmp_path: Path) -> None:
    file = tmp_path / "fit.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(DataError, match="holds no fitted allocation model") as raised:
        read_allocation(file)
    assert raised.value.path == file


# Time


def test_a_speed_is_measured_on_text_of_ours(
    fake_generator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((0.0, 2.0, 6.0))
    monkeypatch.setattr(speed.time, "monotonic", lambda: next(clock))
    model = fake_generator("m", ["a b c d"])
    found = measured(model)
    assert found == Speed(reading=len(speed.PROBE.split()) / 2, writing=4 / 4)
    assert model.prompts == [speed.PROBE] * 2


def test_a_models_speed_is_measured_once(fake_generator: Any) -> None:
    loaded = {"g": fake_generator("g"), "l": fake_generator("l")}
    measured_models: list[str] = []

    def measure(model: Any) -> Speed | None:
        measured_models.append(model.id)
        return None if model.id == "l" else Speed(1, 1)

    models = ModelSet("l", "g", loaded.__getitem__, measure=measure)
    assert models.speed("generator") == Speed(1, 1)
    assert models.speed("lookahead") is None
    assert models.speed("generator") == models.speed("generator")
    assert models.speed("lookahead") is None
    assert measured_models == ["g", "l"]
    assert ModelSet("l", "g", loaded.__getitem__).speed("generator") is None


def test_the_rest_is_corrected_by_what_was_done() -> None:
    speed = CorrectedSpeed(lambda role: Speed(100, 10))
    work = [Work("generator", 200, 10)]
    assert speed.seconds(work) == pytest.approx(3.0)
    # 5 sequences of 10 tokens together take 1.2 times one: 1 + 1.2 s were expected, 4.4 taken
    speed.note("generator", ModelTokens(100, 100, 50, 1), 4.4, sequences=5)
    assert speed.seconds(work) == pytest.approx(6.0)
    assert speed.seconds([Work("lookahead", 200, 10)]) == pytest.approx(3.0)
    assert CorrectedSpeed(lambda role: None).seconds(work) is None


@pytest.fixture
def toolbox(fake_generator: Any) -> Callable[..., Toolbox]:
    def made(speed: CorrectedSpeed | None) -> Toolbox:
        budget = Budget(100, 100, samples=2, lookahead_share=0, generator_share=0)
        models = ModelSet("l", "g", fake_generator)
        tools = Toolbox.of(Query("alder"), corpus_of([]), models, Settings(budget=budget))
        tools.forecast.speed = speed
        return tools

    return made


@pytest.fixture
def expected(fake_generator: Any) -> Callable[..., list[Expected]]:
    def run(strategy: str, known: Speed | None = None, **settings: Any) -> list[Expected]:
        item = document("alder birch", "n")
        models = {"g": fake_generator("g", ["x [1]"]), "l": fake_generator("l", ["?"])}
        budget = Budget(100, 100, samples=2, lookahead_share=0, generator_share=0)
        events = answer(
            Query("alder"),
            corpus_of(split([item])),
            ModelSet("l", "g", models.__getitem__, measure=lambda model: known),
            Settings(strategy=strategy, budget=budget, **settings),
        )
        return [event for event in events if isinstance(event, Expected)]

    return run


def test_what_is_to_come_is_said_before_each_stage(
    expected: Callable[..., list[Expected]],
) -> None:
    known = Speed(reading=100, writing=10)
    looking, writing = expected("fb_rag", known, estimate=True)
    # 2 words, 24 for the heading, 250 for the prompt; then all of Y and another prompt
    assert looking.tokens == 276 + 350
    assert looking.seconds == pytest.approx(2.76 + 1.2 * 96 / 10 + 3.5 + 1.6)
    assert writing.tokens == 276
    assert writing.seconds is not None
    assert writing.budget == 2 * (200 + 500)
    assert [one.seconds for one in expected("vanilla", estimate=True)] == [None]
    assert expected("fb_rag", known) == []


@pytest.mark.parametrize(
    ("strategy", "replies"),
    [("drag:k=1,m=1", 1), ("self_consistency", 1), ("chain_of_thought", 1), ("rewrite", 1)],
)
def test_every_reply_says_how_long_it_takes(
    expected: Callable[..., list[Expected]], strategy: str, replies: int
) -> None:
    found = expected(strategy, Speed(reading=100, writing=10), estimate=True)
    assert len([one for one in found if one.seconds]) >= replies
    assert expected(strategy, Speed(reading=100, writing=10)) == []


def test_what_a_reply_takes_by_hand(toolbox: Callable[..., Any], fake_generator: Any) -> None:
    """4 tokens at 100 a second and 16 at 10; then what the first prompt does not begin with."""
    tools = toolbox(CorrectedSpeed(lambda role: Speed(reading=100, writing=10)))
    model = fake_generator("g")
    [first] = tools.forecast.replies(model, "a b c d ")
    [second] = tools.forecast.replies(model, "a b c d e f", Work("generator", 350, 0), count=5)
    assert (first.tokens, first.seconds) == (4, pytest.approx(0.04 + 1.6))
    assert (second.tokens, second.seconds) == (352, pytest.approx(3.52 + 1.2 * 1.6))


def test_what_was_taken_corrects_what_is_expected(toolbox: Callable[..., Any]) -> None:
    tools = toolbox(CorrectedSpeed(lambda role: Speed(reading=1e9, writing=1e9)))
    with tools.forecast.learning("generator"):
        tools.budget.count("generator", ModelTokens(100, 100, 1, 1))
    [found] = tools.forecast.replies(tools.models.of("generator"), "a b c d")
    assert found.seconds > 20 / 1e9  # as the clock says, it took far longer than 101 tokens do


def test_the_waiting_person_sees_what_is_left() -> None:
    screen = io.StringIO()
    status = StatusLine(screen, enabled=True)
    watcher = Watcher(status, None)
    try:
        watcher.show(Stage("lookahead", "started"))
        assert screen.getvalue().endswith("Looking ahead …")
        watcher.show(Expected(1200, None, 6975))
        assert screen.getvalue().endswith("Looking ahead … (about 1,200 tokens to read)")
        watcher.show(Expected(1200, 7000.0, 6975))
        assert re.search(r"Looking ahead … \(about \d{4} s left\)$", screen.getvalue())
        watcher.show(Stage("write", "started"))
        assert re.search(r"Writing … \(about \d{4} s left\)$", screen.getvalue())
    finally:
        watcher.finish()


def test_the_file_of_a_fit_holds_numbers_alone(tmp_path: Path) -> None:
    text = written(replace(PAPER, r2=0.9), [Informativeness(0, 0)], "none")
    assert set(json.loads(text)) == {
        *("a", "b", "c", "r2", "points"),
        *("sigmoid", "about", "fitted_to"),
    }

"""The path of a question with scripted models: events, abstention, budgets, cancelling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.answer import answer, search
from engine.checking import abstention
from engine.confidence.reasons import OWN_WORDS
from engine.errors import (
    BudgetTooSmall,
    EmptyQuestion,
    NoSources,
    QuestionError,
    StrategyUnknown,
    TimeSpent,
)
from engine.events import (
    Answered,
    Event,
    Found,
    Narrowed,
    Ranked,
    Reading,
    Sampled,
    Stage,
    Token,
)
from engine.retrieval.memory import Memory
from engine.settings import BUDGETS, Settings
from engine.strategies import registry
from engine.values import Answer
from ingest.item import Filters, Kind
from ingest.reading.in_process import read
from ingest.reading.session import Session
from ingest.reading.stream import ItemStream
from models.roles import ModelSet

MakeModels = Callable[..., ModelSet]
REPLY = "The lease ends on 30 June 2027 [1]."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "lease.txt").write_text("The lease ends on 30 June 2027.\n")
    (folder / "lunch.txt").write_text("Lunch is at Trattoria Rosa on Friday.\n")
    return folder


def final(events: Sequence[Event]) -> Answer:
    assert isinstance(events[-1], Answered)
    return events[-1].answer


def test_fb_rag_tells_its_story_in_order(notes: Path, fake_models: MakeModels) -> None:
    models = fake_models([REPLY], ["The lease ends 2027. Answer: 2027"])
    settings = Settings(strategy="fb_rag")
    events = list(answer("When does the lease end?", [notes], models, settings))
    assert isinstance(events[0], Narrowed)
    stages = [e.name for e in events if isinstance(e, Stage) and e.state == "started"]
    assert stages == ["read", "recall", "lookahead", "select", "write", "cite"]
    samples = [e for e in events if isinstance(e, Sampled)]
    assert sorted(s.index for s in samples) == [0, 1, 2]
    assert samples[0].answer == "2027"
    assert "".join(e.text for e in events if isinstance(e, Token)) == REPLY
    found = final(events)
    assert found.text == "The lease ends on 30 June 2027. [1]"
    assert found.grounded == "grounded"
    assert found.citations[0].passage.item.locator.path == notes / "lease.txt"
    assert found.coverage.read == {Kind.DOCUMENT: 2}
    assert found.usage.lookahead.prompt > 0
    assert found.usage.generator.generated == len(REPLY.split(" "))
    assert {"read", "recall", "lookahead", "write", "total"} <= set(found.timings)


OF_THEIR_OWN = ("ce", "ce_filter", "aggregate", "key_value", "summary")
"""Strategies that need an encoder, or questions of another kind; they have tests of their own."""


@pytest.mark.parametrize("name", [one for one in registry.names() if one not in OF_THEIR_OWN])
def test_every_strategy_answers(name: str, notes: Path, fake_models: MakeModels) -> None:
    settings = Settings(strategy=name)
    found = final(list(answer("When does the lease end?", [notes], fake_models([REPLY]), settings)))
    reads_nothing = name in ("zero_shot", "many_shot")
    assert found.grounded == ("none" if reads_nothing else "grounded")
    assert found.raw == REPLY
    assert found.strategy.partition(":")[0] in registry.names()


def test_order_preserving_prompts_in_document_order(notes: Path, fake_models: MakeModels) -> None:
    (notes / "a.txt").write_text("Something about the lease and the end of it, long ago.\n")
    models = fake_models([REPLY])
    events = list(
        answer(
            "lease ends June",
            [notes],
            models,
            Settings(
                strategy="order_preserving", budget=replace(BUDGETS["balanced"], generator_share=0)
            ),
        )
    )
    ranked = next(e for e in events if isinstance(e, Ranked))
    assert ranked.passages[0].item.locator.path.name == "lease.txt"
    prompt = models.generator.prompts[-1]  # type: ignore[attr-defined]
    assert prompt.index("long ago") < prompt.index("30 June")


@pytest.mark.parametrize("reply", ["Not found.", "It is not mentioned.", "The rent is 900 [1]."])
def test_what_nothing_supports_is_an_abstention(
    reply: str, notes: Path, fake_models: MakeModels
) -> None:
    found = final(list(answer("What is the lease's rent?", [notes], fake_models([reply]))))
    assert found.grounded == "none"
    assert found.text == abstention.ABSTENTION
    assert found.raw == reply
    assert all(not citation.support for citation in found.citations)


@pytest.mark.parametrize(
    ("question", "reply", "certainty"),
    [
        ("Will the tenancy be over by 2028?", "Yes, the tenancy will be over by then.", "unsure"),
        ("Will the tenancy go on?", "No, the tenancy will not go on.", "none"),
        ("Will the tenancy go on?", "It will go on for long.", "none"),
        ("What about the tenancy?", "Yes, the tenancy will go on.", "none"),
        ("Does the lease end?", "No, the lease does not end on 30 June 2027.", "none"),
        ("Does the lease end in May?", "Yes, the lease ends on 30 May 2027.", "none"),
        ("Does it name the rent?", "No, it is not mentioned.", "none"),
    ],
)
def test_a_yes_in_the_words_of_its_question_is_unsure(
    notes: Path, fake_models: MakeModels, question: str, reply: str, certainty: str
) -> None:
    found = final(list(answer(question, [notes / "lease.txt"], fake_models([reply]))))
    assert found.certainty == certainty
    assert [citation.support for citation in found.citations] == [False]
    assert (OWN_WORDS in found.reasons) == (certainty == "unsure")
    if certainty == "unsure":
        assert (found.text, found.grounded) == (reply, "partial")
        assert [one.sentence for one in found.unsupported] == [reply]
        strict = Settings(strict=True)
        assert final(list(answer(question, [notes], fake_models([reply]), strict))).text == (
            abstention.ABSTENTION
        )


def test_an_unsure_generator_abstains(
    notes: Path, fake_models: MakeModels, fake_generator: Callable[..., object]
) -> None:
    unsure = fake_generator("g", [REPLY], likely=lambda _: -5.0)
    models = ModelSet("g", "g", lambda _id: unsure)  # type: ignore[arg-type, return-value]
    found = final(list(answer("When does the lease end?", [notes], models)))
    assert found.grounded == "none"
    assert found.confidence is not None
    assert found.confidence < Settings().least_confidence


def test_no_hit_asks_no_model(notes: Path) -> None:
    def load(model_id: str) -> object:
        raise AssertionError(f"{model_id} was loaded")

    models = ModelSet("s", "l", load)  # type: ignore[arg-type]
    settings = Settings(strategy="vanilla")
    filters = Filters(kinds=frozenset({Kind.MAIL}))
    found = final(list(answer("When does the lease end?", [notes], models, settings, filters)))
    assert found.grounded == "none"
    assert found.models.generator is None


def test_passages_far_below_the_best_are_left_out(notes: Path, fake_models: MakeModels) -> None:
    (notes / "weak.txt").write_text("Something else has an end, and goes on about it. " * 5)
    prompts = {}
    for share in (0.5, 0.0):
        models = fake_models([REPLY])
        budget = replace(BUDGETS["balanced"], generator_share=share)
        settings = Settings(strategy="vanilla", budget=budget)
        list(answer("When does the lease end on June 30?", [notes], models, settings))
        prompts[share] = models.generator.prompts[0]  # type: ignore[attr-defined]
    assert "Something else" not in prompts[0.5]
    assert "Something else" in prompts[0.0]


def test_hits_that_no_budget_holds_are_an_error(notes: Path, fake_models: MakeModels) -> None:
    models = fake_models([REPLY])
    models.generator.count = lambda text: 10 * len(text)  # type: ignore[method-assign]
    (notes / "lease.txt").write_text("lease " + "漢" * 1900)
    with pytest.raises(BudgetTooSmall, match="1200"):
        list(answer("lease", [notes], models, Settings(strategy="vanilla")))


def test_a_skipped_file_makes_the_answer_partial(notes: Path, fake_models: MakeModels) -> None:
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    found = final(list(answer("When does the lease end?", [notes], fake_models([REPLY]))))
    assert found.grounded == "partial"
    assert not found.coverage.complete
    [skipped] = found.coverage.skipped
    assert skipped.path.name == "broken.pdf"


def test_a_missing_path_is_named(tmp_path: Path, fake_models: MakeModels) -> None:
    found = final(list(answer("When?", [tmp_path / "gone"], fake_models([REPLY]))))
    assert found.coverage.skipped[0].reason.value == "missing"
    assert found.grounded == "none"


def test_usage_errors_come_before_reading(notes: Path, fake_models: MakeModels) -> None:
    models = fake_models()
    with pytest.raises(StrategyUnknown, match="fb_rag"):
        next(iter(answer("When?", [notes], models, Settings(strategy="none_such"))))
    with pytest.raises(EmptyQuestion):
        next(iter(answer(" ?! ", [notes], models)))
    with pytest.raises(NoSources):
        list(answer("When?", [], models))
    with pytest.raises(QuestionError, match="max-context"):
        list(answer("When?", [notes], models, Settings(max_context=500)))


def test_max_context_bounds_all_input_tokens(notes: Path, fake_models: MakeModels) -> None:
    for number in range(60):
        (notes / f"{number}.txt").write_text(f"lease {number} " + "word " * 250)
    for limit, strategy in product((3000, 4000), ("auto", "truncate_middle", "ttrag_baseline")):
        settings = Settings(max_context=limit, strategy=strategy)
        found = final(list(answer("lease", [notes], fake_models([REPLY]), settings)))
        assert 0 < found.usage.effective_context <= limit


def test_a_spent_time_budget_is_an_error_not_an_abstention(
    notes: Path, fake_models: MakeModels
) -> None:
    settings = Settings(time_budget=1e-6)
    with pytest.raises(TimeSpent, match="time budget"):
        list(answer("When does the lease end?", [notes], fake_models([REPLY]), settings))


def test_what_the_time_budget_leaves_unread_is_counted(
    notes: Path, fake_models: MakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        (notes / f"{number}.txt").write_text("The lease ends on 30 June 2027.\n")

    def here(_: Session, sources: Sequence[Path], filters: Filters, **named: Any) -> ItemStream:
        named.pop("budget")
        return read(sources, filters, **named)  # one file after the other, when it is asked for

    monkeypatch.setattr(Session, "read", here)
    monkeypatch.setattr("engine.answer.READING_SHARE", 1e-9)
    settings = Settings(time_budget=60)
    found = final(list(answer("When does the lease end?", [notes], fake_models([REPLY]), settings)))
    assert found.coverage.unread > 0
    assert not found.coverage.complete
    assert found.grounded == "partial"


def test_closing_cancels(notes: Path, fake_models: MakeModels) -> None:
    settings = Settings(strategy="fb_rag")
    events = answer("When does the lease end?", [notes], fake_models([REPLY]), settings)
    while not isinstance(next(events), Sampled):
        pass
    events.close()  # type: ignore[attr-defined]
    assert list(events) == []


def test_search_ranks_without_models(notes: Path) -> None:
    events = list(search("lease", [notes]))
    assert isinstance(events[-1], Found)
    [hit] = events[-1].result.hits
    assert hit.passage.item.locator.path == notes / "lease.txt"
    assert hit.score > 0


def test_reading_tells_the_best_passage_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.retrieval.corpus.PROGRESS_INTERVAL", 0.0)
    monkeypatch.setattr("engine.retrieval.corpus.RANKING_INTERVAL", 0.0)
    for name, text in (("a", "the rent"), ("b", "the lease of Elm Street"), ("c", "lease, Elm")):
        (tmp_path / f"{name}.txt").write_text(text)
    seen = [
        event.best.item.locator.path.name
        for event in search("Elm Street lease", [tmp_path])
        if isinstance(event, Reading) and event.best
    ]
    assert seen[0] == seen[-1] == "b.txt"
    assert len(seen) == 3


def test_few_passages_are_all_shown_when_no_word_is_shared(
    notes: Path, fake_models: MakeModels
) -> None:
    models = fake_models(["Trattoria Rosa [2]"])
    found = final(list(answer("Where do we eat -key", [notes], models)))
    assert found.text == "Trattoria Rosa [1]"
    assert found.citations[0].passage.item.locator.path == notes / "lunch.txt"


def test_excluded_items_are_never_shown(notes: Path, fake_models: MakeModels) -> None:
    models = fake_models(["Trattoria Rosa [2]"])
    found = final(list(answer("Where do we eat -lunch", [notes], models)))
    assert found.grounded == "none"
    assert "Lunch is at" not in "".join(models.generator.prompts)  # type: ignore[attr-defined]


def test_many_passages_without_a_shared_word_load_no_model(
    notes: Path, fake_models: MakeModels
) -> None:
    (notes / "long.txt").write_text("Rents rose again. " * 3000)
    models = fake_models(["Trattoria Rosa [2]"])
    settings = Settings(strategy="fb_rag")
    found = final(list(answer("Where do we eat?", [notes], models, settings)))
    assert found.grounded == "none"
    assert found.usage.lookahead.prompt == found.usage.generator.prompt == 0


def test_what_is_unchanged_is_not_cut_and_folded_again(notes: Path) -> None:
    with Memory(workers=1) as memory:
        first = list(search("lease", [notes], memory=memory))
        cut = memory.last
        assert cut is not None
        again = list(search("lunch", [notes], memory=memory))
        assert memory.last is cut
        (notes / "lease.txt").write_text("The lease ends on 30 June 2031.\n")
        changed = list(search("lease", [notes], memory=memory))
        assert memory.last is not cut
        memory.forget()
        assert memory.last is None
        assert memory.size == 0
    hits = [events[-1].result.hits for events in (first, again, changed)]  # type: ignore[union-attr]
    assert [[hit.passage.item.title for hit in some] for some in hits] == [
        ["lease.txt"],
        ["lunch.txt"],
        ["lease.txt"],
    ]
    assert "2031" in hits[2][0].passage.text

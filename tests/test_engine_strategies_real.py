"""Every strategy on a real model: it answers, and pays for shared beginnings once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from app.local_models.loader import Loader
from app.settings.config import load_config
from engine.answer import answer
from engine.evaluation.corpora import read_all
from engine.events import (
    Answered,
    Compressed,
    Drafted,
    Event,
    FollowedUp,
    Ranked,
    Sampled,
    Selected,
    Voted,
)
from engine.prompts.demonstrations import worked
from engine.prompts.examples import shipped
from engine.retrieval.corpus import Corpus, corpus_of
from engine.retrieval.passages import split
from engine.settings import Budget, Settings
from engine.strategies import registry
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People
from models.encoder import Encoder
from models.llama.encoder import load_llama_encoder
from models.llama.generator import load_llama
from models.protocols import Generator
from models.roles import ModelSet
from models.store.catalogue import load_catalogue
from models.store.store import Store
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL, HALF = "smollm2-135m-instruct-q4_1", "qwen2.5-coder-0.5b-instruct-q4_k_m"
NOTES = (
    "The lease of the boathouse was signed by Berta Lindqvist on 3 March 2025 in Harlow.",
    "The lease of the boathouse ends on 31 December 2026. It may be renewed for one year.",
    "Tomas Veld repairs the roof of the boathouse in May; the rent is not paid meanwhile.",
    "The harbour office keeps the keys of the boathouse and opens at nine in the morning.",
    "The sailing club meets every Thursday at the boathouse, unless the lease forbids it.",
)
QUESTION = "When does the lease of the boathouse end?"
WITHOUT_A_GENERATOR = (
    *("ce", "ce_filter", "ttrag"),
    *("conditional", "aggregate", "key_value", "summary"),
)
"""Strategies that need other models, or that answer this question without one."""
BUDGET = Budget(300, 200, samples=2, lookahead_share=0, generator_share=0, window=900)


@pytest.fixture(scope="module")
def model() -> Iterator[Generator]:
    loaded = load_llama(weights_of(SMALL), SMALL, context=4096)
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def encoder() -> Iterator[Encoder]:
    loaded = load_llama_encoder(weights_of("all-minilm-l6-v2"), "all-minilm-l6-v2")
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    items = [
        Item(Kind.DOCUMENT, f"Note {i}", None, People(), text, Locator(Path(f"/{i}.txt")))
        for i, text in enumerate(NOTES)
    ]
    return corpus_of(split(items))


def ask(
    model: Generator,
    corpus: Corpus,
    strategy: str,
    task: str,
    encoder: Encoder | None = None,
    question: str = QUESTION,
) -> tuple[list[Event], Answer]:
    settings = Settings(strategy=strategy, budget=BUDGET, least_confidence=0)
    models = ModelSet(
        *(SMALL, SMALL, lambda _: model),
        encoder="e" if encoder else None,
        load_encoder=lambda _: encoder,  # type: ignore[arg-type, return-value]
    )
    events = list(answer(Query(question, task=task), corpus, models, settings))
    last = events[-1]
    assert isinstance(last, Answered)
    return events, last.answer


@pytest.mark.parametrize(
    "strategy", [name for name in registry.names()[1:] if name not in WITHOUT_A_GENERATOR]
)
def test_every_strategy_answers(model: Generator, corpus: Corpus, strategy: str) -> None:
    _, found = ask(model, corpus, strategy, "question")
    assert found.raw
    assert found.strategy.partition(":")[0] == strategy  # youra says that BM25 chose instead
    used = found.usage.generator
    # A beginning that is kept ends in a token that the whole prompt may cut otherwise.
    assert 0 < used.computed <= used.prompt + (2 if "drag" in strategy else 0)
    assert used.generated > 0
    assert found.usage.lookahead.calls == (strategy == "fb_rag")
    assert {"write", "ask", "vote"} & set(found.timings)


def test_a_file_that_the_best_passage_names_is_read(model: Generator, tmp_path: Path) -> None:
    lease = tmp_path / "boathouse-lease-2026.md"
    lease.write_text("Lessee pays eight hundred crowns, half in May and half in June.\n")
    named = "The deposit for the boathouse is set out in\nboathouse-lease-2026.md, signed in May.\n"
    (tmp_path / "deposit.txt").write_text(named)
    for spring in range(2018, 2026):
        painted = (
            f"The boathouse was painted in spring {spring}, and so were the boathouse doors.\n"
        )
        (tmp_path / f"paint-{spring}.txt").write_text(painted)
    read = read_all([tmp_path], Settings())
    asked = "How much is the deposit for the boathouse?"
    for strategy, found in (("auto", True), ("auto:follow=never", False)):
        events, _ = ask(model, read, strategy, "question", question=asked)
        shown = [one for one in events if isinstance(one, Selected) and one.stage == "write"]
        files = {passage.item.locator.path for passage in shown[0].kept}
        assert (lease in files) is found


def test_a_day_is_counted_from_the_day_of_its_message(tmp_path: Path) -> None:
    (tmp_path / "WhatsApp Chat with Berta.txt").write_text(
        "21/06/2023, 14:05 - Berta: The piano came two days ago.\n"
        "21/06/2023, 14:06 - Tomas: At last! Was it heavy?\n"
    )
    read = read_all([tmp_path], Settings())
    half = load_llama(weights_of(HALF), HALF, context=4096)
    try:
        _, found = ask(half, read, "vanilla", "question", question="When did the piano come?")
    finally:
        half.close()
    assert "19 June 2023" in found.text
    assert "The piano came two days ago." in found.citations[0].quote


@pytest.mark.parametrize(("kind", "more"), [("drag", ""), ("iterdrag", ",n=1")])
def test_examples_are_computed_for_the_first_question_alone(
    model: Generator, corpus: Corpus, kind: Literal["drag", "iterdrag"], more: str
) -> None:
    strategy = f"{kind}:k=1,m=2{more}"
    shown = [turn for one in shipped()[:2] for turn in worked(kind, one, 1)]
    examples = sum(model.count(turn.content) for turn in shown)
    questions = (QUESTION, "Who repairs the roof of the boathouse?", "Who keeps the keys?")
    first, *others = (
        ask(model, corpus, strategy, "multihop", question=one)[1].usage.generator
        for one in questions
    )
    assert first.computed > examples
    for used in others:
        assert used.prompt > used.calls * examples
        assert used.computed <= used.prompt - used.calls * examples


def test_a_small_model_asks_itself_as_the_examples_do(model: Generator, corpus: Corpus) -> None:
    """And its answer is a word: behind a blank it went on with a number."""
    asked = "In which town was the lease that ends in December 2026 signed?"
    events, found = ask(model, corpus, "iterdrag:k=1,m=2,n=1", "multihop", question=asked)
    assert any(isinstance(event, FollowedUp) for event in events)
    assert found.raw[0].isalpha()


@pytest.mark.parametrize("strategy", ["ce", "ce_filter", "ttrag"])
def test_an_encoder_ranks_what_was_found(
    model: Generator, corpus: Corpus, encoder: Encoder, strategy: str
) -> None:
    events, found = ask(model, corpus, f"{strategy}:weight=1", "multihop", encoder)
    first = next(e for e in events if isinstance(e, Ranked) and e.stage == "select")
    assert "31 December 2026" in first.passages[0].text
    assert found.raw
    assert found.models.encoder == "e"
    assert found.usage.encoder.prompt > 50


@pytest.mark.parametrize(
    ("strategy", "lookahead"),
    [
        ("youra:share=0.5", "l (attention)"),
        ("fb_rag+youra:share=0.5", "l"),
    ],
)
def test_attention_chooses_the_sentences(
    model: Generator, corpus: Corpus, tmp_path: Path, strategy: str, lookahead: str
) -> None:
    """By what the program loads models with: in a pass of its own, or while samples are drawn."""
    config = load_config({"XDG_CONFIG_HOME": str(tmp_path)})
    store, made = Store.default(os.environ), list[Any]()
    loader = Loader(config, load_catalogue(), store, 2048, lambda text: None)

    def load(kind: Callable[[str], Any]) -> Any:
        made.append(kind(SMALL))
        return made[-1]

    models = ModelSet(
        *("l", "g", lambda _: model),
        load_attention=lambda _: load(loader.attention),
        load_attentive=lambda _: load(loader.attentive),
        reaction_layer=load_catalogue().row(SMALL).reaction_layer,
    )
    settings = Settings(strategy=strategy, budget=BUDGET, least_confidence=0)
    events = list(answer(Query(QUESTION, task="multihop"), corpus, models, settings))
    [cut] = [event for event in events if isinstance(event, Compressed)]
    assert cut.by == "query"
    assert len(set(cut.scores)) == len(cut.scores) == len(cut.kept)
    assert 0 < sum(cut.kept) < len(cut.kept)
    last = events[-1]
    assert isinstance(last, Answered)
    assert last.answer.strategy == strategy
    assert last.answer.usage.lookahead.calls == 1
    assert lookahead in [one.model_id for one in models.loadings]
    [reader] = made
    reader.close()


def test_the_same_seed_gives_the_same_answer(model: Generator, corpus: Corpus) -> None:
    first, second = (ask(model, corpus, "self_consistency", "multihop") for _ in range(2))
    assert first[1].raw == second[1].raw


def test_samples_share_one_prefill(model: Generator, corpus: Corpus) -> None:
    events, found = ask(model, corpus, "fb_rag", "multihop")
    assert len([event for event in events if isinstance(event, Sampled)]) == 2
    assert found.usage.lookahead.prompt < 400


def test_readings_share_what_they_have_in_common(model: Generator, corpus: Corpus) -> None:
    events, found = ask(model, corpus, "et2rag", "multihop")
    readings = [event for event in events if isinstance(event, Drafted)]
    voted = next(event for event in events if isinstance(event, Voted))
    used = found.usage.generator
    assert voted.of == len(readings) == used.calls - 1
    assert len(readings) > 2
    # The best passage opens every prompt, and the winner's prompt is computed already.
    assert used.computed < 0.7 * used.prompt

"""Plans, amounts, summaries and classes with a real small model: they hold their form."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.answer import answer
from engine.compute.plan_text import parsed
from engine.compute.proposal import proposed
from engine.errors import PlanRefused
from engine.events import Answered
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.routes.labels import LABELS, by_model
from engine.settings import Budget, Settings
from engine.values import Answer, Query
from ingest.item import Item, Kind, Locator, People
from models.llama.generator import load_llama
from models.protocols import Generator
from models.roles import ModelSet
from tests.support.in_store import weights_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
BILLS = [
    Item(
        Kind.MAIL,
        f"Invoice {number}",
        datetime(2026, 3, number, tzinfo=UTC),
        People(),
        f"Subject: Invoice {number}\n\nThe invoice amount is {number}0.50 EUR. Thank you.",
        Locator(Path("/mail/in.mbox"), message_id=f"<{number}>"),
    )
    for number in (1, 2, 3)
]


@pytest.fixture(scope="module")
def model() -> Iterator[Generator]:
    loaded = load_llama(weights_of(SMALL), SMALL, context=4096)
    yield loaded
    loaded.close()


def ask(model: Generator, question: str, strategy: str) -> Answer:
    settings = Settings(
        strategy=strategy,
        budget=Budget(300, 300, 1, 0, 0, window=1200),
        least_confidence=0,
        now=datetime(2026, 4, 1, tzinfo=UTC),
        zone=UTC,
    )
    models = ModelSet(SMALL, SMALL, lambda _: model)
    *_, last = answer(Query(question), corpus_of(split(BILLS)), models, settings)
    assert isinstance(last, Answered)
    return last.answer


def test_a_proposed_plan_is_a_line_that_is_read_or_refused(model: Generator) -> None:
    line = proposed(model, "How many mails did Ann send in May?", date(2026, 4, 1))
    try:
        parsed(line)
    except PlanRefused as error:
        assert "cannot be run" in error.message or "day" in error.message  # noqa: PT017


def test_each_amount_that_is_added_stands_in_its_item(model: Generator) -> None:
    found = ask(model, "Sum my 3 invoices", "aggregate")
    assert found.table is not None
    for row in found.table.rows:
        assert all(source.text in source.item.text for source in row.sources)
    assert found.usage.lookahead.calls == 3


def test_a_summary_is_written_and_only_supported_sentences_are_cited(model: Generator) -> None:
    found = ask(model, "Summarise my invoices in 2 sentences", "summary")
    assert found.raw
    assert all(one.quote in one.passage.item.text for one in found.citations)
    assert found.usage.generator.calls == 1


def test_a_class_is_one_of_four(model: Generator) -> None:
    found = by_model(model, "Who wrote the invoice?")
    assert found.label in LABELS
    assert set(found.scores) == set(LABELS)

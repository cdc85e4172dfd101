"""The path of a question.

question ─ follow up ─ understand ─ read ─ recall ─ look ahead ─ select ─ vote ─ write ─ cite

`answer` and `search` yield events for the screens and the command line. Errors raise; closing
the iterator cancels; it may run in any one thread.
"""

from __future__ import annotations

from collections.abc import Generator as Steps
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

from engine.agreement import disagreeing
from engine.checking import abstaining, citing, entailing
from engine.cited import Cited
from engine.conversation import Conversation
from engine.drafts import Draft
from engine.errors import NoSources
from engine.events import Answered, Event, Found, Ranked, Understood
from engine.followups.scoping import scoped, within
from engine.followups.standalone import standing_alone
from engine.injection import guarding
from engine.question import inferring
from engine.question.own import with_own_addresses
from engine.question.query_language import Mode, parse
from engine.retrieval.constraints import constrained
from engine.retrieval.corpus import Corpus, read_corpus
from engine.retrieval.memory import Memory
from engine.retrieval.recall import best_first
from engine.settings import Settings
from engine.stages import Timings, staged, time_spent
from engine.strategies import registry
from engine.toolbox.samples import Shared
from engine.toolbox.steps import Toolbox
from engine.values import Answer, Hit, ModelIds, Passage, Query, SearchResult, Usage
from ingest.item import Filters
from models.roles import ModelSet

READING_SHARE = 0.4
"""Part of a time budget that reading may take; the models need the rest."""


def answer(
    question: str,
    sources: Sequence[Path],
    models: ModelSet,
    settings: Settings | None = None,
    filters: Filters | None = None,
    memory: Memory | None = None,
    scope: Sequence[Cited] | None = None,
    conversation: Conversation | None = None,
) -> Iterator[Event]:
    """Answer a question over sources read now. The last event is `Answered`.

    `memory` is what earlier questions left; without one nothing outlasts this question. A
    question that follows a `conversation` is first made one that stands alone. `scope` is what a
    person settled that it is about: only these items are looked at, and it is asked as written.

    Raises `QuestionError` before anything is read, `ModelError` or `RuntimeFailed` from the
    models, `TimeSpent` when the time budget ends before an answer. What cannot be read is no
    error: it is in the answer's coverage.
    """
    settings = settings or Settings()
    registry.get(settings.strategy)
    meant = yield from standing_alone(question, conversation, scope, models, settings.today)
    narrowed = scoped(filters, meant.scope)
    typed = replace(understand(meant.text, narrowed, settings), scope=meant.scope)
    timings = Timings()
    query = inferring.before_reading(typed, settings)
    yield Understood(query)
    with _kept(memory) as memory:
        corpus = yield from read_now(query, sources, settings, timings, memory)
        if query.inferred and not inferring.answerable(query, corpus):
            query = inferring.without(typed, query)
            yield Understood(query)
            corpus = yield from read_now(query, sources, settings, timings, memory)
    query, corpus = inferring.after_reading(query, within(corpus, meant.scope), settings, models)
    yield Understood(query)
    yield from answer_over(query, corpus, models, settings, timings)


def refuse_unanswerable(question: str, filters: Filters | None, settings: Settings) -> None:
    """Raise what `answer` would raise before it reads anything: `QuestionError`."""
    strategy = registry.get(settings.strategy)
    if settings.strict:
        registry.require_votes(strategy)
    understand(question, filters, settings)


def answer_over(
    query: Query,
    corpus: Corpus,
    models: ModelSet,
    settings: Settings,
    timings: Timings | None = None,
    shared: Shared | None = None,
) -> Iterator[Event]:
    """Answer over a corpus already read, as `answer` does from there on.

    Strategies that answer the same question may share look-ahead samples.
    """
    timings = timings or Timings()
    strategy = registry.get(settings.strategy)
    models.forget()
    tools = Toolbox.of(
        query,
        corpus,
        models,
        settings,
        timings=timings,
        shared=shared,
        reads_passages=registry.reads_passages(strategy),
    )
    draft = yield from strategy.run(tools)
    finished = yield from staged("cite", timings, _cite(tools, draft, settings))
    if settings.second_opinion and finished.citations and not draft.citations:
        finished = yield from staged("cite", timings, _doubted(tools, finished))
    cut_off = not draft.ended or (corpus.coverage.unread and not corpus.passages)
    if finished.grounded == "none" and cut_off and tools.budget.late():
        raise time_spent(timings)
    yield Answered(
        replace(
            finished,
            usage=tools.budget.usage,
            strategy=registry.described(registry.as_run(strategy, tools.replaced)),
            models=_models_used(tools),
            timings={**timings.seconds, "total": timings.elapsed()},
        )
    )


def _models_used(tools: Toolbox) -> ModelIds:
    models, usage = tools.models.roles, tools.budget.usage
    return ModelIds(
        models.lookahead_id if usage.lookahead.prompt else None,
        models.generator_id if usage.generator.prompt else None,
        models.encoder_id if usage.encoder.prompt else None,
    )


def search(
    query_text: str,
    sources: Sequence[Path],
    settings: Settings | None = None,
    filters: Filters | None = None,
    memory: Memory | None = None,
) -> Iterator[Event]:
    """Rank passages for a query without a model. The last event is `Found`."""
    settings = settings or Settings()
    query = understand(query_text, filters, settings, "search")
    timings = Timings()
    yield Understood(query)
    with _kept(memory) as memory:
        corpus = yield from read_now(query, sources, settings, timings, memory)
    ranked = yield from staged("recall", timings, _rank(query, corpus, settings.k))
    hits = tuple(Hit(p, s) for p, s in zip(ranked.passages, ranked.scores, strict=True))
    seconds = {**timings.seconds, "total": timings.elapsed()}
    yield Found(SearchResult(query.asked, hits, corpus.coverage, seconds, query))


def understand(
    typed: str, filters: Filters | None, settings: Settings, mode: Mode = "ask"
) -> Query:
    """Return what was typed, its operators joined with the filters; "me" is `settings.own`.

    Raises `QuestionError`: no word to look for, an operator with a wrong value, "me" unknown.
    """
    query = parse(typed, settings.today, mode, filters)
    return with_own_addresses(query, settings.own)


def read_now(
    query: Query, sources: Sequence[Path], settings: Settings, timings: Timings, memory: Memory
) -> Steps[Event, None, Corpus]:
    """Read the sources as they are now. Raises `NoSources` when there are none."""
    if not sources:
        raise NoSources(
            "There is nothing to read.",
            remedy="Name a path after the question, or remember one: askance sources add PATH.",
        )
    reading = memory.session.read(sources, query.filters, zone=settings.zone, now=settings.now)
    deadline = _deadline(settings, timings, READING_SHARE)
    steps = read_corpus(reading, query, deadline, stemming=settings.stemming, memory=memory)
    return (yield from staged("read", timings, steps))


def _kept(memory: Memory | None) -> AbstractContextManager[Memory]:
    """Return a memory that is closed with the reading, unless it is the caller's."""
    return nullcontext(memory) if memory is not None else Memory()


def _rank(query: Query, corpus: Corpus, k: int) -> Steps[Event, None, Ranked]:
    scores = constrained(corpus.recall.scores([query.text]), query, corpus)[0]
    best = [int(i) for i in best_first(scores)[:k] if scores[i] > 0]
    ranked = Ranked("recall", [corpus.passages[i] for i in best], [float(scores[i]) for i in best])
    yield ranked
    return ranked


def _cite(tools: Toolbox, draft: Draft, settings: Settings) -> Steps[Event, None, Answer]:
    """Check the draft; what nothing supports becomes an abstention."""
    yield from ()
    query, corpus = tools.query, tools.corpus
    draft = disagreeing.answering(draft, query.text, settings.least_confidence)
    if draft.citations:
        checked = citing.Checked(draft.text, "grounded", list(draft.citations))
    else:
        checked = citing.check(draft.text, draft.evidence, query.text)
    unsure = draft.confidence is not None and draft.confidence < settings.least_confidence
    refused = settings.strict and disagreeing.refused(draft)
    if checked.grounded == "none" or unsure or refused or _denies(draft):
        checked = citing.Checked(abstaining.ABSTENTION, "none", citing.nearest(draft.evidence))
    elif checked.grounded == "grounded" and not (corpus.coverage.complete and draft.ended):
        checked.grounded = "partial"
    checked = disagreeing.with_conflict(checked, draft, query.text)
    return Answer(
        question=query.asked or query.text,
        text=checked.text,
        grounded=checked.grounded,
        citations=tuple(checked.citations),
        coverage=corpus.coverage,
        agreement=draft.agreement,
        usage=Usage(),
        timings={},
        strategy="",
        models=ModelIds(),
        raw=draft.text,
        confidence=draft.confidence,
        query=query,
        table=draft.table,
        unsupported=tuple(checked.unsupported),
        orders=guarding.orders_in(
            (*_evidence(draft), *tools.passages.with_orders.values()), tools.passages.guard
        ),
    )


def _evidence(draft: Draft) -> Iterator[Passage]:
    """Yield every passage that an answer was written or contradicted from."""
    yield from draft.evidence
    for reading in draft.others:
        yield from reading.evidence


def _doubted(tools: Toolbox, found: Answer) -> Steps[Event, None, Answer]:
    """Ask the look-ahead model for a second opinion on the citations; no time, no opinion."""
    yield from ()
    if found.grounded == "none" or tools.budget.late():
        return found
    with tools.models.lend("lookahead") as model:
        return entailing.with_doubts(model, found)


def _denies(draft: Draft) -> bool:
    """Say whether a model's words deny an answer; what was computed is no model's."""
    return not draft.citations and abstaining.denies(draft.text, draft.evidence)


def _deadline(settings: Settings, timings: Timings, share: float) -> float | None:
    if settings.time_budget is None:
        return None
    return timings.began + settings.time_budget * share

"""The path of a question.

question ─ follow up ─ understand ─ read ─ recall ─ look ahead ─ select ─ vote ─ write ─ cite

`answer` and `search` yield events for the screens and the command line. Errors raise; closing
the iterator cancels; it may run in any one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import punctuation as PUNCTUATION

from engine.answer_parts import Cited
from engine.conversation import Conversation
from engine.errors import NoSources
from engine.events import Event, Found, Hit, Narrowed, Ranked, SearchResult, Steps, Understood
from engine.followups.scope import scoped, within
from engine.followups.standalone import standing_alone
from engine.language.shortened import written_out
from engine.outcome import checked
from engine.prompts.tasks import TASKS
from engine.question import inferred_filters
from engine.question.own_addresses import with_own_addresses
from engine.question.query_language import Mode, parse
from engine.retrieval.constraints import constrained
from engine.retrieval.corpus import Corpus, read_corpus
from engine.retrieval.memory import Memory
from engine.retrieval.recall import best_first
from engine.settings import Settings
from engine.stages import Timings, staged
from engine.strategies import registry
from engine.toolbox.samples import Shared
from engine.toolbox.steps import Toolbox
from engine.values import Query
from ingest.item import Filters
from ingest.sieve import ReadingBudget
from models.roles import ModelSet

READING_SHARE = 0.4
"""Share of a time budget that reading may take; the models need the rest."""

NAMING = 4
"""Letters of a word of a question that a scan may be named by."""

Read = Callable[[Query], Steps[Corpus]]
"""Reads the items that the filters of a query let through."""


def answer(
    question: str | Query,
    sources: Sequence[Path] | Corpus,
    models: ModelSet,
    settings: Settings | None = None,
    filters: Filters | None = None,
    memory: Memory | None = None,
    scope: Sequence[Cited] | None = None,
    conversation: Conversation | None = None,
    shared: Shared | None = None,
) -> Iterator[Event]:
    """Answer a question over sources read now. The last event is `Answered`.

    `memory` is what earlier questions left; without one nothing outlasts this question. A
    question that follows a `conversation` is first rewritten to be understood alone. `scope` holds
    the items that a person chose: only these are read, and the question is asked as written.

    An evaluation asks the same way. Its question is a `Query`, which is not parsed, as the text of
    a data set holds no operators. It reads a corpus once for many questions and hands that in.
    Strategies that answer the same question may share look-ahead samples.

    Raises `QuestionError` before anything is read, `ModelError` or `RuntimeFailed` from the
    models, `TimeSpent` when the time budget ends before an answer. What cannot be read is no
    error: it is in the answer's coverage.
    """
    settings = settings or Settings()
    strategy = registry.get(settings.strategy)
    if isinstance(question, Query):
        typed = question
    else:
        meant = yield from standing_alone(question, conversation, scope, models, settings.today)
        narrowed = scoped(filters, meant.scope)
        typed = replace(understand(meant.text, narrowed, settings), scope=meant.scope)
    timings = Timings()
    with ExitStack() as stack:
        read: Read
        if isinstance(sources, Corpus):
            read = partial(_read_before, corpus=sources, settings=settings)
        else:
            memory = stack.enter_context(_kept(memory))
            read = partial(
                read_now, sources=sources, settings=settings, timings=timings, memory=memory
            )
        query, corpus = yield from _settle(typed, read, models, settings)
    models.forget()  # what earlier questions left in them
    tools = Toolbox.of(
        query,
        corpus,
        models,
        settings,
        timings=timings,
        shared=shared,
        reads_passages=registry.reads_passages(strategy),
    )
    yield from checked(strategy, tools, (yield from strategy.run(tools)))


def refuse_unanswerable(question: str, filters: Filters | None, settings: Settings) -> None:
    """Raise what `answer` would raise before it reads anything: `QuestionError`."""
    registry.get(settings.strategy)
    understand(question, filters, settings)


def _settle(
    typed: Query, read: Read, models: ModelSet, settings: Settings
) -> Steps[tuple[Query, Corpus]]:
    """Return a query with the filters that its words imply, and the corpus that they leave.

    Dates, kinds and addresses narrow the reading. Where that leaves nothing to answer from, it
    reads again without them. Names of people are known only after reading, and narrow the corpus.
    Questions of data sets imply no filters.
    """
    if not TASKS[typed.task].personal:
        return typed, (yield from read(typed))
    query = inferred_filters.before_reading(typed, settings)
    yield Narrowed(query)
    corpus = yield from read(query)
    if query.inferred and not inferred_filters.answerable(query, corpus):
        query = inferred_filters.without(typed, query)
        yield Narrowed(query)
        corpus = yield from read(query)
    corpus = within(corpus, query.scope)
    query, corpus = inferred_filters.after_reading(query, corpus, settings, models)
    yield Understood(query)
    return query, corpus


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
    text = written_out(query.text) if mode == "ask" else query.text
    if text != query.text:
        query = replace(query, text=text, asked=query.asked or query.text)
    return with_own_addresses(query, settings.own)


def read_now(
    query: Query, sources: Sequence[Path], settings: Settings, timings: Timings, memory: Memory
) -> Steps[Corpus]:
    """Read the sources as they are now. Raises `NoSources` when there are none."""
    if not sources:
        raise NoSources(
            "There is nothing to read.",
            remedy="Name a path after the question, or remember one: askance sources add PATH.",
        )
    words = (word.strip(PUNCTUATION) for word in query.text.casefold().split())
    naming = frozenset(word for word in words if len(word) >= NAMING)
    reading = memory.session.read(
        sources,
        query.filters,
        zone=settings.zone,
        now=settings.now,
        budget=ReadingBudget(naming, settings.attachments, settings.scans),
    )
    deadline = _deadline(settings, timings, READING_SHARE)
    steps = read_corpus(reading, query, deadline, stemming=settings.stemming, memory=memory)
    return (yield from staged("read", timings, steps))


def _read_before(query: Query, *, corpus: Corpus, settings: Settings) -> Steps[Corpus]:
    """Return what the filters of a query leave of a corpus already read."""
    yield from ()
    return inferred_filters.left_by_filters(query, corpus, settings) if query.inferred else corpus


def _kept(memory: Memory | None) -> AbstractContextManager[Memory]:
    """Return the caller's memory, or one that is closed after reading."""
    return nullcontext(memory) if memory is not None else Memory()


def _rank(query: Query, corpus: Corpus, k: int) -> Steps[Ranked]:
    scores = constrained(corpus.recall.scores([query.text]), query, corpus)[0]
    best = [int(i) for i in best_first(scores)[:k] if scores[i] > 0]
    ranked = Ranked("recall", [corpus.passages[i] for i in best], [float(scores[i]) for i in best])
    yield ranked
    return ranked


def _deadline(settings: Settings, timings: Timings, share: float) -> float | None:
    if settings.time_budget is None:
        return None
    return timings.began + settings.time_budget * share

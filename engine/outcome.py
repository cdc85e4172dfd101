"""From a draft to the answer: its citations are checked; without support it is an abstention."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

from engine.agreement import disagreement
from engine.answer_parts import ModelIds, Usage
from engine.checking import abstention, entailment
from engine.checking.citation_check import Checked, check, nearest
from engine.checking.draft_sentences import says_yes
from engine.checking.first_person import with_speaker
from engine.checking.negation import Statement, contradicts
from engine.checking.newer import correcting
from engine.confidence.reasons import (
    CORRECTED,
    COUNTED,
    OTHERWISE,
    OWN_WORDS,
    UNREAD,
    reasons_of,
)
from engine.events import Answered, Event, Steps
from engine.generation.draft import Draft
from engine.generation.reply import form_asked
from engine.injection import order_guard
from engine.settings import Settings
from engine.stages import stage, time_spent
from engine.strategies import registry
from engine.strategies.registry import Strategy
from engine.toolbox.steps import Toolbox
from engine.values import (
    Answer,
    Argument,
    Certainty,
    Coverage,
    Dated,
    Grounded,
    Passage,
)


def checked(strategy: Strategy, tools: Toolbox, draft: Draft) -> Iterator[Event]:
    """Make an answer of a strategy's draft. The last event is `Answered`.

    Raises `TimeSpent` where the time ended before there was one.
    """
    settings, timings, coverage = tools.settings, tools.timings, tools.corpus.coverage
    finished = yield from _cite(tools, draft, settings)
    if settings.second_opinion and finished.citations and not draft.citations:
        finished = yield from _doubted(tools, finished)
    cut_off = not draft.ended or (coverage.unread and not tools.corpus.passages)
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
        models.sparse_encoder_id if usage.sparse_encoder.prompt else None,
    )


@stage("cite")
def _cite(tools: Toolbox, draft: Draft, settings: Settings) -> Steps[Answer]:
    """Check the draft; one without support becomes an abstention."""
    yield from ()
    query, corpus = tools.query, tools.corpus
    draft = disagreement.answering(draft, query.text, settings.least_confidence)
    if draft.citations:
        checked = Checked(draft.text, "grounded", list(draft.citations))
    else:
        checked = check(draft.text, draft.evidence, query.text)
        checked.text = with_speaker(checked.text, query.text, checked.citations)
    if own := _is_own_yes(draft, checked, query.text):
        checked = replace(checked, grounded="partial", citations=nearest(draft.evidence))
    if (meant := tools.passages.meant) is not None and meant.is_newest:
        newer = _newer(draft, checked, query.text)
        draft = replace(draft, reasons=(*draft.reasons, *newer))
    complete = _complete(draft, corpus.coverage)
    certainty = certainty_of(draft, checked.grounded, settings, complete=complete, own=own)
    if certainty == "none":
        checked = Checked(abstention.ABSTENTION, "none", nearest(draft.evidence))
    elif checked.grounded == "grounded" and not (complete and draft.ended):
        checked.grounded = "partial"
    checked = disagreement.with_conflict(checked, draft, query.text)
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
        certainty=certainty,
        reasons=_reasons(draft, corpus.coverage, own=own and certainty != "none"),
        signals=asdict(draft.signals) if draft.signals else None,
        query=query,
        table=draft.table,
        unsupported=tuple(checked.unsupported),
        orders=order_guard.orders_in(
            (*_evidence(draft), *tools.passages.with_orders.values()), tools.passages.guard
        ),
    )


def certainty_of(
    draft: Draft,
    grounded: Grounded,
    settings: Settings,
    *,
    complete: bool = True,
    own: bool = False,
) -> Certainty:
    """Return how certain a draft is, of which a source states so much.

    A computed one is sure, unless its plan left something not understood, or what may count was not
    read: then the reading is not `complete`. One without a confidence is as sure as its sources
    make it. What speaks against it leaves any answer unsure; so do readings without a majority,
    whatever each of them is, and a yes of the model's own.
    """
    shown_unsure: Certainty = "none" if settings.strict else "unsure"
    whole = draft.table is None or (draft.ended and complete)
    doubted = not whole or any(not one.speaks_for for one in draft.reasons)
    if draft.citations and draft.confidence is None:
        return shown_unsure if doubted else "sure"
    if grounded == "none" or abstention.denies(draft.text, draft.evidence):
        return "none"
    sure = grounded == "grounded"
    if draft.confidence is not None:
        if draft.confidence < settings.least_confidence:
            return "none"
        sure = draft.confidence >= settings.sure_confidence
    if own or doubted or not sure or (draft.agreement is not None and not draft.agreement.majority):
        return shown_unsure
    return "sure"


def _newer(draft: Draft, checked: Checked, question: str) -> Iterator[Argument]:
    """Yield that a newer source of the prompt may correct what an answer that was read is from.

    It speaks of a correction, or has another value beside the same words. Nothing of a computed
    answer, and of one that cites such a source itself.
    """
    cited = [one.passage for one in checked.citations if one.support]
    if draft.signals is None:
        return
    for one, says_so in correcting(draft.evidence, cited, question, checked.text):
        yield Argument(f"{CORRECTED if says_so else OTHERWISE}{one.item.title}", False)
        return


def _complete(draft: Draft, coverage: Coverage) -> bool:
    """Say whether all was read that a draft may be about: a sealed PDF is no event."""
    return coverage.complete_for(draft.table.kinds) if draft.table else coverage.complete


def _is_own_yes(draft: Draft, checked: Checked, question: str) -> bool:
    """Say whether a yes is the model's own, as no source has the words that it repeats.

    Asked in other words than the sources', it has those of the question for its reason. It is
    shown, unsure, above what it was judged by; what a source lacks, denies or has from another
    speaker stays withheld. So does a no: the model says it of what no source mentions
    (docs/results.md, "Yes or no").
    """
    if checked.grounded != "none" or not draft.evidence or form_asked(question) != "verdict":
        return False
    if any(one.lacking or one.said_by for one in checked.unsupported):
        return False
    sources = [Statement(one.text) for one in draft.evidence]
    return says_yes(draft.text) and not contradicts(Statement(draft.text), sources)


def _reasons(draft: Draft, coverage: Coverage, *, own: bool) -> tuple[Argument, ...]:
    if draft.table is not None and not _complete(draft, coverage):
        return (UNREAD, *draft.reasons)
    known = (*draft.reasons, *(reasons_of(draft.signals) if draft.signals else ()))
    if own:
        return (*known, OWN_WORDS)
    return (COUNTED, *known) if _is_counted(draft) else known


def _is_counted(draft: Draft) -> bool:
    """Say whether a draft names a day that was counted, and that no item states itself."""
    dates = {said for one in draft.evidence if isinstance(one, Dated) for _, said in one.dates}
    stated = [one.item.text for one in draft.evidence]
    return any(said in draft.text and not any(said in text for text in stated) for said in dates)


def _evidence(draft: Draft) -> Iterator[Passage]:
    """Yield every passage that an answer was written or contradicted from."""
    yield from draft.evidence
    for reading in draft.others:
        yield from reading.evidence


@stage("cite")
def _doubted(tools: Toolbox, found: Answer) -> Steps[Answer]:
    """Ask the look-ahead model for a second opinion on the citations, if time is left."""
    yield from ()
    if found.grounded == "none" or tools.budget.late():
        return found
    with tools.models.lend("lookahead") as model:
        return entailment.with_doubts(model, found)

"""The steps of a computed answer: understand, propose where unsure, run, show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

from engine.compute.availability import availability, availability_asked
from engine.compute.clashes import clash_asked, clashes
from engine.compute.day_plan import day_asked, day_plan
from engine.compute.entries import entry, entry_asked
from engine.compute.extract import extracted
from engine.compute.frequency import frequency, frequency_asked
from engine.compute.item_filter import lies_in
from engine.compute.mail_fields import field_asked, field_stated
from engine.compute.moments import hours_of_days, takes
from engine.compute.occasions import occasion, occasion_asked
from engine.compute.occurrences import occurrences, occurrences_asked
from engine.compute.plan_text import written
from engine.compute.proposal import plan_of, proposed
from engine.compute.question_plan import PlanReading, read_plan
from engine.compute.run import run
from engine.compute.show import draft
from engine.compute.table import Extracted, Table
from engine.compute.vocabulary import QuestionVocabulary, joined
from engine.confidence.reasons import ALL_MEANT, IN_PART, MIXED
from engine.errors import OwnAddressUnknown, PlanRefused
from engine.events import Noted, Steps
from engine.generation.draft import Draft
from engine.plan import Plan, Sought
from engine.question.acquaintances import Acquaintances
from engine.question.question_grammar import ME
from engine.stages import staged
from engine.toolbox.steps import Toolbox
from ingest.item import Item, Kind
from ingest.sieve import Scope


def items_of(tools: Toolbox) -> list[Item]:
    """Return the items that phrases and exclusions leave, each once."""
    items = (tools.corpus.passages[number].item for number in tools.passages.allowed())
    return list({id(item): item for item in items}.values())


def time_computed(tools: Toolbox, items: Sequence[Item]) -> Draft | None:
    """Return what calendars say of free time, clashes, entries and rhythms, if asked; or None."""
    text, settings = tools.query.text, tools.settings
    is_complete = tools.corpus.coverage.complete_for(frozenset({Kind.EVENT}))
    if (free := availability_asked(text, settings.today)) is not None:
        return availability(free, items, is_complete=is_complete)
    if (day := day_asked(text, settings.today)) is not None:
        return day_plan(day, items, is_complete=is_complete)
    if (clash := clash_asked(text, settings.today)) is not None:
        return clashes(clash, items, settings.present, is_complete=is_complete)
    if (named := occasion_asked(text, settings.today)) is not None:
        return occasion(named, items, is_complete=is_complete)
    if (counted := occurrences_asked(text, settings.today)) is not None:
        return occurrences(counted, items, is_complete=is_complete)
    if (often := frequency_asked(text, settings.today)) is not None:
        return frequency(often, items, settings.present, is_complete=is_complete)
    return None


def entry_named(tools: Toolbox, items: Sequence[Item]) -> Draft | None:
    """Return when or where something is that one entry of the calendars bears the name of."""
    asked = entry_asked(tools.query.text, tools.settings.today)
    if asked is None:
        return None
    is_complete = tools.corpus.coverage.complete_for(frozenset({Kind.EVENT}))
    return entry(asked, items, tools.settings.present, is_complete=is_complete)


def mail_field(tools: Toolbox, known: Acquaintances) -> Steps[Draft | None]:
    """Return when somebody wrote of something, or who was in copy, where that is asked; or None."""
    asked = field_asked(tools.query.text, known, tools.settings.today)
    if asked is None:
        return None
    scores = yield from tools.recall()
    own = frozenset(one.casefold() for one in tools.settings.own or tools.query.own_seen)
    return field_stated(asked, tools.corpus.passages, scores, known, own)


def understood(tools: Toolbox) -> tuple[QuestionVocabulary, PlanReading]:
    """Return the names in what was read, and the plan that the grammar finds in the question."""
    vocabulary = QuestionVocabulary.of(items_of(tools))
    if tools.settings.plan is not None:
        return vocabulary, PlanReading(tools.settings.plan)
    today, own = tools.settings.today, tools.settings.own
    return vocabulary, read_plan(tools.query.text, vocabulary, today, me_known=bool(own))


def compute(tools: Toolbox, vocabulary: QuestionVocabulary, read: PlanReading) -> Steps[Draft]:
    """Run the question's plan, or one that the model proposes; return None without a plan."""
    plan = read.plan or (yield from staged("lookahead", tools.timings, _propose(tools)))
    if plan is None:
        return Draft("", ())
    plan = _with_calendars(plan, vocabulary)
    yield Noted(f"plan: {written(plan)}")
    if read.left:
        yield Noted(f"not understood, and not in the plan: {', '.join(read.left)}")
    table = yield from staged("select", tools.timings, _run(tools, vocabulary, plan))
    result = draft(table)
    for remark in result.table.remarks if result.table else ():
        yield Noted(remark)
    is_whole = read.sure and not table.unread and table.is_as_expected
    reasons = (
        *(() if table.names_one else (ALL_MEANT,)),
        *((IN_PART,) if table.in_part else ()),
        *(() if table.is_of_one_sort else (MIXED,)),
    )
    return replace(result, ended=is_whole, reasons=reasons)


def _propose(tools: Toolbox) -> Steps[Plan | None]:
    """Return the model's plan and show it. A plan that makes no sense is shown and refused."""
    with tools.models.lend("lookahead") as model:
        line = proposed(model, tools.query.text, tools.settings.today)
    try:
        plan = plan_of(line)
    except PlanRefused as error:
        yield Noted(f"the model's plan was refused: {line!r}. {error.message}")
        return None
    yield Noted("the plan is the model's: the question's grammar gave none")
    return plan


def _run(tools: Toolbox, vocabulary: QuestionVocabulary, plan: Plan) -> Steps[Table]:
    yield from ()
    known, items = _with_me(tools, vocabulary, plan), _each(tools, vocabulary, plan)
    if not isinstance(plan.value, Sought):
        return run(plan, items, known, tools.settings.present)

    def extract(items: Sequence[Item], sought: Sought) -> Extracted:
        with tools.models.lend("lookahead") as model:
            return extracted(model, items, sought, tools.passages.readable)

    return run(plan, items, known, tools.settings.present, extract)


def _each(tools: Toolbox, vocabulary: QuestionVocabulary, plan: Plan) -> Sequence[Item]:
    """Return the items, and in place of a stretch of a chat its messages that the filters let pass.

    A stretch passes where one of its messages does. On "Friday morning" no item of the afternoon
    is meant.
    """
    settings, items = tools.settings, vocabulary.items
    if any(source.kind in (None, Kind.MESSAGE) for source in plan.sources):
        scope = Scope(tools.query.filters, settings.present.tzinfo or UTC, settings.present)
        items = [
            one
            for item in vocabulary.items
            for one in item.each()
            if one is item or scope.admits(one.when, one.people, titles=(one.title,))
        ]
    hours = hours_of_days(tools.query.text, settings.today)
    return items if hours is None else [one for one in items if takes(one, hours)]


def _with_calendars(plan: Plan, vocabulary: QuestionVocabulary) -> Plan:
    """Return the plan with calendars by their own names: `in:Germany` may be GermanHolidays."""
    return replace(
        plan,
        sources=tuple(
            replace(
                source,
                calendars=tuple(name for one in source.calendars for name in _own(one, vocabulary)),
            )
            for source in plan.sources
        ),
    )


def _own(name: str, vocabulary: QuestionVocabulary) -> tuple[str, ...]:
    if any(lies_in(item, name) for item in vocabulary.items):
        return (name,)
    return tuple(one.name for one in vocabulary.calendars.get(joined([name]), ())) or (name,)


def _with_me(tools: Toolbox, vocabulary: QuestionVocabulary, plan: Plan) -> Acquaintances:
    """Return who is known, "me" with them where the plan names it. Raises `OwnAddressUnknown`."""
    known = vocabulary.known
    named = {
        person.casefold()
        for source in plan.sources
        for person in (*source.senders, *source.recipients, *source.people)
    }
    if ME not in named:
        return known
    own = frozenset(one.casefold() for one in tools.settings.own or tools.query.own_seen)
    if not own:
        raise OwnAddressUnknown(
            'The plan asks for "me", and no address of yours is set.',
            remedy='Write it into config.toml (askance config path): [person] addresses = ["…"]',
        )
    return replace(
        known, senders={**known.senders, ME: own}, recipients={**known.recipients, ME: own}
    )

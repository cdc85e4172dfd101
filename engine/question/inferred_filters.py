"""Filters inferred from the question: from its words before reading, from known names after.

An inferred filter never narrows in silence: it is in `Query.inferred`, with the words it came
from, and one that leaves nothing is moved to `Query.dropped`. What the person typed as a filter
is never inferred again.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from engine.language.tokens import content_words
from engine.question.acquaintances import Acquaintances, Names
from engine.question.model_roles import roles_by_model
from engine.question.question_grammar import ME, analysed, clues
from engine.retrieval.corpus import Corpus, only
from engine.settings import Settings
from engine.values import Inferred, Query
from ingest.item import Filters, Item, Kind
from ingest.reading.scope import local_zone
from ingest.sieve import Scope
from models.roles import ModelSet

WORDS_OF_ASKING = frozenset(
    {"e", "mail", "mails", "email", "emails", "message", "messages", "send", "sent", "write"}
    | {"wrote", "received", "say", "said", "many", "get", "got", "subject", "summarise", "meeting"}
    | {"meetings", "appointment", "appointments", "event", "events", "calendar", "list", "show"}
    | {"person", "people", "everyone", "everybody"}
)
"""Words that ask for a mail or an event, and that it need not hold itself."""

# "4pm", "10", "noon"
OF_TIME = re.compile(r"\d{1,2}(?:[ap]m)?|noon|midday|lunchtime|free|busy|available", re.IGNORECASE)
"""Words of a time of day, which no entry holds either."""

GROUPS = {"from": "from", "to": "to", "kind": "kind", "since": "date", "until": "date"}
"""Fields that are inferred together or, when the person typed one of them, not at all."""

OWN_SHOWN = 5
"""Addresses offered as the asker's own, the most frequent first."""
# "did I", "my lease"
FIRST_PERSON = re.compile(r"\b(?:I|[Mm]y|[Mm]e|[Mm]ine)\b")


def before_reading(query: Query, settings: Settings) -> Query:
    """Return the query narrowed by dates, kinds, whole addresses and "I": these can prune."""
    if not settings.infer:
        return query
    nobody = Acquaintances()
    return narrowed(query, clues(analysed(query.text, settings.today, nobody)), nobody, settings)


def after_reading(
    query: Query, corpus: Corpus, settings: Settings, models: ModelSet
) -> tuple[Query, Corpus]:
    """Return query and corpus narrowed by the names of people who were read as well.

    Where the grammar found nothing, the look-ahead model is asked if the settings say so.
    """
    query = replace(query, own_seen=_own_seen(query, corpus, settings))
    if not settings.infer:
        return query, corpus
    items = items_of(corpus)
    known = Acquaintances.of(items)
    read = analysed(query.text, settings.today, known)
    found = clues(read)
    if settings.infer_model and not (found or query.inferred or query.dropped):
        found = roles_by_model(models, read)
    closer = narrowed(query, found, known, settings)
    new = closer.inferred[len(query.inferred) :]
    if not new:
        return query, corpus
    scope = Scope(
        _filters(Filters(), new, known, settings.own), settings.zone or local_zone(), _now(settings)
    )
    smaller = only(corpus, [item for item in items if passes(item, scope)])
    if not smaller.passages or (answerable(query, corpus) and not answerable(closer, smaller)):
        return replace(query, dropped=(*query.dropped, *new)), corpus
    return closer, smaller


def left_by_filters(query: Query, corpus: Corpus, settings: Settings) -> Corpus:
    """Return a corpus already read with the items alone that pass the filters of a query."""
    scope = Scope(query.filters, settings.zone or local_zone(), _now(settings))
    return only(corpus, [item for item in items_of(corpus) if passes(item, scope)])


def without(typed: Query, query: Query) -> Query:
    """Return the query as it was typed, with what was inferred noted as dropped."""
    return replace(typed, dropped=query.inferred)


def answerable(query: Query, corpus: Corpus) -> bool:
    """Say whether a passage holds a word that the question is about, apart from its filters."""
    about = query.text
    for one in query.inferred:
        about = about.replace(one.words, " ")
    told = (word for word in content_words(about) if word not in WORDS_OF_ASKING)
    words = [word for word in told if not OF_TIME.fullmatch(word)]
    if not corpus.passages or not words:
        return bool(corpus.passages)
    return bool(corpus.recall.scores([" ".join(words)])[0].any())


def narrowed(
    query: Query, found: Sequence[Inferred], known: Acquaintances, settings: Settings
) -> Query:
    """Return the query with the filters found, save those that are typed or were dropped."""
    typed = _typed_groups(query)
    new = tuple(
        one
        for one in found
        if GROUPS[one.field] not in typed
        and one not in (*query.inferred, *query.dropped)
        and (one.value != ME or settings.own)
    )
    filters = _filters(query.filters, new, known, settings.own)
    return replace(query, filters=filters, inferred=(*query.inferred, *new))


def _filters(
    filters: Filters, new: Sequence[Inferred], known: Acquaintances, own: Sequence[str]
) -> Filters:
    for one in new:
        filters = _with(filters, one, known, own)
    return filters


def _typed_groups(query: Query) -> set[str]:
    filters = query.filters
    in_effect = {
        "from": filters.senders or filters.without.senders,
        "to": filters.recipients or filters.without.recipients,
        "kind": filters.kinds,
        "date": filters.since or filters.until,
    }
    inferred = {GROUPS[one.field] for one in query.inferred}
    return {group for group, value in in_effect.items() if value} - inferred


def _with(filters: Filters, one: Inferred, known: Acquaintances, own: Sequence[str]) -> Filters:
    if one.field == "since":
        return replace(filters, since=date.fromisoformat(one.value))
    if one.field == "until":
        return replace(filters, until=date.fromisoformat(one.value))
    if one.field == "kind":
        return replace(filters, kinds=filters.kinds | {Kind(one.value)})
    if one.field == "from":
        return replace(filters, senders=filters.senders + _parts(one.value, known.senders, own))
    return replace(
        filters, recipients=filters.recipients + _parts(one.value, known.recipients, own)
    )


def _parts(value: str, names: Names, own: Sequence[str]) -> tuple[str, ...]:
    """Return the name and all addresses of those who bear it; mail may lack the name."""
    if value == ME:
        return tuple(own)
    return (value, *sorted(names.get(value.casefold(), ())))


def passes(item: Item, scope: Scope) -> bool:
    """Say whether an item has the kind, the date and the people asked for."""
    return scope.wants(item.kind) and scope.admits(item.when, item.people, item.until)


def items_of(corpus: Corpus) -> list[Item]:
    """Return the items of a corpus, each once, in their order."""
    return list({id(passage.item): passage.item for passage in corpus.passages}.values())


def _own_seen(query: Query, corpus: Corpus, settings: Settings) -> tuple[str, ...]:
    """Return addresses that look like the asker's when "I" is meant and none is set."""
    if settings.own or not FIRST_PERSON.search(query.text):
        return ()
    owners: list[str] = []
    for item in items_of(corpus):
        owners += item.owners
        owners += [owner for copy in item.copies for owner in copy.owners]
    seen = Counter(owners)
    return tuple(address for address, _ in seen.most_common(OWN_SHOWN))


def _now(settings: Settings) -> datetime:
    return settings.now or datetime.now(settings.zone)

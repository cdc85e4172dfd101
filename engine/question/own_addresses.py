"""Who "me" is in a filter: the addresses that the person set as their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import OwnAddressUnknown
from engine.question.question_grammar import ME
from engine.values import Query


def with_own_addresses(query: Query, own: Sequence[str]) -> Query:
    """Return the query with its "me" replaced by addresses.

    Raises `OwnAddressUnknown` when it has one and no address is set.
    """
    filters = query.filters
    without = replace(
        filters.without,
        senders=_replaced(filters.without.senders, own),
        recipients=_replaced(filters.without.recipients, own),
    )
    senders = _replaced(filters.senders, own)
    recipients = _replaced(filters.recipients, own)
    filters = replace(filters, senders=senders, recipients=recipients, without=without)
    return replace(query, filters=filters)


def _replaced(people: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    if not any(one.casefold() == ME for one in people):
        return tuple(people)
    if not own:
        raise OwnAddressUnknown(
            'A filter asks for "me", and no address of yours is set.',
            remedy='Write it into config.toml (askance config path): [person] addresses = ["…"]',
        )
    others = [one for one in people if one.casefold() != ME]
    return (*others, *own)

"""The filters in effect, as one line for people and as an object for scripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.output.plain import one_line
from app.output.query.inferred import dropped_object, inferred_object
from engine.values import Query
from ingest.item import Filters, Kind, Without

NAMES = (
    ("from", "senders"),
    ("to", "recipients"),
    ("subject", "subjects"),
    ("in", "folders"),
    ("path", "path_patterns"),
)
"""Operators and flags, and their fields in `Filters` and `Without`."""


def filters_object(query: Query) -> dict[str, object]:
    """Return the `filters` member: what is in effect, inferred or not; unused keys are null."""
    filters = query.filters
    return {
        "since": filters.since.isoformat() if filters.since else None,
        "until": filters.until.isoformat() if filters.until else None,
        **_lists(filters),
        "kind": _kinds(filters) or None,
        "has": ["attachment"] if filters.attachments else None,
        "not": {
            **_lists(filters.without),
            "has": ["attachment"] if filters.attachments is False else None,
        },
        "phrases": list(query.phrases) or None,
        "excluded": list(query.excluded) or None,
        "inferred": inferred_object(query),
        "dropped": dropped_object(query),
    }


def _lists(filters: Filters | Without) -> dict[str, list[str] | None]:
    return {name: list(getattr(filters, field)) or None for name, field in NAMES}


def _kinds(filters: Filters) -> list[str]:
    return [kind.value for kind in Kind if kind in filters.kinds]


def filters_line(query: Query) -> str | None:
    """Return `Filters: from ann or bob, since 2026-10-01`; None when none was typed.

    What was inferred has a line of its own (`app.output.query.inferred`).
    """
    shown = ", ".join(one_line(part) for part in _parts(query))
    return f"Filters: {shown}" if shown else None


def _parts(query: Query) -> Iterator[str]:
    filters = query.filters
    inferred = {one.field for one in query.inferred}
    for name, values in (*_typed(filters), ("kind", _kinds(filters))):
        if values and name not in inferred:
            yield f"{name} {' or '.join(values)}"
    for name, day in (("since", filters.since), ("until", filters.until)):
        if day and name not in inferred:
            yield f"{name} {day}"
    if filters.attachments is not None:
        yield f"with{'' if filters.attachments else 'out'} attachments"
    for name, values in _typed(filters.without):
        if values:
            yield f"not {name} {' or '.join(values)}"
    if query.phrases:
        yield f"with {' and '.join(_quoted(query.phrases))}"
    if query.excluded:
        yield f"without {' or '.join(_quoted(query.excluded))}"


def _typed(filters: Filters | Without) -> list[tuple[str, Sequence[str]]]:
    return [(name, getattr(filters, field)) for name, field in NAMES]


def _quoted(words: Sequence[str]) -> list[str]:
    return [f'"{word}"' for word in words]

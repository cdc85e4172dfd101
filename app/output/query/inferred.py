"""What was inferred from a question, shown so that it can be taken back."""

from __future__ import annotations

import json

from app.output.plain import one_line
from engine.values import Inferred, Query


def inferred_lines(query: Query, remedy: str, config_file: str) -> list[str]:
    """Return what is to be said of inferred filters; `remedy` says how to ask without them."""
    shown = []
    if query.inferred:
        shown.append(f"Filters (inferred): {filters_text(query.inferred)}; {remedy}")
    if query.dropped:
        words = ", ".join(f'"{word}"' for word in _words(query.dropped))
        shown.append(
            f"Nothing was left with {filters_text(query.dropped)} (from {words}): it was left out."
        )
    if query.own_seen:
        shown.extend(_own_lines(query.own_seen, config_file))
    return shown


def filters_text(inferred: tuple[Inferred, ...]) -> str:
    """Return `from Ann, 2026-11-09 … 2026-11-15, kind event`."""
    days = {one.field: one.value for one in inferred if one.field in ("since", "until")}
    parts = [f"{one.field} {one_line(one.value)}" for one in inferred if one.field not in days]
    if days:
        first, last = days.get("since"), days.get("until")
        both = first if first == last else f"{first} … {last}"
        parts.append(f"since {first}" if not last else f"until {last}" if not first else str(both))
    return ", ".join(parts)


def _words(inferred: tuple[Inferred, ...]) -> list[str]:
    return list(dict.fromkeys(one_line(one.words) for one in inferred))


def _own_lines(addresses: tuple[str, ...], config_file: str) -> list[str]:
    """Return the lines that offer addresses seen in the mail as the person's own."""
    shown = [one_line(address) for address in addresses]
    return [
        'Which addresses are yours is not set, so "I" and "me" are words like any other.',
        f"Mail was delivered to, or sent from: {', '.join(shown)}.",
        f"Put those that are yours into {config_file}:",
        "  [person]",
        f"  addresses = {json.dumps(shown, ensure_ascii=False)}",
    ]


def inferred_object(query: Query) -> list[dict[str, str]]:
    """Return the `inferred` member of a reply's filters."""
    return [_object(one) for one in query.inferred]


def dropped_object(query: Query) -> list[dict[str, str]]:
    """Return the inferred filters that left nothing."""
    return [_object(one) for one in query.dropped]


def _object(one: Inferred) -> dict[str, str]:
    return {"field": one.field, "value": one.value, "words": one.words}

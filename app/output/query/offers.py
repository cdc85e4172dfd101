"""What is typed may become: an operator and its value, a person or source behind @, a command."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.output.plain import one_line

COMPLETED = {
    "kind": ("mail", "document", "event", "task", "contact", "message"),
    "since": ("today", "yesterday", '"last week"', '"last month"', '"this year"'),
    "until": ("today", "yesterday", '"last week"', '"last month"'),
    "has": ("attachment",),
    "from": (),
    "to": (),
}
"""Operators that are completed while typing, and what is offered; `from:` offers people."""
OFFERED = 6


@dataclass(frozen=True, slots=True)
class Command:
    """Something that a line behind a slash does."""

    name: str
    """Without the slash; one word or two."""
    does: str
    """One sentence, without its full stop."""
    run: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Offer:
    """What the last word may become, or the whole line where it is a command."""

    text: str
    says: str = ""
    """What it means, where the text does not say it."""
    command: Command | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What may be named in a question."""

    people: tuple[str, ...] = ()
    """The likeliest first."""
    sources: tuple[Path, ...] = ()
    commands: tuple[Command, ...] = ()


def offers(typed: str, word: str, known: Known) -> list[Offer]:
    """Return what `typed`, or `word` in front of the cursor, may become, the likeliest first."""
    if typed.startswith("/") and "\n" not in typed:
        begun = typed[1:].strip().casefold()
        found = [one for one in known.commands if begun in one.name or _means(one, begun)]
        found.sort(key=lambda one: (one.name != begun, not one.name.startswith(begun)))
        return [Offer(f"/{one.name}", one.does, one) for one in found]
    if word.startswith("@"):
        return list(_named(word[1:].strip('"').casefold(), known))
    return [Offer(one) for one in completions(word, known.people)]


def _means(command: Command, begun: str) -> bool:
    return len(begun) >= 3 and begun in command.does.casefold()


def _named(begun: str, known: Known) -> Iterator[Offer]:
    """Yield filters for the people and sources that hold what is typed."""
    for path in known.sources:
        if begun in path.name.casefold():
            yield Offer(_operator("in", path.name), "only this source")
    for person in [one for one in known.people if begun in one.casefold()][:OFFERED]:
        yield Offer(_operator("from", person), "what this person sent")
        yield Offer(_operator("to", person), "what this person got")


def _operator(field: str, value: str) -> str:
    shown = one_line(value).replace('"', "")
    return f'{field}:"{shown}"' if " " in shown else f"{field}:{shown}"


def completions(word: str, people: Sequence[str]) -> list[str]:
    """Return whole words that begin as `word` does: `kind:mail` for `kind:m`.

    Names come from `people`; what begins so comes first, then what holds it.
    """
    hyphen = "-" if word.startswith("-") else ""
    name, colon, begun = word[len(hyphen) :].partition(":")
    if not colon:
        operators = [f"{hyphen}{one}:" for one in COMPLETED if one.startswith(name.lower())]
        return operators if len(name) >= 3 else []
    field, begun = name.lower(), begun.strip('"').casefold()
    if field not in COMPLETED:
        return []
    values = COMPLETED[field] or [f'"{one}"' if " " in one else one for one in people]
    held = [value for value in values if begun in value.casefold()]
    held.sort(key=lambda value: not value.strip('"').casefold().startswith(begun))
    offered = [f"{hyphen}{field}:{one_line(value)}" for value in held[:OFFERED]]
    return [] if offered == [word] else offered

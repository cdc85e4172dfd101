"""A plan as one line of text, read back from it; the grammar of that line for a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import TypeVar, get_args

from engine.errors import PlanRefused
from engine.plan import (
    GROUPS,
    Field,
    Has,
    Operation,
    Plan,
    Sought,
    Source,
    Status,
    Unit,
    checked,
)
from ingest.item import Kind, Shelf

T = TypeVar("T", bound=str)

NAMES = {
    "from": "senders",
    "to": "recipients",
    "with": "people",
    "subject": "subjects",
    "title": "titles",
    "thread": "threads",
    "text": "texts",
    "place": "places",
    "in": "calendars",
}
"""From the word before the colon to the field of `Source` that it adds to."""
DAYS = ("since", "until")
CHOSEN = {
    "shelf": (*(shelf.value for shelf in Shelf), "any"),
    "status": get_args(Status),
    "has": get_args(Has),
}
"""Fields that take one of a few words."""
ANY = "item"
"""What is written for items of every kind."""
_BARE = re.compile(r"[^\s\"]+")
# "from:kim", "count"
_TOKEN = re.compile(
    r"""(?P<name>[a-z]+):(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s"]+))"""
    r"""|"(?P<sought>(?:[^"\\]|\\.)*)"|(?P<word>[^\s":]+)|(?P<wrong>\S)"""
)
_ESCAPED = re.compile(r"\\(.)")
_KINDS = (ANY, *(kind.value for kind in Kind))
_MOST_CHARACTERS = 2000
_MOST_DIGITS = 6


def written(plan: Plan) -> str:
    """Return the plan as a line."""
    words: list[str] = [plan.operation]
    if isinstance(plan.value, Sought):
        words += [_quoted(plan.value.words), "of"]
    elif plan.value != "item":
        words += [plan.value, "of"]
    words.append(" and ".join(_source(source) for source in plan.sources))
    if plan.by:
        words += ["by", plan.by]
    if plan.top:
        words += ["top" if plan.top > 0 else "bottom", str(abs(plan.top))]
    if plan.unit:
        words += ["as", plan.unit]
    if plan.expected is not None:
        words += ["expecting", str(plan.expected)]
    return " ".join(words)


def _source(source: Source) -> str:
    words = [source.kind.value if source.kind else ANY]
    for name, field in NAMES.items():
        words += [f"{name}:{_value(value)}" for value in getattr(source, field)]
    words += [f"{name}:{day}" for name in DAYS if (day := getattr(source, name))]
    words += [f"{name}:{chosen}" for name in CHOSEN if (chosen := getattr(source, name))]
    return " ".join(words)


def _value(text: str) -> str:
    return text if _BARE.fullmatch(text) else _quoted(text)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parsed(line: str) -> Plan:
    """Return the plan that a line says. Raises `PlanRefused` with the word that is wrong."""
    if len(line) > _MOST_CHARACTERS:
        raise _wrong(line[:40], "it is too long")
    return checked(_PlanReader(list(_TOKEN.finditer(line))).plan())


class _PlanReader:
    """Reads the words of a line from left to right."""

    def __init__(self, tokens: Sequence[re.Match[str]]) -> None:
        self._tokens = tokens
        self._at = 0

    def plan(self) -> Plan:
        """Return what all the words say."""
        operation: Operation = self._one_of(get_args(Operation))
        value = self._measured()
        sources = [self._source()]
        while self._taken("and"):
            sources.append(self._source())
        by: Field | None = self._one_of(GROUPS) if self._taken("by") else None
        top = self._top()
        unit: Unit | None = self._one_of(get_args(Unit)) if self._taken("as") else None
        expected = self._number() if self._taken("expecting") else None
        if self._at < len(self._tokens):
            raise _wrong(self._tokens[self._at][0], "a plan has no place for it")
        return Plan(operation, value, tuple(sources), by, top, unit, expected)

    def _measured(self) -> Field | Sought:
        if self._at + 1 < len(self._tokens) and self._tokens[self._at + 1][0] == "of":
            token = self._tokens[self._at]
            if token["sought"] is not None:
                self._at += 2
                return Sought(_plain(token["sought"]))
            field: Field = self._one_of(get_args(Field))
            self._at += 1
            return field
        return "item"

    def _source(self) -> Source:
        kind = self._one_of(_KINDS)
        values: dict[str, tuple[str, ...]] = {}
        days: dict[str, date] = {}
        chosen: dict[str, str] = {}
        while self._at < len(self._tokens) and (name := self._tokens[self._at]["name"]):
            token = self._tokens[self._at]
            text = _plain(token["quoted"]) if token["quoted"] is not None else token["bare"]
            if name in NAMES:
                values[NAMES[name]] = (*values.get(NAMES[name], ()), text)
            elif name in DAYS:
                days[name] = _day(text)
            elif name in CHOSEN:
                chosen[name] = _choice(name, text)
            else:
                raise _wrong(token[0], f"the fields are {', '.join([*NAMES, *DAYS, *CHOSEN])}")
            self._at += 1
        of_kind = None if kind == ANY else Kind(kind)
        return Source(of_kind, **values, **days, **chosen)  # type: ignore[arg-type]

    def _top(self) -> int | None:
        for word, sign in (("top", 1), ("bottom", -1)):
            if self._taken(word):
                return sign * self._number()
        return None

    def _number(self) -> int:
        number = self._next()
        if not number.isdecimal() or len(number) > _MOST_DIGITS:
            raise _wrong(number, "a number belongs there")
        return int(number)

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise _wrong("the end", "a word is missing")
        self._at += 1
        return self._tokens[self._at - 1][0]

    def _taken(self, word: str) -> bool:
        found = self._at < len(self._tokens) and self._tokens[self._at][0] == word
        self._at += found
        return found

    def _one_of(self, known: tuple[T, ...]) -> T:
        word = self._next()
        for one in known:
            if word == one:
                return one
        raise _wrong(word, f"one of these belongs there: {', '.join(sorted(known))}")


def _plain(escaped: str) -> str:
    return _ESCAPED.sub(r"\1", escaped)


def _choice(name: str, text: str) -> str:
    known = CHOSEN[name]
    if text not in known:
        raise _wrong(f"{name}:{text}", f"one of these belongs there: {', '.join(known)}")
    return Shelf(text) if name == "shelf" and text != "any" else text


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise _wrong(text, "a day is written YYYY-MM-DD") from error


def _wrong(word: str, why: str) -> PlanRefused:
    return PlanRefused(
        f"The plan is wrong at {word!r}: {why}.",
        remedy="Write it as: count mail from:kim since:2025-10-01 by week",
    )


def grammar() -> str:
    """Return the plans that a model may write, in llama.cpp's notation."""
    filters = " | ".join(f'"{name}:" text' for name in NAMES)
    return "\n".join(
        (
            'root ::= operation " " (value " of ")? source (" and " source)? '
            '(" by " group)? (" top " digit)?',
            f"operation ::= {_either(get_args(Operation))}",
            f"value ::= {_either(get_args(Field))} | text",
            f"group ::= {_either(GROUPS)}",
            f'source ::= ({_either(_KINDS)}) (" " filter){{0,4}}',
            f'filter ::= {filters} | ("since:" | "until:") day',
            'text ::= "\\"" [^"\\\\\\n]{1,60} "\\""',
            'day ::= [12] [0-9]{3} "-" [01] [0-9] "-" [0-3] [0-9]',
            "digit ::= [1-9]",
        )
    )


def _either(words: Sequence[str]) -> str:
    return " | ".join(f'"{word}"' for word in words)

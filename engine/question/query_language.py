"""What a person typed, taken apart: words, phrases, exclusions and field operators.

    lease from:ann -from:bob subject:"boat house" since:"last month" has:attachment -draft "to let"

An operator begins a word and its value follows at once, bare or in quotation marks. A hyphen
before it, before a word or before a phrase means "not". What only looks like one ("http://x",
"10:30", "Re: lease", "well-known") is text. `engine.question.operators` says what the fields mean.

In a question (`Mode` "ask") operators and `-word` act as in a search, but quotation marks are
those of prose: a quoted phrase stays in the text and narrows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Literal

from engine.errors import EmptyQuestion, QuestionError
from engine.language.tokens import terms
from engine.question.operators import FIELDS, Operator, combined
from engine.values import Query
from ingest.item import Filters

Mode = Literal["ask", "search"]

LIMIT = 100
"""Phrases, exclusions and operators of one query. Each costs a pass over what was read."""

_QUOTES = '"\u201c\u201d\u201e\u201f\u00ab\u00bb'
_WORD = re.compile(
    rf"""(?<![^\s(])                        # where a word begins
    (?P<hyphen>-)?
    (?:(?P<field>{"|".join(FIELDS)}):)?
    (?:[{_QUOTES}](?P<quoted>[^{_QUOTES}]*)[{_QUOTES}]|(?P<bare>(?:[^\s(]\S*)?))""",
    re.IGNORECASE | re.VERBOSE,
)
_EXCLUDES = {"ask": re.compile(r"[^\W\d_]"), "search": re.compile(r"\w")}
"""How a bare word begins that a hyphen before it excludes."""
_ENDING = ",;.!?)"
_ENDINGS = {"path": ",;)"}
"""Marks behind a bare value that end a sentence and are no part of the value."""
_UNPRINTABLE = re.compile("[\0\ud800-\udfff]")
"""What no file holds and no model takes: zero bytes, and halves of characters."""


@dataclass(frozen=True, slots=True)
class QueryPart:
    """An operator, a phrase or an exclusion, and its place."""

    field: Literal["phrase", "excluded"] | None
    operator: Operator | None
    value: str
    start: int
    end: int
    """Exclusive."""


def parse(
    typed: str,
    today: date,
    mode: Mode = "search",
    filters: Filters | None = None,
) -> Query:
    """Return what was typed as a query, its operators joined with `filters`.

    Takes time in proportion to the length of `typed`. Raises `QuestionError` for an operator
    whose value cannot be used and for filters that nothing can pass, `EmptyQuestion` when no word
    is left to look for.
    """
    plain = _UNPRINTABLE.sub(" ", typed)
    parts = list(islice(parts_of(plain, mode), LIMIT + 1))
    if len(parts) > LIMIT:
        raise QuestionError(
            f"The query has more than {LIMIT} phrases, exclusions and filters.",
            remedy="Use fewer.",
        )
    operators = [part.operator for part in parts if part.operator]
    narrowed = combined(filters or Filters(), operators, today)
    text = _without(plain, [part for part in parts if part.field != "phrase"])
    if not terms(text):
        raise _nothing_to_look_for(bool(parts))
    return Query(
        text,
        narrowed,
        asked=typed.strip(),
        phrases=tuple(dict.fromkeys(part.value for part in parts if part.field == "phrase")),
        excluded=tuple(dict.fromkeys(part.value for part in parts if part.field == "excluded")),
    )


def parts_of(typed: str, mode: Mode) -> Iterator[QueryPart]:
    """Yield operators, phrases and exclusions as far as they can be told, in their order."""
    for word in _WORD.finditer(typed):
        start, end = word.span()
        quoted, bare = word["quoted"], word["bare"] or ""
        value = " ".join(quoted.split()) if quoted is not None else bare
        if word["field"]:
            field = word["field"].casefold()
            value = value if quoted is not None else value.rstrip(_ENDINGS.get(field, _ENDING))
            if value or mode == "search":
                operator = Operator(field, value, bool(word["hyphen"]))
                yield QueryPart(None, operator, value, start, end)
        elif word["hyphen"]:
            if (quoted is not None or _EXCLUDES[mode].match(value)) and terms(value):
                yield QueryPart("excluded", None, value, start, end)
        elif quoted is not None and mode == "search" and terms(value):
            yield QueryPart("phrase", None, value, start, end)


def _without(typed: str, parts: Sequence[QueryPart]) -> str:
    """Return the text without these parts; where there are none, as it was typed."""
    pieces: list[str] = []
    end = 0
    for part in parts:
        pieces.append(typed[end : part.start])
        end = part.end
    pieces.append(typed[end:])
    return " ".join(piece.strip() for piece in pieces if piece.strip())


def _nothing_to_look_for(has_parts: bool) -> EmptyQuestion:
    if has_parts:
        return EmptyQuestion(
            "There are filters, and no word to look for.",
            remedy="Add a word, such as: lease from:ann",
        )
    return EmptyQuestion("The question is empty.", remedy="Write what you want to know.")

"""Finds the sentences of a text that give orders to a model, or look like it, by their marks."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.injection import address_marks, demand_marks, languages
from engine.injection.marks import DIGITS_AS_LETTERS, Rule, folded_letter
from engine.language.sentences import Span, sentence_spans

NEAR = 150
"""Most characters between two marks that count together."""

_RULES = (*address_marks.RULES, *demand_marks.RULES, *languages.RULES)
_SPELLED_APART = re.compile(r"(?<!\w)(?:\w([ .,_\-*]))(?:\w\1)+\w(?!\w)")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_DIGIT_WITHIN = re.compile(r"[a-z][0134567@$]+[a-z]")
_LEAST_SENSE = 0.9
"""Least share of letters and blanks in decoded bytes that are text."""
_CODED = Rule("holds an order in disguise", 2, (), re.compile(""))
_BETWEEN = re.compile(r"[\s.!?:;,>\])*\"'(]*")
"""Characters at the beginning of a match that belong to the sentence before."""
_DENIED = re.compile(
    r"(?:\b(?:not|never|dont|nicht|nie|niemals|ne|no|nao|nunca|non|niet|\u043de)\s+(?:[^\W_]+\s+)?"
    r"|n't\s+(?:[^\W_]+\s+)?|\bn'|[不别勿](?:要)?(?:请)?)$"
)
"""A negation right before a match, folded."""
_MENTIONED = re.compile(r"\w[^\w\n]{0,3}[\"'\u201c\u201e\u00ab\u2018(]$")
"""A quote that opens within a sentence: it mentions an order and gives none."""
_NEW_LINE = re.compile(r"\s*(?:[-*#>|\u2022]|\d+[.)]|[A-Z][\w -]{0,24}:)")
_WRAPPED = 50
"""Fewest characters of a line that may have been wrapped; shorter lines end an entry of a list."""


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a rule matched."""

    begin: int
    end: int
    rule: Rule
    weight: int


@dataclass(frozen=True, slots=True)
class SuspectSentence:
    """A sentence that gives an order, or only looks like it."""

    begin: int
    end: int
    says: str
    is_order: bool


def found_in(text: str) -> list[SuspectSentence]:
    """Return the sentences of a text that give orders or look like it, in order and apart."""
    shown: list[SuspectSentence] = []
    if not (marks := _marks(text)):
        return shown
    units = list(_units(text))
    for group in _near(marks):
        is_order = _is_order(group)
        for mark in group:
            if not (is_order or mark.weight):
                continue
            of = [unit for unit in units if unit[0] < mark.end and mark.begin < unit[1]]
            begin, end = (of[0][0], of[-1][1]) if of else (mark.begin, mark.end)
            if shown and begin < shown[-1].end:
                last = shown.pop()
                begin, end = min(last.begin, begin), max(last.end, end)
                shown.append(SuspectSentence(begin, end, last.says, is_order or last.is_order))
            else:
                shown.append(SuspectSentence(begin, end, mark.rule.says, is_order))
    return shown


def is_harmless(name: str) -> bool:
    """Say whether a title or a name gives no order."""
    return not any(one.is_order for one in found_in(name))


def _near(marks: Sequence[_Mark]) -> Iterator[list[_Mark]]:
    """Yield marks in groups, each mark near the one before."""
    group: list[_Mark] = []
    for mark in marks:
        if group and mark.begin > max(one.end for one in group) + NEAR:
            yield group
            group = []
        group.append(mark)
    yield group


def _is_order(group: Sequence[_Mark]) -> bool:
    """Say whether marks make an order: one of weight 2, or two kinds, one of them with weight 1."""
    most = max(mark.weight for mark in group)
    return most > 1 or (most == 1 and len({mark.rule.says for mark in group}) > 1)


def _units(text: str) -> Iterator[Span]:
    """Yield the sentences of a text; lines of a list, a table or a header are sentences, too."""
    for begin, end in sentence_spans(text):
        breaks = [begin]
        at = text.find("\n", begin, end)
        while at >= 0:
            if _ends_a_line(text, breaks[-1], at):
                breaks.append(at + 1)
            at = text.find("\n", at + 1, end)
        yield from pairwise([*breaks, end])


def _ends_a_line(text: str, begin: int, at: int) -> bool:
    """Say whether the line break at a place ends a line of its own, not a wrapped one."""
    if _NEW_LINE.match(text, at + 1):
        return True
    first = text[at + 1 : at + 2]
    length = at - max(begin, text.rfind("\n", 0, at) + 1)
    return length < _WRAPPED and not first.islower()


def _marks(text: str) -> list[_Mark]:
    """Return where rules match a text, in order."""
    folded, places = _folded(text)
    found = set(_matches(folded))
    if _DIGIT_WITHIN.search(folded):
        lines = (
            line.translate(DIGITS_AS_LETTERS) if _DIGIT_WITHIN.search(line) else line
            for line in folded.splitlines(keepends=True)
        )
        found |= set(_matches("".join(lines)))
    if places is not None:
        found = {replace(one, begin=places[one.begin], end=places[one.end]) for one in found}
    for match in _BASE64.finditer(text):
        if (plain := _decoded(match[0])) and not is_harmless(plain):
            found.add(_Mark(match.start(), match.end(), _CODED, _CODED.weight))
    return sorted(found, key=lambda mark: (mark.begin, -mark.weight))


def _matches(folded: str) -> list[_Mark]:
    """Return where rules match. Rules of weight 0 are tried only where others matched."""
    found = [mark for rule in _RULES if rule.weight for mark in _matches_of(rule, folded)]
    if found:
        found += [mark for rule in _RULES if not rule.weight for mark in _matches_of(rule, folded)]
    return found


def _matches_of(rule: Rule, folded: str) -> Iterator[_Mark]:
    if rule.needs and not any(word in folded for word in rule.needs):
        return
    for match in rule.pattern.finditer(folded):
        between = _BETWEEN.match(folded, match.start(), match.end() - 1)
        begin = between.end() if between else match.start()
        before = folded[max(0, begin - 24) : begin]
        if not _DENIED.search(before):
            weight = min(rule.weight, 1) if _MENTIONED.search(before) else rule.weight
            yield _Mark(begin, match.end(), rule, weight)


def _folded(text: str) -> tuple[str, Sequence[int] | None]:
    """Return the folded text, and for each of its letters and its end the place in `text`.

    Folded text has lower case, no accents, lookalikes as ASCII, and s p a c e d words joined. None
    in place of the places means that all letters kept theirs.
    """
    parts = [text.lower()] if text.isascii() else list(map(folded_letter, text))
    folded = "".join(parts)
    places: list[int] | None = None
    if len(parts) > 1 and any(len(part) != 1 for part in parts):
        places = [i for i, part in enumerate(parts) for _ in part] + [len(text)]
    if not _SPELLED_APART.search(folded):
        return folded, places
    places = places or list(range(len(text) + 1))
    kept = [True] * len(folded)
    for match in _SPELLED_APART.finditer(folded):
        kept[match.start() + 1 : match.end() : 2] = [False] * ((match.end() - match.start()) // 2)
    left = [i for i, is_kept in enumerate(kept) if is_kept]
    return "".join(folded[i] for i in left), [*(places[i] for i in left), places[-1]]


def _decoded(run: str) -> str | None:
    """Return the text that a run of base64 encodes, or None."""
    try:
        plain = base64.b64decode(run[: len(run) // 4 * 4]).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    sense = sum(char.isalpha() or char.isspace() for char in plain)
    return plain if sense >= _LEAST_SENSE * len(plain) else None

"""Pronouns of a follow-up, and what the last question and answer name that they may mean.

"she" is the one person of the last question, else the one person of its answer. Nobody is
guessed: two candidates are two choices. Words of a file enter a question only as people's names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.antecedents import PREPOSITION, is_name, names_in, things_in, things_of_people
from engine.tokens import FUNCTION_WORDS

_PERSON = re.compile(r"\b(?P<word>he|she|him|her|his|hers)\b(?!['’](?:d|ll)\b)", re.IGNORECASE)  # noqa: RUF001
_PEOPLE = re.compile(r"\b(?P<word>they|them|their|theirs)\b", re.IGNORECASE)
_THING = re.compile(
    r"\b(?P<word>its|it)\b"
    r"|\b(?P<pointing>that|this|those|these)\b(?=\s*(?:[?.!]|$)"
    r"|\s+(?:is|was|were|are|mean\w*|cost\w*|happen\w*|take|took|start\w*|end\w*|due)\b)",
    re.IGNORECASE,
)
_EMPTY_IT = re.compile(
    r"\bit (?:true|possible|likely|clear|correct|right|ok(?:ay)?|rain\w*|snow\w*|worth|too late)\b"
    r"|\b(?:is|was) it (?:that|\w+ (?:that|to|who|when))\b|\bwhat time is it\b"
    r"|\bwhat is it (?:like|that)\b|\b(?:say|says|said|mean|means|meant) (?:so|that|this)\b"
    r"|\bis (?:it|this|that) (?:a |an )?(?:true|possible|correct|right)\b",
    re.IGNORECASE,
)
_POSSESSIVE = frozenset({"his", "its", "their"})
_ITSELF = {"hers", "theirs"}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question with its pronouns put into words."""

    text: str
    reason: str = ""
    sure: bool = True
    choices: tuple[str, ...] = ()


def resolved(
    question: str, before: str, answer: str, known: Sequence[str], today: date
) -> Resolved:
    """Return the question with what its pronouns mean; the same where it has none."""
    found = _people(Resolved(question), before, answer, known, today)
    return _things(found, before, known, today)


def _people(
    state: Resolved, before: str, answer: str, known: Sequence[str], today: date
) -> Resolved:
    own = names_in(state.text, known, today)
    match = next(
        (m for m in _PERSON.finditer(state.text) if not any(n.start < m.start() for n in own)), None
    )
    if match is not None:
        people = _named(before, answer, known, today)
        return _choose(state, match, people, _PERSON, "who")
    several = next(
        (m for m in _PEOPLE.finditer(state.text) if not any(n.start < m.start() for n in own)), None
    )
    if several is None:
        return state
    named = list(dict.fromkeys(span.words for span in names_in(before, known, today)))
    plural = [span.words for span in things_in(before) if span.words.rstrip().endswith("s")]
    together = [_listed(named)] if len(named) > 1 else named
    return _choose(state, several, [*together, *plural], _PEOPLE, "who or what")


def _named(before: str, answer: str, known: Sequence[str], today: date) -> list[str]:
    """Return the people of the last question, or else those of its answer."""
    asked = list(dict.fromkeys(span.words for span in names_in(before, known, today)))
    if asked:
        return asked
    whole = [name for name in known if is_name(name) and name in answer]
    return list(dict.fromkeys(whole))


def _things(state: Resolved, before: str, known: Sequence[str], today: date) -> Resolved:
    if _EMPTY_IT.search(state.text):
        return state
    match = next(
        (m for m in _THING.finditer(state.text) if not _has_own_thing(state.text, m.start())), None
    )
    if match is None:
        return state
    things = list(dict.fromkeys(span.words for span in things_of_people(before, known, today)))
    things = [re.sub(r"^(?:an?|any) ", "the ", thing, flags=re.IGNORECASE) for thing in things]
    return _choose(state, match, things, _THING, "what")


def _has_own_thing(question: str, at: int) -> bool:
    """Say whether the question itself names, before the pronoun, what it may stand for."""
    return any(span.end <= at for span in things_in(question))


def _choose(
    state: Resolved,
    match: re.Match[str],
    candidates: Sequence[str],
    pattern: re.Pattern[str],
    what: str,
) -> Resolved:
    """Return the question with the one candidate in place of the pronoun, or with all as choices.

    Without a candidate it stays, and is not sure.
    """
    if not candidates:
        reason = state.reason or f"It is not clear {what} “{match[0]}” is"
        return Resolved(state.text, reason, False, state.choices)
    texts = tuple(_put_in(state.text, pattern, one) for one in candidates)
    reason = f"“{match[0]}” is {candidates[0]}"
    joined = f"{state.reason}; {reason}" if state.reason else reason
    sure = state.sure and len(texts) == 1
    return Resolved(texts[0], joined, sure, () if len(texts) == 1 else texts)


def _put_in(text: str, pattern: re.Pattern[str], words: str) -> str:
    """Replace the first pronoun of its kind by the words, and a possessive one by "Kim's"."""
    match = pattern.search(text)
    if match is None:
        return text
    pronoun = match[0].lower()
    own = pronoun in _POSSESSIVE or (pronoun == "her" and _owns(text[match.end() :]))
    ending = ("'" if words.endswith("s") else "'s") if own or pronoun in _ITSELF else ""
    begin = words[0].upper() + words[1:] if not text[: match.start()].strip() else words
    return f"{text[: match.start()]}{begin}{ending}{text[match.end() :]}"


def _owns(rest: str) -> bool:
    """Say whether "her" is followed by what is hers: "her lease", not "her about it"."""
    following = re.match(r"\s+([^\W\d_]+)", rest)
    if following is None or re.fullmatch(PREPOSITION, following[1], re.IGNORECASE):
        return False
    return following[1].casefold() not in FUNCTION_WORDS


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"

"""Pronouns of a follow-up, and what they may mean in the last questions and answers.

"she" is the one person of the last question, else of its answer, else of those before. Nothing is
guessed: two candidates are two choices. A file can bring only people's names into a question. The
comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from engine.followups.antecedents import (
    AUXILIARY,
    PREPOSITION,
    THOSE,
    WH,
    is_name,
    names_in,
    things_in,
    whole_things,
)
from engine.followups.listed import listed_in
from engine.language.tokens import FUNCTION_WORDS, content_words
from engine.question.analysis import Mention

# "she", "his lease"; not "he'll"
_PERSON = re.compile(r"\b(?P<word>he|she|him|her|his|hers)\b(?!['’](?:d|ll)\b)", re.IGNORECASE)  # noqa: RUF001
# "them", "those?"
_PEOPLE = re.compile(rf"\b(?:they|them|their|theirs|{THOSE})\b", re.IGNORECASE)
# "it", "that?", "this costs", "is that more"
_THING = re.compile(
    r"\b(?P<word>its|it)\b"
    r"|\b(?P<pointing>that|this)\b(?=\s*(?:[?.!]|$)"
    r"|\s+(?:is|was|were|are|mean\w*|cost\w*|happen\w*|take|took|start\w*|end\w*|due)\b)"
    r"|(?:(?<=\bis )|(?<=\bwas )|(?<=\bdid )|(?<=\bdoes ))(?P<compared>that|this)\b"
    r"(?=\s+(?:more|less|enough|in|at|on|for|with|to|from|by)\b)",
    re.IGNORECASE,
)
# "is it true", "what time is it", "was it Kim who", "it takes a week to get"
_EMPTY_IT = re.compile(
    r"\bit (?:true|possible|likely|clear|correct|right|ok(?:ay)?|rain\w*|snow\w*|worth|too late)\b"
    r"|\b(?:is|was) it (?:that|\w+ (?:that|to|who|when))\b|\bwhat time is it\b"
    r"|\bwhat is it (?:like|that)\b|\b(?:say|says|said|mean|means|meant) (?:so|that|this)\b"
    r"|\bis (?:it|this|that) (?:a |an )?(?:true|possible|correct|right)\b"
    r"|\bit (?:takes?|took|costs?|helps?|hurts?|makes? sense)\b.* to [a-z]",
    re.IGNORECASE,
)
_OBJECT = frozenset({"him", "them", "hers", "theirs"})
# ", and", "because"
_NEW_CLAUSE = re.compile(r"[,;]|\b(?:and|but|or|when|that|who|if|whether|because|so|while)\b", re.I)
# "when did "
_AGENT = re.compile(r"\b(?:do|does|did|has|have|had|will|would|can|could|may|should)\s+$", re.I)
# "which doctor said"
_ASKED_WHO = re.compile(
    rf"\b(?:which|what|whose) (?!{AUXILIARY}\b)[\w-]+(?= (?!{AUXILIARY}\b))", re.I
)
# "there?", "who else", "the last one", "the latter", "which airline?"
_ELSEWHERE = re.compile(
    r"\b(?:there|then)\b(?=\s*(?:[?.!,]|$)|\s+(?:last|next|this)\b)|\b(?:go|get|from) there\b"
    rf"|{WH} else\b|\b(?:the|which|that|this)(?: [\w-]+){{0,3}} ones?\b"
    r"|\bthe (?:latter|former|other)(?: ones?| two)?(?=\s*(?:[?.!,]|$))"
    rf"|^(?:{PREPOSITION} )?(?:which|what|whose|how (?:many|much)) [\w-]+\W*$"
    rf"|^{AUXILIARY} [\w-]+\W*$|^(?:and )?how many {AUXILIARY}\b"
    r"|^(?:i (?:mean|meant)|no,|not|sorry)\b",
    re.IGNORECASE,
)
LEAST_WORDS = 2
"""Words of content with which a question that names nothing is complete."""
_POSSESSIVE = frozenset({"his", "its", "their"})
_ITSELF = {"hers", "theirs"}


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question with its pronouns put into words."""

    text: str
    reason: str = ""
    sure: bool = True
    choices: tuple[str, ...] = ()


def has_person(text: str) -> bool:
    """Say whether a text has a pronoun for people."""
    return bool(_PERSON.search(text) or _PEOPLE.search(text))


def resolved(
    question: str, said: Sequence[tuple[str, str]], known: Sequence[str], today: date
) -> Resolved:
    """Return the question with what its pronouns mean; the same where it has none.

    `said` are the questions and answers before it, latest first. One without a pronoun that says
    too little to be a question of its own is not sure.
    """
    found = _people(Resolved(question), said, known, today)
    found = _things(found, said, known, today)
    if found == Resolved(question) and _leans(question, known, today):
        return Resolved(question, "It says too little to be understood alone", sure=False)
    return found


def _leans(question: str, known: Sequence[str], today: date) -> bool:
    """Say whether a question without pronouns needs what was said before: "which airline?"."""
    if _ELSEWHERE.search(question):
        return True
    if _EMPTY_IT.search(question) or len(content_words(question)) >= LEAST_WORDS:
        return False
    return not (things_in(question) or names_in(question, known, today))


def _people(
    state: Resolved, said: Sequence[tuple[str, str]], known: Sequence[str], today: date
) -> Resolved:
    names = names_in(state.text, known, today)
    agents = [*names, *_agents(state.text)]
    if match := _not_own(_PERSON, state.text, agents):
        own = {name.words for name in names}
        turns = (_named(before, answer, known, today) for before, answer in said)
        people = next(filter(None, turns), [])
        return _choose(state, match, [one for one in people if one not in own], "who")
    things = [one for one in things_in(state.text) if one.words.endswith("s")]
    if match := _not_own(_PEOPLE, state.text, agents, things):
        # "What do they charge at the pool?" is of people that nobody named.
        anybody = match[0].lower() == "they" and things_in(state.text[match.end() :])
        turns = (_several(before, known, today) for before, _ in ([] if anybody else said))
        return _choose(state, match, next(filter(None, turns), []), "who or what")
    return state


def _agents(question: str) -> list[Mention]:
    """Return who a question says does something: "did the plumber", "which doctor said"."""
    doing = [one for one in things_in(question) if _AGENT.search(question[: one.start])]
    asked = [Mention(m[0], m.start(), m.end()) for m in _ASKED_WHO.finditer(question)]
    return doing + asked


def _not_own(
    pattern: re.Pattern[str], text: str, agents: Sequence[Mention], others: Sequence[Mention] = ()
) -> re.Match[str] | None:
    """Return the first pronoun that does not refer to something in its own question.

    Who acts cannot be "him" in the same clause, and what is acted on can be "them" in the next.
    """
    for match in pattern.finditer(text):
        word = match[0].lower()
        is_object = word in _OBJECT or (word == "her" and not _owns(text[match.end() :]))
        own = any(
            _NEW_CLAUSE.search(text[span.end : match.start()]) or (span in agents and not is_object)
            for span in (*agents, *others)
            if span.end <= match.start()
        )
        if not own:
            return match
    return None


def _named(before: str, answer: str, known: Sequence[str], today: date) -> list[str]:
    """Return the people of a question, or else those of its answer."""
    asked = list(dict.fromkeys(span.words for span in names_in(before, known, today)))
    if asked:
        return asked
    whole = [name for name in known if is_name(name) and name in answer]
    return list(dict.fromkeys(whole))


def _several(before: str, known: Sequence[str], today: date) -> list[str]:
    """Return what a question names that is more than one: one person is never "they"."""
    names = list(dict.fromkeys(span.words for span in names_in(before, known, today)))
    together = [_listed(names)] if len(names) > 1 else []
    if listed := listed_in(before):
        return [listed.words, *together]
    return [*together, *(one.words for one in things_in(before) if one.words.endswith("s"))]


def _things(
    state: Resolved, said: Sequence[tuple[str, str]], known: Sequence[str], today: date
) -> Resolved:
    if _EMPTY_IT.search(state.text):
        return state
    match = next(
        (m for m in _THING.finditer(state.text) if not _has_own_thing(state.text, m.start())), None
    )
    if match is None:
        return state
    turns = (whole_things(before, known, today) for before, _ in said)
    things = list(dict.fromkeys(span.words for span in next(filter(None, turns), [])))
    things = [re.sub(r"^(?:an?|any) ", "the ", thing, flags=re.IGNORECASE) for thing in things]
    return _choose(state, match, things, "what")


def _has_own_thing(question: str, at: int) -> bool:
    """Say whether the question itself names, before the pronoun, what it may mean.

    "it" at the end is something else than what is named in its clause: "is the key for it?".
    """
    ends = re.match(r"\w+\s*(?:[?.!,]|$)", question[at:])
    return any(
        span.end <= at and (not ends or _NEW_CLAUSE.search(question[span.end : at]))
        for span in things_in(question)
    )


def _choose(
    state: Resolved,
    match: re.Match[str],
    candidates: Sequence[str],
    what: str,
) -> Resolved:
    """Return the question with the one candidate in place of the pronoun, or with all as choices.

    Without a candidate it stays, and is not sure.
    """
    if not candidates:
        reason = state.reason or f"It is not clear {what} “{match[0]}” is"
        return Resolved(state.text, reason, False, state.choices)
    texts = tuple(_put_in(match, one) for one in candidates)
    reason = f"“{match[0]}” is {candidates[0]}"
    joined = f"{state.reason}; {reason}" if state.reason else reason
    sure = state.sure and len(texts) == 1
    return Resolved(texts[0], joined, sure, () if len(texts) == 1 else texts)


def _put_in(match: re.Match[str], words: str) -> str:
    """Return the question with the words for the pronoun, and "Kim's" for a possessive one."""
    text = match.string
    pronoun = match[0].lower()
    own = pronoun in _POSSESSIVE or (pronoun == "her" and _owns(text[match.end() :]))
    ending = ("'" if words.endswith("s") else "'s") if own or pronoun in _ITSELF else ""
    begin = words[0].upper() + words[1:] if not text[: match.start()].strip() else words
    return f"{text[: match.start()]}{begin}{ending}{text[match.end() :]}"


def _owns(rest: str) -> bool:
    """Say whether "her" is a possessive: "her lease", not "her about it"."""
    following = re.match(r"\s+([^\W\d_]+)", rest)
    if following is None or re.fullmatch(PREPOSITION, following[1], re.IGNORECASE):
        return False
    return following[1].casefold() not in FUNCTION_WORDS


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"

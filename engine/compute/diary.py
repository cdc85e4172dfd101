"""Questions of a diary: what is on, what comes next, when something is, whether a day is free.

Such a question names neither mail nor event, or it names an event by a part of its title. It is
taken for one of the calendar only if each of its words has a part in that. The comment above a
pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.compute.fields import folded
from engine.compute.lexicon import NEUTRAL, NOUNS, VERBS
from engine.compute.vocabulary import QuestionVocabulary, spans_of_words
from engine.language.days import Direction
from engine.language.tokens import FUNCTION_WORDS
from engine.question.analysis import HIDDEN
from engine.question.question_grammar import PAST_TENSE
from ingest.item import Kind

# "my next meeting", "upcoming talks"
NEXT = r"\b(?:next|upcoming)\b"
"""Lies ahead of now. "next week" is a date, and has a tag by then."""
# "which tasks are pending", "which are done"
OPEN, DONE = (
    r"\b(?:open|pending|outstanding|unfinished|incomplete)\b",
    r"\b(?:done|completed|finished)\b",
)
# "do i have", "our calls"
OURS = r"\b(?:i|we|my|our)\b"
# "what is overdue"
OVERDUE = r"\boverdue\b"
# "what is due this week"
DUE = r"\b(?:over)?due\b"
# "in my calendar", "on the agenda"; not "the calendar <calendar0>"
CALENDAR = re.compile(
    r"\b(?:(?:on|in|from|of) )?(?:my|our|the) (?:calendars?|agenda|diary|schedule)\b"
    r"(?! <(?:calendar|quote))"
)
# "emailed", "which messages", "who wrote"
MAIL = re.compile(
    r"\b(?:e-?mail(?:s|ed)?|mail(?:s|ed)?|messages?|thread|wrote|inbox)\b", re.IGNORECASE
)
# "am i free", "what is going on"
OF_EVENTS = re.compile(
    r"\b(?:calendar|schedule|free|busy|available|scheduled|booked|happen\w*|going on)\b"
)
"""Asks for the events of a day, and not for the tasks that are due on it."""
# "do i have", "are there any"
WHETHER = re.compile(
    r"^(?:do|did|will|have|had) (?:i|we) |^(?:is|are|was|were|will) there (?:be )?(?:an?|any)\b"
)
"""Begins a question that the entries answer, or their absence."""
_WORDS = """
    what what's is are was were do does did will shall am be i i'm we have had got a an any anything
    something some plans doing happen happens happening happened going on in for at to of the this
    my our me us free busy available scheduled planned arranged booked coming up next upcoming show
    list give tell please calendar agenda diary schedule with and there else yet already
"""
WORDS = frozenset(_WORDS.split())
"""The only words, besides tags, of a question that asks for entries without naming them."""
_MORE_THAN_ENTRIES = re.compile(
    r"\b(?:do|did|does)(?: <date\d+>)?$|\bhave to\b"  # "what did I do", "what do I have to do"
    # "who is free"; not "am I free"
    r"|(?<!am i )(?<!are we )(?<!was i )(?<!were we )(?<! i be )(?<! we be )"
    r"\b(?:free|busy|available)\b"
)
"""Asks for what a person's calendar does not say."""
# "what have i got on friday"
_HAVE_GOT = re.compile(r"\bhave (?:i|we) got\b|\b(?:i|we)(?: have|'ve) got\b")
# "what am i doing", "what is on", "what is planned"
_PLANNED = re.compile(
    r"\b(?:do|will|shall|am|are) (?:i|we)\b|\bwhat(?:'s| is) on\b|\banything\b|\bcoming up\b"
    r"|\b(?:is|are) (?:planned|scheduled|arranged|booked)\b"
)
"""Asks for entries that are still to come."""
# "which talks", "the workshop"
SORTS = re.compile(r"\b(session|talk|holiday|lecture|workshop|call|lesson)s?\b")
"""A sort of event. It means all events of a calendar that has only that sort, some of a diary."""
# "what's the dentist appointment"
WHAT_IS = re.compile(r"^what(?:'s| is| are| was| were) ")
# "What time is the call"
_OF_TIME = re.compile(r"^(?:when|what time|how long)\b", re.IGNORECASE)
# "when is the dentist", "and what day does it", "what is the date of the fair"
_PRESENT = re.compile(
    r"^(?:and )?(?:(?:on |at |until )?(?:when|where|(?:what|which) (?:time|day|date|week|month))"
    r"(?:'s| is| are| does| do)|what(?:'s| is) the (?:date|day|time) of) "
)
# "when am i next at the ", "when did i last go to my "
_NEXT_AT = re.compile(
    r"^(?:and )?when (?:am|was|were|are|do|did|have|will) (?:i|we)\b.*\b(?:next|last)\b.*"
    r"\b(?:at|in|see|saw|seen|to|with) (?:the |my |our )?$"
)
_NAMES_A_PART = ("with",)
"""Words that a title may hold, and that precede a person in a question."""


def asks_for_entries(text: str) -> bool:
    """Say whether a question whose names are tags asks for the entries of the calendar."""
    said = bool(CALENDAR.search(text))
    if not ("<date" in text or (said and re.search(NEXT, text))):
        return False
    return asks_for_any(text)


def asks_for_any(text: str) -> bool:
    """Say whether a question in small letters, without its dates or with tags, names no entry."""
    tokens = re.findall(r"<(?:calendar|date|name)\d+>|[\w'-]+", text)
    known = all(one in WORDS or one.startswith("<") for one in tokens)
    return known and not _MORE_THAN_ENTRIES.search(text)


def asks_of_now(text: str) -> bool:
    """Say whether it asks when or where something is, and not when it was."""
    return bool(_PRESENT.search(text)) and not PAST_TENSE.search(text)


def asks_of_several(text: str) -> bool:
    """Say whether it asks when or where several things are."""
    return bool(re.match(r"(?:and )?(?:when|where) are ", text))


def direction(text: str) -> Direction:
    """Return where a day without a year lies: a calendar is asked about what is to come."""
    if PAST_TENSE.search(text) or MAIL.search(text):
        return "past"
    text = _HAVE_GOT.sub("do i have", text.casefold())
    tokens = re.findall(r"[a-z][a-z'-]*", text)
    kinds = {noun.kind for one in tokens if (noun := NOUNS.get(one)) and noun.field == "item"}
    kinds |= {VERBS.get(one) for one in tokens}
    if Kind.MAIL in kinds:
        return "past"
    ahead = bool(kinds & {Kind.EVENT, Kind.TASK}) or "<quote" in text or bool(re.search(DUE, text))
    return "future" if ahead or _PLANNED.search(text) or CALENDAR.search(text) else "past"


def titled(text: str, vocabulary: QuestionVocabulary) -> tuple[int, int, str, Kind] | None:
    """Return where a question names a part of a title, the part, and the kind of its item.

    It is the longest part. A single word must be a whole title, or be next to a noun that it
    qualifies: "dentist appointment", "Ann's birthday". A question about mail names none.
    """
    tokens = re.findall(r"[a-z][a-z'-]*", text.casefold())
    if MAIL.search(text) or any(VERBS.get(one) is Kind.MAIL for one in tokens):
        return None
    kinds = (Kind.EVENT, Kind.TASK)
    if re.search(DUE, text.casefold()) or any(one.startswith("deadline") for one in tokens):
        kinds = (Kind.TASK, Kind.EVENT)
    for start, end in spans_of_words(text, longest=6):
        if not _may_name(text, start, end, vocabulary):
            continue
        for words in _numbers(text[start:end]):
            for kind in kinds:
                is_part = vocabulary.has_title_with(words, kind)
                if is_part and (" " in words or _stands_alone(text, start, end, kind, vocabulary)):
                    return start, end, words, kind
    return None


def _may_name(text: str, start: int, end: int, vocabulary: QuestionVocabulary) -> bool:
    """Say whether words may be a part of a title, and not of the question or a person's name."""
    words = re.sub(r"[.:]+$", "", text[start:end]).split(" ")
    plain = [word.casefold() for word in words]
    edges = (plain[0], plain[-1])
    if HIDDEN in text[start:end] or any(one in FUNCTION_WORDS | NEUTRAL for one in edges):
        return False
    if re.search(NEXT, " ".join(plain)) or any(one in _NAMES_A_PART for one in plain):
        return False
    named = all(word[:1].isupper() for word in words) and not _OF_TIME.match(text)
    if named or any(map(vocabulary.is_name, words)):
        return False  # who is Ann Smith
    if len(plain) > 1 and folded(" ".join(words)) in vocabulary.titles:
        return True  # the poster session
    return any(not (one in NOUNS or one in VERBS or one in FUNCTION_WORDS) for one in plain)


def _numbers(words: str) -> Iterator[str]:
    """Yield words as written, and in the singular."""
    yield words
    if words.endswith("s"):
        yield words[:-1]


def _stands_alone(
    text: str, start: int, end: int, kind: Kind, vocabulary: QuestionVocabulary
) -> bool:
    """Say whether one word is a whole title, or qualifies the noun next to it."""
    word = folded(text[start:end])
    if re.fullmatch(rf"{OPEN}|{DONE}|{OVERDUE}", word):
        return False
    if kind in vocabulary.titles.get(word, frozenset()):
        return True
    after = re.match(r" (\w+)", text[end:])
    beside = NOUNS.get(after[1].casefold()) if after else None
    if beside and beside.kind:
        return beside.kind is kind and beside.field == "item"
    if _NEXT_AT.search(text[:start].casefold()) and not after:
        return True
    return text[:start].endswith("'s ") or bool(re.match(r" of [A-Z]", text[end:]))

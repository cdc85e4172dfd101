"""A follow-up question made into one that can be answered on its own.

    "and in May?"   after  "What did Kim pay in April?"    is  "What did Kim pay in May?"
    "who sent it?"  after an answer with one source         is  about that source alone

Rules first, for English, which say when they are not sure; then, if there is one, the look-ahead
model: it chooses among what the rules leave open, or writes the question in the follow-up's own
language. What it writes is refused when it brings in a word that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Generator as Steps
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from engine.antecedents import things_in
from engine.conversation import Conversation, Standalone, Turn
from engine.ellipsis import filled, fragment_of, without_connective
from engine.events import Event, Rewritten
from engine.pronouns import resolved
from engine.referring import Reference, references
from engine.rewriting import by_model
from engine.stages import Timings, staged
from engine.tokens import words
from models.roles import ModelSet

LONGEST = 2000
"""Characters; what is longer says what it is about."""
_ENGLISH = frozenset(
    {"the", "what", "who", "when", "where", "which", "how", "why", "is", "are", "does", "did"}
    | {"and", "of", "my", "that", "it", "about", "from", "with", "she", "he", "they", "them", "his"}
    | {"her", "this", "these", "those", "for", "have", "has", "their", "its", "or", "by", "to"}
    | {"him", "be", "can", "will", "would", "much", "many", "there", "on", "at", "if", "in"}
)
_PROPER = re.compile(r"\b[A-Z]\w+")


def standalone(question: str, conversation: Conversation, today: date | None = None) -> Standalone:
    """Return what a question means after the last turn, by rules alone."""
    last = conversation.last
    typed = question.strip()
    if last is None or not 0 < len(typed) <= LONGEST or len(last.question) > LONGEST:
        return Standalone(typed)
    if found := references(typed, last.cited, len(things_in(last.question))):
        return _about_sources(typed, found, last)
    if not _is_english(typed):
        return Standalone(typed, reason="Only English is understood without a model", sure=False)
    known = _people(conversation)
    day = today or date.today()
    if fragment := filled(typed, last.question, known, day):
        return Standalone(fragment.text, (), fragment.reason, True, fragment.sure, fragment.choices)
    whole = without_connective(typed)
    put = resolved(whole, last.question, last.answer, known, day)
    changed = put.text != whole
    if not changed and put.sure:
        return Standalone(typed)
    return Standalone(put.text, (), put.reason, changed, put.sure, put.choices)


def follow_up(
    question: str,
    conversation: Conversation,
    models: ModelSet | None = None,
    today: date | None = None,
) -> Iterator[Event]:
    """Make a question one that stands alone. The last event is `Rewritten`.

    The look-ahead model is loaded only where the rules are not sure.
    """
    found = standalone(question, conversation, today)
    if not found.sure and models is not None and conversation.last is not None:
        steps = _asked_of(models, question.strip(), conversation.last, found)
        found = yield from staged("follow_up", Timings(), steps)
    yield Rewritten(question.strip(), found)


def _asked_of(
    models: ModelSet, question: str, last: Turn, found: Standalone
) -> Steps[Event, None, Standalone]:
    yield from ()
    return by_model(models.lookahead, question, last, found)


def _about_sources(question: str, found: list[Reference], last: Turn) -> Standalone:
    missing = [one.words for one in found if not one.scope]
    if missing:
        return Standalone(question, reason=f"The last answer has no source “{missing[0]}”")
    scope = tuple(dict.fromkeys(cited for one in found for cited in one.scope))
    meant = "; ".join(f"“{one.words}” is {_shown(one)}" for one in found)
    if fragment_of(question) is not None:
        return Standalone(last.question, scope, meant, changed=True)
    text = question
    for one in found:
        # A number, or a place in a list, would mean another source in the next prompt.
        text = text.replace(one.words, one.named, 1)
    return Standalone(text, scope, meant, changed=True)


def _shown(reference: Reference) -> str:
    titles = [f"[{one.id}] {one.title or one.locator.path.name}" for one in reference.scope]
    return ", ".join(titles)


def _people(conversation: Conversation) -> tuple[str, ...]:
    """Return who is named by the sources of this branch, those of the last answer first."""
    path = reversed(conversation.path)
    return tuple(dict.fromkeys(name for turn in path for c in turn.cited for name in c.people))


def _is_english(question: str) -> bool:
    """Say whether English rules may look at it: an English word, or no more than a name."""
    said = words(question)
    small = _PROPER.sub("", question)
    if any(letter.isalpha() and not letter.isascii() for letter in small):
        return False
    return len(said) <= 1 or any(word in _ENGLISH for word in said)


def edited(found: Standalone, text: str) -> Standalone:
    """Return the question as the person corrected it; what it is about stays."""
    return replace(found, text=text.strip(), changed=True, sure=True, choices=())

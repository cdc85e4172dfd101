"""A follow-up question made into one that can be answered on its own.

    "and in May?"   after  "What did Kim pay in April?"    is  "What did Kim pay in May?"
    "who sent it?"  after an answer with one source         is  about that source alone

Rules first, for English, which say when they are not sure; then, if there is one, the look-ahead
model: it chooses among what the rules leave open, or writes the question in the follow-up's own
language. What it writes is refused when it brings in a word that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from engine.answer_parts import Cited
from engine.conversation import Conversation, Standalone, Turn
from engine.events import Event, Rewritten, Steps
from engine.followups.antecedents import PREPOSITION
from engine.followups.ellipsis import filled, fragment_of, without_connective
from engine.followups.listed import listed_in
from engine.followups.model_rewrite import by_model
from engine.followups.pronouns import has_person, resolved
from engine.followups.references import Reference, points, references
from engine.language.languages import language_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.stages import Timings, staged
from models.roles import ModelSet

LONGEST = 2000
"""Characters; what is longer says what it is about."""
RECENT = 4
"""Turns that are looked at for what a pronoun means."""
_ELSEWHERE_TOO = frozenset(
    {"a", "also", "am", "an", "as", "at", "be", "by", "can", "do", "has", "had", "he", "her", "i"}
    | {"if", "in", "is", "me", "no", "of", "on", "or", "over", "so", "some", "such", "t", "under"}
    | {"war", "was", "we", "will", "to", "all", "for", "once", "its"}
)
"""English words that are words of other languages too."""
_ENGLISH = (FUNCTION_WORDS - _ELSEWHERE_TOO) | {"list", "show", "find", "summarise", "summarize"}
# "Kim"
_PROPER = re.compile(r"\b[A-Z]\w+")
# "from Kim"
_BEGINS_SMALL = re.compile(rf"(?:{PREPOSITION}|is|can|has|had|do|will)\s", re.IGNORECASE)


def standalone(question: str, conversation: Conversation, today: date | None = None) -> Standalone:
    """Return what a question means after the last turns, by rules alone."""
    last = conversation.last
    typed = question.strip()
    if last is None or not 0 < len(typed) <= LONGEST or len(last.question) > LONGEST:
        return Standalone(typed)
    earlier = [turn.cited for turn in reversed(conversation.path[:-1])]
    if found := references(typed, last.question, last.cited, earlier):
        return _about_sources(typed, found, last)
    fragment = fragment_of(typed) is not None
    if not _is_english(typed, last.question) or (fragment and _is_foreign(last.question)):
        return Standalone(typed, reason="Only English is understood without a model", sure=False)
    return _of_same_scope(_put(typed, conversation, last, today or date.today()), last)


def _put(typed: str, conversation: Conversation, last: Turn, today: date) -> Standalone:
    """Return a question that names no source with what it lacks put in."""
    known = _people(conversation)
    recent = [turn for turn in conversation.path[-RECENT:] if len(turn.question) <= LONGEST]
    said = [(turn.question, turn.answer) for turn in reversed(recent)]
    if fragment := filled(typed, last.question, last.answer, known, today):
        whole = Standalone(
            fragment.text, (), fragment.reason, True, fragment.sure, fragment.choices
        )
        if not whole.sure or not has_person(typed):
            return whole
        his = resolved(whole.text, said, known, today)  # "and his address?"
        return replace(whole, text=his.text, sure=his.sure, choices=his.choices)
    sentence = without_connective(typed)
    put = resolved(sentence, said, known, today)
    changed = put.text != sentence
    if not changed and put.sure:
        return Standalone(typed)
    text = put.text if changed else typed
    return Standalone(text, (), put.reason, changed, put.sure, put.choices)


def _of_same_scope(found: Standalone, last: Turn) -> Standalone:
    """Return a follow-up of what was about some sources as one about them: "who sent it?"."""
    whole_of_its_own = found.sure and not found.changed
    if not last.scope or whole_of_its_own or found.choices or not points(found.text):
        return found
    sure = found.sure or not found.changed
    reason = found.reason if found.sure else "It is about the same as the last question"
    return replace(found, scope=last.scope, reason=reason, changed=True, sure=sure)


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
        found = _of_same_scope(found, conversation.last)
    yield Rewritten(question.strip(), found)


def standing_alone(
    question: str,
    conversation: Conversation | None,
    scope: Sequence[Cited] | None,
    models: ModelSet,
    today: date | None = None,
) -> Steps[Standalone]:
    """Return what a question means: as a person settled it, or after what was said before it.

    `scope` is what a person settled that it is about, empty for everything; it is then asked as
    written. None: the conversation tells.
    """
    typed = question.strip()
    if scope is not None:
        meant = Standalone(typed, tuple(scope), changed=bool(scope))
        yield Rewritten(typed, meant)
        return meant
    if conversation is None or conversation.last is None:
        return Standalone(typed)
    for event in follow_up(question, conversation, models, today):
        yield event
        if isinstance(event, Rewritten):
            return event.standalone
    raise RuntimeError("A follow-up ended without a question.")


def _asked_of(models: ModelSet, question: str, last: Turn, found: Standalone) -> Steps[Standalone]:
    yield from ()
    return by_model(models.lookahead, question, last, found)


def _about_sources(question: str, found: list[Reference], last: Turn) -> Standalone:
    missing = [one.words for one in found if not one.scope]
    if missing:
        return Standalone(question, reason=f"The last answer has no source “{missing[0]}”")
    scope = tuple(dict.fromkeys(cited for one in found for cited in one.scope))
    meant = "; ".join(f"“{one.words}” is {_shown(one)}" for one in found)
    alone = [question.rstrip(" ?.!")] == [one.words for one in found]
    if alone or fragment_of(question) is not None:
        asked = f"What is {found[0].named} about?" if listed_in(last.question) else last.question
        return Standalone(asked, scope, meant, changed=True)
    text = question
    for one in reversed(found):
        # A number, or a place in a list, would mean another source in the next prompt.
        text = f"{text[: one.start]}{one.named}{text[one.start + len(one.words) :]}"
    return Standalone(text, scope, meant, changed=True)


def _shown(reference: Reference) -> str:
    titles = [f"[{one.id}] {one.title or one.locator.path.name}" for one in reference.scope]
    return ", ".join(titles)


def _people(conversation: Conversation) -> tuple[str, ...]:
    """Return who is named by the sources of this branch, those of the last answer first."""
    path = reversed(conversation.path)
    return tuple(dict.fromkeys(name for turn in path for c in turn.cited for name in c.people))


def _is_english(question: str, before: str) -> bool:
    """Say whether English rules may look at it: what is no sentence is in the language `before`."""
    if _has_foreign_letters(question):
        return False
    if any(word in _ENGLISH for word in words(question)):
        return True
    others = [w for w in words(_PROPER.sub("", question)) if w not in FUNCTION_WORDS]
    short = len(others) <= 1 or _BEGINS_SMALL.match(question) is not None
    return short and not _is_foreign(question) and not _is_foreign(before)


def _is_foreign(text: str) -> bool:
    """Say whether a text is in another language, as far as its commonest words tell."""
    english = any(word in _ENGLISH for word in words(text))
    return not english and (
        _has_foreign_letters(text) or language_of([text]) not in (None, "English")
    )


def _has_foreign_letters(text: str) -> bool:
    """Say whether words other than names have letters that English has not."""
    return any(letter.isalpha() and not letter.isascii() for letter in _PROPER.sub("", text))

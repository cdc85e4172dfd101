"""When somebody wrote of something, and who was in copy: fields of the mail that has the words.

"When did Ann tell me about the roof" names who wrote, and the words tell the mail. The comment
above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from engine.compute.fields import day_of, line_of
from engine.compute.item_filter import is_one_of
from engine.generation.draft import Draft
from engine.language.dates import find_spans
from engine.language.days import Span
from engine.language.stemming import stem_of
from engine.language.tokens import FUNCTION_WORDS, words
from engine.question.acquaintances import Acquaintances, Names
from engine.question.question_grammar import ME
from engine.values import Argument, Citation, Passage
from ingest.item import Item, Kind, Person

LEAD = 0.97
"""Share of the best mail's score that the next one may have at most."""
LEAST_WORDS = 0.5
"""Share of the words of what is asked about that the mail must have."""
BY_WORDS = Argument("the mail was chosen by its words", False)

_VERBS = (
    r"(?:agree[ds]?|announced?|answer(?:ed)?|ask(?:ed)?|complain(?:ed)?|confirm(?:ed)?"
    r"|e-?mail(?:ed)?|forward(?:ed)?|inform(?:ed)?|invited?|let|mail(?:ed)?|mention(?:ed)?"
    r"|offer(?:ed)?|promised?|proposed?|remind(?:ed)?|repl(?:y|ied)|report(?:ed)?|said|say|send|sent"
    r"|suggest(?:ed)?|tell|told|thank(?:ed)?|warn(?:ed)?|write|wrote)"
)
_WHO = r"(?P<who>[^\W\d_][\w.'-]*(?: [^\W\d_][\w.'-]*){0,3}?)"
# "when did Ann tell me that", "on what date did I write to Bob", "what time did Ann write"
_WHEN = re.compile(
    r"^(?:and |so )?(?:when|(?:on )?(?:what|which) (?:day|date)|(?:at )?what time) "
    rf"(?:did|had) {_WHO} {_VERBS}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# "the date Ann sent the roof offer", "clock time Ann wrote"
_DAY_WHO = re.compile(
    r"^(?:the )?(?:clock )?(?:time|date|day)(?: (?:that|when))? "
    rf"{_WHO} {_VERBS}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_DID = rf"(?:{_VERBS}|[^\W\d_]+ed)"
"""What a mail may have been about doing: "when I accepted the offer"."""
# "who was in copy when Ann sent", "who was copied in on the mail in which Ann wrote"
_WAS_COPIED = re.compile(
    r"^(?:and |so )?whom?(?: else)? (?:was|were) (?:put )?"
    r"(?:(?:in|on) (?:copy|cc)|copied|cc'?e?d)\b"
    rf".*?\b(?:when|which|where|that) {_WHO} {_DID}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# "whom did I copy in when I told Bob"
_DID_COPY = re.compile(
    r"^(?:and |so )?whom?(?: else)? did \w[\w.'-]*(?: \w[\w.'-]*)? "
    r"(?:(?:put|have) (?:in|on) (?:copy|cc)|copy|cc)\b"
    rf".*?\b(?:when|which|where|that) {_WHO} {_DID}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# "when Ann wrote of it, who got a copy", "when I told Bob, whom did I copy in"
_COPIED_WHEN = re.compile(
    rf"^(?:and |so )?when {_WHO} {_DID}\b(?P<rest>.*?),? whom?(?: else)? (?:got (?:a |the )?copy"
    r"|(?:was|were) (?:put )?(?:(?:in|on) (?:copy|cc)|copied|cc'?e?d)(?: in)?"
    r"|did (?:I|we) (?:copy|cc)(?: in)?)$",
    re.IGNORECASE,
)
# "who was copied in on Ann's mail about"
_COPIED_ON = re.compile(
    r"^(?:and |so )?whom?(?: else)? (?:was|were) (?:put )?"
    r"(?:(?:in|on) (?:copy|cc)|copied|cc'?e?d)\b(?: in)? (?:on|in) "
    rf"{_WHO}(?:'s|s') (?:e-?mail|mail|message|note|reply)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# "who was copied on the settlement mail", "who got a copy of the mail about the roof"
_COPIED_THERE = re.compile(
    r"^(?:and |so )?whom?(?: else)? (?:(?:was|were|is|got) (?:put )?(?:(?:in|on) (?:copy|cc)"
    r"|copied|cc'?e?d)(?: in)? (?:on|in|to)|got a copy of) (?:the|that|this|my|our)\b"
    r"(?P<rest>.*\b(?:e-?mail|mail|message|reply)\b.*)$",
    re.IGNORECASE,
)
# "to which address did I send", "to whom did Ann forward"
_TO_WHOM = re.compile(
    r"^(?:and |so )?to (?P<what>whom|(?:which|what)(?: e-?mail)? address(?:es)?) (?:did|had) "
    rf"{_WHO} {_VERBS}\b(?P<rest>.*)$",
    re.IGNORECASE,
)
# "from which address did I write", "which address did I write to Bob from"
_FROM_WHICH = re.compile(
    r"^(?:and |so )?(?P<from>from )?(?:which|what)(?: of my)?(?: e-?mail)? add?ress(?:es)? did "
    rf"{_WHO} {_VERBS}\b(?P<rest>.*(?(from)|\bfrom\b.*))$",
    re.IGNORECASE,
)
# "which of my addresses did the ferry booking go to", "what address was the invoice sent to"
_WENT_TO = re.compile(
    r"^(?:and |so )?(?:to )?(?:which|what)(?: of (?:my|our))?(?: e-?mail)? add?ress(?:es)?"
    r" (?:did|was|were) (?:the|that|this|my|our) (?P<rest>.+?)"
    r" (?:go|come|sent|addressed|delivered|e-?mailed|mailed)(?: to)?$",
    re.IGNORECASE,
)
# "of my addresses", "e-mail address", "the lunch mail"; not "which address did the parcel go to"
_OF_MAIL = re.compile(r"\bof (?:my|our) |\b(?:e-?mails?|mails?|messages?)\b", re.IGNORECASE)
# "in February", "on 19 March"; not "the minutes of 5 May"
_BEFORE_DAYS = re.compile(r"\b(?:in|on|during|back in) (?:the )?$", re.IGNORECASE)
# "2025" of "the 2025 booking"
_YEAR = re.compile(r"\bthe ((?:19|20)\d\d) (?=[^\W\d_])", re.IGNORECASE)
# " to Bob Reed", " me"
_TO = re.compile(r"^ (?:to )?(?P<to>[^\W\d_][\w.'-]*(?: [A-Z][\w.'-]*){0,3})")
Field = Literal["date", "copied", "recipient", "address", "sender"]
_FORMS: Mapping[Field, tuple[re.Pattern[str], ...]] = {
    "date": (_WHEN, _DAY_WHO),
    "copied": (_WAS_COPIED, _DID_COPY, _COPIED_ON, _COPIED_WHEN),
    "recipient": (_TO_WHOM,),
    "sender": (_FROM_WHICH,),
}
_COPIED = re.compile(r"^Cc: .*$", re.MULTILINE)
_ASKING_WORDS = "mail email message note reply say says said saying tell telling told write mention"
_ASKING = frozenset(_ASKING_WORDS.split())
_WRITER = frozenset(("i", "we"))
# "to whom did I send it, and who was in copy"
_SEVERAL = re.compile(r"\band (?:who|whom|when|what|where|which|how|why)\b", re.IGNORECASE)
# "when did Ann say that she would come", "when did Bob promise to send it"
_OF_ANOTHER_DAY = re.compile(
    r"\b(?:would|will|could|can|should|might|may)\b|(?<!cc)'(?:d|ll)\b"
    r"|\b(?:agreed?|offer|promise|propose|suggest)\b(?! to (?:me|us|him|her|them)\b) to\b",
    re.IGNORECASE,
)
"""Asks for the day that is spoken of, and not for that of the mail."""
_TO_WRITER = frozenset(("me", "us"))


@dataclass(frozen=True, slots=True)
class FieldAsked:
    """A field of one mail that a question asks for."""

    field: Field
    """An address is that of a recipient; a sender is asked for by the address."""
    sender: str | None
    """A known name, or `ME`; None where the mail is named by its words alone."""
    recipient: str | None
    about: frozenset[str]
    """Stems of what the mail is about."""
    days: Span | None = None
    """When it was sent, where the question says so; then it may say nothing else of it."""


def field_asked(question: str, known: Acquaintances, today: date) -> FieldAsked | None:
    """Return the field that a question asks for of a mail by somebody who is known; or None."""
    plain = " ".join(question.replace("\u2019", "'").split()).rstrip("?.! ")
    plain, days = _without_days(plain, today)
    if _OF_ANOTHER_DAY.search(plain) or _SEVERAL.search(plain):
        return None
    for field, patterns in _FORMS.items():
        if found := next((m for one in patterns if (m := one.match(plain))), None):
            who = found["who"]
            sender = _named(who, known.senders, _WRITER, len(who.split()))
            to = _TO.match(found["rest"]) if field in ("date", "copied", "sender") else None
            recipient = _named(to["to"], known.recipients, _TO_WRITER, 1) if to else None
            if field == "recipient" and found["what"].casefold() != "whom":
                field = "address"
            about = _about(found["rest"], recipient)
            if sender is None or not (about or days):
                return None
            return FieldAsked(field, sender, recipient, about, days)
    return _asked_by_words(plain, days)


def _asked_by_words(plain: str, days: Span | None) -> FieldAsked | None:
    """Return the field of a mail that is named by its words alone."""
    field: Field = "copied"
    found = _COPIED_THERE.match(plain)
    if found is None and _OF_MAIL.search(plain):
        field, found = "address", _WENT_TO.match(plain)
    about = _about(found["rest"], None) if found else frozenset[str]()
    return FieldAsked(field, None, None, about, days) if about else None


def _without_days(plain: str, today: date) -> tuple[str, Span | None]:
    """Return a question without the days that a mail was sent on, and these, where it has one."""
    spans = find_spans(plain, today)
    if not spans and (year := _YEAR.search(plain)):
        number = int(year[1])
        without = f"{plain[: year.start(1)]}{plain[year.end() :]}"
        return without, Span(date(number, 1, 1), date(number, 12, 31))
    before = _BEFORE_DAYS.search(plain[: spans[0].start]) if len(spans) == 1 else None
    if before is None:
        return plain, None
    without = f"{plain[: before.start()]} {plain[spans[0].end :]}"
    return " ".join(without.split()), spans[0].span


def _about(rest: str, recipient: str | None) -> frozenset[str]:
    named = frozenset((recipient or "").casefold().split())
    told = (word for word in words(rest) if word not in FUNCTION_WORDS and word not in _ASKING)
    return frozenset(stem_of(word) for word in told if word not in named and len(word) > 1)


def _named(said: str, names: Names, own: frozenset[str], least: int) -> str | None:
    """Return `ME` or a known name: the longest beginning, with so many words at least."""
    parts = said.split()
    if said.casefold() in own or (least == 1 and parts[0].casefold() in own):
        return ME
    for count in range(len(parts), least - 1, -1):
        name = " ".join(parts[:count])
        if name.casefold() in names and name.casefold() not in FUNCTION_WORDS:
            return name
    return None


def field_stated(
    asked: FieldAsked,
    passages: Sequence[Passage],
    scores: Iterable[float],
    known: Acquaintances,
    own: frozenset[str],
) -> Draft | None:
    """Return the field of the mail that has the words of the question, by their scores.

    None where no mail by that person has any, where two are alike, or where a chat has more. Of a
    mail that is named by its words alone all of them count, and one without a copy is not meant.
    """
    senders, recipients = ({**names, ME: own} for names in (known.senders, known.recipients))
    best: dict[int, tuple[float, Item]] = {}
    of_chats = 0.0
    for passage, score in zip(passages, scores, strict=True):
        item = passage.item
        if item.kind is Kind.MESSAGE:
            of_chats = max(of_chats, score)
        elif score > 0 and _may_be(item, asked, senders):
            best[id(item)] = max(best.get(id(item), (0.0, item)), (score, item), key=_score)
    rated = sorted(best.values(), key=_score, reverse=True)
    if asked.days is not None:
        rated = [one for one in rated if _lies_in(one[1], asked.days)]
    if (to := asked.recipient) is not None:
        to_them = [one for one in rated if is_one_of(one[1].people.to, to, recipients)]
        copied = [one for one in rated if is_one_of(one[1].people.recipients, to, recipients)]
        rated = to_them or copied or rated
    if not rated or rated[0][0] < of_chats:
        return None
    if len(rated) > 1 and rated[1][0] > LEAD * rated[0][0]:
        return None
    item = rated[0][1]
    if not asked.about and len(rated) > 1:
        return None
    has = asked.about.intersection(map(stem_of, words(item.text)))
    least = LEAST_WORDS if asked.sender else 1
    return _draft(asked, item) if len(has) >= least * len(asked.about) else None


def _may_be(item: Item, asked: FieldAsked, senders: Names) -> bool:
    if item.kind is not Kind.MAIL or item.locator.part is not None:
        return False
    if asked.sender is None:
        return asked.field != "copied" or bool(item.people.cc)
    return is_one_of(item.people.sender, asked.sender, senders)


def _lies_in(item: Item, days: Span) -> bool:
    if (day := day_of(item)) is None:
        return False
    return (days.first or day) <= day <= (days.last or day)


def _score(rated: tuple[float, Item]) -> float:
    return rated[0]


def _draft(asked: FieldAsked, item: Item) -> Draft | None:
    if asked.field == "date":
        place = line_of(item, "date")
        text = f"{item.when:%a %Y-%m-%d %H:%M}" if item.when else ""
    elif asked.field == "copied":
        line = _COPIED.search(item.text, 0, item.body or len(item.text))
        place = line.span() if line else (0, 0)
        text = ", ".join(map(_spoken, item.people.cc)) if line else ""
    elif asked.field == "sender":
        place = line_of(item, "sender")
        text = ", ".join(filter(None, (one.address for one in item.people.sender)))
    else:
        place = line_of(item, "recipient")
        named = (
            one.address if asked.field == "address" else _spoken(one) for one in item.people.to
        )
        text = ", ".join(filter(None, named))
    if not text:
        return None
    passage = Passage(item, *place)
    citation = Citation(1, passage, *place, "matched", support=True)
    return Draft(f"{text} [1]", (passage,), citations=(citation,), reasons=(BY_WORDS,))


def _spoken(person: Person) -> str:
    return person.spoken or person.address

"""Follow-ups that are no sentences: "and in May?", "what about Kim?", "when?".

A fragment replaces its like in the last question: a date replaces the date, a person the person.
The rules are sure only if there is exactly one such part. The comment above a pattern quotes
phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from engine.followups.antecedents import (
    AUXILIARY,
    DETERMINER,
    PREPOSITION,
    WH,
    dates_in,
    months_in,
    names_in,
    noun_words,
    subject_in,
    things_in,
    things_of_people,
)
from engine.question.analysis import Mention

# "and what about Kim", "the same for May"
_ASKING_ABOUT = re.compile(
    r"(?:(?:and|or|but|ok(?:ay)?|so)\b[, ]*)?"
    r"(?:what|how) about |(?:and |or )?(?:the )?same (?:question )?for ",
    re.IGNORECASE,
)
# "and in May", "ok, so"
_CONNECTIVE = re.compile(r"(?:and|or|but|also|ok(?:ay)?|so|then)\b,? +", re.IGNORECASE)
# "since when", "how much", "with whom", "when exactly"
_BARE_WH = re.compile(
    r"(?:since when|until when|how (?:much|many|long|often|far|old)|which ones?"
    r"|what (?:for|time|day)"
    r"|(?:with|by|from|to|for) whom|when|where|why|how|who)(?: exactly| precisely)?",
    re.IGNORECASE,
)
# "who sent", "did Kim", "list my"
_SENTENCE = re.compile(
    rf"(?:{PREPOSITION} )?{WH}\b|{AUXILIARY}\b"
    r"|(?:please |find|show|list|tell|give|count|name|summari|compare|explain|describe)",
    re.IGNORECASE,
)
# "on which day did"
_BEGINNING_WH = re.compile(
    rf"(?:{PREPOSITION} )?{WH}(?: (?!{AUXILIARY}\b)[\w-]+){{0,3}}? (?={AUXILIARY}\b)", re.IGNORECASE
)
# "which mails were sent"
_SUBJECT_ASKED = re.compile(
    rf"(?:{PREPOSITION} )?(?:who|what|which)\b.* {AUXILIARY} "
    rf"(?!(?i:{DETERMINER}|i|we|you|he|she|they|it|there)\b|(?-i:[A-Z]))",
    re.IGNORECASE,
)
"""Asks for the subject. In "what did Kim pay" the auxiliary precedes another subject."""
# "No, he did not", "It isn't"
_DENIES = re.compile(r"(?:no|not|never)\b|[^.!?]*\b(?:not|never|\w+n['’]t)\b", re.IGNORECASE)  # noqa: RUF001
# "instead", "the day after"
_LEANS = re.compile(
    r"\b(?:that|this|then|there|not|instead|else|ones?)\b|\b(?:after|before|later|earlier)$", re.I
)
# "how many mails"
_COUNTING = re.compile(r"how many ", re.IGNORECASE)
# " from?"
_STRANDED = re.compile(rf" {PREPOSITION}\?$", re.IGNORECASE)
# "the deposit"
_DETERMINED = re.compile(rf"{DETERMINER}\b", re.IGNORECASE)
# "that mail"
_POINTS = re.compile(r"(?:this|that|these|those)\b", re.IGNORECASE)
# " about lunch"
_GOES_ON = re.compile(r"\s+(?:to|of|with|about)\s+\w", re.IGNORECASE)
# "from Kim"
_LED = re.compile(rf"(?P<preposition>{PREPOSITION}) +(?P<rest>.+)", re.IGNORECASE)
MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Filled:
    """The last question with a fragment put into it."""

    text: str
    reason: str
    sure: bool = True
    choices: tuple[str, ...] = ()


def without_connective(question: str) -> str:
    """Return a whole question without the "and" it begins with, as typed otherwise."""
    rest = _CONNECTIVE.sub("", question, count=1) if _CONNECTIVE.match(question) else question
    return _capital(rest) if _SENTENCE.match(rest) else question


def filled(
    question: str, before: str, answer: str, known: tuple[str, ...], today: date
) -> Filled | None:
    """Return the last question, `before`, with what the fragment says; None: it is no fragment."""
    fragment = fragment_of(question)
    if fragment is None:
        return None
    appended = Filled(f"{before} {_capital(question)}", f"“{before}” was asked before", sure=False)
    if _BARE_WH.fullmatch(fragment):
        denied = fragment.lower().startswith("why") and _DENIES.match(answer)
        which = fragment.lower().startswith("which")
        if which and (counted := _COUNTING.match(before)):
            return Filled(f"Which {before[counted.end() :]}", f"“{fragment}” of “{before}”")
        return appended if denied or which else _asked_otherwise(fragment, before)
    fills = (_date,) if _LEANS.search(fragment) else (_date, _led, _name, _thing)
    found = next(filter(None, (fill(fragment, before, known, today) for fill in fills)), appended)
    # "the address?" may be that of what was asked about; "and the address?" is asked instead.
    of_it = _DETERMINED.match(fragment) and question.strip().startswith(fragment)
    return replace(found, sure=False) if of_it else found


def fragment_of(question: str) -> str | None:
    """Return a question's words without "what about" and "?"; None for a whole sentence."""
    text = question.strip().rstrip(" ?.!")
    asking = _ASKING_ABOUT.match(text)
    if asking:
        return text[asking.end() :]
    led = _CONNECTIVE.match(text)
    rest = text[led.end() :] if led else text
    if _BARE_WH.fullmatch(rest):
        return rest
    few = 0 < len(rest.split()) <= (MOST_WORDS if led else MOST_WORDS - 2)
    begins = led or _LED.match(rest) or not question.strip()[-1:].isalnum()
    return rest if few and begins and not _SENTENCE.match(rest) else None


def _asked_otherwise(wh: str, before: str) -> Filled:
    reason = f"“{wh}” of “{before}”"
    if re.match(rf"{AUXILIARY}\b", before, re.IGNORECASE):
        return Filled(f"{_capital(wh)} {before[0].lower()}{before[1:]}", reason)
    beginning = None if _SUBJECT_ASKED.match(before) else _BEGINNING_WH.match(before)
    if beginning and not re.match("who", wh, re.IGNORECASE):
        rest = _STRANDED.sub("?", before[beginning.end() :])
        return Filled(f"{_capital(wh)} {rest}", reason)
    return Filled(f"{before.rstrip(' ?.!')}, and {wh.lower()}?", reason)


def _date(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    spans = dates_in(before, today)
    if _is_date(fragment, today):
        if not spans:
            return _added(fragment, before)
        preposition = _preposition_of(spans[0].words)
        # "next week" and "tomorrow" need none.
        if not _LED.match(fragment) and (fragment[0].isupper() or fragment[0].isdigit()):
            fragment = f"{preposition}{fragment}"
        return _instead(before, spans, fragment, "the date")
    if not _is_date(f"in {fragment}", today):
        return None
    if not spans:
        # A month alone may be a person: "June?".
        return _instead(before, months_in(before, today), fragment, "the month")
    preposition = _preposition_of(spans[0].words)
    led = "in " if preposition.strip().lower() in ("", "on", "at") else preposition
    return _instead(before, spans, f"{led}{fragment}", "the date")


def _is_date(text: str, today: date) -> bool:
    return [(span.start, span.end) for span in dates_in(text, today)] == [(0, len(text))]


def _preposition_of(words: str) -> str:
    led = _LED.match(words)
    return f"{led['preposition']} " if led else ""


def _led(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    """ "from Kim" takes the place of "from Dana", else it is added."""
    match = _LED.fullmatch(fragment)
    if match is None:
        return None
    pattern = rf"\b{match['preposition']}\s+(?:{DETERMINER}\s+)?"
    dates = dates_in(before, today)
    spans = [
        Mention(before[led.start() : said[-1].end()], led.start(), said[-1].end())
        for led in re.finditer(pattern, before, re.IGNORECASE)
        if (said := noun_words(before, led)) and all(led.start() != one.start for one in dates)
    ]
    found = _instead(before, spans, fragment, "the same place") or _added(fragment, before)
    # What is said of a thing that goes was said of that alone.
    goes_on = any(_GOES_ON.match(before[span.end :]) for span in spans)
    return replace(found, sure=found.sure and not goes_on)


def _name(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    names = names_in(fragment, known, today)
    if len(names) != 1 or names[0].start:
        return None
    if not re.fullmatch(r"(?:['’]s?)?", fragment[names[0].end :]):  # noqa: RUF001
        return None
    owned = names[0].end != len(fragment)
    spans = names_in(before, known, today)
    distinct = {span.words for span in spans}
    if len(distinct) == 1:
        text = before
        for span in reversed(spans):
            text = text[: span.start] + names[0].words + text[span.end :]
        return Filled(text, f"“{names[0].words}” instead of “{spans[0].words}”")
    if not spans and owned:
        return _instead(
            before,
            [Mention(m[0], *m.span()) for m in re.finditer(r"\bmy\b", before)],
            fragment,
            "my",
        )
    return _instead(before, spans, names[0].words, "the person")


def _thing(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    """ "and the deposit?" is asked for the whole of what was asked about, or for a part of it."""
    if not _DETERMINED.match(fragment) or len(things_in(fragment)) != 1:
        return None
    things = things_of_people(before, known, today)
    if all(_POINTS.match(one.words) for one in things):
        return None
    whole = subject_in(before, things)
    if whole is None or whole == things[0]:
        return _instead(before, things, fragment, "the thing")
    parts = [one for one in things[1:] if one.end <= whole.end]
    return _instead(before, [*parts, whole], fragment, "the thing")


def _instead(before: str, spans: list[Mention], words: str, what: str) -> Filled | None:
    """Return the last question with `words` in place of the one span, or of any."""
    texts = [before[: span.start] + words + before[span.end :] for span in spans]
    if not texts:
        return None
    reason = f"“{words}” instead of “{spans[-1].words}”"
    if len(texts) == 1:
        return Filled(_capital(texts[0]), reason)
    # What comes last in a question is what it is about more often than not.
    return Filled(_capital(texts[-1]), reason, sure=False, choices=tuple(reversed(texts)))


def _added(fragment: str, before: str) -> Filled:
    text = f"{before.rstrip(' ?.!')} {fragment}?"
    return Filled(text, f"“{fragment}” added to “{before}”", bool(_SENTENCE.match(before)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Follow-ups that are no sentences: "and in May?", "what about Kim?", "when?".

What a fragment says takes the place of its like in the last question: a date that of the date, a
person that of the person. Where nothing or more than one thing is like it, nobody can be sure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from engine.antecedents import (
    AUXILIARY,
    DETERMINER,
    PREPOSITION,
    WH,
    Span,
    dates_in,
    names_in,
    subject_in,
    things_in,
    things_of_people,
)

_ASKING_ABOUT = re.compile(
    r"(?:(?:and|or|but|ok(?:ay)?|so)\b[, ]*)?"
    r"(?:what|how) about |(?:and |or )?(?:the )?same (?:question )?for ",
    re.IGNORECASE,
)
_CONNECTIVE = re.compile(r"(?:and|or|but|also|ok(?:ay)?|so|then)\b,? +", re.IGNORECASE)
_BARE_WH = re.compile(
    r"(?:since when|until when|how (?:much|many|long|often|far|old)|which ones?"
    r"|what (?:for|time|day)"
    r"|(?:with|by|from|to|for) whom|when|where|why|how|who)(?: exactly| precisely)?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    rf"(?:{PREPOSITION} )?{WH}\b|{AUXILIARY}\b"
    r"|(?:please |find|show|list|tell|give|count|name|summari|compare|explain|describe)",
    re.IGNORECASE,
)
_BEGINNING_WH = re.compile(
    rf"(?:{PREPOSITION} )?{WH}(?: (?!{AUXILIARY}\b)[\w-]+){{0,3}}? (?={AUXILIARY}\b)", re.IGNORECASE
)
_LED = re.compile(rf"(?P<preposition>{PREPOSITION}) +(?P<rest>.+)", re.IGNORECASE)
MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class Filled:
    """The last question with a fragment in it."""

    text: str
    reason: str
    sure: bool = True
    choices: tuple[str, ...] = ()


def without_connective(question: str) -> str:
    """Return a whole question without the "and" it begins with, as typed otherwise."""
    rest = _CONNECTIVE.sub("", question, count=1) if _CONNECTIVE.match(question) else question
    return _capital(rest) if _SENTENCE.match(rest) else question


def filled(question: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    """Return the last question, `before`, with what the fragment says; None: it is no fragment."""
    fragment = fragment_of(question)
    if fragment is None:
        return None
    if _BARE_WH.fullmatch(fragment):
        return _asked_otherwise(fragment, before)
    for fill in (_date, _led, _name, _thing):
        if found := fill(fragment, before, known, today):
            return found
    both = f"{before} {_capital(question)}"
    return Filled(both, f"“{before}” was asked before", sure=False)


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
    if (beginning := _BEGINNING_WH.match(before)) and not re.match("who", wh, re.IGNORECASE):
        return Filled(f"{_capital(wh)} {before[beginning.end() :]}", reason)
    return Filled(f"{before.rstrip(' ?.!')}, and {wh.lower()}?", reason)


def _date(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    spans = dates_in(fragment, today)
    if len(spans) != 1 or spans[0].start or spans[0].end != len(fragment):
        return None
    return _instead(before, dates_in(before, today), fragment, "the date") or _added(
        fragment, before
    )


def _led(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    """ "from Kim" takes the place of "from Dana", else it is added."""
    match = _LED.fullmatch(fragment)
    if match is None:
        return None
    pattern = rf"\b{match['preposition']}\s+$"
    spans = [
        Span(before[start:end], start, end)
        for one in (*names_in(before, known, today), *things_in(before))
        if (led := re.search(pattern, before[: one.start], re.IGNORECASE))
        for start, end in [(led.start(), one.end)]
    ]
    return _instead(before, spans, fragment, "the same place") or _added(fragment, before)


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
            [Span(m[0], *m.span()) for m in re.finditer(r"\bmy\b", before)],
            fragment,
            "my",
        )
    return _instead(before, spans, names[0].words, "the person")


def _thing(fragment: str, before: str, known: tuple[str, ...], today: date) -> Filled | None:
    """ "and the deposit?" is asked for the whole of what was asked about, or for a part of it."""
    if not re.match(rf"{DETERMINER}\b", fragment, re.IGNORECASE) or len(things_in(fragment)) != 1:
        return None
    things = things_of_people(before, known, today)
    whole = subject_in(before, things)
    if whole is None or whole == things[0]:
        return _instead(before, things, fragment, "the thing")
    parts = [one for one in things[1:] if one.end <= whole.end]
    return _instead(before, [*parts, whole], fragment, "the thing")


def _instead(before: str, spans: list[Span], words: str, what: str) -> Filled | None:
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
    return Filled(text, f"“{fragment}” added to “{before}”")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""Natural dates: the calendar days that English words mean on a given day.

`parse_span` reads words that somebody meant as a date. `find_spans` looks for dates in running
text and is stricter: "May" may be a verb there, and 2001 a number.

What is ambiguous is decided so: weeks begin on Monday; 03/04/2001 is the third of April (and no
date in running text); "last Tuesday" is the latest before today, "next Tuesday" the one of next
week; "last week" is the week before this one, "the last week" the seven days up to today.

Libraries such as dateparser and parsedatetime give moments ("last month" is a point thirty days
ago), and a filter needs first and last day; hence these rows instead of a dependency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from engine.language.date_words import (
    DAY,
    MONTH,
    PHRASES,
    WEEKDAY_NAMES,
    WEEKDAY_WORDS,
    YEAR,
    Clock,
    Phrase,
    compiled,
    named,
)
from engine.language.days import Closed, Direction, Span

__all__ = ["Direction", "FoundSpan", "Span", "find_spans", "parse_span"]

ANY = "(?:" + "|".join(phrase.pattern for phrase in PHRASES) + ")"
# "until"
TO = "(?:to|until|till|through|thru)"
# "-"
DASH = r"[-\u2013]"
# "between May and June", "1 May - 3 May"
RANGE = compiled(f"(?:(?:between|from) )?(.+?)(?: (?:and|{TO}) |(?: )?{DASH}(?: )?)(.+)")
# "from May on"
ONWARDS = compiled("from (.+?) (?:on|onwards?)")
# "since May", "by Friday"
OPEN = compiled("(since|after|before|prior to|until|till|up to|by) (.+)")
# "in May", "dated 2001"
LEAD = compiled("(?:in|on|during|within|over|at|dated|of|for|throughout) (.+)")

# Neither "v2001" nor "10:2001" is a date.
EDGE_BEFORE = r"(?<![\w./@:-])"
EDGE_AFTER = r"(?!\w|[./@:-]\w)"
_MONTH = compiled(rf"\b{MONTH}\b")
_OF_A_MONTH = rf"(?:{DAY} )?{MONTH}(?: {YEAR}|(?: of)? (?:last|this|next) year)?"
# "jan-nov 2001", "3 May to 5 June"
MONTHS = compiled(rf"{_OF_A_MONTH}(?: {TO} |(?: )?{DASH}(?: )?){_OF_A_MONTH}")
# "between 3 and 5 May", "from 3 to 5 May", "from May on", "until May", "May 2001"
IN_TEXT = compiled(
    rf"{EDGE_BEFORE}(?:"
    rf"between (?:{ANY}|\d{{1,2}}) and {ANY}|from (?:{ANY}|\d{{1,2}}) {TO} {ANY}"
    rf"|from {ANY} onwards?|(?:since|after|before|prior to|until|till|up to) {ANY}"
    rf"|{MONTHS.pattern}|{ANY}){EDGE_AFTER}"
)

BEFORE_A_DATE = frozenset(
    {"in", "on", "during", "since", "until", "till", "after", "before", "between", "from", "to"}
    | {"through", "throughout", "by", "of", "for", "dated", "within", "over", "at"}
)
NAMES = frozenset({"jan", "mar", "april", "august", "june", "may", "march"})
"""Months that are also names of people or verbs."""
NO_PERSON_BEFORE = frozenset({"in", "during", "throughout"})
"""After these a month of `NAMES` is a month; "from June" may be a person."""
NO_WEEKDAY_BEFORE = frozenset(
    {"black", "good", "ash", "cyber", "casual", "ruby", "easter", "joe", "super"}
)
# "'" in "May's"
POSSESSIVE = re.compile(r"['\u2019]")
# " I" in "may I"
WORD_AFTER = re.compile(r"\s+[^\W\d_]")
AROUND = 100
"""Characters before and after a date that are looked at: in all of a long text, each date would
take as long as the text."""


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """A date in running text."""

    span: Span
    start: int
    """Code point offset of its words in the text, inclusive."""
    end: int
    """Exclusive."""
    words: str
    """With "since", "before" or "between", without "in", "on" or "during"."""


def parse_span(words: str, today: date, direction: Direction = "past") -> Span | None:
    """Return the days that the words mean on `today`, or None when they name none.

    `direction` decides what is open: "Tuesday", "March" or "20 April" at or before today, at or
    after it, or whichever is nearer.
    """
    words = " ".join(words.split()).strip(" ,;:.?!")
    clock = Clock(today, direction)
    try:
        return _with_words_before(words, clock)
    except (ValueError, OverflowError):  # "before 0001-01-01"
        return None


def _with_words_before(words: str, clock: Clock) -> Span | None:
    if found := named(words, clock):
        return Span(found[0].first, found[0].last)
    if match := ONWARDS.fullmatch(words):
        return _open("since", match[1], clock)
    if match := OPEN.fullmatch(words):
        return _open(match[1].casefold(), match[2], clock)
    if match := RANGE.fullmatch(words):
        return _range(match[1], match[2], clock)
    if match := LEAD.fullmatch(words):
        return _with_words_before(match[1], clock)
    return None


def _open(word: str, rest: str, clock: Clock) -> Span | None:
    """Return the span that "since" and its like open or end at a date."""
    found = named(LEAD.sub(r"\1", rest) if LEAD.fullmatch(rest) else rest, clock)
    if found is None:
        return None
    days = found[0]
    if word == "since":
        return Span(days.first, None)
    if word == "after":
        return Span(days.last + timedelta(days=1), None)
    if word in ("before", "prior to"):
        return Span(None, days.first - timedelta(days=1))
    return Span(None, days.last)


def _range(first: str, last: str, clock: Clock) -> Span | None:
    """Return the days between two dates; the first takes what it lacks from the last."""
    ends = named(last, clock)
    if ends is None:
        return None
    begins = _first_of_range(first, last, ends[0], clock)
    if begins is None or begins.first > ends[0].last:
        return None
    return Span(begins.first, ends[0].last)


def _first_of_range(first: str, last: str, ends: Closed, clock: Clock) -> Closed | None:
    if first.isdecimal() and len(first) <= 2:  # from 3 to 5 May
        first += re.sub(r"^[\w ]*?\d{1,2}(?:st|nd|rd|th)?\b", "", last)
    before_the_end = Clock(ends.last, "past")
    has_year = re.search(rf"{YEAR}$|\byear$", last, re.IGNORECASE)
    for words, relative_to in (
        *([(f"{first} {ends.last.year}", before_the_end)] if has_year else []),
        (first, clock),
        (first, before_the_end),
    ):
        found = named(words, relative_to)
        if found and found[0].first <= ends.last:
            return found[0]
    return None


def find_spans(text: str, today: date, direction: Direction = "past") -> list[FoundSpan]:
    """Return the dates in running text, in order, none overlapping another."""
    found = []
    position = 0
    while match := IN_TEXT.search(text, position):
        span = parse_span(match[0], today, direction)
        if span is not None and _credible(match, text, direction):
            found.append(FoundSpan(span, match.start(), match.end(), match[0]))
            position = match.end()
        else:
            position = _next_word(text, match.start())
    return found


def _next_word(text: str, position: int) -> int:
    after = re.compile(r"\w+|.", re.DOTALL).match(text, position)
    return after.end() if after else position + 1


FIRST_WORD = compiled("(?:since|after|before|prior to|until|till|up to) (.+)")


def _credible(match: re.Match[str], text: str, direction: Direction) -> bool:
    """Say whether words that could be a date are one in this place."""
    words, before = match[0], _word_before(text, match.start())
    if re.match(r"(?:between|from)\s", words, re.IGNORECASE):
        return True  # two dates vouch for each other
    if MONTHS.fullmatch(words):  # "Jan to May" may be two people, unlike "July to October"
        months = {one.casefold() for one in _MONTH.findall(words)}
        is_said = bool(re.search(rf"{DASH}|\d|year$", words)) or not months <= NAMES
        return is_said or before in BEFORE_A_DATE
    if opened := FIRST_WORD.fullmatch(words):
        before, words = words.split()[0].casefold(), opened[1]
    if words.startswith("may ") and before not in BEFORE_A_DATE:
        return False  # "I may this year"
    how = named(words, Clock(date(2000, 6, 15), "nearest"))
    if how is None or not _allowed(how[1], before, direction):
        return False
    after = text[match.end() : match.end() + AROUND]
    return _no_name(words, before, after) and not _ambiguous(words)


def _allowed(phrase: Phrase, before: str, direction: Direction) -> bool:
    if phrase.in_text == "after_preposition":
        return before in BEFORE_A_DATE
    return phrase.in_text == "always" or phrase.in_text == direction


def _word_before(text: str, position: int) -> str:
    found = re.search(r"(\w+)\s+$", text[max(0, position - AROUND) : position])
    return found[1].casefold() if found else ""


def _ambiguous(words: str) -> bool:
    """Say whether day and month of 03/04/2001 could be swapped."""
    numbers = re.fullmatch(r"(\d{1,2})[/.-](\d{1,2})[/.-]\d{4}", words)
    return bool(numbers and int(numbers[1]) <= 12 >= int(numbers[2]) and numbers[1] != numbers[2])


def _no_name(words: str, before: str, after: str) -> bool:
    """Say whether "May", "March", "June", "Sun" or "Friday" is a date here."""
    if re.search(rf"{YEAR}", words):
        return True
    folded = words.casefold().rstrip(".")
    if folded in NAMES:
        if before in NO_PERSON_BEFORE:
            return not POSSESSIVE.match(after)
        opened = before in ("since", "until", "till", "before", "after")
        person = WORD_AFTER.match(after) and not folded.startswith("mar")
        return opened and not POSSESSIVE.match(after) and not person
    if re.search(r"\d", words) and (verb := re.search(r"\b(may|march)\b", words, re.IGNORECASE)):
        if not verb[0][0].isupper():  # "on 19 march", "19 march?"; not "all 3 may come"
            return before in ("on", "since", "until", "till") or not after.strip(" ?.!")
        return not (verb.start() == 0 and not before and WORD_AFTER.match(after))
    return _no_weekday_name(words, before, ends=not after.strip(" ?.!"))


def _no_weekday_name(words: str, before: str, *, ends: bool) -> bool:
    """Say whether a weekday without a date is one: "Sun", "Sat" and "Ruby Tuesday" are not.

    "This wed" and "on sat" are where nothing follows.
    """
    first = re.match(rf"({WEEKDAY_WORDS})\b", words, re.IGNORECASE)
    if first is None or re.search(r"\d|week", words, re.IGNORECASE):
        return ends or not re.search(r"\s(?:sun|sat|mon|wed)$", words, re.IGNORECASE)
    if before in NO_WEEKDAY_BEFORE:
        return False
    if first[1].casefold() in WEEKDAY_NAMES:
        return first[1][0].isupper() or before in BEFORE_A_DATE
    return (ends or first[1].casefold() not in ("sun", "sat", "mon", "wed")) and before == "on"

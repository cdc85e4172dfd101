"""Reads "how much cheaper was A than B?": what each amount is asked by; the program subtracts.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from engine.language.dates import find_spans

MOST_CHARACTERS = 300
"""Of a question that is read so: the patterns take cubic time."""
MOST_WORDS = 3
"""Of an amount that is named by what it is of alone."""
_LESS = r"less|fewer|lower|cheaper|smaller|shorter|lighter|below|under|short of"
_MORE = (
    r"more(?: expensive)?|higher|dearer|bigger|larger|longer|heavier|taller|above|over|beyond|up on"
)
_ORDER = rf"(?P<order>{_LESS}|{_MORE})"
_AUXILIARY = (
    r"(?P<verb>(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should)"
    r"(?:n['\u2019]t)?)"
)
_HOW = r"(?P<lead>[^?:]*?[:,]? ?)\b(?:by )?(?P<how>how (?:much|many|far))"
_THAN = r"(?:than|compared (?:to|with))"
# "how much cheaper was the Lion than the Grand", "how much more a day would Kim get than Bo"
_ORDER_FIRST = re.compile(
    rf"{_HOW} {_ORDER}(?P<noun>(?: \w+){{0,4}}?) {_AUXILIARY} (?P<one>.+?) {_THAN} (?P<other>.+)",
    re.IGNORECASE,
)
# "how much less than we claimed did they pay", "how many slides over the limit is the talk"
_OTHER_FIRST = re.compile(
    rf"{_HOW}(?P<noun>(?: \w+)??) {_ORDER}(?: than)? (?P<other>.+?) {_AUXILIARY} (?P<one>.+)",
    re.IGNORECASE,
)
# "by how much was the Lion above what we paid", "how far did the bill go over the quote"
_BETWEEN = re.compile(
    rf"{_HOW}(?P<noun>) {_AUXILIARY} (?P<one>.+?)"
    r" (?P<order>(?:go |come (?:in |out )?)?(?:above|over|below|under)|exceed|overrun|beat"
    r"|(?:more|less|higher|lower|dearer|cheaper) than) (?P<other>.+)",
    re.IGNORECASE,
)
# "how many more people came to the fair than to the concert"
_OF_SUBJECTS = re.compile(
    rf"{_HOW} (?P<order>more|fewer|less)(?P<noun> \w+) (?P<one>.+?) {_THAN} (?P<other>.+)",
    re.IGNORECASE,
)
_FORMS = (_ORDER_FIRST, _OTHER_FIRST, _BETWEEN, _OF_SUBJECTS)
# "the difference between the quote and the bill", "difference in price, the Lion vs the Grand"
_DIFFERENCE = re.compile(
    r"(?P<lead>[^?:]*: )?(?:(?:what|how much)(?:['\u2019]s| is| was) )?(?:the )?(?:price |cost )?"
    r"(?:difference|gap)(?: in (?P<noun>[^,]+?))?(?: between (?P<one>.+?) and (?P<other>.+)"
    r"|, (?P<this>.+?) (?:vs\.?|versus) (?P<that>.+))",
    re.IGNORECASE,
)
# "how much did the rent go up from May to June", "… jump between the quote and the bill"
_FROM_TO = re.compile(
    rf"{_HOW} (?:did|has|have|does|will) (?P<what>.+?) (?P<order>go(?:ne)? (?:up|down)"
    r"|come down|rise|risen|increased?|grown?|jump(?:ed)?|drop(?:ped)?|fall(?:en)?|decreased?"
    r"|change)(?: in price)? (?:from (?P<other>.+?) to (?P<one>.+)"
    r"|between (?P<that>.+?) and (?P<this>.+))",
    re.IGNORECASE,
)
# "how much did we save by taking the Lion instead of the Grand"
_SAVED = re.compile(
    r"(?P<lead>[^?:]*: )?(?:how much|what) (?:did|do|does|will|would|could|can) \w+ save"
    r" (?:by \w+|if \w+ \w+|with) (?P<one>.+?) (?:instead of|rather than|over)"
    r" (?:\w+ing )?(?P<other>.+)",
    re.IGNORECASE,
)
# "… and why"
_BEHIND = re.compile(r"\b(?:and|but|or) (?:(?:at|by|for|in|on|to|with) )?(?:how|wh\w+)\b", re.I)
_IS_LESS = re.compile(rf"\b(?:{_LESS}|down|drop\w*|fall\w*|decreas\w+)\b", re.IGNORECASE)
_LED = re.compile(r"(?:in|on|at|to|from|for|by|with|during) ", re.IGNORECASE)
_ONE = re.compile(r"\bones?$", re.IGNORECASE)
# "the old" of "under the new policy than the old"
_STATES = r"(?:new|old|current|former|previous|original|revised|first|last|final)"
_STATE = re.compile(rf"(?:under |with |in |on |by |from )?the (?P<state>{_STATES})", re.IGNORECASE)
_OF_STATE = re.compile(rf"\b(?P<state>{_STATES})(?= \w)", re.IGNORECASE)
_PRONOUN = re.compile(r"(?:we|i|they|he|she|it|you)", re.IGNORECASE)
_DIMENSIONS = {
    **dict.fromkeys(("longer", "shorter"), "how long"),
    **dict.fromkeys(("heavier", "lighter"), "how heavy"),
    "taller": "how tall",
}
_WHAT = re.compile(r"(?:what|how much) ", re.IGNORECASE)
_TWO_YEARS = re.compile(r"(?:the )?(?:\d{4}|last|this)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TwoAmounts:
    """A question for the difference of two amounts."""

    questions: tuple[str, str]
    """The question for each amount."""
    is_less: bool | None
    """Whether it takes the first one for the smaller; None: it does not say."""


def difference_of(question: str, today: date) -> TwoAmounts | None:
    """Return the two questions whose answers are subtracted; None of another question."""
    text = " ".join(question.split()).rstrip(" ?.!")
    if len(text) > MOST_CHARACTERS or "?" in text:
        return None
    if found := _DIFFERENCE.fullmatch(text):
        return _of_both(found, f"what {found['noun']}:" if found["noun"] else "how much:", None)
    if _BEHIND.search(text):
        return None
    if found := _SAVED.fullmatch(text):
        return _of_both(found, "how much:", is_less=True)
    if found := _FROM_TO.fullmatch(text):
        is_less = None if found["order"] == "change" else bool(_IS_LESS.search(found["order"]))
        return _of_both(found, f"how much was {found['what']}", is_less)
    match = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if match is None:
        return None
    one, other = (match[name].strip(" ,") for name in ("one", "other"))
    if not (one and other) or _PRONOUN.fullmatch(one):
        return None  # "how much over budget are we": with what?
    order = match["order"].casefold()
    verb = match["verb"] if "verb" in match.groupdict() else ""
    if match.re is _BETWEEN and verb.casefold() in ("did", "does", "do"):
        verb = "was"
    how = _DIMENSIONS.get(order, match["how"].casefold().replace("far", "much"))
    begin = f"{match['lead']}{how}{match['noun']}"
    first = " ".join(filter(None, (begin, verb, one)))
    other = _ONE.sub(lambda _: one.split()[-1], other)
    at = len(begin)
    if match.re is _ORDER_FIRST and " of " in one and len(other.split()) <= MOST_WORDS:
        at, other = first.rindex(" of "), f"of {other}"  # "the rent of shed 4 than shed 2"
    return TwoAmounts((first, _other(first, at, other, today)), bool(_IS_LESS.search(order)))


def _of_both(found: re.Match[str], begin: str, is_less: bool | None) -> TwoAmounts | None:
    """Return what is asked of both in the same words."""
    named = found.groupdict()
    one, other = (
        (named[name] or named.get(else_) or "").strip(" ,")
        for name, else_ in (("one", "this"), ("other", "that"))
    )
    if not (one and other):
        return None
    if _TWO_YEARS.match(one) and not _TWO_YEARS.match(other):
        one = f"{one} {' '.join(other.split()[1:])}"  # "the 2025 and 2026 fees"
    lead = found["lead"] or ""
    return TwoAmounts((f"{lead}{begin} {one}", f"{lead}{begin} {other}"), is_less)


def _other(first: str, at: int, other: str, today: date) -> str:
    """Return the question for the other amount: the first one's, up to `at`, with that.

    "Last year" and "than in June" are the first one's in that time; "the old" is its old one.
    """
    states = list(_OF_STATE.finditer(first))
    if (state := _STATE.fullmatch(other)) and len(states) == 1:
        return f"{first[: states[0].start()]}{state['state']}{first[states[0].end() :]}"
    time, times = _time_of(other, today), find_spans(first, today)
    if time is not None and times:
        return f"{first[: times[-1].start]}{time}{first[times[-1].end :]}"
    if time is not None:
        return f"{first} {other}"
    led = _LED.match(other)
    if led and (end := first.casefold().rfind(f" {led[0].casefold()}")) > at:
        return f"{first[:end]} {other}"
    return f"{first[:at]} {_WHAT.sub('', other, count=1)}"


def _time_of(text: str, today: date) -> str | None:
    """Return the time that a text is, without its preposition; None of any other text."""
    for said in (text, f"in {text}"):
        times = find_spans(said, today)
        if len(times) == 1 and times[0].end == len(said):
            before = said[: times[0].start]
            if not before or _LED.fullmatch(before):
                return said[times[0].start :]
    return None

"""Reads "how much cheaper was A than B?": what each amount is asked by; the program subtracts.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from engine.language.dates import find_spans

MOST_CHARACTERS = 300
_LESS = r"less|fewer|lower|cheaper|smaller|shorter|lighter|below|under|short of"
_MORE = (
    r"more(?: expensive)?|higher|dearer|bigger|larger|longer|heavier|taller|above|over|beyond|up on"
)
_AUXILIARY = (
    r"(?:is|are|was|were|did|does|do|has|have|had|will|would|can|could|should)(?:n['\u2019]t)?"
)
_HOW = r"(?P<lead>[^?:]*?[:,]? ?)\b(?:by )?how (?:much|many)"
# "how much cheaper was the Lion than the Grand", "how much more a day would Kim get than Bo"
_THAN = re.compile(
    rf"{_HOW} (?P<order>{_LESS}|{_MORE})(?P<noun>(?: \w+){{0,2}}?) (?P<verb>{_AUXILIARY})"
    r" (?P<one>.+?) than (?P<other>.+)",
    re.IGNORECASE,
)
# "how much less than we claimed did they pay", "how much over the quote was the bill"
_THAN_FIRST = re.compile(
    rf"{_HOW} (?P<order>{_LESS}|{_MORE})(?P<noun>)(?: than)? (?P<other>.+?) (?P<verb>{_AUXILIARY})"
    r" (?P<one>.+)",
    re.IGNORECASE,
)
# "by how much was the Lion above what we paid"
_ABOVE = re.compile(
    rf"{_HOW}(?P<noun>) (?P<verb>{_AUXILIARY}) (?P<one>.+?)"
    r" (?P<order>above|over|below|under|(?:more|less|higher|lower|dearer|cheaper) than)"
    r" (?P<other>.+)",
    re.IGNORECASE,
)
_FORMS = (_THAN, _THAN_FIRST, _ABOVE)
# "… and why", "…? And when"
_BEHIND = re.compile(r"\?|\b(?:and|but|or) (?:(?:at|by|for|in|on|to|with) )?(?:how|wh\w+)\b", re.I)
_IS_LESS = re.compile(rf"\b(?:{_LESS})\b", re.IGNORECASE)
_WHAT = re.compile(r"(?:what|how much) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Difference:
    """A question for the difference of two amounts."""

    questions: tuple[str, str]
    """The question for each amount."""
    is_less: bool
    """Whether it takes the first one for the smaller."""


def difference_of(question: str, today: date) -> Difference | None:
    """Return the two questions whose answers are subtracted; None of another question."""
    text = " ".join(question.split()).rstrip(" ?.!")
    if len(text) > MOST_CHARACTERS:
        return None
    found = next((match for form in _FORMS if (match := form.fullmatch(text))), None)
    if found is None or _BEHIND.search(text):
        return None
    begin = f"{found['lead']}how much{found['noun']}"
    one, other = (found[name].strip(" ,") for name in ("one", "other"))
    first = f"{begin} {found['verb']} {one}"
    second = _other(begin, first, other, today)
    return Difference((first, second), bool(_IS_LESS.search(found["order"])))


def _other(begin: str, first: str, other: str, today: date) -> str:
    """Return the question for the other amount; "last year" is the first one's in that year."""
    if _is_time(other, today) and (times := find_spans(first, today)):
        time = times[-1]
        return f"{first[: time.start]}{other}{first[time.end :]}"
    return f"{begin} {_WHAT.sub('', other, count=1)}"


def _is_time(text: str, today: date) -> bool:
    times = find_spans(text, today)
    return len(times) == 1 and (times[0].start, times[0].end) == (0, len(text))

"""Says which numbers, dates, times and names of a sentence the passages cited for it do not state.

A sentence may have most of its words from a passage and still get the one thing wrong that was
asked for: "the lease ends on 30 June 2028". What is compared is what is meant, not how it is
written: 1,000 is 1000, two is 2, 14:00 is 2 pm, 2027-06-30 is June 30th, 2027.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.date_words import MONTH, MONTH_NAMES, NUMBERS, ORDINALS, WEEKDAY_NAMES
from engine.prompting import describe
from engine.tokens import FUNCTION_WORDS, words
from engine.values import Passage

_WORDS_FOR_NUMBERS = {word: n for n, word in enumerate(["zero", *NUMBERS, "eleven", "twelve"])} | {
    word: n for n, word in enumerate(ORDINALS, start=1)
}
_NUMBER = re.compile(
    r"(?<![\w.])\d+(?:[.,'\u2019 \u00a0\u202f]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?"
)
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d?)-(\d\d?)(?!\d)")
_NUMERIC = re.compile(r"(?<![\d.])(\d\d?)[./](\d\d?)[./](\d{4}|\d\d)(?!\d)")
_MONTH_LAST = re.compile(
    rf"(?<!\d)(\d\d?)(?:st|nd|rd|th|\.)?(?: of)? {MONTH}(?:,? (\d{{4}}))?\b", re.IGNORECASE
)
_MONTH_FIRST = re.compile(
    rf"\b{MONTH} (\d\d?)(?:st|nd|rd|th)?(?!\d|:)(?:,? (\d{{4}}))?", re.IGNORECASE
)
_MONTH_ALONE = re.compile(rf"\b{MONTH} (\d{{4}})\b", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\d:.])(\d\d?)(?:[:.](\d\d))?(?::\d\d)? ?(a\.?m\b\.?|p\.?m\b\.?|o.clock)"
    r"|(?<![\d:])(\d\d?):(\d\d)(?::\d\d)?(?![\d:])",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<![\w'\u2019-])[A-Z\u00c0-\u00de][\w'\u2019-]*[^\W\d_][\w]*")
_SENTENCE_START = re.compile(r"^\W*\w+")
_NO_NAMES = frozenset(
    [
        *(MONTH_NAMES + WEEKDAY_NAMES),
        *(name[:3] for name in MONTH_NAMES + WEEKDAY_NAMES),
        *("sept", "mr", "mrs", "ms", "dr", "prof", "yes", "no", "not", "am", "pm", "i'm", "euros"),
    ]
)
_STEM = 4
"""Letters that two forms of a name share at least: Berlin's, Lisbon and Lisboa."""


@dataclass(frozen=True, slots=True)
class _Day:
    year: int | None
    month: int
    day: int | None

    def agrees(self, other: _Day) -> bool:
        """Say whether both can be the same day, as far as both say."""
        return (
            self.month == other.month
            and (self.year == other.year or None in (self.year, other.year))
            and (self.day == other.day or None in (self.day, other.day))
        )


def unstated(sentence: str, passages: Sequence[Passage], question: str = "") -> tuple[str, ...]:
    """Return what the sentence names and neither the passages nor the question state, in order.

    A heading that the models were shown, with title, sender and date, counts as the passage's.
    """
    text = "\n".join(f"{describe(passage.item)}\n{passage.text}" for passage in passages)
    known = f"{text}\n{question}"
    lacking = [*_dates(sentence, known), *_times(sentence, known)]
    rest = _blank(sentence, (_ISO, _NUMERIC, _MONTH_LAST, _MONTH_FIRST, _MONTH_ALONE, _TIME))
    lacking += _numbers(rest, known)
    lacking += _names(rest, known)
    return tuple(dict.fromkeys(lacking))


def _blank(text: str, patterns: Iterable[re.Pattern[str]]) -> str:
    for pattern in patterns:
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _dates(sentence: str, known: str) -> Iterator[str]:
    there = [day for _, days in _days(known) for day in days]
    for written, days in _days(sentence):
        if not any(day.agrees(other) for day in days for other in there):
            yield written


def _days(text: str) -> Iterator[tuple[str, list[_Day]]]:
    """Yield each date as written and what it may mean; 3/4/2001 may be April or March."""
    for match in _ISO.finditer(text):
        yield match[0], [_Day(int(match[1]), int(match[2]), int(match[3]))]
    text = _ISO.sub(" ", text)
    for match in _NUMERIC.finditer(text):
        year = int(match[3]) if len(match[3]) == 4 else 2000 + int(match[3])
        one, other = int(match[1]), int(match[2])
        yield match[0], [_Day(year, other, one), _Day(year, one, other)]
    for match in _MONTH_LAST.finditer(text):
        yield match[0], [_Day(_year(match[3]), _month(match[2]), int(match[1]))]
    text = _MONTH_LAST.sub(" ", text)
    for match in _MONTH_FIRST.finditer(text):
        yield match[0], [_Day(_year(match[3]), _month(match[1]), int(match[2]))]
    text = _MONTH_FIRST.sub(" ", text)
    for match in _MONTH_ALONE.finditer(text):
        yield match[0], [_Day(int(match[2]), _month(match[1]), None)]


def _year(written: str | None) -> int | None:
    return int(written) if written else None


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTH_NAMES, 1) if month[:3] == name[:3].lower())


def _times(sentence: str, known: str) -> Iterator[str]:
    there = {time for _, times in _clocks(known) for time in times}
    for written, times in _clocks(sentence):
        if not times & there:
            yield written


def _clocks(text: str) -> Iterator[tuple[str, set[tuple[int, int]]]]:
    """Yield each time as written and what it may mean, in hours of 24; 2:00 may be afternoon."""
    for match in _TIME.finditer(text):
        if match[4] is not None:
            hour, minute = int(match[4]), int(match[5])
            yield match[0], {(hour, minute), (hour + 12, minute)} if hour < 12 else {(hour, minute)}
        else:
            hour, minute, half = int(match[1]), int(match[2] or 0), match[3][0].lower()
            hour = hour % 12 if half in "ap" else hour
            yield match[0], {(hour + 12 * (half == "p"), minute)}


def _numbers(sentence: str, known: str) -> Iterator[str]:
    there = {_value(match[0]) for match in _NUMBER.finditer(known)}
    there |= set(re.findall(r"\d+", known))
    there |= {str(n) for word, n in _WORDS_FOR_NUMBERS.items() if word in set(words(known))}
    run_on = re.sub(r"(?<=\d)\W{1,2}(?=\d)", "", known)  # telephone numbers, accounts
    for match in _NUMBER.finditer(sentence):
        value = _value(match[0])
        if value not in there and not (len(value) > _STEM and value in run_on):
            yield match[0]


def _value(written: str) -> str:
    """Return a number without what sets its thousands apart, and without zeros at its end."""
    whole = re.sub(r"[.,'\u2019 \u00a0\u202f](?=\d{3}(?!\d))", "", written).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


def _names(sentence: str, known: str) -> Iterator[str]:
    """Yield capitalised words within the sentence that do not occur; its first may be no name."""
    there = set(words(known))
    starts = _SENTENCE_START.match(sentence)
    for match in _NAME.finditer(sentence):
        if starts and match.start() < starts.end():
            continue
        missing = [
            part
            for part in words(match[0])
            if part not in there and part not in _NO_NAMES and part not in FUNCTION_WORDS
        ]
        if any(not _has_form(part, there) for part in missing):
            yield match[0]


def _has_form(name: str, there: set[str]) -> bool:
    stem = name[: max(_STEM, len(name) - 2)]
    return len(name) > _STEM and any(word.startswith(stem) for word in there)

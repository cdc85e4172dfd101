"""Reads the numbers of a text with their units, and the codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from engine.checking.marked_text import MarkedText
from engine.checking.meanings import LEAST_OF_NUMBER, Amount, Code, Day, Fact, Meaning, MixedWord
from engine.checking.times import BLANK, hours
from engine.checking.words import CURRENCIES, ORDINALS, PARTS, SCALES, UNITS
from engine.language.numbers import ARTICLES, NUMBERS

LEAST_OF_CODE = 5
"""Fewest digits of a number that may be a code: of an invoice, a customer."""
_FLAGS = re.IGNORECASE
_CHAIN = re.compile(
    r"(?:(?<![\w.,])|(?<=\b[A-Z]{2}))"
    r"(?:\d+(?:[ \u00a0/()-]{1,3}\d+)+(?!\w)|\d\d(?:\.\d\d){4}(?!\d))"
)
_YEARS = re.compile(r"(?:19|20)\d\d\W{1,3}(?:(?:19|20)\d\d|\d\d)")
_THOUSANDS = r"[1-9]\d{0,2}(?:[.,'\u2019 \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?(?!\d)"
_AMOUNT = re.compile(_THOUSANDS)
_SPACED = "A-Za-z\u00c0-\u024f\u0370-\u052f"
"""Letters of scripts that set words apart; a number may follow those of others without a blank."""
_LETTERS = f"[{_SPACED}]+"
_TOKEN = re.compile(
    rf"(?<![\w-]){_LETTERS}[-/]?\d[{_SPACED}\d/-]*[{_SPACED}\d]|(?<![\w-]){_LETTERS}\d\b"
)
_NUMBER = re.compile(
    rf"(?<![{_SPACED}\d_])(?P<number>{_THOUSANDS}|\d+(?:[.,]\d+)?)(?:{BLANK}(?P<part>[½¼¾]))?"
    rf"(?=(?P<gap>{BLANK}-?)(?P<next>km/h|m²|m2\b|[%€$£¥₽円元]|°{BLANK}[cf]?\b|°|{_LETTERS})?"
    rf"(?:{BLANK}(?P<then>US\$|[€$£¥]|{_LETTERS}))?)",
    _FLAGS,
)
_BEFORE = re.compile(
    r"(?P<minus>(?<![\w)])[-\u2212]|\b(?:minus|moins|menos) )?"
    rf"(?P<money>(?:US\$|[€$£¥₹]|\b(?:CHF|EUR|USD|GBP|SFr|Rs)\b\.?){BLANK})?$",
    _FLAGS,
)
_FRACTIONS = {"½": Decimal("0.5"), "¼": Decimal("0.25"), "¾": Decimal("0.75")}
_NEXT_WORD = re.compile(f"[ -]({_LETTERS})")
_BEFORE_HOUR = re.compile(r"\b(?:at|um|gegen|around|until|till|kl\.?|à|alle|las)\s+$", _FLAGS)
_BEFORE_DAY = re.compile(r"\b(?:am|vom|zum|bis|den|dem|le|el|il)\s+$", _FLAGS)
_ENGLISH_ORDINALS = ("st", "nd", "rd", "th")


def codes(text: MarkedText) -> Iterator[Fact]:
    """Yield groups of digits that are one number of a telephone, or of an account: DE44 5001 …"""
    for match in text.at_digits(_CHAIN):
        digits = re.sub(r"\D", "", match[0])
        if len(digits) >= LEAST_OF_NUMBER and not _YEARS.fullmatch(match[0]):
            amount = _AMOUNT.fullmatch(match[0])
            start = match.start()
            start -= 2 * text.text[max(0, start - 1) : start].isalpha()  # the country's letters
            yield Fact(start, match.end(), [Code(digits)], claimed=not amount)


def tokens(text: MarkedText) -> Iterator[Fact]:
    """Yield words of letters and digits."""
    before = (text.text[start - 1 : start] for start in text.digits)
    if not any(char.isalpha() or char in ("-", "/") for char in before):
        return
    for match in _TOKEN.finditer(text.text):
        digits = re.sub(r"\D", "", match[0])
        code = [Code(digits)] if len(digits) >= LEAST_OF_CODE else []
        yield Fact(match.start(), match.end(), [MixedWord(match[0].casefold()), *code])


def numbers(text: MarkedText) -> Iterator[Fact]:
    """Yield numbers in digits, with their sign, scale, and unit or currency."""
    for match in text.at_digits(_NUMBER):
        yield _number(text.text, match)


def _number(text: str, match: re.Match[str]) -> Fact:
    written, after, then = match["number"], match["next"] or "", match["then"] or ""
    before = _BEFORE.search(text, max(0, match.start() - 10), match.start())
    minus, money = (before["minus"], before["money"] or "") if before else (None, "")
    money = CURRENCIES.get(money.strip(" .\u00a0\u202f").casefold(), "")
    scale, unit, used = _scale_and_unit(after, then, money, glued=not match["gap"])
    if after and not (used or match["gap"]) and after.casefold() not in _ENGLISH_ORDINALS:
        whole = text[match.start() : match.end("next")]  # 4b, 2x
        return Fact(match.start(), match.end("next"), [MixedWord(whole.casefold())])
    value = _value(written, scaled=scale > 1) * scale + _FRACTIONS.get(match["part"], Decimal(0))
    meanings = in_parts(-value if minus else value, money or unit)
    if not (money or unit or scale > 1 or match["part"]):
        meanings += _also(text, match.start(), written, after)
    elif unit == "hour" and len(written) <= 2 and not match["part"]:
        meanings += hours(int(written))
    start = before.start() if before and money else match.start()
    return Fact(start, match.end(used) if used else match.end(), meanings)


def in_parts(value: Decimal, unit: str) -> list[Meaning]:
    """Return an amount, and the same in smaller units: two weeks are 14 days."""
    found: list[Meaning] = [Amount(value, unit)]
    if unit in PARTS:
        smaller, many = PARTS[unit]
        found += in_parts(value * many, smaller)
    return found


def _scale_and_unit(after: str, then: str, money: str, *, glued: bool) -> tuple[int, str, str]:
    """Return the factor, the unit, and the last group of the match that they take up."""
    first, second = after.casefold(), then.casefold()
    is_million = first == "m" and (money or second in CURRENCIES)
    if is_million or (first in SCALES and (first != "k" or glued)):
        scale = 10**6 if is_million else SCALES[first]
        return (scale, UNITS[second], "then") if second in UNITS else (scale, "", "next")
    if second in ("cent", "ciento", "cento") and first in ("per", "pour", "por"):
        return 1, "percent", "then"
    if first.startswith("°"):
        return 1, "degree", "next"
    return (1, UNITS[first], "next") if first in UNITS else (1, "", "")


def _also(text: str, start: int, written: str, after: str) -> Iterator[Meaning]:
    """Yield what a bare number may be besides: a time, a day of the month, a year, a code."""
    if dotted := re.fullmatch(r"(\d\d?)\.(\d\d)", written):
        yield from hours(int(dotted[1]), int(dotted[2]), sure=written.startswith("0"))
    if not written.isdecimal():
        return
    before = text[max(0, start - 12) : start]
    if len(written) <= 2 and _BEFORE_HOUR.search(before):
        yield from hours(int(written), sure=written.startswith("0"))
    is_day = after.casefold() in _ENGLISH_ORDINALS or _BEFORE_DAY.search(before)
    if len(written) <= 2 and is_day:
        yield Day(None, None, int(written))
    if re.fullmatch(r"(?:1\d|20)\d\d", written):
        yield Day(int(written))
    if len(written) >= LEAST_OF_CODE:
        yield Code(written)


def _value(written: str, *, scaled: bool) -> Decimal:
    """Return a number. A mark before three digits separates thousands, but not in 1.234 million.

    The last of two different marks is the decimal one: 1.250,50 is 1250.5.
    """
    if not scaled and _AMOUNT.fullmatch(written):
        written = re.sub(r"[.,'\u2019 \u00a0\u202f](?=\d{3}(?!\d))", "", written)
    return Decimal(re.sub(r"['\u2019 \u00a0\u202f]", "", written).replace(",", "."))


def numbers_in_words(text: MarkedText) -> Iterator[Fact]:
    """Yield numbers in words; an article is one only as a source, and "a" before a unit only."""
    for start, end, word in text.these(NUMBERS.keys() | {"a", "an"}):
        match = _NEXT_WORD.match(text.text, end)
        following = match[1].casefold() if match else ""
        unit, scale = UNITS.get(following, ""), SCALES.get(following, 1)
        if unit or word in NUMBERS:
            value = Decimal(NUMBERS.get(word, 1) * scale)
            whole = match.end() if match and (unit or scale > 1) else end
            yield Fact(start, whole, in_parts(value, unit), claimed=word not in ARTICLES)
    for start, end, word in text.these(ORDINALS):
        yield Fact(start, end, [Amount(Decimal(ORDINALS[word]))], claimed=False)

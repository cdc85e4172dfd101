"""Amounts with their units: read from text, summed unit by unit, never across."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "US$": "USD"}
"""A sign that several currencies share is taken for the best known."""
CODES = frozenset(
    {"USD", "EUR", "GBP", "JPY", "INR", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "AUD"}
    | {"CAD", "NZD", "CNY", "HKD", "SGD", "ZAR", "BRL", "MXN", "TRY", "ILS", "KRW"}
)
WORDS = {
    "euro": "EUR",
    "euros": "EUR",
    "dollar": "USD",
    "dollars": "USD",
    "pound": "GBP",
    "pounds": "GBP",
    "percent": "%",
    "minute": "min",
    "minutes": "min",
    "mins": "min",
    "hour": "h",
    "hours": "h",
    "hrs": "h",
    "day": "days",
    "kilometres": "km",
    "kilometers": "km",
    "miles": "mi",
}
_SIGN = r"US\$|[$€£¥₹]"
_UNIT = "|".join(sorted({*CODES, *WORDS, "%", "kg", "km", "min", "h", "days", "kWh", "GB", "MB"}))
# "1,234.50", "12", "0,5"
_NUMBER = r"\d{1,3}(?:[.,'\u2009\u00a0]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d+)?"
# "US$ 12.50", "-3 km", "12 EUR"
AMOUNT = re.compile(
    rf"(?<![\w.,/:-])(?P<minus>[-\u2212])?"
    rf"(?:(?P<sign>{_SIGN}|\b(?:{'|'.join(sorted(CODES))})) ?)?(?P<later>[-\u2212])?"
    rf"(?P<number>{_NUMBER})(?: ?(?P<unit>{_SIGN}|(?:{_UNIT})(?!\w)))?(?![\w/:-]|[.,]\d)"
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number and what it counts."""

    amount: Decimal
    unit: str
    """"EUR", "km", "%" or empty."""

    def __str__(self) -> str:
        """Return `1,234.50 EUR`."""
        return f"{shown(self.amount)} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class FoundAmount:
    """An amount in a text."""

    quantity: Quantity
    start: int
    end: int


def shown(number: Decimal) -> str:
    """Return a number without needless digits; money keeps its two."""
    exact = number.normalize()
    if exact == exact.to_integral_value():
        exact = number.quantize(Decimal(1)) if number.as_tuple().exponent != -2 else number
    else:
        exact = number if number.as_tuple().exponent == -2 else exact
    return f"{exact:,f}"


def amounts(text: str) -> Iterator[FoundAmount]:
    """Yield the amounts in a text, in order."""
    for match in AMOUNT.finditer(text):
        yield FoundAmount(_quantity(match), match.start(), match.end())


def _quantity(match: re.Match[str]) -> Quantity:
    number = _decimal(match["number"])
    if match["minus"] or match["later"]:
        number = -number
    unit = match["sign"] or match["unit"] or ""
    return Quantity(number, SIGNS.get(unit) or WORDS.get(unit) or unit)


def _decimal(written: str) -> Decimal:
    """Return the number; the last mark is decimal unless just three digits follow it.

    1,234 and 1.234 are thousands, 1,23 and 1.23 are not, 0.125 is not.
    """
    plain = re.sub(r"['\u2009\u00a0]", "", written)
    marks = re.findall(r"[.,]", plain)
    if not marks:
        return Decimal(plain)
    whole, _, rest = plain.rpartition(marks[-1])
    thousands = len(rest) == 3 and not whole.startswith("0") and len(set(marks)) == 1
    digits = re.sub(r"[.,]", "", whole)
    return Decimal(digits + rest) if thousands else Decimal(f"{digits}.{rest}")


def by_unit(quantities: Iterable[Quantity]) -> dict[str, list[Decimal]]:
    """Return the numbers of each unit, in order of first use."""
    found: defaultdict[str, list[Decimal]] = defaultdict(list)
    for quantity in quantities:
        found[quantity.unit].append(quantity.amount)
    return dict(found)


def mean(numbers: list[Decimal]) -> Decimal:
    """Return the average to two decimals."""
    return (sum(numbers, Decimal(0)) / len(numbers)).quantize(Decimal("0.01"))

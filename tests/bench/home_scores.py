"""Whether an answer over a person's files is right, by the strings that a right one has."""

from __future__ import annotations

import re
from collections.abc import Sequence

PHONE = 7
"""Digits from which a number may be one of a telephone, with its country's before it."""
_MARKER = re.compile(r"\[\d+\]")
_THOUSANDS = re.compile(r"(?<=\d)[ ,\u00a0\u202f](?=\d{3})")


def plain_text(text: str) -> str:
    """Return a text without case, markers and marks between thousands."""
    return _THOUSANDS.sub("", " ".join(_MARKER.sub("", text).casefold().split()))


def is_right(text: str, answers: Sequence[str | list[str]]) -> bool:
    """Say whether a text has one of the answers; how a number was computed is none of it."""
    return any(_has(plain_text(text.split("\n(")[0]), one) for one in answers)


def _has(text: str, wanted: str | list[str]) -> bool:
    if isinstance(wanted, list):
        return all(plain_text(one) in text for one in wanted)
    sought = plain_text(wanted)
    if sought in ("yes", "no"):
        return re.match(rf"\W*{sought}\b", text) is not None
    if re.fullmatch(r"\d+(?:\.\d+)?", sought):
        whole, _, decimals = sought.partition(".")
        if len(whole) >= PHONE and not decimals:
            return re.search(rf"(?<![\d.])(?:\+\d{{1,3}})?{whole}(?!\.?\d)", text) is not None
        decimals = decimals.rstrip("0")
        rest = rf"\.{decimals}0*" if decimals else r"(?:\.0+)?"
        return re.search(rf"(?<![\d.]){whole}{rest}(?!\.?\d)", text) is not None
    return sought in text

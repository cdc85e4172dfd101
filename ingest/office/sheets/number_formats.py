"""Numbers of spreadsheets as a person sees them, by the format of their cell.

Dates become 2026-11-17, whatever order of day and month the format has, percentages 12.5%; decimals
and currencies are kept. Thousands are not set apart: separators differ between countries, and who
looks for 1234 would not find 1,234.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import lru_cache

Form = Callable[[str], str]
"""Turns a number of the file into text."""

_BUILT_IN = {
    **dict(zip((1, 2, 3, 4, 9, 10), ("0", "0.00", "0", "0.00", "0%", "0.00%"), strict=True)),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)), "y-m-d"),
    **dict.fromkeys((18, 19, 20, 21, 32, 33), "h:mm:ss"),
    **dict(zip((22, 37, 38, 39, 40), ("y-m-d h:mm", "0", "0", "0.00", "0.00"), strict=True)),
    **dict.fromkeys((45, 46, 47), "[h]:mm:ss"),
}
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|[_*].')
_CURRENCY = re.compile(r"\[\$([^\]-]*)[^\]]*\]")
_ELAPSED = re.compile(r"\[[hms]+\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]")
_PLACES = re.compile(r"([^#0?]*)[#0?,]+(?:\.([0?#]*))?(%?)([^#0?]*)")
_SYMBOL = re.compile(r"[^\w\s.,;:()/#?+%@-]|\b[A-Z]{3}\b|\bkr\b")
_DIGITS = 15
_LATEST = 2_958_466
"""Day number of 10000-01-01."""


def form_of(code: str | int, *, from_1904: bool = False) -> Form:
    """Return how numbers are shown by a format: its code, or the number of a built-in one."""
    if isinstance(code, int):
        code = _BUILT_IN.get(code, "")
    section = code.split(";")[0][:200]
    symbols = _CURRENCY.sub(lambda match: f'"{match[1]}"', section)
    bare = _LITERAL.sub("", _CURRENCY.sub("", section))
    if _ELAPSED.search(bare):
        return _elapsed
    bare = _BRACKETS.sub("", bare).lower().replace("general", "")
    if re.search(r"[ymdhs]", bare):
        return _moments("y" in bare or "d" in bare or not re.search("[hs]", bare), bare, from_1904)
    return _figures(_BRACKETS.sub("", symbols)) if re.search("[0#?]", bare) else general


def general(raw: str) -> str:
    """Return a number as it is, without the digits that only binary fractions add."""
    if raw.isdecimal():
        return raw
    if len(raw) < _DIGITS and raw[-1:] != "0" and "E" not in raw and "e" not in raw:
        return raw
    try:
        return f"{float(raw):.15g}"
    except ValueError:
        return raw


def _moments(is_dated: bool, bare: str, from_1904: bool) -> Form:
    is_timed = re.search("[hs]", bare) is not None
    epoch = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)

    @lru_cache(4096)
    def shown(raw: str) -> str:
        try:
            number = float(raw)
        except ValueError:
            return raw
        if not 0 <= number < _LATEST:
            return general(raw)
        # Excel has a 29 February 1900, before which its days are off by one.
        number += number < 60 and not from_1904 and is_dated
        moment = epoch + timedelta(seconds=round(number * 86_400))
        if not is_timed:
            return moment.strftime("%Y-%m-%d")
        seconds = ":%S" if moment.second else ""
        return moment.strftime(("%Y-%m-%d " if is_dated else "") + f"%H:%M{seconds}")

    return shown


def _elapsed(raw: str) -> str:
    try:
        return elapsed(float(raw) * 86_400)
    except (ValueError, OverflowError):
        return raw


def elapsed(time: float) -> str:
    """Return a number of seconds as hours, minutes and seconds."""
    sign, seconds = ("-", round(-time)) if time < 0 else ("", round(time))
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _figures(section: str) -> Form:
    plain = _LITERAL.sub(lambda match: match[1] or match[2] or "", section)
    places = _PLACES.search(plain)
    if places is None or "e+" in plain.lower() or "/" in plain:
        return general
    decimals = len(places[2] or "")
    optional = bool(places[2]) and "0" not in places[2]
    is_percent = "%" in plain
    before, after = (
        "".join(_SYMBOL.findall(text or "")) for text in (places[1], f" {places[4] or ''}")
    )

    def shown(raw: str) -> str:
        try:
            number = float(raw) * (100 if is_percent else 1)
        except ValueError:
            return raw
        digits = f"{number:.{decimals}f}" if abs(number) < 1e15 else f"{number:.15g}"
        if optional:
            digits = digits.rstrip("0").rstrip(".")
        digits = f"{digits}%" if is_percent else digits
        return f"{before}{digits}{f' {after}' if after else ''}"

    return shown

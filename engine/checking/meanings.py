"""What a date, time, number or code may mean, and which other meanings confirm it.

"3/4/2001" is a day of April or of March, "2:30" before or after noon, "3.5." a day or a number.
Meanings are compared, not spellings: 1,000 is 1000, two is 2, 14:00 is 2 pm, 2027-06-30 is June
30th, 2027. `facts` finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the calendar, as far as the text gives it."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    def borne_out(self, other: Day) -> bool:
        """Say whether a source that says `other` says this; its year it may leave open."""
        open_year = other.year is None and self.month is not None
        return (
            self.month in (None, other.month)
            and self.day in (None, other.day)
            and (self.year in (None, other.year) or open_year)
        )


@dataclass(frozen=True, slots=True)
class Weekday:
    """A day of the week, 0 (Monday) to 6."""

    number: int

    def borne_out(self, other: Weekday) -> bool:
        """Say whether both are the same."""
        return self == other


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day."""

    hour: int
    minute: int

    def borne_out(self, other: ClockTime) -> bool:
        """Say whether both are the same."""
        return self == other


@dataclass(frozen=True, slots=True)
class Amount:
    """A number, with what it counts where that is a known unit or currency."""

    value: Decimal
    unit: str = ""

    def borne_out(self, other: Amount) -> bool:
        """Say whether a source that says `other` says this.

        It may leave the unit open, and write an amount that was paid with a minus; degrees below
        zero are none above.
        """
        same = self.value == other.value or (
            self.value == -other.value
            and self.value > 0
            and "degree" not in (self.unit, other.unit)
        )
        return same and (self.unit == other.unit or not (self.unit and other.unit))


@dataclass(frozen=True, slots=True)
class Code:
    """Digits that are a name: of a telephone, an account, an invoice."""

    digits: str

    def borne_out(self, other: Code) -> bool:
        """Say whether both are the same, one perhaps without the country's or the town's code."""
        if self.digits == other.digits:
            return True
        short, long = sorted((self.digits, other.digits), key=len)
        short = short.lstrip("0")
        whole = len(short) >= LEAST_OF_NUMBER and len(long) - len(short) <= MOST_BEFORE_NUMBER
        return whole and long.endswith(short)


@dataclass(frozen=True, slots=True)
class MixedWord:
    """A word with digits and letters, folded: 4b, Q3, X4471902."""

    text: str

    def borne_out(self, other: MixedWord) -> bool:
        """Say whether both are the same."""
        return self == other


Meaning = Day | Weekday | ClockTime | Amount | Code | MixedWord
LEAST_OF_NUMBER, MOST_BEFORE_NUMBER = 7, 5
"""Fewest digits of a telephone number, and most digits of the codes before it."""


@dataclass(slots=True)
class Fact:
    """One date, time, number or code where it is written."""

    start: int
    end: int
    meanings: list[Meaning] = field(default_factory=list)
    claimed: bool = True
    """False for words that are mostly something else ("one", "a"): they confirm others, and claim
    nothing."""


def borne_out(said: Meaning, other: Meaning) -> bool:
    """Say whether a source that means `other` bears out what is said."""
    return type(said) is type(other) and said.borne_out(other)  # type: ignore[arg-type]

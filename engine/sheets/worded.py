"""A question in the words that tables are asked in: what is a name in them is no day, and so on.

"Monday Men" is a league where a cell says so, "for August" is a month where no cell has that name,
and "as of today" says nothing of what is open. The comment above a pattern quotes phrases that it
matches.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.language.date_words import MONTH, MONTH_NAMES, WEEKDAY_NAMES
from engine.sheets.offered import holds
from engine.sheets.posed import DENIES
from engine.sheets.rows import NamedTable, stems_of

# "Monday Men", "Tuesday ladies"
_NAMED = re.compile(rf"\b({'|'.join((*WEEKDAY_NAMES, *MONTH_NAMES))}) ([^\W\d_]{{2,}})", re.I)
# "total for August", "spent for may"
_FOR_MONTH = re.compile(
    r"\bfor (march|april|may|june|august)(?=\W*$| (?:and|so|this|last|20)\b)", re.I
)
# ", as of today"
_AS_OF_NOW = re.compile(r",? ?\bas (?:of|at|on) (?:now|today)\b", re.IGNORECASE)
# "by the end of December", "before the end of May"
_BY_END = re.compile(rf"\b(?:by|before) (?:the )?end of (?={MONTH}\b)", re.IGNORECASE)
# "not paid back to me"
_PAID_BACK = re.compile(r"\b(pa(?:y|id)) back\b", re.IGNORECASE)
# "(incl. already expired)"
_ALREADY = re.compile(
    r"\(?\b(?:incl(?:\.|uding)?|with) (?:those |what is )?already expired\)?", re.I
)


def as_tables_say(question: str, tables: Sequence[NamedTable]) -> str:
    """Return a question whose days are days in the tables too."""
    # What is open is so today; what was paid by today has rows until then.
    by_now = "" if DENIES.search(question) else " until today"
    plain = _AS_OF_NOW.sub(by_now, _PAID_BACK.sub(r"\1", question))
    plain = _BY_END.sub("until ", _ALREADY.sub("", plain))

    def joined(match: re.Match[str]) -> str:
        phrase = stems_of(match[0])
        is_name = any(holds(cell, phrase) for one in tables for cell in one.whole)
        return f"{match[1]}-{match[2]}" if is_name else match[0]

    def dated(match: re.Match[str]) -> str:
        name = stems_of(match[1])
        is_name = any(name in one.whole for one in tables)
        return match[0] if is_name else f"in {match[1].title()}"

    return _FOR_MONTH.sub(dated, _NAMED.sub(joined, plain))

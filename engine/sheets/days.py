"""The rows of a table that the days of a question choose; of what is overdue those of the past."""

from __future__ import annotations

import re
from datetime import date, timedelta

from engine.language.dates import parse_span
from engine.language.days import Closed, Span, month
from engine.sheets.chosen import is_total, rows_of_days, shown_days
from engine.sheets.columns import column_of_days
from engine.sheets.posed import OVERDUE, Posed
from engine.sheets.rows import NamedTable, stems_of

_YEAR = re.compile(r"(?:19|20)\d\d")


def rows_meant(asked: Posed, table: NamedTable, today: date) -> tuple[list[int], str] | None:
    """Return the rows that may be meant, and what chose them, for people.

    None where the table has no column of days, or months of which a part is meant. All count where
    the table is of the days that are asked about, or none are.
    """
    rows, overdue = _overdue(asked, table, today)
    if asked.days is None or is_of_days(table, asked.days):
        return rows, overdue
    column = column_of_days(table, stems_of(asked.text), today)
    held = None if column is None else rows_of_days(table, rows, column, asked.days, today)
    if held is None:
        return None
    rows, undated = held
    left_out = f"; left out, without a day: {table.counted(undated)}" if undated else ""
    days = f"{column} is {shown_days(asked.days)}{left_out}"
    return rows, " and ".join(filter(None, (overdue, days)))


def _overdue(asked: Posed, table: NamedTable, today: date) -> tuple[list[int], str]:
    """Return the rows, of what is overdue those of the past, and what chose them.

    Totals are no rows. Without a column of the days on which something is due all count.
    """
    rows = [i for i, cells in enumerate(table.stems) if not is_total(cells)]
    due = [one for one in table.columns if "due" in stems_of(one)]
    if not OVERDUE.search(asked.text) or len(due) != 1:
        return rows, ""
    until = Span(None, today - timedelta(days=1))
    column = column_of_days(table, ("due",), today)
    held = rows_of_days(table, rows, column, until, today) if column == due[0] else None
    return (rows, "") if held is None else (held[0], f"{column} is {shown_days(until)}")


def is_of_days(table: NamedTable, days: Span) -> bool:
    """Say whether a table is named by the year or month that is asked about: all rows are of it."""
    first, last = days.first, days.last
    if first is None or last is None:
        return False
    if (first, last) == (date(first.year, 1, 1), date(first.year, 12, 31)):
        return {str(first.year)} == {one for one in table.called if _YEAR.fullmatch(one)}
    is_month = Closed(first, last) == month(first)
    return is_month and not table.called.isdisjoint(stems_of(f"{first:%B %b}"))


def is_of_months(table: NamedTable, days: Span) -> bool:
    """Say whether the sheet of a table is named by the months that are asked about: "Jul-Sep"."""
    sheet, last = table.item.locator.sheet, days.last
    if not sheet or last is None:
        return False
    return parse_span(sheet.replace("-", " to "), last) == days

"""What a model may ask of the rows of one table: a line of SQL that names columns by short names.

    count(*) from t where paid is null
    name from t where paid is null and kind = 'junior'
    driver from t group by driver order by sum(miles) desc limit 1

Every line that the grammar allows can be run: its columns exist, its words are those of cells that
the question shares, its numbers are the question's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Operation = Literal["count", "distinct", "sum", "avg", "max", "min", "list"]
Operator = Literal["=", "!=", "like", "not like", "is null", "is not null", ">", "<", ">=", "<="]
Form = Literal["counted", "summed", "averaged", "ended", "listed", "foremost"]
"""What a question asks for: a count, a sum, an average, the largest or smallest number, a list,
or what has the most or least of something."""

MOST_CONDITIONS = 3
_SHORT = re.compile(r"[^a-z0-9]+")
_LINE = re.compile(
    r"(?P<chosen>.+?) FROM t(?: WHERE (?P<where>.+?))?(?: GROUP BY (?P<by>\w+))?"
    r"(?: ORDER BY (?P<order>\S+) (?P<way>DESC|ASC) LIMIT 1)?"
)
_AND = re.compile(r" AND (?=\w+ (?:IS|NOT LIKE|LIKE|!=|[<>]=?|=) )")
_CONDITION = re.compile(
    r"(?P<column>\w+) (?P<operator>IS NULL|IS NOT NULL|NOT LIKE|LIKE|!=|>=|<=|=|>|<)"
    r"(?: (?P<value>.+))?"
)
_MEASURED = re.compile(r"(?P<distinct>COUNT\(DISTINCT )?(?:(?P<how>[A-Z]+)\()?(?P<column>\w+)\)?")
_COUNTED = "COUNT(*)"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a cell of a row must be."""

    column: str
    operator: Operator
    value: str = ""

    @property
    def is_denial(self) -> bool:
        """Whether it keeps the rows that lack something."""
        return self.operator in ("is null", "!=", "not like")

    def __str__(self) -> str:
        """Return `Paid is empty`, `Miles > 100`."""
        if self.operator in ("is null", "is not null"):
            return f"{self.column} is {'empty' if self.operator == 'is null' else 'not empty'}"
        how = {"=": "is", "!=": "is not", "like": "has", "not like": "does not have"}.get(
            self.operator, self.operator
        )
        return f'{self.column} {how} "{self.value}"'


@dataclass(frozen=True, slots=True)
class RowsQuery:
    """What is asked of the rows of a table. Columns have their own names."""

    operation: Operation
    column: str | None
    """The column that is measured or listed; None: rows are counted."""
    conditions: tuple[Condition, ...] = ()
    by: str | None = None
    """The column whose values are groups."""
    ordered: tuple[Operation, str | None] | None = None
    """By what the one row or group is chosen: a measure of a column, or the number of rows."""
    largest: bool = True
    single: bool = False
    """Whether one row is meant, and not all rows of a value: "the biggest single payment"."""

    @property
    def measured(self) -> str | None:
        """The column of numbers that is added, averaged or compared."""
        if self.ordered is not None:
            return self.ordered[1]
        return None if self.operation in ("list", "distinct") else self.column

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that have a part in it."""
        ordered = self.ordered[1] if self.ordered else None
        named = (self.column, self.by, ordered, *(one.column for one in self.conditions))
        return tuple(dict.fromkeys(one for one in named if one))


@dataclass(frozen=True)
class Shape:
    """What may be asked of one table."""

    names: Mapping[str, str]
    """From the short name of each column to its own, in order."""
    numbers: tuple[str, ...]
    """Short names of the columns of numbers."""
    cells: Mapping[str, tuple[str, ...]]
    """By the short name of a column: the whole cells that a condition may name."""
    words: Mapping[str, tuple[str, ...]]
    """By the same: words that some of its cells have, and the question."""
    said: tuple[str, ...]
    """The numbers of the question."""
    empty: tuple[str, ...] = ()
    """Short names of columns of which a condition may say that a cell is empty."""
    filled: tuple[str, ...] = ()
    """The same of cells that are not."""
    listed: tuple[str, ...] = ()
    """The same of columns that may be listed; empty: all."""
    denies: bool = False
    """Whether a condition may say that a cell does not have a word."""

    def grammar(self, form: Form) -> str:
        """Return the lines that a form may have, in llama.cpp's notation."""
        ranked = ' " GROUP BY " column " ORDER BY " size order'
        ended = ' " ORDER BY " number order'
        column = "column " + '" FROM t" where?'
        forms: Mapping[Form, str] = {
            "counted": '("COUNT(*)" | "COUNT(DISTINCT " column ")"{sum}) " FROM t" where?',
            "summed": '"SUM(" number ")" " FROM t" where?',
            "averaged": '"AVG(" number ")" " FROM t" where?',
            "ended": '("MAX" | "MIN") "(" number ")" " FROM t" where?',
            "listed": column,
            "foremost": f"{column} ({ranked} | {ended})" if self.numbers else column + ranked,
        }
        total = ' | "SUM(" number ")"' if self.numbers else ""
        size = f'"COUNT(*)" | {total[3:]}' if total else '"COUNT(*)"'
        conditions = list(self._conditions())
        where = f'" WHERE " condition (" AND " condition){{0,{MOST_CONDITIONS - 1}}}'
        lines = [
            f'root ::= " " {forms[form].format(sum=total)}',
            f"column ::= {_either(self.listed or self.names)}",
            "where ::= " + (where if conditions else '""'),
            *([f"condition ::= {' | '.join(conditions)}"] if conditions else []),
        ]
        if self.numbers:
            lines.append(f"number ::= {_either(self.numbers)}")
        if form == "foremost":
            lines += [f"size ::= {size}", 'order ::= (" DESC" | " ASC") " LIMIT 1"']
        return "\n".join(lines)

    def _conditions(self) -> Iterator[str]:
        if self.empty:
            yield f'({_either(self.empty)}) " IS NULL"'
        if self.filled:
            yield f'({_either(self.filled)}) " IS NOT NULL"'
        for short, cells in self.cells.items():
            if cells:
                yield f'"{short}" (" = " | " != ") ({_either(map(_quoted, cells))})'
        for short, words in self.words.items():
            if words:
                like = f'"{short} " ("LIKE " | "NOT LIKE ")' if self.denies else f'"{short} LIKE "'
                yield f"{like} ({_either(_quoted(f'%{one}%') for one in words)})"
        if self.numbers and self.said:
            yield f'number (" > " | " < " | " >= " | " <= " | " = ") ({_either(self.said)})'

    def parsed(self, line: str) -> RowsQuery | None:
        """Return the query that a line of the grammar writes; None of one that was cut off."""
        match = _LINE.fullmatch(line.strip())
        if match is None:
            return None
        conditions = [self._condition(one) for one in _AND.split(match["where"] or "") if one]
        kept = tuple(one for one in conditions if one is not None)
        if len(kept) < len(conditions):
            return None
        operation, column = self._measured(match["chosen"])
        ordered = self._measured(match["order"]) if match["order"] else None
        by = self.names[match["by"]] if match["by"] else None
        return RowsQuery(operation, column, kept, by, ordered, match["way"] != "ASC")

    def _measured(self, said: str) -> tuple[Operation, str | None]:
        match = _MEASURED.fullmatch(said)
        if said == _COUNTED or match is None:
            return "count", None
        column = self.names[match["column"]]
        if match["distinct"]:
            return "distinct", column
        named = (match["how"] or "list").casefold()
        return next(one for one in get_args(Operation) if one == named), column

    def _condition(self, said: str) -> Condition | None:
        match = _CONDITION.fullmatch(said)
        if match is None or match["column"] not in self.names:
            return None
        value = match["value"] or ""
        if value.startswith("'"):
            value = value[1:-1].replace("''", "'").strip("%")
        named = match["operator"].casefold()
        operator = next(one for one in get_args(Operator) if one == named)
        return Condition(self.names[match["column"]], operator, value)


def short_names(columns: Sequence[str]) -> dict[str, str]:
    """Return names for columns that SQL takes without quotation marks, none twice."""
    found: dict[str, str] = {}
    for number, name in enumerate(columns, start=1):
        short = _SHORT.sub("_", name.casefold()).strip("_") or f"column_{number}"
        short = f"c_{short}" if short[0].isdigit() else short
        found[f"{short}_{number}" if short in found else short] = name
    return found


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _either(words: Iterable[str]) -> str:
    escaped = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
    return " | ".join(f'"{word}"' for word in escaped)

"""The steps of an answer from the rows of one table: counted, added, or asked by a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain, islice

from engine.events import Steps
from engine.generation.draft import Draft
from engine.retrieval.recall import best_first
from engine.sheets.asked import RowsAsked, rows_asked
from engine.sheets.computed import RowsComputed, computed, draft_of, with_person
from engine.sheets.levels import level, level_asked
from engine.sheets.likely import LAST_RANK, lacks, likely, likely_query
from engine.sheets.months import as_asked
from engine.sheets.overrun import overrun, overrun_asked
from engine.sheets.people import by_last_name, by_own_name
from engine.sheets.posed import Posed, posed, posed_loosely
from engine.sheets.proposal import candidate, computed_by, query_by
from engine.sheets.query import Form
from engine.sheets.rows import NamedTable, tables_of
from engine.sheets.worded import as_tables_say
from engine.stages import staged
from engine.toolbox.steps import Toolbox
from ingest.item import Item

MOST_LIKELY = 2
"""Tables that a model is asked of, where none accounts for all words."""


@dataclass(frozen=True)
class SheetRows:
    """The tables of what was read, and what one question makes of their rows."""

    tools: Toolbox
    items: Sequence[Item]

    @cached_property
    def tables(self) -> list[NamedTable]:
        """The tables of all items."""
        return list(tables_of(self.items))

    def computed(self) -> Steps[Draft | None]:
        """Return what rows answer: by the question's words alone, else as a model asks; or None.

        Where none answers, whoever is called by the first name is looked for by the last one, and
        "I" by the person's own.
        """
        text, today = self._text, self.tools.settings.today
        if (over := overrun_asked(text)) is not None:
            return overrun(over, self.tables)
        if (limit := level_asked(text)) and (below := level(limit, self.tables)) is not None:
            return below
        if rows_asked(text, today) is None and posed(text, today) is None:
            return None
        found = yield from self._accounted(text, self.tables)
        others = chain(
            by_last_name(text, self.items, self.tables),
            by_own_name(text, self.items, self.tables, self._own),
        )
        for other in others if found is None else ():
            found = yield from self._accounted(other.text, other.tables)
            if found is not None:
                return with_person(found, other.name)
        return found

    def likely(self) -> Steps[Draft | None]:
        """Return what the table answers that has most of the words, told what it lacks; or None.

        For questions that no table accounts for whole: `computed` comes first.
        """
        tools, today = self.tools, self.tools.settings.today
        asked = posed_loosely(self._text, today)
        if asked is None or not self.tables:
            return None
        scores = yield from tools.recall()
        ranks: dict[int, int] = {}
        for rank, number in enumerate(best_first(scores)[:LAST_RANK], start=1):
            ranks.setdefault(id(tools.corpus.passages[int(number)].item), rank)
        found = yield from staged("write", tools.timings, _likely(tools, asked, self.tables, ranks))
        if found is not None:
            return found
        for one in by_own_name(self._text, self.items, self.tables, self._own):
            asked = posed_loosely(one.text, today)
            if asked is not None:
                steps = _likely(tools, asked, one.tables, ranks)
                found = yield from staged("write", tools.timings, steps)
                if found is not None:
                    return with_person(found, one.name)
        return None

    @cached_property
    def _text(self) -> str:
        """The question in the words of the tables."""
        return as_tables_say(self.tools.query.text, self.tables)

    @property
    def _own(self) -> frozenset[str]:
        """The person's addresses, case-folded."""
        addresses = self.tools.settings.own or self.tools.query.own_seen
        return frozenset(one.casefold() for one in addresses)

    def _accounted(self, text: str, tables: Sequence[NamedTable]) -> Steps[Draft | None]:
        tools, today = self.tools, self.tools.settings.today
        if (asked := rows_asked(text, today)) is not None:
            form: Form = "counted" if asked.operation == "count" else "summed"
            fit = as_asked(tables, form, asked.days, asked.words, asked.heads)
            found = yield from staged("select", tools.timings, _rows(asked, fit, today))
            if found is not None:
                return draft_of(found)
        if (query := posed(text, today)) is None:
            return None
        fit = as_asked(tables, query.form, query.days, query.words, query.heads)
        return (yield from staged("write", tools.timings, _queried(tools, query, fit)))


def _rows(
    asked: RowsAsked, tables: Iterable[NamedTable], today: date
) -> Steps[RowsComputed | None]:
    yield from ()
    return computed(asked, tables, today)


def _queried(tools: Toolbox, asked: Posed, tables: Iterable[NamedTable]) -> Steps[Draft | None]:
    """Have the generator ask the one table that may account for each word of a question."""
    yield from ()
    found = candidate(asked, tables, tools.settings.today)
    if found is None:
        return None
    with tools.models.lend("generator") as model:
        query = query_by(model, asked, found)
    return None if query is None else computed_by(query, found)


def _likely(
    tools: Toolbox, asked: Posed, tables: Sequence[NamedTable], ranks: dict[int, int]
) -> Steps[Draft | None]:
    """Have the generator ask the tables that a question most likely means, until one answers."""
    yield from ()
    for one in islice(likely(asked, tables, ranks, tools.settings.today), MOST_LIKELY):
        with tools.models.lend("generator") as model:
            query = likely_query(model, one)
        draft = None if query is None else computed_by(query, one.found)
        if draft is not None:
            return replace(draft, reasons=(*draft.reasons, *lacks(one)))
    return None

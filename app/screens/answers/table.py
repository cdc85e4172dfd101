"""The table of a computed answer: sorted by either column, with a chart, down to the sources."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import tzinfo
from itertools import takewhile
from math import ceil
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.color import Color
from textual.content import Content
from textual.widgets import Footer, Static
from textual_plotext import PlotextPlot

from app.keys import bindings
from app.output.plain import counted, one_line
from app.screens.answers.base import ShowingScreen
from app.screens.answers.preview import preview_of
from app.screens.dialogs.entry import EntryScreen
from app.widgets.row_list import ListPane, ListRow, RowList
from engine.compute.plan_text import parsed, written
from engine.errors import PlanRefused
from engine.plan import Plan
from engine.values import Passage, TableRow, TableShown

ORDERS = ("as computed", "by label", "by value")
EMPTY = "No rows: nothing that was read falls under this plan."
ASKED = "Compute the answer by this plan:"
BARS = 20
"""Rows that a chart shows."""
LABEL = 14
"""Cells of a label below a bar."""
TICKS = 5
"""Numbers beside a chart, at most; nobody sent half a mail."""
WIDEST = 40
"""Cells of a label in a row."""
AXIS = 6
"""Columns beside the bars."""
CHART_FROM = 18
"""Lines of the screen from which there is room for a chart."""


class TableScreen(ShowingScreen[Plan | None]):
    """Rows with their values; Enter shows the sources of a row, then one of them.

    Ends with another plan to compute the answer by, or None.
    """

    SCOPE = "table"
    DEFAULT_CSS = """
    TableScreen { background: $background; }
    TableScreen #plan { height: auto; padding: 0 1; background: $panel; text-style: bold; }
    TableScreen #columns { height: auto; padding: 0 2; color: $primary; text-style: bold; }
    TableScreen ListPane { height: 1fr; }
    TableScreen PlotextPlot { height: 12; }
    TableScreen.low PlotextPlot { display: none; }
    TableScreen #remarks { height: auto; padding: 0 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(SCOPE)]

    def __init__(self, table: TableShown, zone: tzinfo | None) -> None:
        """Take the table of an answer."""
        super().__init__()
        self._table = table
        self._zone = zone
        self._pane = ListPane()
        self._order = 0
        self._is_reversed = False
        self._opened: TableRow | None = None

    def compose(self) -> ComposeResult:
        """Lay out plan, rows, chart and remarks."""
        yield Static("", id="plan")
        yield Static("", id="columns")
        yield self._pane
        yield PlotextPlot()
        yield Static("", id="remarks")
        yield Footer()

    def on_mount(self) -> None:
        """Draw."""
        self._pane.row_list.focus()
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        """Leave the chart out where it would take the rows' room."""
        self.set_class(event.size.height < CHART_FROM, "low")

    def _sorted(self) -> list[TableRow]:
        rows = list(self._table.rows)
        if self._order == 1:
            rows.sort(key=lambda row: row.label.casefold())
        elif self._order == 2:
            rows.sort(key=lambda row: (row.number is None, row.number or 0.0, row.value))
        return rows[::-1] if self._is_reversed else rows

    def _draw(self) -> None:
        self.refresh_bindings()
        rows = self._sorted()
        charted = [row for row in rows if row.number is not None][:BARS]
        chart = self.query_one(PlotextPlot)
        chart.display = self._table.is_chart and bool(charted) and self._opened is None
        if chart.display:
            _plot(chart, charted, Color.parse(self.app.current_theme.primary).rgb)
        left_out = len(rows) - len(charted) if chart.display else 0
        self._remark([f"The chart leaves out {counted(left_out, 'row')}."] if left_out else [])
        if self._opened:
            self._draw_sources(self._opened)
        else:
            self._draw_rows(rows)

    def _draw_rows(self, rows: list[TableRow]) -> None:
        order = ORDERS[self._order] + (", reversed" if self._is_reversed else "")
        self._head(f"{one_line(self._table.plan)}   {order if rows else EMPTY}")
        label, value = map(one_line, self._table.columns)
        width = max([cell_len(label), *(cell_len(one_line(row.label)) for row in rows)])
        width = min(WIDEST, width)
        heads = f"{set_cell_size(label, width)}   {value:>12}   sources" if rows else ""
        self.query_one("#columns", Static).update(Content(heads))
        self._pane.row_list.show(
            [
                ListRow(
                    str(self._table.rows.index(row)),
                    f"{set_cell_size(one_line(row.label), width)}   {one_line(row.value):>12}"
                    f"   {len(row.sources):>7,}",
                )
                for row in rows
            ]
        )

    def _draw_sources(self, row: TableRow) -> None:
        self._head(f"{one_line(row.label)}: {counted(len(row.sources), 'source')}")
        self.query_one("#columns", Static).update(Content("Enter opens one, escape goes back"))
        listed = enumerate(row.sources)
        self._pane.row_list.show([ListRow(f"source {n}", _source(one)) for n, one in listed])

    def _head(self, text: str) -> None:
        self.query_one("#plan", Static).update(Content(f"Table   {text}"))

    def _remark(self, more: list[str]) -> None:
        remarks = [] if self._opened else [*map(one_line, self._table.remarks), *more]
        shown = self.query_one("#remarks", Static)
        shown.update(Content("\n".join(remarks)))
        shown.display = bool(remarks)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to sort what has an order."""
        if action in ("sort", "reverse"):
            return self._opened is None and len(self._table.rows) > 1
        return action != "edit" or self._opened is None

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._order = (self._order + 1) % len(ORDERS)
        self._draw()
        self._pane.row_list.action_first()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._is_reversed = not self._is_reversed
        self._draw()
        self._pane.row_list.action_first()

    def action_edit(self) -> None:
        """Take another plan; the same one computes nothing anew."""
        self.app.push_screen(EntryScreen(ASKED, one_line(self._table.plan), _fault), self._edited)

    def _edited(self, typed: str | None) -> None:
        if typed is not None and written(plan := parsed(typed)) != self._table.plan:
            self.dismiss(plan)

    def action_back(self) -> None:
        """Go back to the rows, or to the answer."""
        if self._opened is None:
            self.dismiss()
            return
        row = self._sorted().index(self._opened)
        self._opened = None
        self._draw()
        self._pane.row_list.cursor = row

    @on(RowList.RowSelected)
    def open(self, selected: RowList.RowSelected) -> None:
        """Show the sources of a row, or a source."""
        if self._opened is not None:
            source = self._opened.sources[int(selected.row.key.split()[1])]
            self.app.push_screen(preview_of(source, self._zone))
            return
        row = self._table.rows[int(selected.row.key)]
        if row.sources:
            self._opened = row
            self._draw()
            self._pane.row_list.action_first()


def _fault(typed: str) -> str:
    """Return what is wrong with a plan that was typed."""
    try:
        parsed(typed)
    except PlanRefused as error:
        return str(error)
    return ""


def _plot(chart: PlotextPlot, rows: list[TableRow], colour: tuple[int, int, int]) -> None:
    labels = list(_short([one_line(row.label) for row in rows]))
    numbers = [row.number or 0.0 for row in rows]
    chart.plt.clear_figure()
    places = [float(place) for place in range(1, len(rows) + 1)]
    chart.plt.bar(places, numbers, width=0.5, color=colour)
    every = step_of(labels, chart.app.size.width)
    chart.plt.xticks(places[::every], labels[::every])
    if all(number.is_integer() for number in numbers) and min(numbers) >= 0:
        step = ceil(max(numbers) / TICKS) or 1
        chart.plt.yticks([float(tick) for tick in range(0, int(max(numbers)) + 1, step)])
    chart.refresh()


def step_of(labels: list[str], width: int) -> int:
    """Return which bars have a label, each or every second and so on, on so many columns.

    Plotext draws labels in an order that differs each time, leaves out those that overlap and
    moves those that others come near: half their length.
    """
    room = (width - AXIS) / len(labels)
    return ceil((1.5 * max(map(cell_len, labels)) + 1) / room)


def _short(labels: list[str]) -> Iterator[str]:
    """Yield labels for below their bars: without the words that all begin with, and cut."""
    words = [label.split(" ") for label in labels]
    alike = sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*words, strict=False)))
    for label, parts in zip(labels, words, strict=True):
        rest = " ".join(parts[alike:]) or label
        yield rest if cell_len(rest) <= LABEL else f"{set_cell_size(rest, LABEL - 1).rstrip()}…"


def _source(source: Passage) -> str:
    item = source.item
    when = f"{item.when:%Y-%m-%d}  " if item.when else ""
    title = one_line(item.title) or "without title"
    return f"{when}{item.kind.value} {title}: {one_line(source.text)}"

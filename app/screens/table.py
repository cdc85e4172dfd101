"""The table of a computed answer: sorted by either column, with a chart, down to the sources."""

from __future__ import annotations

from datetime import tzinfo
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static
from textual_plotext import PlotextPlot

from app.screens.preview import preview_of
from app.shown.plain import one_line
from app.widgets.row_list import ListPane, Row, RowList
from engine.values import Passage, TableRow, TableShown

ORDERS = ("as computed", "by label", "by value")
BARS = 20
"""Rows that a chart shows."""
LABEL = 14
CHART_FROM = 18
"""Lines of the screen from which there is room for a chart."""


class TableScreen(ModalScreen[None]):
    """Rows with their values; Enter shows the sources of a row, then one of them."""

    DEFAULT_CSS = """
    TableScreen { background: $background; }
    TableScreen #plan { height: auto; padding: 0 1; background: $panel; }
    TableScreen ListPane { height: 1fr; }
    TableScreen PlotextPlot { height: 12; }
    TableScreen.low PlotextPlot { display: none; }
    TableScreen #remarks { height: auto; padding: 0 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "back", "Back"),
        Binding("s", "sort", "Sort", tooltip="Sort by another column"),
        Binding("S", "reverse", "Reverse", tooltip="Sort the other way"),
    ]

    def __init__(self, table: TableShown, zone: tzinfo | None) -> None:
        """Take the table of an answer."""
        super().__init__()
        self._table = table
        self._zone = zone
        self._order = 0
        self._is_reversed = False
        self._opened: TableRow | None = None

    def compose(self) -> ComposeResult:
        """Lay out plan, rows, chart and remarks."""
        yield Static("", id="plan")
        yield ListPane()
        plot = PlotextPlot()
        plot.display = self._table.is_chart
        yield plot
        remarks = "\n".join(map(one_line, self._table.remarks))
        yield Static(Content(remarks), id="remarks")
        yield Footer()

    def on_mount(self) -> None:
        """Draw."""
        self.query_one("#remarks").display = bool(self._table.remarks)
        self.query_one(RowList).focus()
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
        label, value = self._table.columns
        order = ORDERS[self._order] + (", reversed" if self._is_reversed else "")
        head = f"{one_line(self._table.plan)}\n{label} | {value}: {order}"
        if self._opened:
            head = f"{one_line(self._opened.label)}: {len(self._opened.sources):,} sources"
        self.query_one("#plan", Static).update(Content(head))
        self.query_one(RowList).show(self._source_rows() if self._opened else self._rows())
        self._plot()

    def _rows(self) -> list[Row]:
        rows = self._sorted()
        width = min(40, max((len(one_line(row.label)) for row in rows), default=0))
        return [
            Row(
                str(self._table.rows.index(row)),
                f"{one_line(row.label)[:width]:<{width}}   {one_line(row.value):>12}"
                f"   {len(row.sources):,} source{'' if len(row.sources) == 1 else 's'}",
            )
            for row in rows
        ]

    def _source_rows(self) -> list[Row]:
        sources = self._opened.sources if self._opened else ()
        return [Row(str(number), _source(source)) for number, source in enumerate(sources)]

    def _plot(self) -> None:
        if not self._table.is_chart:
            return
        rows = [row for row in self._sorted() if row.number is not None][:BARS]
        chart = self.query_one(PlotextPlot)
        chart.plt.clear_data()
        chart.plt.bar(
            [one_line(row.label)[:LABEL] for row in rows], [row.number for row in rows], width=0.5
        )
        chart.refresh()

    def action_sort(self) -> None:
        """Sort by the next column."""
        self._order = (self._order + 1) % len(ORDERS)
        self._draw()

    def action_reverse(self) -> None:
        """Turn the order round."""
        self._is_reversed = not self._is_reversed
        self._draw()

    def action_back(self) -> None:
        """Go back to the rows, or to the answer."""
        if self._opened is None:
            self.dismiss()
            return
        self._opened = None
        self._draw()

    @on(RowList.RowSelected)
    def open(self, selected: RowList.RowSelected) -> None:
        """Show the sources of a row, or a source."""
        if self._opened is not None:
            source = self._opened.sources[int(selected.row.key)]
            self.app.push_screen(preview_of(source, self._zone))
            return
        row = self._table.rows[int(selected.row.key)]
        if row.sources:
            self._opened = row
            self._draw()


def _source(source: Passage) -> str:
    item = source.item
    when = f"{item.when:%Y-%m-%d}  " if item.when else ""
    title = one_line(item.title) or "without title"
    return f"{when}{item.kind.value} {title}: {one_line(source.text)}"

"""The events of an answer as days with hours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, tzinfo

from textual import on
from textual.app import ComposeResult
from textual.widgets import Footer, Static

from app.output.plain import counted, one_line
from app.screens.answers.base import ShowingScreen
from app.screens.answers.preview import preview_of
from app.widgets.row_list import ListPane, ListRow, RowList
from engine.values import Passage
from ingest.item import Item

ALL_DAY = len("2026-11-17")
HOURS = len("10:00 - Thu 06:00")


class AgendaScreen(ShowingScreen[None]):
    """Days with their events; Enter opens one."""

    SCOPE = "agenda"
    DEFAULT_CSS = """
    AgendaScreen { background: $background; }
    AgendaScreen > Static { height: 1; padding: 0 1; background: $panel; text-style: bold; }
    """

    def __init__(self, passages: Sequence[Passage], zone: tzinfo | None) -> None:
        """Take events in the order of their times."""
        super().__init__()
        self._passages = passages
        self._zone = zone

    def compose(self) -> ComposeResult:
        """Lay out the days."""
        events = counted(len(self._passages), "event")
        yield Static(f"Agenda   {events}, enter opens one")
        yield ListPane()
        yield Footer()

    def on_mount(self) -> None:
        """Draw the days."""
        rows = self.query_one(ListPane).row_list
        rows.show(list(agenda_rows(self._passages, self._zone)))
        rows.focus()

    @on(RowList.RowSelected)
    def preview(self, selected: RowList.RowSelected) -> None:
        """Open an event."""
        if selected.row.key.isdigit():
            passage = self._passages[int(selected.row.key)]
            self.app.push_screen(preview_of(passage, self._zone))


def agenda_rows(passages: Sequence[Passage], zone: tzinfo | None) -> Iterator[ListRow]:
    """Yield a heading for each day and a line for each event."""
    day = ""
    for number, passage in enumerate(passages):
        item = passage.item
        begins = _begins(item, zone)
        if begins is None:
            continue
        if (this := f"{begins:%A %Y-%m-%d}") != day:
            day = this
            yield ListRow(f"day {this}", this, "heading")
        hours = _hours(item, begins, zone)
        yield ListRow(str(number), f"  {hours:<{HOURS}}  {one_line(item.title) or 'without title'}")


def _begins(item: Item, zone: tzinfo | None) -> datetime | None:
    if item.when is None or _is_all_day(item):
        return item.when  # the same date in every zone
    return item.when.astimezone(zone)


def _is_all_day(item: Item) -> bool:
    return bool(item.locator.occurrence) and len(item.locator.occurrence or "") == ALL_DAY


def _hours(item: Item, begins: datetime, zone: tzinfo | None) -> str:
    if _is_all_day(item):
        last = item.until - timedelta(days=1) if item.until else begins
        return "all day" if last.date() <= begins.date() else f"all day - {last:%a %d}"
    if item.until is None:
        return f"{begins:%H:%M}"
    end = item.until.astimezone(zone)
    day = "" if end.date() == begins.date() else f"{end:%a} "
    return f"{begins:%H:%M} - {day}{end:%H:%M}"

"""A list of one-line rows that draws only what is seen, so that 50,000 scroll as 50 do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from rich.style import Style
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Input

from app.keys import bindings
from app.output.plain import lines
from app.widgets.key_order import LineInput

Look = Literal["plain", "heading", "muted", "note", "error"]

MARK = "> "
"""Stands before the row that the cursor is on, for those who see no colours."""


@dataclass(frozen=True, slots=True)
class ListRow:
    """One line of a list."""

    key: str
    """Finds the row again when the list is drawn anew."""
    text: str
    look: Look = "plain"


class RowList(ScrollView, can_focus=True):
    """Rows with a cursor. The rows are given; text from files is shown as it is."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "row-list--cursor",
        "row-list--heading",
        "row-list--muted",
        "row-list--note",
        "row-list--error",
    }
    DEFAULT_CSS = """
    RowList {
        height: 1fr;
        overflow-x: hidden;
        & > .row-list--heading { text-style: bold; color: $primary; }
        & > .row-list--muted { color: $text-muted; }
        & > .row-list--note { color: $text-warning; }
        & > .row-list--error { color: $text-error; }
        & > .row-list--cursor { background: $panel; }
        &:focus > .row-list--cursor {
            background: $block-cursor-background;
            color: $block-cursor-foreground;
            text-style: bold;
        }
        &:focus:nocolor > .row-list--cursor { text-style: reverse; }
        &:focus:ansi > .row-list--cursor { text-style: reverse; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("lists"),
        Binding("down", "cursor_down", show=False),
        Binding("up", "cursor_up", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("enter", "select", show=False),
    ]

    cursor: reactive[int] = reactive(0)

    @dataclass
    class RowHighlighted(Message):
        """The cursor came to another row, or the row changed; None in an empty list."""

        row: ListRow | None

    @dataclass
    class RowSelected(Message):
        """Enter was pressed on a row, or it was clicked while the cursor was on it."""

        row: ListRow

    class SearchStarted(Message):
        """The key for searching was pressed."""

    class NextWanted(Message):
        """The key for the next match was pressed."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 -- Textual's name
        """Begin empty."""
        super().__init__(id=id)
        self.rows: Sequence[ListRow] = ()

    def show(self, rows: Sequence[ListRow]) -> None:
        """Draw these rows; the cursor stays on the row of the same key, else where it was."""
        at = self.row.key if self.row else None
        self.rows = rows
        self.virtual_size = Size(0, len(rows))
        place = next((index for index, row in enumerate(rows) if row.key == at), self.cursor)
        self.cursor = max(0, min(place, len(rows) - 1))
        self._follow()
        self.refresh()
        self.post_message(self.RowHighlighted(self.row))

    @property
    def row(self) -> ListRow | None:
        """The row that the cursor is on."""
        return self.rows[self.cursor] if 0 <= self.cursor < len(self.rows) else None

    def validate_cursor(self, cursor: int) -> int:
        """Keep the cursor within the rows."""
        return max(0, min(cursor, len(self.rows) - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Draw the two rows anew and keep the cursor in sight."""
        for index in (old, new):
            self.refresh(Region(0, index - self.scroll_offset.y, self.size.width, 1))
        self._follow()
        self.post_message(self.RowHighlighted(self.row))

    def _follow(self) -> None:
        self.scroll_to_region(Region(0, self.cursor, 1, 1), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """Draw one line of what is seen."""
        index = self.scroll_offset.y + y
        width = self.size.width
        if index >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row = self.rows[index]
        style = self.rich_style + self._look(row.look)
        here = index == self.cursor
        if here:
            style += self.get_component_rich_style("row-list--cursor")
        mark = MARK if here else " " * len(MARK)
        text = mark + lines(row.text).replace("\n", " ")  # blanks stay, for columns and depth
        if cell_len(text) > width:
            text = f"{set_cell_size(text, max(0, width - 1)).rstrip()}…"
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)

    def _look(self, look: Look) -> Style:
        if look == "plain":
            return Style.null()
        return self.get_component_rich_style(f"row-list--{look}")

    def find(self, typed: str, begin: int, step: int = 1) -> bool:
        """Move to the next row from `begin` on that holds the text, in any case."""
        wanted = typed.casefold()
        for number in range(len(self.rows)):
            index = (begin + number * step) % len(self.rows)
            if wanted in self.rows[index].text.casefold():
                self.cursor = index
                return True
        return False

    def action_cursor_down(self) -> None:
        """Move to the next row."""
        self.cursor += 1

    def action_cursor_up(self) -> None:
        """Move to the row before."""
        self.cursor -= 1

    def action_page(self, pages: int) -> None:
        """Move by what is seen at once."""
        self.cursor += pages * max(1, self.size.height - 1)

    def action_first(self) -> None:
        """Move to the first row."""
        self.cursor = 0

    def action_last(self) -> None:
        """Move to the last row."""
        self.cursor = len(self.rows) - 1

    def action_select(self) -> None:
        """Say that the row was chosen."""
        if self.row is not None:
            self.post_message(self.RowSelected(self.row))

    def action_search(self) -> None:
        """Ask for a text to find."""
        self.post_message(self.SearchStarted())

    def action_next_match(self) -> None:
        """Go on finding the text."""
        self.post_message(self.NextWanted())

    def on_click(self, event: events.Click) -> None:
        """Move to the row that was clicked; choose it when the cursor was there."""
        index = self.scroll_offset.y + event.y
        if index == self.cursor:
            self.action_select()
        elif index < len(self.rows):
            self.cursor = index


class ListPane(Vertical):
    """A list, and a line to find things in it that is there only while it is used."""

    DEFAULT_CSS = """
    ListPane {
        height: 1fr;
        & > Input { display: none; height: 1; border: none; padding: 0 1; }
        & > Input.searching { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end_search", "Back", show=False),
        Binding("down", "to_list", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 -- Textual's name
        """Begin empty."""
        super().__init__(id=id)
        self._sought = ""
        self.row_list = RowList()
        """The list itself."""
        self._line = LineInput(placeholder="Find", compact=True)

    def compose(self) -> ComposeResult:
        """Lay out list and line."""
        yield self.row_list
        yield self._line

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave escape to the screen while nothing is sought."""
        return self._line.has_focus if action in ("end_search", "to_list") else True

    @on(RowList.SearchStarted)
    def start(self, started: RowList.SearchStarted) -> None:
        """Show the line."""
        started.stop()
        self._line.add_class("searching")
        self._line.clear()
        self._line.focus()

    @on(Input.Changed)
    def seek(self, changed: Input.Changed) -> None:
        """Move to the first row that holds what is typed so far."""
        changed.stop()
        if changed.value:
            self._sought = changed.value
            self.row_list.find(self._sought, 0)

    @on(RowList.NextWanted)
    def seek_on(self, wanted: RowList.NextWanted) -> None:
        """Move to the next row that holds what was typed."""
        wanted.stop()
        if self._sought:
            self.row_list.find(self._sought, self.row_list.cursor + 1)

    @on(Input.Submitted)
    def end(self, submitted: Input.Submitted) -> None:
        """Go back to the list, where the cursor is."""
        submitted.stop()
        self.action_end_search()

    def action_end_search(self) -> None:
        """Take the line away."""
        self._line.remove_class("searching")
        self.row_list.focus()

    def action_to_list(self) -> None:
        """Go from the line into the list."""
        self.action_end_search()

"""What screens with a list share: a heading, the list, what is said of a row, and a last line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Static

from app.hints import hint
from app.keys import bindings
from app.output.plain import lines
from app.screens.single_exit import LeftOnce
from app.widgets.key_bar import KeyBar
from app.widgets.row_list import ListPane, ListRow, RowList
from models.errors import AskanceError

Result = TypeVar("Result")


@dataclass
class Finished(Message):
    """Something that was done in a thread is done."""

    then: Callable[[], object]


@dataclass
class Failed(Message):
    """Something that was tried in a thread did not work."""

    error: AskanceError


class ListingScreen(LeftOnce, Screen[None]):
    """Draws a list and what is known of its rows. What takes long is done in threads."""

    SCOPE: ClassVar[str] = ""
    """Of its actions, in `app.keys`."""
    HEADING: ClassVar[str] = ""
    EMPTY: ClassVar[str] = ""
    """What to do when the list is empty."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("screens")]
    VERTICAL_BREAKPOINTS = [(0, "-short"), (18, "-tall")]  # noqa: RUF012 -- as Textual has it
    DEFAULT_CSS = """
    ListingScreen {
        & > #heading { height: 1; padding: 0 1; text-style: bold; background: $panel; }
        & > #empty { height: 1fr; padding: 1 2; color: $text-muted; }
        & > #detail { padding: 0 1; height: 6; border-top: solid $panel; }
        & > #said { padding: 0 1; height: auto; max-height: 3; color: $text-warning; }
        &.-short > #detail { height: 2; border-top: none; }
        &.-short > #said { max-height: 2; }
    }
    """

    def compose(self) -> ComposeResult:
        """Lay out the screen from top to bottom."""
        yield Static(Content(self.HEADING), id="heading")
        yield Static(Content(hint(self.EMPTY, self.app)), id="empty")
        yield ListPane()
        yield Static(Content(""), id="detail")
        yield Static(Content(""), id="said")
        yield KeyBar(show_command_palette=False)

    @property
    def row_list(self) -> RowList:
        """The list."""
        return self.query_one(ListPane).row_list

    def on_mount(self) -> None:
        """Start in the list. Textual calls this of every class, so others override `begin`."""
        self.draw_rows([])
        self.row_list.focus()
        self.begin()

    def begin(self) -> None:
        """Fill the list, or have it filled."""

    def draw_rows(self, rows: list[ListRow]) -> None:
        """Show these rows, or what to do where there are none."""
        self.row_list.show(rows)
        self.query_one(ListPane).display = bool(rows)
        self.query_one("#detail").display = bool(rows)
        self.query_one("#empty").display = not rows
        if rows and self.focused is None:
            self.row_list.focus()

    def say(self, text: str) -> None:
        """Show the last line; empty takes it away."""
        said = self.query_one("#said", Static)
        said.update(Content(lines(text)))
        said.display = bool(text)

    def head(self, text: str) -> None:
        """Say more beside the heading."""
        self.query_one("#heading", Static).update(Content(f"{self.HEADING}   {text}"))

    def detail_of(self, row: ListRow) -> str:
        """Return what is known of a row."""
        return row.text.strip()

    @on(RowList.RowHighlighted)
    def draw_detail(self, highlighted: RowList.RowHighlighted) -> None:
        """Show what is known of the row under the cursor."""
        text = self.detail_of(highlighted.row) if highlighted.row else ""
        # Its height is fixed: laying out the screen at each key would be felt.
        self.query_one("#detail", Static).update(Content(lines(text)), layout=False)

    def redraw_detail(self) -> None:
        """Show it anew, for the same row."""
        self.draw_detail(RowList.RowHighlighted(self.row_list.row))

    def work(self, job: Callable[[], Result], then: Callable[[Result], object]) -> None:
        """Do `job` in a thread and go on here with what it returns; an error is shown in place."""

        def run() -> None:
            try:
                message: Message = Finished(partial(then, job()))
            except AskanceError as error:
                message = Failed(error)
            self.post_message(message)

        self.run_worker(run, thread=True, exit_on_error=True)

    @on(Finished)
    def go_on(self, finished: Finished) -> None:
        """Go on with what a thread returned."""
        finished.then()

    @on(Failed)
    def draw_failure(self, failed: Failed) -> None:
        """Say what went wrong and what to do."""
        self.say(str(failed.error))

    def action_back(self) -> None:
        """Go back to the screen before."""
        self.dismiss(None)

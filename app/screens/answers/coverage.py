"""The ledger of one answer: what was read, what was not, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from app.keys import bindings
from app.output.plain import one_line
from app.output.report import coverage_line
from app.screens.answers.base import ShowingScreen
from app.widgets.row_list import ListPane, ListRow, RowList
from engine.values import Coverage
from ingest.item import Reason, Skipped

Remedy = Literal["unlock", "whole", "again"]
"""What the chat can do about gaps: take a password, read to the end, read once more."""


class CoverageScreen(ShowingScreen[Remedy | None]):
    """Lists what was skipped; ends with a remedy, or None."""

    SCOPE = "coverage"
    DEFAULT_CSS = """
    CoverageScreen { background: $background; }
    CoverageScreen #summary { height: auto; padding: 0 1; background: $panel; text-style: bold; }
    CoverageScreen #detail { height: auto; max-height: 6; padding: 0 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(SCOPE)]

    def __init__(self, coverage: Coverage) -> None:
        """Take what an answer says of it."""
        super().__init__()
        self._coverage = coverage

    def compose(self) -> ComposeResult:
        """Lay out the summary, the list, and all of what the cursor is on."""
        yield Static(Content(f"Coverage   {coverage_line(self._coverage)}"), id="summary")
        yield ListPane()
        with VerticalScroll(id="detail"):
            yield Static("", id="remedy")
        yield Footer()

    def on_mount(self) -> None:
        """Draw the list."""
        rows = self.query_one(ListPane).row_list
        rows.show(list(_rows(self._coverage)))
        rows.focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the remedies that fit."""
        match parameters:
            case ("unlock",):
                return any(one.reason is Reason.ENCRYPTED for one in self._coverage.skipped)
            case ("whole",):
                return self._coverage.unread > 0 and not self._coverage.is_full
        return True

    def action_remedy(self, remedy: Remedy) -> None:
        """Go back to the chat, which does it."""
        self.dismiss(remedy)

    @on(RowList.RowHighlighted)
    def explain(self, highlighted: RowList.RowHighlighted) -> None:
        """Show the whole path and the remedy of a row."""
        key = highlighted.row.key if highlighted.row else ""
        text = ""
        if key.isdigit():
            skipped = self._coverage.skipped[int(key)]
            text = f"{one_line(str(skipped.path))}\n{one_line(skipped.remedy)}"
        self.query_one("#remedy", Static).update(Content(text))


def _rows(coverage: Coverage) -> Iterator[ListRow]:
    if coverage.unread:
        lacked = "memory" if coverage.is_full else "time"
        remedy = "[reading] memory sets more" if coverage.is_full else "b reads the rest"
        yield ListRow(
            "unread", f"Not read for lack of {lacked}: {coverage.unread:,}; {remedy}", "note"
        )
    if coverage.pruned:
        yield ListRow("pruned", f"Left out by filters: {coverage.pruned:,}", "muted")
    by_reason = sorted(enumerate(coverage.skipped), key=lambda one: one[1].reason.value)
    reason: Reason | None = None
    for number, skipped in by_reason:
        if skipped.reason is not reason:
            reason = skipped.reason
            count = sum(one.reason is reason for one in coverage.skipped)
            yield ListRow(f"reason {reason.value}", f"{reason.value}: {count:,}", "heading")
        yield ListRow(str(number), f"  {_line(skipped)}")
    if not coverage.skipped:
        yield ListRow("none", "Nothing was skipped.", "muted")


def _line(skipped: Skipped) -> str:
    member = f" ({one_line(skipped.member)})" if skipped.member else ""
    return f"{one_line(skipped.path.name)}{member}: {one_line(skipped.remedy)}"

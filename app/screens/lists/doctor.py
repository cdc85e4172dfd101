"""Doctor: what this installation can do, and what to do about the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.message import Message

from app.doctor import Check, examine
from app.keys import bindings
from app.output.plain import one_line
from app.screens.lists.base import Failed, ListingScreen
from app.widgets.row_list import ListRow, Look
from models.errors import AskanceError

LOOKS: dict[str, Look] = {"ok": "plain", "note": "note", "missing": "error"}


@dataclass
class Examined(Message):
    """One thing was found out."""

    check: Check


@dataclass
class ExaminationEnded(Message):
    """All was found out."""


class DoctorScreen(ListingScreen):
    """The findings, as they come. Opens no source and uses no network but a server that is set."""

    SCOPE = "doctor"
    HEADING = "Doctor"
    EMPTY = "Examining …"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("doctor")]

    def __init__(self) -> None:
        """Begin without findings."""
        super().__init__()
        self._checks: list[Check] = []

    def begin(self) -> None:
        """Examine."""
        self.action_again()

    def action_again(self) -> None:
        """Examine everything again."""
        self._checks = []
        self.say("")
        self._examine()

    @work(thread=True, exclusive=True)
    def _examine(self) -> None:
        try:
            for check in examine():
                self.post_message(Examined(check))
            self.post_message(ExaminationEnded())
        except AskanceError as error:
            self.post_message(Failed(error))

    @on(Examined)
    def draw_check(self, examined: Examined) -> None:
        """Add a finding."""
        self._checks.append(examined.check)
        width = max(len(check.name) for check in self._checks)
        self.draw_rows(
            [
                ListRow(
                    f"{number} {check.name}",
                    f"{check.state:<8} {check.name:<{width}}  {one_line(check.detail)}",
                    LOOKS[check.state],
                )
                for number, check in enumerate(self._checks)
            ]
        )
        self.head("examining …")

    @on(ExaminationEnded)
    def draw_end(self) -> None:
        """Say how many things are not as they could be."""
        missing = sum(check.state == "missing" for check in self._checks)
        notes = sum(check.state == "note" for check in self._checks)
        said = f"{missing} missing, {notes} to note" if missing or notes else "all is well"
        self.head(said)

    def detail_of(self, row: ListRow) -> str:
        """Show the finding whole, and what to do."""
        check = self._checks[int(row.key.split()[0])]
        return f"{one_line(check.detail)}\n{check.remedy or ''}"

"""The preview of a source, alone on the screen."""

from __future__ import annotations

from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer

from app.desktop import copied_citation, open_file
from app.keys import bindings
from app.screens.answers.base import ShowingScreen
from app.widgets.answer.source import SourceView
from engine.values import Citation, Passage
from models.errors import AskanceError


class PreviewScreen(ShowingScreen[None]):
    """One source, scrolled to its quote."""

    SCOPE = "preview"
    DEFAULT_CSS = "PreviewScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "back", "Back", show=False),
        *bindings(SCOPE),
    ]

    def __init__(self, citation: Citation, zone: tzinfo | None) -> None:
        """Take the citation and the zone in which to show times."""
        super().__init__()
        self._citation = citation
        self._zone = zone
        self._source = SourceView()

    def compose(self) -> ComposeResult:
        """Lay out the source above the keys."""
        yield self._source
        yield Footer()

    def on_mount(self) -> None:
        """Show the source."""
        self._source.focus()
        self._source.show(self._citation, self._zone)

    def action_open_source(self) -> None:
        """Open the file in the program that the system has for it."""
        try:
            open_file(self._citation.passage.item.locator.path)
        except AskanceError as error:
            self.notify(str(error), severity="warning", markup=False)

    def action_copy(self) -> None:
        """Copy where it stands and what it says."""
        self.app.copy_to_clipboard(copied_citation(self._citation, self._zone))


def preview_of(passage: Passage, zone: tzinfo | None) -> PreviewScreen:
    """Return a preview of a passage that no answer cites."""
    citation = Citation(0, passage, passage.start, passage.end, "matched", support=True)
    return PreviewScreen(citation, zone)

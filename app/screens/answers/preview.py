"""The preview of a source, alone on the screen."""

from __future__ import annotations

from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer

from app.output.objects import place_of
from app.screens.answers.base import ShowingScreen
from app.widgets.answer.source import SourceView
from engine.values import Citation, Passage


class PreviewScreen(ShowingScreen[None]):
    """One source, scrolled to its quote."""

    SCOPE = "preview"
    DEFAULT_CSS = "PreviewScreen { background: $background; }"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "back", "Back", show=False)]

    def __init__(
        self, citation: Citation, zone: tzinfo | None, among: tuple[Citation, ...] = ()
    ) -> None:
        """Take the citation, the zone in which to show times, and the answer's other sources."""
        super().__init__()
        self._citation = citation
        self._among = among
        self._zone = zone
        self._source = SourceView()

    def compose(self) -> ComposeResult:
        """Lay out the source above the keys."""
        yield self._source
        yield Footer()

    def on_mount(self) -> None:
        """Show the source."""
        self._source.focus()
        self._source.show(self._citation, self._zone, self._among)


def preview_of(passage: Passage, zone: tzinfo | None) -> PreviewScreen:
    """Return a preview of a passage that no answer cites."""
    return PreviewScreen(place_of(passage), zone)

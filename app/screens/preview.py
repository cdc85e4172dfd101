"""The text of a source, opened at the quote. It is the text that was read; no file is opened."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from app.plain import lines
from engine.values import Citation

AROUND = 8000
"""Characters shown before and after the quote; a mailbox digest can be megabytes."""


class PreviewScreen(ModalScreen[None]):
    """One source, scrolled to its quote."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter", "dismiss", "Back")]

    def __init__(self, citation: Citation, title: str) -> None:
        """Take the citation and the line that names it."""
        super().__init__()
        self._citation = citation
        self._title = title

    def compose(self) -> ComposeResult:
        """Lay out title and text; the quote begins a widget of its own, to scroll to."""
        before, lead, quote, after = self._parts()
        with VerticalScroll(id="source"):
            yield Static(Content(self._title), id="source-title")
            yield Static(Content(lines(before)), id="before")
            at_quote = Content.assemble(lines(lead), (lines(quote), "reverse"), lines(after))
            yield Static(at_quote, id="from-quote")
        yield Footer()

    def _parts(self) -> tuple[str, str, str, str]:
        """Return the lines before the quote's, the start of its line, the quote, the rest."""
        text = self._citation.passage.item.text
        begin, end = self._citation.start, self._citation.end
        first = max(0, begin - AROUND)
        line = max(first, text.rfind("\n", 0, begin) + 1)
        before = text[first:line].removesuffix("\n")
        return before, text[line:begin], text[begin:end], text[end : end + AROUND]

    def on_mount(self) -> None:
        """Scroll to the quote as soon as its place is known."""
        source = self.query_one("#source", VerticalScroll)
        source.focus()
        at = self.query_one("#from-quote")
        self.call_after_refresh(lambda: source.scroll_to_widget(at, top=True, animate=False))

    def action_dismiss(self, result: None = None) -> None:  # type: ignore[override]
        """Go back to the answer."""
        self.dismiss(result)

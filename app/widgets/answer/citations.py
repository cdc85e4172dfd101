"""The sources of an answer, two lines each."""

from __future__ import annotations

from datetime import tzinfo
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList

if TYPE_CHECKING:
    from engine.values import Citation


class Citations(OptionList):
    """The sources of an answer; Enter opens one."""

    DEFAULT_CSS = """
    Citations { height: auto; max-height: 12; border: none; padding: 0; background: transparent; }
    Citations { scrollbar-size-vertical: 1; }
    Citations:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Preview", tooltip="Show the source at the quote"),
        Binding("o", "open_source", "Open", id="open_source", tooltip="Open it in its program"),
        Binding("y", "copy", "Copy", id="copy_citation", tooltip="Copy the citation"),
    ]

    class Opened(Message):
        """A source is to be opened in the program that the system has for it."""

        def __init__(self, citation: Citation) -> None:
            """Keep which."""
            super().__init__()
            self.citation = citation

    class Copied(Message):
        """A citation is to be copied."""

        def __init__(self, citation: Citation) -> None:
            """Keep which."""
            super().__init__()
            self.citation = citation

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(markup=False)
        self.citations: tuple[Citation, ...] = ()
        self.display = False

    def show(self, citations: tuple[Citation, ...], zone: tzinfo | None) -> None:
        """List these."""
        from app.output.report import source_lines  # no first picture waits for it

        self.citations = citations
        self.clear_options()
        for citation in citations:
            near = "" if citation.support else " nearest, no support:"
            what, where = source_lines(citation, zone)
            above = Content.styled(f"[{citation.id}]{near} {what}", "bold")
            self.add_option(above + f"\n    {where}")
        self.display = bool(citations)

    @property
    def chosen(self) -> Citation | None:
        """The citation under the cursor."""
        return self.citations[self.highlighted] if self.highlighted is not None else None

    def on_focus(self) -> None:
        """Begin at the first source."""
        if self.highlighted is None and self.citations:
            self.highlighted = 0

    def action_open_source(self) -> None:
        """Ask for the source's own program."""
        if self.chosen:
            self.post_message(self.Opened(self.chosen))

    def action_copy(self) -> None:
        """Ask for the citation in the clipboard."""
        if self.chosen:
            self.post_message(self.Copied(self.chosen))

"""A source at its quote: what it is, and its text as it was read. No file is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from app.desktop.files import open_source
from app.hints import hint
from app.keys import bindings
from app.output.plain import counted, lines, one_line
from app.output.report import citation_line, copied_citation, remarks
from app.widgets.answer.page import PageAsked, page_of, widget_of
from engine.values import Citation
from ingest.item import Item, Kind, Person
from models.errors import AskanceError

if TYPE_CHECKING:
    from app.desktop.pictures import Protocol
    from ingest.sieve import DrawnPage

AROUND = 8000
"""Characters shown before and after the quote; a mailbox digest can be megabytes."""
PEOPLE_SHOWN = 8
PATIENCE = 1.0
"""Seconds after which a page that is still being drawn is spoken of."""
NO_SOURCE = "This answer has no source to show."


class SourceView(VerticalScroll):
    """One source, scrolled to its quote, and those beside it in the same answer."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("preview")]
    DEFAULT_CSS = """
    SourceView { height: 1fr; padding: 0 1; border: round $accent; }
    SourceView { scrollbar-size-vertical: 1; }
    SourceView Static { height: auto; }
    SourceView #source-title { text-style: bold; }
    SourceView #card { margin-bottom: 1; }
    """

    def __init__(self) -> None:
        """Start empty."""
        super().__init__(id="source")
        self.citation: Citation | None = None
        self._among: tuple[Citation, ...] = ()
        self._zone: tzinfo | None = None
        self._title = Static(id="source-title")
        self._card = Static(id="card")
        self._before = Static(id="before")
        self._quote = Static(id="from-quote")
        self._page: Widget | None = None
        """Its page as a picture, in place of its text."""
        self._drawing: Citation | None = None
        """The source whose page is being drawn."""

    def compose(self) -> ComposeResult:
        """Lay out title and text; the quote begins a widget of its own, to scroll to."""
        yield self._title
        yield self._card
        yield self._before
        yield self._quote

    def show(
        self,
        citation: Citation | None,
        zone: tzinfo | None,
        among: tuple[Citation, ...] = (),
    ) -> None:
        """Show another source, or another quote of it; None: say that there is none.

        `among` are the sources of the answer, this one with them.
        """
        self.citation, self._zone, self._among = citation, zone, among
        self._show_text()
        if citation is None:
            self._title.update(NO_SOURCE)
            for part in (self._card, self._before, self._quote):
                part.update("")
            return
        before, lead, at_quote, after = _parts(citation)
        place = f"   ({among.index(citation) + 1} of {len(among)})" if len(among) > 1 else ""
        self._title.update(Content(citation_line(citation, zone) + place))
        self._card.update(Content("\n".join(card(citation.passage.item, zone))))
        self._before.update(Content(before))
        self._quote.update(Content.assemble(lead, at_quote, after))
        self.call_after_refresh(self._scroll)

    def action_step(self, step: int) -> None:
        """Show the next source of the answer, or the one before; round at the ends."""
        if self.citation is not None and len(self._among) > 1:
            at = (self._among.index(self.citation) + step) % len(self._among)
            self.show(self._among[at], self._zone, self._among)

    def action_page(self) -> None:
        """Show the page as a picture, with the quote marked, or its text again."""
        citation = self.citation
        if self._page is not None:
            self._show_text()
            self.call_after_refresh(self._scroll)
        elif citation is None or (number := page_of(citation)) is None:
            self.notify("Only PDFs and pictures have pages to show.", markup=False)
        else:
            self._drawing = citation
            self.set_timer(PATIENCE, self._say_drawing)

            def came(page: DrawnPage, protocol: Protocol) -> None:
                self._drawing = None
                if self.citation is citation and self._page is None:
                    self._show_page(widget_of(page, protocol))

            self.post_message(PageAsked(citation, number, came, self._refused))

    def _say_drawing(self) -> None:
        if self._drawing is not None and self._drawing is self.citation:
            self.notify("Drawing the page …", markup=False)

    def _refused(self, why: str) -> None:
        self._drawing = None
        self.notify(
            f"The page cannot be shown. {hint(why, self.app)}", severity="warning", markup=False
        )

    def _show_page(self, page: Widget) -> None:
        self._page = page
        for part in (self._card, self._before, self._quote):
            part.display = False
        self.mount(page)
        self.scroll_home(animate=False)

    def _show_text(self) -> None:
        if self._page is not None:
            self._page.remove()
            self._page = None
            for part in (self._card, self._before, self._quote):
                part.display = True

    def action_open_source(self) -> None:
        """Open it in the program that the system has for it."""
        if self.citation is not None:
            open_beside(self, self.citation)

    def action_copy(self) -> None:
        """Copy where it stands and what it says."""
        if self.citation is not None:
            self.app.copy_to_clipboard(copied_citation(self.citation, self._zone))

    def _scroll(self) -> None:
        """Go to the quote, now that its place is known."""
        self.scroll_to_widget(self._quote, top=True, animate=False)


def open_beside(widget: Widget, citation: Citation) -> None:
    """Open a source in its program, without holding the screen up; say so where that fails."""

    async def opened() -> None:
        try:
            await asyncio.to_thread(open_source, citation)
        except AskanceError as error:
            widget.notify(str(error), severity="warning", markup=False)

    widget.run_worker(opened())


def card(item: Item, zone: tzinfo | None) -> Iterator[str]:
    """Yield what an item is, one field a line: a mail's headers, an event's time and people."""
    names = ("From", "To", "Cc") if item.kind is Kind.MAIL else ("By", "With", "Cc")
    people = item.people
    for name, some in zip(
        names, (people.sender, people.to + people.attendees, people.cc), strict=True
    ):
        if some:
            yield f"{name}: {_people(some)}"
    if item.when is not None:
        name = "Date" if item.kind in (Kind.MAIL, Kind.DOCUMENT) else "When"
        yield f"{name}: {span(item, zone)}"
    if item.attachments:
        yield f"Attached: {', '.join(map(one_line, item.attachments))}"
    if item.pages:
        # A recognised page has no other page before it.
        count = len(item.pages)
        yield counted(count, "page") if count == 1 or any(item.pages) else f"Page {count}"
    noted = ", ".join(remarks(item))
    if noted:
        yield f"Note: {noted}"


def _people(people: tuple[Person, ...]) -> str:
    shown = [one_line(str(person)) for person in people[:PEOPLE_SHOWN]]
    more = len(people) - PEOPLE_SHOWN
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def span(item: Item, zone: tzinfo | None) -> str:
    """Return when an item is: its day and hours, in this zone."""
    if item.when is None:
        return ""
    if item.locator.occurrence and len(item.locator.occurrence) == len("2026-11-17"):
        return f"{item.when:%a %Y-%m-%d}, all day"  # the same date in every zone
    begin: datetime = item.when.astimezone(zone)
    shown = f"{begin:%a %Y-%m-%d %H:%M}"
    if item.until is None:
        return shown
    end = item.until.astimezone(zone)
    return f"{shown} - {end:%H:%M}" if end.date() == begin.date() else f"{shown} - {end:%F %H:%M}"


def _parts(citation: Citation) -> tuple[str, str, Content, str]:
    """Return the lines before the quote's, the start of its line, the quote, the rest.

    The quote is reversed, the rest of its passage underlined.
    """
    item = citation.passage.item
    begin, end = citation.start, citation.end
    first = max(0, begin - AROUND)
    line = max(first, item.text.rfind("\n", 0, begin) + 1)
    last = max(end, min(citation.passage.end, end + AROUND))
    rest = lines(item.text[end:last])
    quote = Content.assemble((lines(item.text[begin:end]), "reverse"), (rest, "underline"))
    return (
        _paged(item, first, line).removesuffix("\n"),
        lines(item.text[line:begin]),
        quote,
        _paged(item, last, end + AROUND),
    )


def _paged(item: Item, first: int, last: int) -> str:
    """Return a part of the text with a line where each page begins, at its end too."""
    shown, at = [], first
    for number, page in enumerate(item.pages, start=1):
        if first <= page <= last:
            before = lines(item.text[at:page]).removesuffix("\n")
            shown.append(f"{before}\n" if before else "")
            shown.append(f"─── page {number} ───\n")
            at = page
    shown.append(lines(item.text[at:last]))
    return "".join(shown)

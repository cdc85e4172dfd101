"""The text of a source, opened at the quote. It is the text that was read; no file is opened."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Footer, Static

from app.desktop import copied_citation, open_file
from app.keys import bindings
from app.output.plain import lines, one_line
from app.output.report import citation_line, remarks
from app.screens.answers.base import ShowingScreen
from engine.values import Citation, Passage
from ingest.item import Item, Kind, Person
from models.errors import AskanceError

AROUND = 8000
"""Characters shown before and after the quote; a mailbox digest can be megabytes."""
PEOPLE_SHOWN = 8


class PreviewScreen(ShowingScreen[None]):
    """One source, scrolled to its quote."""

    SCOPE = "preview"
    DEFAULT_CSS = """
    PreviewScreen { background: $background; }
    PreviewScreen #source { height: 1fr; padding: 0 1; border: round $accent; }
    PreviewScreen Static { height: auto; }
    PreviewScreen #card { margin-bottom: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "back", "Back", show=False),
        *bindings(SCOPE),
    ]

    def __init__(self, citation: Citation, zone: tzinfo | None) -> None:
        """Take the citation and the zone in which to show times."""
        super().__init__()
        self._citation = citation
        self._zone = zone
        self._source = VerticalScroll(id="source")
        self._quote = Static(id="from-quote")

    def compose(self) -> ComposeResult:
        """Lay out title and text; the quote begins a widget of its own, to scroll to."""
        item = self._citation.passage.item
        title = citation_line(self._citation, self._zone)
        before, lead, at_quote, after = _parts(self._citation)
        self._quote.update(Content.assemble(lead, at_quote, after))
        with self._source:
            yield Static(Content.styled(title, "bold"), id="source-title")
            yield Static(Content("\n".join(card(item, self._zone))), id="card")
            yield Static(Content(before), id="before")
            yield self._quote
        yield Footer()

    def on_mount(self) -> None:
        """Scroll to the quote as soon as its place is known."""
        self._source.focus()
        self.call_after_refresh(self._scroll)

    def _scroll(self) -> None:
        self._source.scroll_to_widget(self._quote, top=True, animate=False)

    def action_open_source(self) -> None:
        """Open the file in the program that the system has for it."""
        try:
            open_file(self._citation.passage.item.locator.path)
        except AskanceError as error:
            self.notify(str(error), severity="warning", markup=False)

    def action_copy(self) -> None:
        """Copy where it stands and what it says."""
        self.app.copy_to_clipboard(copied_citation(self._citation, self._zone))
        self.notify("Copied.", markup=False)


def preview_of(passage: Passage, zone: tzinfo | None) -> PreviewScreen:
    """Return a preview of a passage that no answer cites."""
    citation = Citation(0, passage, passage.start, passage.end, "matched", support=True)
    return PreviewScreen(citation, zone)


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
        yield f"{len(item.pages)} pages"
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

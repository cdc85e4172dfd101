"""PDF to text, page by page: pdfium first, pypdf for what pdfium cannot open."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Protocol

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import People, Person, Reason
from ingest.origin import Origin
from ingest.pdf.page import EmbeddedFile, Gap, PdfPage
from ingest.recognise import HEAD, recognise
from ingest.scans.pages import scanned_page
from ingest.scans.tesseract import Picture
from ingest.sieve import DrawnPage, LeftOut, PageWanted, Read, Scope
from ingest.text.clean import clean, clean_line

PAGES = 5000
"""Pages of one PDF that are read."""
CHARACTERS = 20_000_000
"""Characters of one PDF that are read."""
_DEEP = 3
"""How deep documents within documents are followed."""

_REMEDY = "`pip install 'askance[ocr]'` lets Askance recognise its words"
_GAPS = {
    Gap.PICTURE: (Reason.SCANNED, f"Scanned without text; {_REMEDY}."),
    Gap.GIBBERISH: (Reason.SCANNED, f"Its letters are pictures to a program; {_REMEDY}."),
    Gap.BROKEN: (Reason.CORRUPT, "It is damaged; fetch or save it again."),
}
_DRAWN = (Gap.PICTURE, Gap.GIBBERISH)
_BY_PROGRAM = re.compile(r"^Microsoft (?:Office )?\w+ - ", re.IGNORECASE)
# Titles that programs make up, and file names: no person gives a document such a title.
_NO_TITLE = re.compile(
    r"untitled.*|no title|\((?:anonymous|unspecified)\)"
    r"|.*\.\w{1,6}|.*[/\\_].*|[\W\d_]*|[a-z]\S*|\S*[\d-]\S*|\S{1,4}"
    r"|(?:document|presentation|slide|book|page|sheet|scan|image|title)\s?\d*"
    r"|(?:powerpoint|word|pdf|enscript) (?:presentation|document|file|output)",
    re.DOTALL | re.IGNORECASE,
)
# The name of a person has at least two words, none of them a company's.
_NO_AUTHOR = re.compile(
    r"\S*|.*[\\/_:\d].*|.*\b(?:version|user|unknown|microsoft|adobe|server|scanner|author)\b.*"
    r"|.*\b(?:inc|ltd|llc|gmbh|corporation|api|office|converter)\b.*",
    re.IGNORECASE | re.DOTALL,
)


class Document(Protocol):
    """What the two libraries have in common."""

    def __len__(self) -> int:
        """Return the number of pages."""

    def close(self) -> None:
        """Free the document."""

    def property(self, name: str) -> str:
        """Return a property such as Title or Author; may be empty."""

    def pages(self, limit: int) -> Iterator[PdfPage]:
        """Yield the first pages."""

    def filled(self) -> str:
        """Return form fields that no page shows."""

    def picture(self, number: int) -> Picture | None:
        """Return how a page looks, counted from 0; None where nothing can draw it."""

    def drawn(self, number: int, quote: str) -> DrawnPage | None:
        """Return the same in colour, with a quote marked on it."""

    def attached(self) -> Iterator[EmbeddedFile]:
        """Yield the files inside, once the pages have been read."""


def pdf_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the document in `data`, and the files inside it as items of their own.

    Raises UnreadableError when there is neither.
    """
    document = _opened(data, scope)
    try:
        if scope.page is not None:
            yield from _drawn(scope.page, document, origin, scope)
            return
        title = _title(document, origin)
        if not origin.subjects and not scope.admits_titles(title):
            yield LeftOut()
            return
        yield from _read(document, title, origin, scope)
    finally:
        document.close()


def _drawn(page: PageWanted, document: Document, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the page that is wanted, if it is one of this document or of one inside it."""
    if not page.is_of(origin.locator):
        yield from _attached(document, origin, scope)
    elif page.number <= len(document) and (drawn := document.drawn(page.number - 1, page.quote)):
        yield drawn


def _opened(data: bytes, scope: Scope) -> Document:
    """Return the document, opened by the first library that can."""
    broken = UnreadableError(Reason.CORRUPT, "It is damaged; fetch or save it again.")
    readers: tuple[Callable[[bytes, Scope], Document], ...] = (_with_pdfium, _with_pypdf)
    for reader in readers:
        try:
            document = reader(data, scope)
        except DAMAGED as error:
            broken.__cause__ = error
            continue
        if len(document):
            return document
        document.close()
    raise broken


def _with_pdfium(data: bytes, scope: Scope) -> Document:
    from ingest.pdf import pdfium

    return pdfium.PdfiumDocument(data, scope.passwords)


def _with_pypdf(data: bytes, scope: Scope) -> Document:
    from ingest.pdf import pypdf

    return pypdf.PypdfDocument(data, scope.passwords)


def _read(document: Document, title: str, origin: Origin, scope: Scope) -> Iterator[Read]:
    texts: list[str] = []
    starts: list[int] = []
    gaps: list[Gap | None] = []
    at = hidden = unseen = 0
    for page in document.pages(PAGES):
        text, removed = clean(page.text)
        texts.append(text.strip("\n"))
        gaps.append(page.gap)
        starts.append(at)
        at += len(texts[-1]) + 2
        hidden += removed
        unseen += page.hidden
        if at > CHARACTERS:
            break
    if scope.scans is not None:
        for number, gap in enumerate(gaps):
            if gap in _DRAWN:
                draw = partial(document.picture, number)
                mine = _authored(document, origin)
                yield from scanned_page(scope.scans, mine, draw, title=title, number=number + 1)
        yield from _attached(document, origin, scope)
        return
    filled, removed = clean(document.filled())
    if filled:
        texts.append(filled)
    has_text = any(text.strip() for text in texts)
    if has_text:
        item = _authored(document, origin).document(
            "\n\n".join(texts), hidden + removed + unseen, title=title, pages=tuple(starts)
        )
        yield replace(item, flags=("hidden text",)) if unseen else item
    yield from _unread(gaps, len(document), origin)
    inside = yield from _attached(document, origin, scope)
    if not inside and not any(gaps) and not has_text:
        seen = " that can be seen" if unseen else ""
        raise UnreadableError(Reason.EMPTY, f"Its pages hold no text{seen}.")


def _unread(gaps: Sequence[Gap | None], count: int, origin: Origin) -> Iterator[Read]:
    """Yield the runs of pages that could not be read; with no pages where none could."""
    first = 1
    for gap, run in groupby(gaps):
        last = first + len(list(run)) - 1
        if gap is not None:
            reason, remedy = _GAPS[gap]
            is_all = last - first + 1 == count
            pages = f"page {first}" if first == last else f"pages {first}-{last}"
            yield origin.skipped(reason, remedy, None if is_all else pages)
        first = last + 1
    if len(gaps) < count:
        remedy = "Only its first pages are read; split it."
        yield origin.skipped(Reason.TOO_LARGE, remedy, f"after page {len(gaps)}")


def _attached(document: Document, origin: Origin, scope: Scope) -> Generator[Read, None, int]:
    """Yield the items in the files inside a document; return the number of files."""
    # Formats are told apart by a table that lists this module.
    from ingest.formats import items_in

    count = 0
    for attached in document.attached():
        count += 1
        name = clean_line(attached.name).replace("\\", "/").rpartition("/")[2][:255]
        name = name or f"attachment {count}"
        member = ", ".join(filter(None, (origin.locator.member, name)))
        inner = replace(
            origin,
            title=name,
            locator=replace(origin.locator, member=member),
            charset=None,
            depth=origin.depth + 1,
        )
        if inner.depth > _DEEP:
            yield inner.skipped(Reason.TOO_LARGE, "It lies too deep; take it out of its document.")
            continue
        form = recognise(attached.data[:HEAD], Path(name))
        yield from items_in(attached.data, inner, scope, form)
    return count


def _title(document: Document, origin: Origin) -> str:
    """Return the document's title with its file name, or the file name alone."""
    title = _BY_PROGRAM.sub("", clean_line(document.property("Title")))
    if len(title) > 200 or "\ufffd" in title or _NO_TITLE.fullmatch(title):
        return origin.title
    if title.casefold() in origin.title.casefold():
        return origin.title
    return f"{title} ({origin.title})" if origin.title else title


def _authored(document: Document, origin: Origin) -> Origin:
    """Return `origin` with the author of the document, unless it came with people of its own."""
    author = clean_line(document.property("Author"))
    if origin.people != People() or len(author) > 100 or _NO_AUTHOR.fullmatch(author):
        return origin
    return replace(origin, people=People(sender=(Person(author, ""),)))

"""PDF to text, page by page: pdfium first, pypdf for what pdfium cannot open."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import groupby
from typing import Any

from ingest.clean import clean
from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

PAGES = 5000
"""Pages of one PDF that are read."""
# A hyphen at the end of a line comes out of pdfium as one of these: the word goes on below.
_HYPHEN = re.compile("[\ufffe\x02]\r?\n?")
_DRAWN = 50
"""Drawn paths on a page without text from which on it is taken for outlined letters."""


@dataclass(frozen=True, slots=True)
class Page:
    """The text of one page, and whether it shows something that is no text."""

    text: str
    is_picture: bool


def pdf_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the document in `data`; raises UnreadableError when there is none."""
    pages = _pages(data)
    texts: list[str] = []
    starts: list[int] = []
    at = hidden = 0
    for page in pages:
        text, removed = clean(_HYPHEN.sub("", page.text))
        texts.append(text.strip("\n"))
        starts.append(at)
        at += len(texts[-1]) + 2
        hidden += removed
    if any(text.strip() for text in texts):
        yield origin.document("\n\n".join(texts), hidden, pages=tuple(starts))
    elif not any(page.is_picture for page in pages):
        raise UnreadableError(Reason.EMPTY, "Its pages hold nothing.")
    remedy = "Scanned without text; run a text recogniser over it."
    for member in _scanned(pages):
        yield origin.skipped(Reason.SCANNED, remedy, member)
    if len(pages) == PAGES:
        remedy = "Only its first pages are read; split it."
        yield origin.skipped(Reason.TOO_LARGE, remedy, f"after page {PAGES}")


def _scanned(pages: Sequence[Page]) -> Iterator[str | None]:
    """Yield names for the runs of scanned pages; one None when the whole file is scanned."""
    scanned = [not page.text.strip() and page.is_picture for page in pages]
    if all(scanned):
        yield None
        return
    for is_scanned, run in groupby(enumerate(scanned, 1), key=lambda pair: pair[1]):
        numbers = [number for number, _ in run]
        if is_scanned:
            first, last = numbers[0], numbers[-1]
            yield f"page {first}" if first == last else f"pages {first}-{last}"


def _pages(data: bytes) -> list[Page]:
    """Return the pages by the first of the readers that can open the file."""
    broken = UnreadableError(Reason.CORRUPT, "It is damaged; fetch or save it again.")
    readers: tuple[Callable[[bytes], list[Page]], ...] = (_with_pdfium, _with_pypdf)
    for reader in readers:
        try:
            pages = reader(data)
        except DAMAGED as error:
            broken.__cause__ = error
            continue
        if pages:
            return pages
    raise broken


def _with_pdfium(data: bytes) -> list[Page]:
    import pypdfium2
    from pypdfium2 import raw

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise _needs_password() from error
        raise
    try:
        return [_pdfium_page(pdf, number) for number in range(min(len(pdf), PAGES))]
    finally:
        pdf.close()


def _pdfium_page(pdf: Any, number: int) -> Page:
    """Return one page; one that cannot be loaded counts as a picture, so that it is reported."""
    import pypdfium2
    from pypdfium2 import raw

    try:
        page = pdf[number]
    except pypdfium2.PdfiumError:
        return Page("", True)
    try:
        text_page = page.get_textpage()
        text = text_page.get_text_bounded()
        text_page.close()
        if text.strip():
            return Page(text, False)
        types = [shape.type for shape in page.get_objects(max_depth=3)]
        pictures, paths = types.count(raw.FPDF_PAGEOBJ_IMAGE), types.count(raw.FPDF_PAGEOBJ_PATH)
        return Page("", pictures > 0 or paths >= _DRAWN)
    except pypdfium2.PdfiumError:
        return Page("", True)
    finally:
        page.close()


def _with_pypdf(data: bytes) -> list[Page]:
    import logging

    from pypdf import PdfReader
    from pypdf.errors import DeprecationError, PyPdfError

    # Its warnings would go to stderr, into the screen.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    logging.getLogger("pypdf").propagate = False
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _needs_password()
        pages = [reader.pages[number] for number in range(min(len(reader.pages), PAGES))]
        texts = [page.extract_text() for page in pages]
    except (PyPdfError, DeprecationError) as error:
        raise ValueError(str(error)) from error
    return [Page(text, not text.strip()) for text in texts]


def _needs_password() -> UnreadableError:
    return UnreadableError(Reason.ENCRYPTED, "It needs a password; save a copy without one.")

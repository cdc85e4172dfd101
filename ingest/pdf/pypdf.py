"""PDF by pypdf, which is slow but opens some files that pdfium cannot."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from io import BytesIO

from pypdf import PdfReader
from pypdf.errors import DependencyError, DeprecationError, PyPdfError

from ingest.damage import DAMAGED
from ingest.pdf.page import EmbeddedFile, Gap, PdfPage, needs_password
from ingest.scans.tesseract import Picture
from ingest.sieve import DrawnPage

# Its warnings would go to stderr, into the screen.
logging.getLogger("pypdf").addHandler(logging.NullHandler())
logging.getLogger("pypdf").propagate = False


class PypdfDocument:
    """An open PDF."""

    def __init__(self, data: bytes, passwords: Sequence[str]) -> None:
        """Open the document without a password, or else with one of `passwords`.

        Raises UnreadableError when none fits, ValueError when it is damaged.
        """
        try:
            self._reader = PdfReader(BytesIO(data))
            if self._reader.is_encrypted and not any(map(self._reader.decrypt, ("", *passwords))):
                raise needs_password()
            self._count = len(self._reader.pages)
        except DependencyError as error:
            raise needs_password() from error
        except (PyPdfError, DeprecationError) as error:
            raise ValueError(str(error)) from error

    def __len__(self) -> int:
        """Return the number of pages."""
        return self._count

    def close(self) -> None:
        """Free the document."""
        self._reader.close()

    def property(self, name: str) -> str:
        """Return a property such as Title or Author; may be empty."""
        try:
            properties = self._reader.metadata
            return str(properties.get(f"/{name}") or "") if properties else ""
        except (PyPdfError, *DAMAGED):
            return ""

    def pages(self, limit: int) -> Iterator[PdfPage]:
        """Yield the first pages."""
        for number in range(min(len(self), limit)):
            try:
                text = self._reader.pages[number].extract_text()
            except (PyPdfError, DeprecationError, *DAMAGED):
                yield PdfPage(gap=Gap.BROKEN)
            else:
                yield PdfPage(text, gap=None if text.strip() else Gap.PICTURE)

    def filled(self) -> str:
        """Return the filled-in form fields."""
        try:
            fields = self._reader.get_form_text_fields()
        except (PyPdfError, DeprecationError, *DAMAGED):
            return ""
        return "\n".join(f"{name}: {value}" for name, value in fields.items() if value)

    def picture(self, number: int) -> Picture | None:
        """Return None: pypdf draws no pages."""
        del number
        return None

    def drawn(self, number: int, quote: str) -> DrawnPage | None:
        """Return None, likewise."""
        del number, quote
        return None

    def attached(self) -> Iterator[EmbeddedFile]:
        """Yield nothing: the files inside are not read of a document so damaged."""
        return iter(())

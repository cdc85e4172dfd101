"""Puts the blocks of a document together: paragraphs apart, list items and rows line by line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.rows import named_lines
from ingest.origin import Origin
from ingest.sieve import Read
from ingest.text.clean import clean

TEXT_LIMIT = 20_000_000
"""Characters of one document that are kept."""
_LONG_TARGET = 120


class Layout:
    """Blocks of text as they come, up to the limit."""

    def __init__(self) -> None:
        """Begin with one empty page."""
        self._pages: list[list[str]] = [[]]
        self._size = 0
        self._run = ""
        self._rows: list[Sequence[str]] = []
        self._continued: dict[int, Collection[int]] = {}
        self._held = 0
        self.hidden = 0
        """Characters of hidden text that were left out."""
        self.flags: dict[str, None] = {}
        """Flags of the document, in the order found."""
        self.is_cut = False
        """Whether text was left out because there is too much."""

    def add(self, text: str, run: str = "") -> None:
        """Append a block; blocks of one `run`, such as items, have no empty line between them."""
        self.end_table()
        if text := text.strip():
            self._append(text, run)

    def add_row(self, cells: Sequence[str], continued: Collection[int] = ()) -> None:
        """Append a row of a table, which goes on until the next block or `end_table`.

        `continued` are the columns in which a cell goes on that began in a row above.
        """
        if continued:
            self._continued[len(self._rows)] = continued
        self._rows.append(cells)
        self._held += sum(map(len, cells)) + len(cells)
        if self._held > TEXT_LIMIT:
            self.end_table()

    def end_table(self) -> None:
        """End the table whose rows came last; without one nothing happens."""
        rows, self._rows, self._held = self._rows, [], 0
        continued, self._continued = self._continued, {}
        for line in named_lines(rows, continued=continued) or [
            " | ".join(cells).strip(" |") for cells in rows
        ]:
            if line:
                self._append(line, "row")
        if rows:
            self._run = ""

    def _append(self, text: str, run: str) -> None:
        if self._size + len(text) > TEXT_LIMIT:
            self.is_cut = True
            return
        page = self._pages[-1]
        if page:
            page.append("\n" if run and run == self._run else "\n\n")
        page.append(text)
        self._size += len(text) + 2
        self._run = run

    def flag(self, flag: str) -> None:
        """Add a flag that a reader of the document should know."""
        self.flags[flag] = None

    def begin_page(self) -> None:
        """Begin the next page."""
        self.end_table()
        self._pages.append([])
        self._run = ""

    def text(self) -> str:
        """Return the text of all pages, unchanged."""
        self.end_table()
        return "\n\n".join("".join(page) for page in self._pages)

    def reads(
        self, origin: Origin, *, paged: bool = False, title: str = "", nothing: str = ""
    ) -> Iterator[Read]:
        """Yield the document, and what was left out of it; with `paged` it knows its pages.

        Raises UnreadableError, saying `nothing`, when it holds no text.
        """
        self.end_table()
        texts: list[str] = []
        starts: list[int] = []
        at = 0
        for page in self._pages:
            text, removed = clean("".join(page))
            texts.append(text)
            starts.append(at)
            at += len(text) + 2
            self.hidden += removed
        if not any(text.strip() for text in texts):
            raise UnreadableError(Reason.EMPTY, nothing or "It holds no text.")
        pages = tuple(starts) if paged else ()
        item = origin.document("\n\n".join(texts), self.hidden, title=title, pages=pages)
        yield replace(item, flags=tuple(self.flags)) if self.flags else item
        if self.is_cut:
            yield too_long(origin)


def shown_target(target: str, said: str) -> str:
    """Return the target of a link to write after its text; empty where the text says it."""
    if not target.startswith(("http://", "https://", "mailto:")) or len(target) > _LONG_TARGET:
        return ""
    said = "".join(said.split())
    plain = target.removeprefix("mailto:").rstrip("/")
    return f" ({target})" if said and plain not in said else ""


def too_long(origin: Origin, member: str | None = None) -> Read:
    """Return the skip of what lies beyond the limit of text."""
    remedy = f"Only its first {TEXT_LIMIT // 1_000_000} million characters are read; split it."
    return origin.skipped(Reason.TOO_LARGE, remedy, member)

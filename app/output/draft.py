"""What is drawn on a terminal and taken back: a draft, and what stays above it meanwhile."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from textwrap import fill
from typing import TextIO

from app.output.plain import folded, lines, one_line


class Rows:
    """Text on a terminal of a known size, which can be taken back."""

    def __init__(self, stream: TextIO, *, colour: bool, columns: int, rows: int) -> None:
        """Draw on a terminal of this size, dim where it has colours."""
        self._stream = stream
        self._dim, self._plain = ("\x1b[2m", "\x1b[0m") if colour else ("", "")
        self._columns = columns
        self._rows = rows
        self._row = 0
        self._column = 0
        self._began = False

    def write(self, text: str) -> None:
        """Append text, breaking lines here so that the number of rows is known."""
        self._began = True
        out = []
        for char in lines(text):
            width = _cells(char)
            if char == "\n" or self._column + width > self._columns:
                out.append("\n")
                self._row += 1
                self._column = 0
            if char != "\n":
                out.append(char)
                self._column += width
        self._stream.write(f"{self._dim}{''.join(out)}{self._plain}")
        self._stream.flush()

    def _fits(self) -> bool:
        return self._row < self._rows - 1

    def _take_back(self) -> None:
        up = f"\x1b[{self._row}A" if self._row else ""
        self._stream.write(f"\r{up}\x1b[J")

    def _forget(self) -> None:
        self._stream.flush()
        self._began, self._row, self._column = False, 0, 0


class DraftView(Rows):
    """The generator's words as they come, dim, taken back when the checked answer is there.

    The draft may name sources it does not have: the checked answer replaces it.
    """

    def erase(self, follows: str = "Checked answer:") -> bool:
        """Take the draft back; when it has scrolled away, say where it ends and what follows.

        Return whether what stands above it can be taken back too.
        """
        if not self._began:
            return True
        if is_whole := self._fits():
            self._take_back()
        else:
            self._stream.write(f"\n\n(End of the draft. {follows})\n\n")
        self._forget()
        return is_whole


class Board(Rows):
    """What stays above the status line and the draft until the answer is there; not dim.

    The cursor is at the beginning of a row whenever it is written or taken back.
    """

    def put(self, shown: Iterable[str]) -> None:
        """Add lines; a long one is broken at blanks."""
        for line in shown:
            self.write(f"{fill(line, self._columns - 1, break_long_words=False)}\n")

    def put_cut(self, shown: Iterable[str]) -> None:
        """Add lines, each on one row."""
        for line in shown:
            self.write(f"{_cut(line, self._columns - 1)}\n")

    def take_back(self) -> None:
        """Take all of it back that is still on the screen."""
        if self._began:
            self._take_back()
        self._forget()

    def say(self, text: str) -> None:
        """Write a line that stays, apart from what follows."""
        self._stream.write(f"{folded(one_line(text), self._stream)}\n\n")
        self._stream.flush()

    def leave(self) -> None:
        """Leave it where it is: it has scrolled away."""
        self._forget()


def _cut(text: str, columns: int) -> str:
    """Return the beginning of a line that takes so many columns at most."""
    room = columns
    for place, char in enumerate(text):
        room -= _cells(char)
        if room < 0:
            return text[:place]
    return text


def _cells(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1

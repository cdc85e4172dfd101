"""A page of a PDF as a picture in colour, with a quote marked on it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ctypes import byref, c_int
from typing import Any

import pypdfium2
from pypdfium2 import raw

from ingest.sieve import DrawnPage

LONGEST = 1600
"""Dots of the longer side: letters of eight points can be read."""
_CHARACTERS = 20_000
"""Of a page, among which a quote is sought."""
_LEAST = 12
"""Letters of a piece of a quote that is marked by itself, where the whole is not found."""
_PIECES = re.compile(r"(?<=[.!?])\s+|\n+")
_NAME = re.compile(r"(?:^|(?<= \| ))[^|\n]{1,160}?: ", re.MULTILINE)
"""The name of a column in a row of a table, which the page has in its header alone."""
_MARK = bytes(value * 96 // 255 for value in range(256))
"""What becomes of each value of blue below a mark: white turns yellow, and black stays dark."""


def drawn(page: pypdfium2.PdfPage, quote: str) -> DrawnPage | None:
    """Return how a page looks; None where it cannot be drawn."""
    try:
        scale = LONGEST / max(page.get_size())
        picture = page.render(scale=scale, rev_byteorder=True, may_draw_forms=False)
        dots = _rows(picture)
        for left, top, right, bottom in _marks(page, quote, picture.width, picture.height):
            for row in range(top, bottom):
                begin, end = row * picture.width + left, row * picture.width + right
                blue = slice(3 * begin + 2, 3 * end, 3)
                dots[blue] = dots[blue].translate(_MARK)
    except (pypdfium2.PdfiumError, ZeroDivisionError):
        return None
    return DrawnPage(bytes(dots), picture.width, picture.height)


def _rows(picture: Any) -> bytearray:
    """Return the dots of a picture of three bytes each, without what fills its rows up."""
    dots, width, stride = bytes(picture.buffer), 3 * picture.width, picture.stride
    if stride == width:
        return bytearray(dots)
    return bytearray().join(
        dots[row * stride : row * stride + width] for row in range(picture.height)
    )


def _marks(
    page: pypdfium2.PdfPage, quote: str, width: int, height: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield left, top, right and bottom, in dots, of what is to be marked."""
    text = page.get_textpage()
    try:
        for begin, end in _found(text, quote):
            for number in range(text.count_rects(begin, end - begin)):
                left, bottom, right, top = text.get_rect(number)
                x0, y0 = _dot(page, left, top, width, height)
                x1, y1 = _dot(page, right, bottom, width, height)
                across, down = sorted((x0, x1)), sorted((y0, y1))
                yield (
                    *(max(0, across[0] - 1), max(0, down[0] - 1)),
                    *(min(width, across[1] + 1), min(height, down[1] + 1)),
                )
    finally:
        text.close()


def _found(text: pypdfium2.PdfTextPage, quote: str) -> Iterator[tuple[int, int]]:
    """Yield where a quote stands among the characters of a page; its pieces where it is cut.

    Only letters and digits are compared: blanks, hyphens and line ends are those of the reading.
    """
    count = min(text.count_chars(), _CHARACTERS)
    letters, places = [], []
    for place in range(count):
        character = chr(raw.FPDFText_GetUnicode(text.raw, place))
        if character.isalnum():
            letters.append(character.casefold()[:1])
            places.append(place)
    there = "".join(letters)
    values = _NAME.sub("", quote) if " | " in quote else quote
    for pieces in ([quote], [values], _PIECES.split(quote), _PIECES.split(values)):
        found = False
        for piece in pieces:
            wanted = "".join(one.casefold()[:1] for one in piece if one.isalnum())
            at = there.find(wanted) if len(wanted) >= (1 if piece is quote else _LEAST) else -1
            if at >= 0:
                found = True
                yield places[at], places[at + len(wanted) - 1] + 1
        if found:
            return


def _dot(page: pypdfium2.PdfPage, x: float, y: float, width: int, height: int) -> tuple[int, int]:
    """Return where a point of a page lies on its picture."""
    across, down = c_int(), c_int()
    raw.FPDF_PageToDevice(page.raw, 0, 0, width, height, 0, x, y, byref(across), byref(down))
    return across.value, down.value

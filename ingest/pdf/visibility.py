"""Tells which characters of a PDF page a viewer cannot see.

Asking pdfium about every character takes longer than reading the page. A few dozen of them,
evenly spread, are checked first; all are checked only if one of these is odd.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from ctypes import (
    CFUNCTYPE,
    PYFUNCTYPE,
    addressof,
    c_float,
    c_int,
    c_uint,
    c_void_p,
    cast,
    string_at,
)
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

from pypdfium2 import raw

from ingest.placed.fragments import Box

SAMPLES = 48
"""Characters of a page that are always checked."""
_TINY = 1.0
"""Points below which nobody reads a letter."""
_WHITE, _CLEAR = 250, 8
"""Colour and opacity, of 255: above the first is white, below the second is clear."""
_INVISIBLE = frozenset({raw.FPDF_TEXTRENDERMODE_INVISIBLE, raw.FPDF_TEXTRENDERMODE_CLIP})
_OUTLINED = frozenset({raw.FPDF_TEXTRENDERMODE_STROKE, raw.FPDF_TEXTRENDERMODE_STROKE_CLIP})
_DRAWN = 2000
"""Objects of a page that are searched for something below white letters."""
_DRAWINGS, _LARGEST = 20, 2000.0
"""How many white texts of a page are drawn to check their colour, and the largest size drawn."""
_BROAD = 4.0
"""Points of the narrowest line that could lie below letters."""


def quick(name: str, *arguments: Any, result: Any = c_int) -> Callable[..., Any]:
    """Return a function of pdfium's that takes addresses as they are, for calls by the thousand."""
    function: Callable[..., Any] = cast(getattr(raw, name), PYFUNCTYPE(result, *arguments))
    return function


_text_object = quick("FPDFText_GetTextObject", c_void_p, c_int, result=c_void_p)
_render_mode = quick("FPDFTextObj_GetTextRenderMode", c_void_p)
_fill_colour = quick("FPDFPageObj_GetFillColor", *[c_void_p] * 5)
_stroke_colour = quick("FPDFPageObj_GetStrokeColor", *[c_void_p] * 5)
_stroke_width = quick("FPDFPageObj_GetStrokeWidth", c_void_p, c_void_p)
_draw_mode = quick("FPDFPath_GetDrawMode", c_void_p, c_void_p, c_void_p)
_loose_box = quick("FPDFText_GetLooseCharBox", c_void_p, c_int, c_void_p)
_unmapped = quick("FPDFText_HasUnicodeMapError", c_void_p, c_int)
_page_box = quick("FPDF_GetPageBoundingBox", c_void_p, c_void_p)
_bounds = quick("FPDFPageObj_GetBounds", *[c_void_p] * 5)
_object_type = quick("FPDFPageObj_GetType", c_void_p)
_count_objects = quick("FPDFPage_CountObjects", c_void_p)
_object = quick("FPDFPage_GetObject", c_void_p, c_int, result=c_void_p)
_count_parts = quick("FPDFFormObj_CountObjects", c_void_p)
_part = quick("FPDFFormObj_GetObject", c_void_p, c_uint, result=c_void_p)

_drawn_alone = cast(
    raw.FPDFTextObj_GetRenderedBitmap,
    CFUNCTYPE(raw.FPDF_BITMAP, c_void_p, c_void_p, c_void_p, c_float),
)

_colour = (c_uint * 4)()
_channels = tuple(addressof(_colour) + 4 * n for n in range(4))
_corners = (c_float * 4)()
_at_corner = tuple(addressof(_corners) + 4 * n for n in range(4))
_rect = (c_float * 4)()
"""Left, top, right and bottom: the order of `FS_RECTF`."""
_at_rect = addressof(_rect)
_four_floats = Struct("4f").unpack_from
_four_numbers = Struct("4I").unpack_from
_modes = (c_int * 2)()
_width = c_float()


@dataclass(slots=True)
class Background:
    """What else is drawn on a page and could lie below letters."""

    pictures: list[Box] = field(default_factory=list)
    painted: list[Box] = field(default_factory=list)
    """Pictures, and all areas that are not white."""


class PageView:
    """The view of one page, given the handles of the document, the page and its text."""

    def __init__(self, document: int, page: int, text_page: int, count: int) -> None:
        """Take the handles; nothing is read yet."""
        self._document, self._page = document, page
        self._text, self._count = text_page, count
        self._frame = _framed(page)
        self._background: Background | None = None
        self._drawings = _DRAWINGS
        self.unmapped = 0.0
        """Share of the sampled characters for which the font does not say what they are."""

    def looks_whole(self) -> bool:
        """Say whether all sampled characters can be seen."""
        seen = unmapped = last = 0
        for index in range(0, self._count, max(1, self._count // SAMPLES)):
            shown = _text_object(self._text, index)
            if not shown:
                continue
            seen += 1
            unmapped += _unmapped(self._text, index)
            if shown == last:
                continue
            last = shown
            if self._is_out_of_sight(index):
                return False
            if _is_faint(shown) and not self._lies_upon(shown, index):
                return False
        self.unmapped = unmapped / seen if seen else 0.0
        return True

    def hidden(self) -> Iterator[int]:
        """Yield the indices of characters that cannot be seen, in order."""
        faint: dict[int, bool] = {}
        is_hidden = False
        text = self._text
        for index in range(self._count):
            shown = _text_object(text, index)
            # The spaces that pdfium adds belong to the text before them.
            if shown:
                is_faint = faint.get(shown)
                if is_faint is None:
                    is_faint = _is_faint(shown) and not self._lies_upon(shown, index)
                    faint[shown] = is_faint
                is_hidden = is_faint or self._is_out_of_sight(index)
            if is_hidden:
                yield index

    def box(self, index: int) -> Box | None:
        """Return where a character stands; None where it has no place."""
        if index < 0 or not _loose_box(self._text, index, _at_rect):
            return None
        left, top, right, bottom = _four_floats(_rect)
        return left, bottom, right, top

    def _is_out_of_sight(self, index: int) -> bool:
        """Say whether a character is too small to read, or off the page."""
        if not _loose_box(self._text, index, _at_rect):
            return False
        left, top, right, bottom = _four_floats(_rect)
        width, height = right - left, top - bottom
        if height < _TINY and width < _TINY and (height > 0 or width > 0):
            return True
        frame = self._frame
        return frame is not None and not (
            left < frame[2] and right > frame[0] and bottom < frame[3] and top > frame[1]
        )

    def _lies_upon(self, shown: int, index: int) -> bool:
        """Say whether there is something under a faint text that makes it be seen.

        Under invisible letters that is a picture: they are the recognised text of a scan.
        """
        if not _loose_box(self._text, index, _at_rect):
            return True
        left, top, right, bottom = _rect
        x, y = (left + right) / 2, (bottom + top) / 2
        if self._background is None:
            self._background = _background_of(self._page)
        mode = _render_mode(shown)
        only_pictures = mode == raw.FPDF_TEXTRENDERMODE_INVISIBLE
        boxes = self._background.pictures if only_pictures else self._background.painted
        if any(box[0] <= x <= box[2] and box[1] <= y <= box[3] for box in boxes):
            return True
        return mode not in _INVISIBLE and self._is_coloured(shown)

    def _is_coloured(self, shown: int) -> bool:
        """Say whether a text said to be white is not: what is filled with a pattern is called so.

        It is drawn, alone and on nothing, to find out.
        """
        self._drawings -= 1
        if self._drawings < 0 or not _bounds(shown, *_at_corner):
            return False
        left, bottom, right, top = _corners
        if right - left > _LARGEST or top - bottom > _LARGEST:
            return False
        bitmap = _drawn_alone(self._document, self._page, shown, 1.0)
        if not bitmap:
            return False
        try:
            size = raw.FPDFBitmap_GetStride(bitmap) * raw.FPDFBitmap_GetHeight(bitmap)
            pixels = string_at(raw.FPDFBitmap_GetBuffer(bitmap), size)
        finally:
            raw.FPDFBitmap_Destroy(bitmap)
        colours = {pixels[at : at + 4] for at in range(0, size, 4)} - {bytes(4)}
        return any(min(colour[:3]) < _WHITE for colour in colours)


def _framed(page: int) -> Box | None:
    """Return the visible part of the page; None when the file gives no valid one."""
    if not _page_box(page, _at_rect):
        return None
    left, top, right, bottom = _rect
    is_sensible = right - left > _TINY and top - bottom > _TINY
    return (left, bottom, right, top) if is_sensible else None


def _is_faint(shown: int) -> bool:
    """Say whether a text is drawn invisibly, in white, or clear."""
    mode = _render_mode(shown)
    if mode in _INVISIBLE:
        return True
    return mode not in _OUTLINED and _is_pale(_fill_colour, shown)


def _is_pale(colour_of: Callable[..., Any], shown: int) -> bool:
    if not colour_of(shown, *_channels):
        return False
    red, green, blue, alpha = _four_numbers(_colour)
    return bool(alpha <= _CLEAR or min(red, green, blue) >= _WHITE)


def _background_of(page: int) -> Background:
    background = Background()
    for index in range(min(_count_objects(page), _DRAWN)):
        drawn = _object(page, index)
        is_picture, is_painted = _covers(drawn, 0)
        if not is_painted or not _bounds(drawn, *_at_corner):
            continue
        box = (_corners[0], _corners[1], _corners[2], _corners[3])
        background.painted.append(box)
        if is_picture:
            background.pictures.append(box)
    return background


def _covers(drawn: int, depth: int) -> tuple[bool, bool]:
    """Say whether a drawn object is a picture, and whether it colours the background."""
    match _object_type(drawn):
        case raw.FPDF_PAGEOBJ_IMAGE:
            return True, True
        case raw.FPDF_PAGEOBJ_SHADING:
            return False, True
        case raw.FPDF_PAGEOBJ_PATH:
            return False, _is_painted(drawn)
        case raw.FPDF_PAGEOBJ_FORM if depth < 3:
            parts = (_part(drawn, n) for n in range(min(_count_parts(drawn), 100)))
            found = [_covers(part, depth + 1) for part in parts]
            return any(one for one, _ in found), any(one for _, one in found)
    return False, False


def _is_painted(path: int) -> bool:
    if not _draw_mode(path, addressof(_modes), addressof(_modes) + 4):
        return False
    is_filled, is_stroked = _modes
    if is_filled and not _is_pale(_fill_colour, path):
        return True
    if not is_stroked or not _stroke_width(path, addressof(_width)) or _width.value < _BROAD:
        return False
    return not _is_pale(_stroke_colour, path)


def drawn_types(page: int, limit: int = _DRAWN) -> list[int]:
    """Return the types of the objects on a page, those in groups too."""
    types: list[int] = []
    pending = [(_object(page, n), 0) for n in range(min(_count_objects(page), limit))]
    while pending and len(types) < limit:
        drawn, depth = pending.pop()
        kind = _object_type(drawn)
        types.append(kind)
        if kind == raw.FPDF_PAGEOBJ_FORM and depth < 3:
            parts = range(min(_count_parts(drawn), limit))
            pending += [(_part(drawn, n), depth + 1) for n in parts]
    return types

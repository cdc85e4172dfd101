"""PDF by pdfium: its pages, what is filled in and noted on them, the files inside.

The plain interface is called, without the classes around it: half the time of a short page would
go into those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from ctypes import CFUNCTYPE, addressof, c_int, c_void_p, cast, string_at
from ctypes import create_string_buffer as room
from html import unescape
from typing import Any

import pypdfium2
from pypdfium2 import raw

from ingest.pdf.drawing import drawn
from ingest.pdf.page import (
    EmbeddedFile,
    Gap,
    PdfPage,
    close_up,
    is_gibberish,
    join_hyphens,
    needs_password,
)
from ingest.pdf.pdfium_values import attached, bytes_of, text_of, utf16
from ingest.pdf.visibility import PageView, drawn_types, quick
from ingest.placed.tables import Tables
from ingest.scans.tesseract import DOTS_PER_INCH, Picture
from ingest.sieve import DrawnPage

ATTACHED = 200
"""Files inside one PDF that are read."""
_NOTES = 2000
"""Notes and fields of one page that are read."""
_LONGEST = 17 * DOTS_PER_INCH
"""Dots of the longer side of a drawn page: A3."""
_OUTLINES = 50
"""Drawn paths that make a page without text count as outlined letters."""

_load_page = cast(raw.FPDF_LoadPage, CFUNCTYPE(c_void_p, c_void_p, c_int))
_close_page = cast(raw.FPDF_ClosePage, CFUNCTYPE(None, c_void_p))
_load_text = cast(raw.FPDFText_LoadPage, CFUNCTYPE(c_void_p, c_void_p))
_close_text = cast(raw.FPDFText_ClosePage, CFUNCTYPE(None, c_void_p))
_get_text = cast(raw.FPDFText_GetText, CFUNCTYPE(c_int, c_void_p, c_int, c_int, c_void_p))
_count_chars = quick("FPDFText_CountChars", c_void_p)
_char = quick("FPDFText_GetCharIndexFromTextIndex", c_void_p, c_int)
_text_index = quick("FPDFText_GetTextIndexFromCharIndex", c_void_p, c_int)
_count_notes = quick("FPDFPage_GetAnnotCount", c_void_p)
_note_at = quick("FPDFPage_GetAnnot", c_void_p, c_int, result=c_void_p)
_close_note = quick("FPDFPage_CloseAnnot", c_void_p, result=None)
_note_type = quick("FPDFAnnot_GetSubtype", c_void_p)

_SAYING = frozenset(
    {
        *(raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_HIGHLIGHT),
        *(raw.FPDF_ANNOT_UNDERLINE, raw.FPDF_ANNOT_SQUIGGLY, raw.FPDF_ANNOT_STRIKEOUT),
        *(raw.FPDF_ANNOT_STAMP, raw.FPDF_ANNOT_CARET, raw.FPDF_ANNOT_INK, raw.FPDF_ANNOT_LINE),
        *(raw.FPDF_ANNOT_SQUARE, raw.FPDF_ANNOT_CIRCLE, raw.FPDF_ANNOT_POLYGON),
        *(raw.FPDF_ANNOT_POLYLINE, raw.FPDF_ANNOT_FILEATTACHMENT, raw.FPDF_ANNOT_REDACT),
    }
)
_UNSEEN = raw.FPDF_ANNOT_FLAG_HIDDEN | raw.FPDF_ANNOT_FLAG_NOVIEW
_TICKED = frozenset({raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON})
_FILLED = _TICKED | {
    *(raw.FPDF_FORMFIELD_TEXTFIELD, raw.FPDF_FORMFIELD_COMBOBOX, raw.FPDF_FORMFIELD_LISTBOX)
}
_YES = frozenset({"Yes", "On", "1", "true"})
_XFA = frozenset({raw.FORMTYPE_XFA_FULL, raw.FORMTYPE_XFA_FOREGROUND})
_TAG = re.compile("<[^<>]*>")
_VALUE = re.compile(r"<([\w.:-]+)(?:\s[^<>]*)?>([^<]*[^<\s][^<]*)</")
"""An element of XML that holds nothing but text."""


class PdfiumDocument:
    """An open PDF."""

    def __init__(self, data: bytes, passwords: Sequence[str]) -> None:
        """Open the document without a password, or else with one of `passwords`.

        Raises UnreadableError when none fits, RuntimeError when it is damaged.
        """
        self._pdf = _opened(data, passwords)
        self._handle: int = cast(self._pdf.raw, c_void_p).value or 0
        self._form_type: int = raw.FPDF_GetFormType(self._pdf.raw)
        self._form: Any = None
        self._is_filled = False
        self._buffer = room(1 << 14)
        self._tables = Tables()
        self._on_pages: list[EmbeddedFile] = []
        """Files attached to pages that have been read."""

    def __len__(self) -> int:
        """Return the number of pages."""
        return len(self._pdf)

    def close(self) -> None:
        """Free the document."""
        if self._form is not None:
            raw.FPDFDOC_ExitFormFillEnvironment(self._form)
        self._pdf.close()

    def property(self, name: str) -> str:
        """Return a property such as Title or Author; may be empty."""
        return utf16(raw.FPDF_GetMetaText, self._pdf.raw, name.encode())

    def pages(self, limit: int) -> Iterator[PdfPage]:
        """Yield the first pages."""
        for number in range(min(len(self), limit)):
            yield self._page(number)

    def filled(self) -> str:
        """Return the form fields that did not appear on the pages read."""
        if self._form_type not in _XFA or self._is_filled:
            return ""
        pdf = self._pdf.raw
        lines: list[str] = []
        for index in range(min(raw.FPDF_GetXFAPacketCount(pdf), 50)):
            if text_of(raw.FPDF_GetXFAPacketName, pdf, index) == "datasets":
                packet = bytes_of(raw.FPDF_GetXFAPacketContent, pdf, index)
                found = _VALUE.findall(packet.decode("utf-8", "replace"))
                lines += [f"{name}: {unescape(value).strip()}" for name, value in found]
        return "\n".join(lines)

    def picture(self, number: int) -> Picture | None:
        """Return how a page looks, counted from 0; None where it cannot be drawn."""
        page = self._pdf[number]
        try:
            # A page as large as a poster is drawn as large as a sheet of paper.
            scale = min(DOTS_PER_INCH / 72, _LONGEST / max(page.get_size()))
            drawn = page.render(scale=scale, grayscale=True, may_draw_forms=False)
            return Picture(bytes(drawn.buffer), drawn.width, drawn.height, drawn.stride)
        except (pypdfium2.PdfiumError, ZeroDivisionError):
            return None
        finally:
            page.close()

    def drawn(self, number: int, quote: str) -> DrawnPage | None:
        """Return the same in colour, with a quote marked."""
        page = self._pdf[number]
        try:
            return drawn(page, quote)
        finally:
            page.close()

    def attached(self) -> Iterator[EmbeddedFile]:
        """Yield the files inside; those on pages only after the pages are read."""
        pdf = self._pdf.raw
        for index in range(min(raw.FPDFDoc_GetAttachmentCount(pdf), ATTACHED)):
            found = attached(raw.FPDFDoc_GetAttachment(pdf, index))
            if found is not None:
                yield found
        yield from self._on_pages

    def _page(self, number: int) -> PdfPage:
        page = _load_page(self._handle, number)
        if not page:
            return PdfPage(gap=Gap.BROKEN)
        try:
            text_page = _load_text(page)
            if not text_page:
                return PdfPage(gap=Gap.BROKEN)
            try:
                text, hidden, is_nonsense = self._read(page, text_page)
            finally:
                _close_text(text_page)
            gap = Gap.GIBBERISH if is_nonsense else None
            if gap is None and not text.strip():
                gap = Gap.PICTURE if _shows_something(page) else None
            notes, unseen = self._notes(page)
            return PdfPage("\n".join([text, *notes]) if notes else text, hidden + unseen, gap)
        finally:
            _close_page(page)

    def _read(self, page: int, text_page: int) -> tuple[str, int, bool]:
        """Return the text of a page, how much was left out, and whether it makes no sense."""
        count = _count_chars(text_page)
        if count <= 0:
            return "", 0, False
        units = self._units(text_page, count)
        view = PageView(self._handle, page, text_page, count)
        hidden = 0
        is_whole = view.looks_whole()
        if not is_whole:
            units, hidden = _without(units, text_page, view.hidden())
        text = units.decode("utf-16-le", "replace")
        if is_gibberish(text, view.unmapped):
            return "", hidden, True
        if is_whole and len(text) * 2 == len(units):
            place = view.box if len(text) == count else lambda at: view.box(_char(text_page, at))
            text = self._tables.named(text, place)
        return close_up(join_hyphens(text)), hidden, False

    def _units(self, text_page: int, count: int) -> bytes:
        """Return the text as UTF-16; pdfium gives an index into it for each character."""
        last, size = count - 1, -1
        while last >= 0 and (size := _text_index(text_page, last)) < 0:
            last -= 1
        # Twice the documented size: the function is not told how much room there is.
        if len(self._buffer) < 4 * (size + 2):
            self._buffer = room(8 * (size + 2))
        written = _get_text(text_page, 0, count, addressof(self._buffer))
        return string_at(self._buffer, max(0, 2 * written - 2))

    def _notes(self, page: int) -> tuple[list[str], int]:
        """Return the notes and form fields of a page, and how much of them is never shown."""
        lines: dict[str, None] = {}
        unseen = 0
        for index in range(min(_count_notes(page), _NOTES)):
            note = _note_at(page, index)
            if not note:
                continue
            try:
                kind = _note_type(note)
                if kind == raw.FPDF_ANNOT_WIDGET:
                    line = self._field(cast(note, raw.FPDF_ANNOTATION))
                elif kind in _SAYING:
                    line = self._note(cast(note, raw.FPDF_ANNOTATION), kind)
                else:
                    continue
                if line and raw.FPDFAnnot_GetFlags(cast(note, raw.FPDF_ANNOTATION)) & _UNSEEN:
                    unseen += len(line)
                elif line:
                    lines[line] = None
            finally:
                _close_note(note)
        return list(lines), unseen

    def _note(self, note: Any, kind: int) -> str:
        if kind == raw.FPDF_ANNOT_FILEATTACHMENT and len(self._on_pages) < ATTACHED:
            found = attached(raw.FPDFAnnot_GetFileAttachment(note))
            if found is not None:
                self._on_pages.append(found)
        said = utf16(raw.FPDFAnnot_GetStringValue, note, b"Contents").strip()
        if not said:
            rich = utf16(raw.FPDFAnnot_GetStringValue, note, b"RC")
            said = unescape(_TAG.sub(" ", rich)).strip()
        if not said or kind == raw.FPDF_ANNOT_FREETEXT:
            return said
        author = utf16(raw.FPDFAnnot_GetStringValue, note, b"T").strip()
        return f"[Comment{f' by {author}' if author else ''}: {said}]"

    def _field(self, widget: Any) -> str:
        """Return a form field as one line with its name; empty when it is not filled in."""
        form = self._filled_form()
        if form is None:
            return ""
        kind = raw.FPDFAnnot_GetFormFieldType(form, widget)
        if kind not in _FILLED or _is_secret(form, widget, kind):
            return ""
        value = utf16(raw.FPDFAnnot_GetFormFieldValue, form, widget).strip()
        if kind in _TICKED:
            value = "" if value == "Off" else "yes" if value in _YES else value
        self._is_filled |= bool(value)
        name = utf16(raw.FPDFAnnot_GetFormFieldAlternateName, form, widget).strip()
        name = name or utf16(raw.FPDFAnnot_GetFormFieldName, form, widget).strip()
        return f"{name}: {value}" if value and name else value

    def _filled_form(self) -> Any:
        """Return the form handle, which runs none of the file's scripts."""
        if self._form is None and self._form_type != raw.FORMTYPE_NONE:
            self._settings = raw.FPDF_FORMFILLINFO(version=2)
            self._form = raw.FPDFDOC_InitFormFillEnvironment(self._pdf.raw, self._settings)
        return self._form


def _opened(data: bytes, passwords: Sequence[str]) -> Any:
    """Return the open document, which keeps `data` alive."""
    for password in (None, *passwords):
        try:
            return pypdfium2.PdfDocument(data, password)
        except pypdfium2.PdfiumError as error:
            if error.err_code != raw.FPDF_ERR_PASSWORD:
                raise
    raise needs_password()


def _without(units: bytes, text_page: int, hidden: Iterator[int]) -> tuple[bytes, int]:
    """Return the text without the characters at `hidden`, and how many letters those were."""
    kept, begin, removed = bytearray(), 0, 0
    for index in hidden:
        at = 2 * _text_index(text_page, index)
        if at < begin:
            continue
        if at > begin:
            kept += units[begin:at]
        letter = chr(int.from_bytes(units[at : at + 2], "little"))
        removed += not letter.isspace()
        if letter == "\n":
            # Lines stay apart, and so do the words before and after what is hidden.
            kept += b"\n\0"
        begin = at + 2
    return bytes(kept + units[begin:]), removed


def _shows_something(page: int) -> bool:
    """Say whether a page without text holds a picture, or letters drawn as outlines."""
    types = drawn_types(page)
    pictures = types.count(raw.FPDF_PAGEOBJ_IMAGE)
    return pictures > 0 or types.count(raw.FPDF_PAGEOBJ_PATH) >= _OUTLINES


def _is_secret(form: Any, widget: Any, kind: int) -> bool:
    if kind != raw.FPDF_FORMFIELD_TEXTFIELD:
        return False
    return bool(raw.FPDFAnnot_GetFormFieldFlags(form, widget) & raw.FPDF_FORMFLAG_TEXT_PASSWORD)

"""Word documents of 1995 to 2003: text in pieces, with tables of formatting beside it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from struct import error as StructError
from struct import iter_unpack, unpack_from

from ingest.containers.ole import Ole
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import Layout, shown_target
from ingest.office.sealed import encrypted
from ingest.origin import Origin
from ingest.sieve import Read, Scope

_MARK = 0xA5EC
_MARKS = (_MARK, 0xA5DC)
_WORD_97 = 0xC0
_ENCRYPTED, _OTHER_TABLE = 0x100, 0x200
_PAGE = 512
_VANISH, _DELETED, _IN_TABLE, _ROW_END = 0x083C, 0x0800, 0x2416, 0x2417
_OPERANDS = (1, 1, 2, 4, 2, 2, 0, 3)
"""Bytes of an operand by the top bits of its code; 0: the first byte tells."""
_CELL, _ROW, _JOIN = "\x07", "\x1d", "\x1c"
_FIELD = re.compile("[\x13\x14\x15]")
_TARGET = re.compile(r'\s*HYPERLINK\s+"((?:https?://|mailto:)[^"]{1,120})"')
_RUBY = re.compile(r"\s*EQ [^\x15]*[,;]([^,;()]*)\)\s*$")
"""Word set below its pronunciation, which is a formula to the program."""
_SIGNS: dict[int, str | None] = {**dict.fromkeys((1, 3, 4, 8, 0x1F)), 0x0B: "\n", 0x1E: "-"}
"""Pictures and the like, line breaks, and two kinds of hyphens."""


@dataclass(slots=True)
class _Document:
    """The parts of a file, each a text, and how much of them is hidden."""

    body: str
    notes: str = ""
    margins: str = ""
    comments: str = ""
    endnotes: str = ""
    boxes: str = ""
    hidden: int = 0


def doc_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the document in `data`; raises UnreadableError when there is none."""
    ole = Ole(data)
    main = ole.stream("WordDocument") or b""
    if len(main) < 68 or unpack_from("<H", main)[0] not in _MARKS:
        raise UnreadableError(Reason.CORRUPT, "It is no Word document; save it again.")
    version, flags = unpack_from("<H", main, 2)[0], unpack_from("<H", main, 10)[0]
    if flags & _ENCRYPTED:
        raise encrypted()
    if version <= _WORD_97 and unpack_from("<H", main)[0] != _MARK:
        begin, end = unpack_from("<II", main, 0x18)
        document = _Document(main[begin:end].decode("cp1252", "replace"))
    else:
        table = ole.stream("1Table" if flags & _OTHER_TABLE else "0Table")
        try:
            document = _document(main, table or b"")
        except (IndexError, StructError) as error:
            raise _misplaced() from error
    layout = Layout()
    layout.hidden = document.hidden
    if ole.has_macros:
        layout.flag("macros")
    _lay_out(document, layout)
    yield from layout.reads(origin)


def _document(main: bytes, table: bytes) -> _Document:
    """Return the texts of a document: they lie one after the other in its pieces."""
    edits = _Replacements(sorted(_hidden(main, table)), sorted(_ends(main, table)))
    pieces = _pieces(main, table)
    text = "".join(part for piece in pieces for part in _piece(main, *piece, edits))
    # Lengths are counted in units of UTF-16.
    units = text.encode("utf-16-le", "surrogatepass")
    parts: list[str] = []
    at = 0
    for length in unpack_from("<8i", main, 0x4C):
        end = at + 2 * max(0, length)
        parts.append(units[at:end].decode("utf-16-le", "replace"))
        at = end
    body, notes, margins, _, comments, endnotes, boxes, margin_boxes = parts
    margins = f"{margins}\r{margin_boxes}"
    return _Document(body, notes, margins, comments, endnotes, boxes, text.count("\0"))


def _pieces(main: bytes, table: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield characters, offset and whether two bytes wide of each piece, in their order."""
    at, size = unpack_from("<II", main, 0x1A2)
    end = at + size
    while at < end and table[at] == 1:
        at += 3 + int(unpack_from("<H", table, at + 1)[0])
    if at >= end or table[at] != 2:
        raise _misplaced()
    count = (int(unpack_from("<I", table, at + 1)[0]) - 4) // 12
    at += 5
    places = unpack_from(f"<{count + 1}I", table, at)
    for number in range(count):
        offset = unpack_from("<I", table, at + 4 * (count + 1) + 8 * number + 2)[0]
        length = places[number + 1] - places[number]
        if length > 0:
            is_wide = not offset & 0x40000000
            yield length, (offset if is_wide else (offset & 0x3FFFFFFF) // 2), is_wide


@dataclass(frozen=True, slots=True)
class _Replacements:
    """Where shown text differs from the bytes."""

    hidden: list[tuple[int, int]]
    ends: list[tuple[int, str]]
    """Where paragraphs of tables end, and the text in place of their last sign."""

    def within(self, begin: int, end: int, width: int) -> list[tuple[int, int, str]]:
        """Return what to replace between two places by what, in order."""
        # Hidden text may begin in the piece before.
        at = max(0, bisect_left(self.hidden, (begin, 0)) - 1)
        found = []
        while at < len(self.hidden) and self.hidden[at][0] < end:
            first, last = max(self.hidden[at][0], begin), min(self.hidden[at][1], end)
            if first < last:
                found.append((first, last, "\0" * ((last - first) // width)))
            at += 1
        at = bisect_left(self.ends, (begin + 1, ""))
        while at < len(self.ends) and self.ends[at][0] <= end:
            last, mark = self.ends[at]
            found.append((last - width, last, mark))
            at += 1
        return sorted(found)


def _piece(
    main: bytes, length: int, begin: int, is_wide: bool, edits: _Replacements
) -> Iterator[str]:
    """Yield the text of a piece, its hidden characters as zeros, its rows and cells marked."""
    width = 2 if is_wide else 1
    codec = "utf-16-le" if is_wide else "cp1252"
    end = min(begin + length * width, len(main))
    at = begin
    for first, last, instead in edits.within(begin, end, width):
        if first < at:
            continue
        yield main[at:first].decode(codec, "replace")
        is_other = instead in (_ROW, _JOIN) and main[first] != (7 if instead == _ROW else 13)
        yield main[first:last].decode(codec, "replace") if is_other else instead
        at = last
    yield main[at:end].decode(codec, "replace")


def _hidden(main: bytes, table: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of bytes that are hidden or deleted."""
    for first, last, codes in _formats(main, table, 0xFA, 1):
        if any(code in (_VANISH, _DELETED) and on for code, on in codes):
            yield first, last


def _ends(main: bytes, table: bytes) -> Iterator[tuple[int, str]]:
    """Yield where paragraphs of tables end, and the text in place of their last sign."""
    for _, last, codes in _formats(main, table, 0x102, 13):
        kinds = {code for code, on in codes if on}
        if _ROW_END in kinds:
            yield last, _ROW
        elif _IN_TABLE in kinds:
            yield last, _JOIN


def _formats(
    main: bytes, table: bytes, place: int, width: int
) -> Iterator[tuple[int, int, list[tuple[int, int]]]]:
    """Yield ranges of bytes with their formatting: of characters (`width` 1) or paragraphs."""
    at, size = unpack_from("<II", main, place)
    count = (size - 4) // 8
    if count <= 0 or at + size > len(table):
        return
    numbers = at + 4 * (count + 1)
    for (number,) in iter_unpack("<I", table[numbers : numbers + 4 * count]):
        page = main[(number & 0x3FFFFF) * _PAGE : ((number & 0x3FFFFF) + 1) * _PAGE]
        if len(page) < _PAGE:
            continue
        runs = page[511]
        if 4 * (runs + 1) + width * runs > 511:
            continue
        places = unpack_from(f"<{runs + 1}I", page)
        for run in range(runs):
            offset = page[4 * (runs + 1) + width * run] * 2
            if offset:
                yield places[run], places[run + 1], _codes(page, offset, width > 1)


def _codes(page: bytes, at: int, is_paragraph: bool) -> list[tuple[int, int]]:
    """Return the codes of formatting at an offset with the first byte of their operands."""
    size = page[at]
    if is_paragraph:
        # In words, and one byte less unless the next byte tells it.
        size, at = (page[at + 1] * 2, at + 1) if size == 0 else (size * 2 - 1, at)
        end = min(at + 1 + size, 511)
        at += 3
    else:
        end = min(at + 1 + size, 511)
        at += 1
    found: list[tuple[int, int]] = []
    while at + 2 < end:
        code: int = unpack_from("<H", page, at)[0]
        found.append((code, page[at + 2]))
        at += 2 + (_OPERANDS[code >> 13] or page[at + 2] + 1)
    return found


def _lay_out(document: _Document, layout: Layout) -> None:
    for line in dict.fromkeys(_plain(document.margins).split("\r")):
        layout.add(line.strip("\x07 "))
    notes = _split(document.notes or document.endnotes, "\x02")
    late = _split(document.endnotes, "\x02") if document.notes else []
    comments = _split(document.comments, "\x05")
    numbers = iter(range(1, len(notes) + 1))
    for block in re.split("[\r\x0c]", _plain(document.body)):
        found = [next(numbers, 0) for _ in range(block.count("\x02"))]
        for number in found:
            block = block.replace("\x02", f" [note {number}]" if number else "", 1)
        remarks = [comments.pop(0) for _ in range(min(block.count("\x05"), len(comments)))]
        _add(block.replace("\x05", ""), layout)
        for number in filter(None, found):
            layout.add(f"Note {number}: {notes[number - 1]}")
        for remark in remarks:
            layout.add(f"[Comment: {remark}]")
    for note in late:
        layout.add(f"Endnote: {note}")
    for box in _plain(document.boxes).split("\r"):
        _add(box, layout)


def _add(block: str, layout: Layout) -> None:
    """Append a paragraph, or the rows of a table that end within it."""
    rows = block.split(_ROW)
    for row in rows[:-1]:
        cells = row.replace(_JOIN, " ").rstrip(_CELL).split(_CELL)
        layout.add_row([cell.strip() for cell in cells])
    layout.add(rows[-1].replace(_JOIN, "\n").replace(_CELL, " | ").strip(" |"))


def _split(text: str, mark: str) -> list[str]:
    """Return notes or comments, each of which begins with its mark, on one line each."""
    return [" ".join(note.split()) for note in _plain(text).split(mark)[1:]]


def _plain(text: str) -> str:
    """Return text without hidden characters, and of fields only what they show."""
    return _fields(text.replace("\0", "")).translate(_SIGNS)


def _fields(text: str) -> str:
    """Replace each field by its result; a link's target is written behind it."""
    if "\x13" not in text:
        return text
    out: list[str] = []
    open_fields: list[tuple[int, str | None]] = []
    """Where each field that is open began in `out`, and its target once its result has begun."""
    at = 0
    for match in _FIELD.finditer(text):
        out.append(text[at : match.start()])
        at = match.end()
        if match[0] == "\x13":
            open_fields.append((len(out), None))
        elif open_fields:
            begin, target = open_fields.pop()
            said = "".join(out[begin:])
            if match[0] == "\x14":
                link = _TARGET.match(said)
                del out[begin:]
                open_fields.append((begin, link[1] if link else ""))
            elif target is None:
                ruby = _RUBY.match(said)
                out[begin:] = [ruby[1]] if ruby else []
            elif target:
                out.append(shown_target(target, said))
    out.append(text[at:])
    return "".join(out)


def _misplaced() -> UnreadableError:
    remedy = "Its text is not where it should be; save it again."
    return UnreadableError(Reason.CORRUPT, remedy)

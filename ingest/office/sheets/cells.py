"""Takes the cells out of an Excel sheet: by patterns where it is written as Excel writes it.

That is five times as fast as a parser. Each row is checked to be understood to its last cell, else
it is parsed; so is the whole sheet when it is written otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from ingest.containers.xmltree import Element, each, parse
from ingest.office.ooxml import S

Cell = tuple[str, str, str, str]
"""Letters of the column (empty: the next one), number of the style, kind, and raw value."""


class SheetRow(NamedTuple):
    """One row of the file."""

    is_hidden: bool
    cells: list[Cell]


_CELL = re.compile(
    r'<c(?: r="([A-Z]{1,3})[0-9]*")?(?: s="([0-9]*)")?(?: t="(\w+)")?'
    r"(?:/>|>(?:<f[^>]*/>|<f[^>]*>[^<]*</f>)?"
    r"(?:(?:<v>|<is><t(?: xml:space=\"preserve\")?>)([^<]*)(?:</v>|</t></is>)|<v/>|<v></v>)?</c>)"
)
_TEXT = re.compile(r'<si><t(?: xml:space="preserve")?>([^<]*)</t></si>')
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_ON = re.compile(rb"\bhidden=[\"'](?:1|true)[\"']")
_HEAD = 2000
_RICH = (f"{S}t", f"{S}r")


def rows_of(data: bytes) -> Iterator[SheetRow]:
    """Yield the rows of a sheet that have cells. Raises UnreadableError when it is broken."""
    return _matched(data) if _is_usual(data) else _parsed(data)


def around_rows(data: bytes) -> Element | None:
    """Return the root of a sheet without its rows; None when it is cut off."""
    begin, end = data.find(b"<sheetData>"), data.rfind(b"</sheetData>")
    if _is_usual(data) and begin < 0 <= end:
        begin = end
    if not _is_usual(data):
        return parse(data)
    return parse(data[:begin] + data[end + 12 :]) if 0 <= begin <= end else None


def strings_of(data: bytes) -> list[str]:
    """Return the texts that cells share."""
    if not _is_usual(data):
        return [text_of(node) for node in each(data, f"{S}si")]
    source = data.decode("utf-8", "replace")
    found: list[str] = _TEXT.findall(source)
    if len(found) != source.count("<si>") + source.count("<si/>"):
        return [text_of(node) for node in each(data, f"{S}si")]
    return [plain(text) for text in found] if "&" in source or "_x" in source else found


def plain(text: str) -> str:
    """Return a text of the file as it reads."""
    if "&" in text:
        text = unescape(text)
    if "_x" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    return text


def text_of(node: Element) -> str:
    """Return a text in one piece, without its phonetic reading."""
    parts = (
        child if child.tag == _RICH[0] else child.find(_RICH[0])
        for child in node.iterchildren(*_RICH)
    )
    text = "".join(part.text or "" for part in parts if part is not None)
    return plain(text) if "_x" in text else text


def _is_usual(data: bytes) -> bool:
    """Say whether names have no prefix, and no text lies between tags."""
    head = data[:_HEAD]
    if b"<!" in data or b"\0" in head[:4]:
        return False
    coding = re.search(rb"<\?xml[^>]*encoding=[\"']([\w-]+)", head)
    if coding and coding[1].lower() not in (b"utf-8", b"us-ascii"):
        return False
    return re.search(rb"<(?:worksheet|sst)\b", head) is not None


def _matched(data: bytes) -> Iterator[SheetRow]:
    opening = re.search(rb"<worksheet\b[^>]*>", data[:_HEAD])
    for block in data.split(b"</row>")[:-1]:
        begin = block.rfind(b"<row")
        end = block.find(b">", begin) + 1
        if begin < 0 or not end:
            continue
        source = block[end:].decode("utf-8", "replace")
        cells = _CELL.findall(source)
        is_hidden = _ON.search(block, begin, end) is not None
        if len(cells) == source.count("<c"):
            yield SheetRow(is_hidden, cells)
        elif opening:
            root = parse(opening[0] + block[begin:] + b"</row></worksheet>")
            yield SheetRow(is_hidden, _cells(root[0]))


def _parsed(data: bytes) -> Iterator[SheetRow]:
    for node in each(data, f"{S}row"):
        if len(node):
            yield SheetRow(node.get("hidden") in ("1", "true"), _cells(node))


def _cells(row: Element) -> list[Cell]:
    found: list[Cell] = []
    for cell in row:
        reference = (cell.get("r") or "").rstrip("0123456789")
        kind, value = cell.get("t") or "", ""
        for child in cell:
            if child.tag == f"{S}v":
                value = child.text or ""
            elif child.tag == f"{S}is":
                value = text_of(child)
        found.append((reference, cell.get("s") or "", kind, value))
    return found

"""Notebooks (ipynb): each cell with its output is a record, in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from ingest.documents.records import json_items
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import TEXT_LIMIT, too_long
from ingest.origin import Origin
from ingest.sieve import Read, Scope
from ingest.text.clean import clean, decode

_OUTPUT = 50_000
"""Characters of one output that are kept: longer output is a log, not an answer."""


def notebook_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the notebook in `data` as one document; other JSON is read as JSON."""
    try:
        book = json.loads(decode(data, origin.charset))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(Reason.CORRUPT, "It is not valid JSON; save it again.") from error
    cells = _cells(book)
    if cells is None:
        yield from json_items(data, origin, scope)
        return
    texts: list[str] = []
    hidden = size = 0
    for cell in cells:
        text, removed = clean("\n\n".join(part for part in _parts(cell) if part.strip()))
        size += len(text)
        if size > TEXT_LIMIT:
            yield too_long(origin, f"after cell {len(texts)}")
            break
        if text.strip():
            texts.append(text.strip("\n"))
        hidden += removed
    if not texts:
        raise UnreadableError(Reason.EMPTY, "Its cells hold nothing.")
    starts = (0, *accumulate(len(text) + 2 for text in texts[:-1]))
    yield origin.document("\n\n".join(texts), hidden, records=starts)


def _cells(book: Any) -> list[Any] | None:
    """Return the cells; older notebooks keep them on sheets."""
    if not isinstance(book, dict):
        return None
    if isinstance(book.get("cells"), list):
        return list(book["cells"])
    sheets = book.get("worksheets")
    if not isinstance(sheets, list):
        return None
    found = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in found if isinstance(cells, list) for cell in cells]


def _parts(cell: Any) -> Iterator[str]:
    """Yield the text of a cell, and its output."""
    if not isinstance(cell, dict):
        return
    yield _text(cell.get("source") or cell.get("input"))
    outputs = cell.get("outputs")
    for output in outputs if isinstance(outputs, list) else ():
        if not isinstance(output, dict):
            continue
        if "ename" in output:
            yield f"{_text(output['ename'])}: {_text(output.get('evalue'))}"
            continue
        data = output.get("data")
        shown = data if isinstance(data, dict) else output
        yield _text(shown.get("text/plain") or shown.get("text"))[:_OUTPUT]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""

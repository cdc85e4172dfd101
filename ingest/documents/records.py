"""Reads plain text and texts made of records: JSON, JSON lines, CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from ingest.files import UnreadableError
from ingest.item import Item, Kind, People, Reason
from ingest.layout.blocks import TEXT_LIMIT, too_long
from ingest.layout.markdown_tables import with_named_rows
from ingest.layout.rows import SAMPLE, RowWriter
from ingest.layout.tables import RECORDS
from ingest.origin import Origin
from ingest.recognise import HEAD
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line, decode, wide_charset

_NESTED = 12


def text_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a text file as one document, its lines kept; rows of Markdown name their columns."""
    text, hidden, is_cut = _text(data, origin)
    yield origin.document(with_named_rows(text), hidden, line=1)
    if is_cut:
        yield too_long(origin)


def table_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a CSV file as one document. Rows that name their columns are records."""
    text, hidden, is_cut = _text(data, origin)
    text, records, is_cut_again = _rows(text)
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "It holds nothing but quotes.")
    yield origin.document(text, hidden, line=1, records=records)
    if is_cut or is_cut_again:
        yield too_long(origin)


def json_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a JSON file as one document whose members are records."""
    text, hidden, is_cut = _text(data, origin)
    yield origin.document(text, hidden, line=1, records=json_members(text))
    if is_cut:
        yield too_long(origin)


def _text(data: bytes, origin: Origin) -> tuple[str, int, bool]:
    """Return text, hidden characters and whether it was cut; raises UnreadableError if empty."""
    is_cut = len(data) > 4 * TEXT_LIMIT
    if is_cut:
        # Between lines where possible, so that no letter is cut in two.
        newline = data.rfind(b"\n", 0, 4 * TEXT_LIMIT) + 1
        data = data[: 4 * TEXT_LIMIT if wide_charset(data[:HEAD]) else newline or 4 * TEXT_LIMIT]
    text, hidden = clean(decode(data, origin.charset))
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "It holds no text.")
    if len(text) > TEXT_LIMIT:
        return text[: text.rfind("\n", 0, TEXT_LIMIT) + 1 or TEXT_LIMIT], hidden, True
    return text, hidden, is_cut


def line_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield each line of a JSON lines file as a document without a date."""
    count = 0
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        count += 1
        if not scope.admits_date(None):
            yield LeftOut()
            continue
        try:
            record = json.loads(decode(line))
        except (ValueError, RecursionError):
            remedy = "The line is not valid JSON; correct it."
            yield origin.skipped(Reason.CORRUPT, remedy, f"line {number}")
            continue
        item = _record(record, origin, number)
        nothing = origin.skipped(Reason.EMPTY, "The record holds no text.", f"line {number}")
        yield item if item.text.strip() else nothing
    if not count:
        raise UnreadableError(Reason.EMPTY, "It holds no text.")


def _record(record: Any, origin: Origin, number: int) -> Item:
    """Return a JSON line: its `text` under its `title`, or any other record as keys and values."""
    title, body = "", None
    if isinstance(record, dict):
        title = next((record[k] for k in ("title", "name") if isinstance(record.get(k), str)), "")
        if isinstance(record.get("text"), str) and record.keys() <= {"title", "text", "id", "_id"}:
            body = record["text"]
    text, hidden = clean("\n".join(_key_lines(record)) if body is None else body)
    return Item(
        Kind.DOCUMENT,
        clean_line(title) or f"{origin.title}, line {number}",
        None,
        People(),
        text,
        replace(origin.locator, line=number),
        records=json_members(text) if text.lstrip()[:1] in ("{", "[") else (),
        hidden_removed=hidden,
    )


def _key_lines(value: Any, key: str = "", depth: int = 0) -> Iterator[str]:
    """Yield `key: value` lines; keys of nested objects are joined by dots."""
    if isinstance(value, dict) and depth < _NESTED:
        for name, inner in value.items():
            yield from _key_lines(inner, f"{key}.{name}" if key else str(name), depth + 1)
    elif isinstance(value, list) and depth < _NESTED:
        if all(isinstance(inner, str | int | float | bool | None) for inner in value):
            yield _key_line(key, ", ".join(_scalar(inner) for inner in value))
        else:
            for inner in value:
                yield from _key_lines(inner, key, depth + 1)
    else:
        yield _key_line(key, _scalar(value))


def _key_line(key: str, value: str) -> str:
    return f"{key}: {value}" if key else value


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def json_members(text: str) -> tuple[int, ...]:
    """Return where each member of the JSON object or array `text` begins; () for other JSON."""
    decoder = json.JSONDecoder()
    at = _skip(text, 0)
    if text[at : at + 1] not in ("{", "["):
        return ()
    is_object = text[at] == "{"
    at = _skip(text, at + 1)
    starts: list[int] = []
    try:
        while text[at] not in "}]":
            starts.append(at)
            if is_object:
                _, at = decoder.raw_decode(text, at)
                at = _skip(text, at)
                at = _skip(text, at + 1)
            _, at = decoder.raw_decode(text, at)
            at = _skip(text, at)
            if text[at] == ",":
                at = _skip(text, at + 1)
    except (ValueError, IndexError, RecursionError):
        return ()
    return _few(starts)


def _skip(text: str, at: int) -> int:
    """Return the position of the next character that is not white space."""
    while text[at : at + 1] in _WHITE:
        at += 1
    return at


_WHITE = frozenset(" \t\n")


def _rows(text: str) -> tuple[str, tuple[int, ...], bool]:
    """Return the rows of a CSV as text, where records begin, and whether rows were left out.

    A row takes as many lines as in the file; a quoted field may hold newlines.
    """
    source = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(text))
    csv.field_size_limit(max(len(text), 131_072))
    out: list[str] = []
    starts: list[int] = []
    size = before = 0
    try:
        numbered = ((row, source.line_num) for row in source)
        sample = list(islice(numbered, SAMPLE))
        naming = RowWriter([_cells(row) for row, _ in sample])
        are_records = naming.header is not None
        for row, line in chain(sample, numbered):
            shown = naming.line(_cells(row))
            if shown and are_records:
                starts.append(size)
            shown += "\n" * (line - before - shown.count("\n"))
            size += len(shown)
            before = line
            if size > TEXT_LIMIT:
                return "".join(out), _few(starts[:-1]), True
            out.append(shown)
    except csv.Error:
        return text, (), False
    whole = "".join(out)
    return (whole if text.endswith("\n") else whole[:-1]), _few(starts), False


def _few(starts: list[int]) -> tuple[int, ...]:
    return tuple(starts) if len(starts) <= RECORDS else ()


def _cells(row: list[str]) -> list[tuple[int, str]]:
    return [(column, text) for column, cell in enumerate(row) if (text := cell.strip())]


def _delimiter(text: str) -> str:
    """Return the sign between the cells: of four signs, the one on which the first lines agree."""
    lines = [line for line in text[:10_000].split("\n") if line.strip()][:10]
    if not lines:
        return ","

    def agreement(sign: str) -> tuple[int, int]:
        counts = [line.count(sign) for line in lines]
        return (sum(count == counts[0] for count in counts) if counts[0] else 0, counts[0])

    return max(",;\t|", key=agreement)

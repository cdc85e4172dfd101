"""Reads plain text and texts made of records: JSON, JSON lines, CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ingest.clean import clean, clean_line, decode
from ingest.files import UnreadableError
from ingest.item import Item, Kind, People, Reason
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope

_RECORDS = 200_000
_NESTED = 12


def text_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a text file as one document, its lines kept."""
    yield _document(data, origin)


def table_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a CSV file as one document whose rows are records."""
    yield _document(data, origin, rows)


def json_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a JSON file as one document whose members are records."""
    yield _document(data, origin, json_members)


def _document(
    data: bytes, origin: Origin, find: Callable[[str], tuple[int, ...]] | None = None
) -> Item:
    """Return text as one document. Raises UnreadableError when there is none."""
    text, hidden = clean(decode(data, origin.charset))
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "It holds no text.")
    return origin.document(text, hidden, line=1, records=find(text) if find else ())


def line_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield each line of a JSON lines file as a document; such records carry no date."""
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
    """Return one JSON line: its `text` under its `title`, any other record as key and value."""
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
    """Return where each member of the JSON object or array `text` begins; () when it is none."""
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
    return tuple(starts) if len(starts) <= _RECORDS else ()


def _skip(text: str, at: int) -> int:
    """Return the position of the next character that is not white space."""
    while text[at : at + 1] in _WHITE:
        at += 1
    return at


_WHITE = frozenset(" \t\n")


def rows(text: str) -> tuple[int, ...]:
    """Return where each row of the CSV `text` begins; a quoted field may hold newlines."""
    lines = text.splitlines(keepends=True)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    reader = csv.reader(lines)
    starts: list[int] = []
    begins = 0
    csv.field_size_limit(len(text))
    try:
        for row in islice(reader, _RECORDS + 1):
            if row:
                starts.append(offsets[begins])
            begins = reader.line_num
    except csv.Error:
        return ()
    return tuple(starts) if len(starts) <= _RECORDS else ()

"""Tables of Markdown in plain text: each row names its columns, on the line where it stands."""

from __future__ import annotations

import re

from ingest.layout.rows import ADDED, HeaderRow, Row, line_of

_DELIMITER = re.compile(r"\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?")
"""The line below a header, such as `|---|:-:|`."""
_BAR = re.compile(r"(?<!\\)\|")


def with_named_rows(text: str) -> str:
    """Return a text in which the rows of its tables name their columns; no line is added or lost.

    A table is one by GitHub Flavored Markdown 0.29, section 4.10: a header, a line of hyphens with
    as many cells, and rows up to an empty line or one without a bar.
    Rows stay as they are once names have added `ADDED` characters.
    """
    if "-|" not in text and "- |" not in text and ":|" not in text and ": |" not in text:
        return text
    lines = text.split("\n")
    header: HeaderRow | None = None
    left = ADDED
    for number, line in enumerate(lines):
        if header is not None and _BAR.search(line):
            left -= sum(map(len, header.names.values()))
            lines[number] = line_of(_named(line), header) if left >= 0 else line
        else:
            header = _header(lines, number)
    return "\n".join(lines)


def _header(lines: list[str], number: int) -> HeaderRow | None:
    """Return the header above the line of hyphens with this number, None for another line."""
    if not number or not _DELIMITER.fullmatch(lines[number].strip()):
        return None
    names = _cells(lines[number - 1])
    if len(names) < 2 or len(names) != len(_cells(lines[number])):
        return None
    return HeaderRow.at(0, [(at, name) for at, name in enumerate(names) if name], frozenset())


def _named(line: str) -> Row:
    return [(at, cell) for at, cell in enumerate(_cells(line)) if cell]


def _cells(line: str) -> list[str]:
    row = line.strip()
    if row.endswith("|") and not row.endswith("\\|"):
        row = row[:-1]
    cells = _BAR.split(row.removeprefix("|"))
    return [cell.strip().replace("\\|", "|") for cell in cells]

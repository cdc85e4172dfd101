"""The rows of a set's file: JSON, JSON lines or CSV, packed or not."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

from ingest.datasets.values import NotAsDocumented

Form = Literal["rows", "members", "data", "cells"]
"""A JSON list or JSON lines; a JSON object; the list `Data` of one; a CSV or TSV with a head."""


def rows(file: Path, form: Form) -> Iterator[tuple[str, str, Any]]:
    """Yield the place, the key and the content of each row. Raises `NotAsDocumented`, `OSError`."""
    with _opened(file) as stream:
        if form == "cells":
            csv.field_size_limit(1 << 24)
            table = csv.DictReader(stream, delimiter="\t" if ".tsv" in file.name else ",")
            for number, cells in enumerate(table, start=2):
                yield f"line {number}", str(number - 1), cells
            return
        first = stream.read(1)
        if form == "rows" and first == "{":
            yield from _lines(first, stream)
            return
        whole = _parsed(first + stream.read(), "the file")
    if form == "data":
        whole = whole.get("Data") if isinstance(whole, dict) else None
    if isinstance(whole, dict) and form == "members":
        for key, row in whole.items():
            yield f"member {key}", key, row
    elif isinstance(whole, list) and form != "members":
        for number, row in enumerate(whole, start=1):
            yield f"entry {number}", str(number), row
    else:
        raise NotAsDocumented(f"{file}: {_EXPECTED[form]} is expected")


_EXPECTED = {
    "rows": "a JSON list or JSON lines",
    "members": "a JSON object",
    "data": 'a JSON object with a list "Data"',
}


def _lines(first: str, stream: IO[str]) -> Iterator[tuple[str, str, Any]]:
    for number, line in enumerate(stream, start=1):
        line = first + line if number == 1 else line
        if line.strip():
            yield f"line {number}", str(number), _parsed(line, f"line {number}")


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAsDocumented(f"{where} is not JSON ({error})") from error


def _opened(file: Path) -> IO[str]:
    """Open a file, and unpack it as the end of its name says; of a ZIP the only file within."""
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8-sig", newline="")
    if file.suffix == ".bz2":
        return bz2.open(file, "rt", encoding="utf-8-sig", newline="")
    if file.suffix == ".zip":
        archive = zipfile.ZipFile(file)
        names = [name for name in archive.namelist() if not name.endswith("/")]
        if len(names) != 1:
            raise NotAsDocumented(f"{file} holds {len(names)} files: unpack it and name one")
        return io.TextIOWrapper(archive.open(names[0]), encoding="utf-8-sig", newline="")
    return file.open(encoding="utf-8-sig", newline="")

"""What pulls and checks wrote into a model's folder; a file of somebody else there is not ours."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from models.errors import ModelError
from models.store.catalogue import ModelRow, load_catalogue
from models.store.store import Store
from models.store.user_rows import load_user_rows

RECORDS = (".lock", ".checked.json", ".accepted.json")
"""What every folder of a model has at least one of."""
UNFINISHED = ("", ".part", ".part.json", ".corrupt")
"""What is put behind the name of a model's file."""
WHEELS = re.compile(r"\.pull-[a-z0-9_]{8}")
"""Folder of a wheel under way."""


def model_files(environ: Mapping[str, str], own_rows: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Yield every model's folder with its files. `own_rows` is the person's `models.toml`."""
    root = Store.default(environ).root
    if not root.is_dir():
        return
    rows = _rows(own_rows)
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and any((folder / record).exists() for record in RECORDS):
            names = _recorded(folder)
            for row in rows:
                if row.id == folder.name:
                    names |= {row.file, *(extra.file for extra in row.extras)}
            ours = set(_written(names))
            yield folder, [path for path in _files(folder) if _is_ours(path, folder, ours)]


def _rows(own_rows: Path) -> list[ModelRow]:
    rows = list(load_catalogue().rows)
    try:
        return [*rows, *load_user_rows(own_rows).rows]
    except ModelError:
        return rows  # the records name what was pulled


def _recorded(folder: Path) -> set[str]:
    """Return the names that the records have, whatever the catalogue says today."""
    names: set[str] = set()
    for record in RECORDS[1:]:
        try:
            found = json.loads((folder / record).read_bytes())
            names |= found.get("files", found).keys()
        except (OSError, ValueError, AttributeError):
            continue
    return names


def _written(names: set[str]) -> Iterator[str]:
    for name, unfinished, new in product(names, UNFINISHED, ("", ".new")):
        yield f"{name}{unfinished}{new}"
    for record, new in product(RECORDS, ("", ".new")):
        yield f"{record}{new}"


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_symlink() or not path.is_dir()]


def _is_ours(path: Path, folder: Path, ours: set[str]) -> bool:
    inside = path.relative_to(folder)
    return inside.as_posix() in ours or WHEELS.fullmatch(inside.parts[0]) is not None

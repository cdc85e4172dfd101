"""What a person fitted of how sure a generator is: `confidence.toml` beside their own rows.

It wins over the catalogue's rows and the person's own, for the model file that it was fitted on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from models.errors import ModelError
from models.store.catalogue import Catalogue
from models.store.confidence_table import confidence_of, confidence_text
from models.store.toml_table import TomlTable, invalid
from models.system.files import make_private, write_private

FILE = "confidence.toml"
HEAD = "# How sure your generators are; `askance models calibrate ID` writes here.\n"


@dataclass(frozen=True, slots=True)
class Fitted:
    """The fit of one model."""

    model_id: str
    sha256: str
    """Of the model's file: another file under the same id is not what was fitted."""
    answers: int
    """How many it was fitted on."""
    weights: Mapping[str, float]
    typical: Mapping[str, float]


def load_fitted(path: Path) -> dict[str, Fitted]:
    """Read the fits by id; none where there is no file. Raises `ModelError`."""
    try:
        top = TomlTable(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ModelError(
            f"How sure your generators are, in {path}, cannot be read: {error}.",
            remedy="Check the file and its permissions, or delete it.",
            path=path,
        ) from error
    found: dict[str, Fitted] = {}
    for table in top.tables("model", required=False):
        one = _fitted(table)
        if one.model_id in found:
            raise invalid(str(path), f"has two models with the id {one.model_id!r}")
        found[one.model_id] = one
    top.done()
    return found


def write_fitted(path: Path, fitted: Fitted) -> None:
    """Put a fit in place of the model's earlier one. Raises `ModelError`."""
    kept = load_fitted(path) | {fitted.model_id: fitted}
    try:
        make_private(path.parent)
        write_private(path, (HEAD + "".join(map(_text, kept.values()))).encode())
    except OSError as error:
        raise ModelError(
            f"The fit cannot be written to {path}: {error.strerror}.",
            remedy="Check the folder's permissions.",
            path=path,
        ) from error


def with_fitted(catalogue: Catalogue, fits: Mapping[str, Fitted]) -> Catalogue:
    """Return the catalogue with every fit in place of its row's own weights."""
    rows = list(catalogue.rows)
    for at, row in enumerate(rows):
        fitted = fits.get(row.id)
        if fitted is not None and fitted.sha256 == row.sha256:
            rows[at] = replace(row, confidence=fitted.weights, typical=fitted.typical)
    return replace(catalogue, rows=tuple(rows))


def _fitted(table: TomlTable) -> Fitted:
    model_id = table.text("id", re.compile(r"[a-z0-9][a-z0-9._-]*"))
    table.where = f"{table.where} ({model_id})"
    sha256, answers = table.sha256("sha256"), table.count("answers")
    weights, typical = confidence_of(table)
    if not weights:
        raise invalid(table.where, "lacks the key 'confidence'")
    table.done()
    return Fitted(model_id, sha256, answers, weights, typical)


def _text(fitted: Fitted) -> str:
    head = f'id = "{fitted.model_id}"\nsha256 = "{fitted.sha256}"\nanswers = {fitted.answers}\n'
    return f"\n[[model]]\n{head}\n{confidence_text(fitted.weights, fitted.typical)}"

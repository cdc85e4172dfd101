"""A file that nobody verified beforehand, taken with the person's explicit consent.

`models pull ID --accept-unverified` downloads it and writes down what came: commit, sizes and
SHA-256. From then on the record binds the model like a catalogue row does: another byte, and it
is not loaded. `models rm` forgets the record together with the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from models.errors import ModelError
from models.store.catalogue import Catalogue, HubSource, ModelRow
from models.system.files import write_private

RECORD = ".accepted.json"
REMEDY = (
    "To take whatever the hub holds now, and be told if it ever changes: "
    "`askance models pull {id} --accept-unverified`."
)


class ModelUnverified(ModelError):
    """The model's files have no hash, and the person has not accepted them."""

    kind = "model_unverified"


@dataclass(frozen=True, slots=True)
class Accepted:
    """What came: size and SHA-256 of a file."""

    size: int
    sha256: str


def refuse_unbound(row: ModelRow) -> None:
    """Raise `ModelUnverified` for a row without a hash."""
    if not row.bound:
        raise ModelUnverified(
            f"Nobody has verified the files of {row.id}, so there is no hash to check them with.",
            remedy=REMEDY.format(id=row.id),
        )


def write_consent(folder: Path, revision: str, files: Mapping[str, Accepted]) -> None:
    """Record what the person accepted. Raises `OSError`."""
    record = {
        "accepted": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision,
        "files": {name: asdict(file) for name, file in files.items()},
    }
    write_private(folder / RECORD, json.dumps(record, indent=1).encode())


def accepted(row: ModelRow, folder: Path) -> ModelRow:
    """Return the row with the hashes that the person accepted, where a record fits it."""
    if row.bound:
        return row
    try:
        record = json.loads((folder / RECORD).read_bytes())
        files = {name: Accepted(**file) for name, file in record["files"].items()}
        revision = str(record["revision"])
        whole = files[row.file]
        extras = [
            replace(extra, size=files[extra.file].size, sha256=files[extra.file].sha256)
            for extra in row.extras
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return row
    return replace(
        row,
        size=whole.size,
        sha256=whole.sha256,
        extras=tuple(extras),
        sources=tuple(
            replace(source, revision=revision) if isinstance(source, HubSource) else source
            for source in row.sources
        ),
    )


def bind(catalogue: Catalogue, root: Path) -> Catalogue:
    """Return the catalogue with every record below `root`, the store's folder, applied."""
    return replace(catalogue, rows=tuple(accepted(row, root / row.id) for row in catalogue.rows))

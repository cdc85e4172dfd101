"""A file whose hash no catalogue has: bound to the publisher's checksum, or to what came.

`models pull ID` asks the hub for the SHA-256 that the publisher's upload has, at one commit, and
takes the file only if it has it. Where the hub states none, `--accept-unverified` takes what comes.
Commit, sizes and hashes are written down; from then on they bind the model like a catalogue row
does: another byte, and it is not loaded. `models rm` forgets the record together with the file.
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


class ModelUnverified(ModelError):
    """The model's files have no hash."""

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
            f"{row.id} has not been pulled, and its publisher has not been asked for its hash.",
            remedy=f"Pull it: `askance models pull {row.id}`.",
        )


def no_checksum(row: ModelRow, name: str) -> ModelUnverified:
    """Return the error for a file of which the hub states no SHA-256."""
    return ModelUnverified(
        f"The hub states no SHA-256 of {name}, so {row.id} cannot be checked. Nothing was fetched.",
        remedy="To take whatever the hub holds now, and be told if it ever changes: "
        f"`askance models pull {row.id} --accept-unverified`.",
    )


def write_consent(
    folder: Path, revision: str, files: Mapping[str, Accepted], *, publisher: bool
) -> None:
    """Record what came. `publisher`: it has the publisher's checksum. Raises `OSError`."""
    record = {
        "accepted": datetime.now(UTC).isoformat(timespec="seconds"),
        "checksum": "publisher" if publisher else "none",
        "revision": revision,
        "files": {name: asdict(file) for name, file in files.items()},
    }
    write_private(folder / RECORD, json.dumps(record, indent=1).encode())


def is_the_publishers(folder: Path) -> bool:
    """Say whether the model in a folder was checked against its publisher's checksum."""
    try:
        record = json.loads((folder / RECORD).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(record, dict) and record.get("checksum") == "publisher"


def accepted(row: ModelRow, folder: Path) -> ModelRow:
    """Return the row with the hashes that were recorded, where a record fits it."""
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

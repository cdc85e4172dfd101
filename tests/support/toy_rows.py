"""A catalogue of two toy models that are pulled from files, on a machine of fixed size."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.store.catalogue import ModelRow, parse_catalogue
from models.system.machine import MemoryBytes
from tests.support.toy_models import gguf, sha256

TOY = gguf(size=1_600)
OTHER = gguf(size=3_200)
MACHINE = MemoryBytes(16_000_000_000, 9_000_000_000)
TOML = """
[[model]]
id = "{id}"
title = "{title}"
roles = ["generator", "lookahead"]
format = "gguf"
file = "toy.gguf"
size = {size}
{hash}
licence = "Apache-2.0"
context = 4096
parameters = 1500000000
quantisation = "Q4_0"
verified = {verified}
starter = {verified}
[[model.source]]
kind = "file"
path = "{path}"
"""


def toy_toml(name: str, path: Path, data: bytes = TOY, *, verified: bool = True) -> str:
    """Return the row of a model whose file lies at `path`."""
    bound = f'sha256 = "{sha256(data)}"' if verified else ""
    return TOML.format(
        id=name,
        title=name.capitalize(),
        size=len(data),
        hash=bound,
        verified=str(verified).lower(),
        path=path,
    )


def toy_row(name: str, path: Path) -> ModelRow:
    return parse_catalogue(toy_toml(name, path), "toy.toml").row(name)


def toy_catalogue(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have `small`, a verified starter, and `large`, that nobody verified, and nothing else."""
    rows = []
    for name, data, verified in (("small", TOY, True), ("large", OTHER, False)):
        path = home / f"{name}.gguf"
        path.write_bytes(data)
        rows.append(toy_toml(name, path, data, verified=verified))
    toy = parse_catalogue("".join(rows), "toy.toml")
    monkeypatch.setattr("app.local_models.loader.load_catalogue", lambda: toy)
    for module in ("app.local_models.rows", "app.output.models"):
        monkeypatch.setattr(f"{module}.memory", lambda: MACHINE)
    monkeypatch.setattr("app.local_models.rows.gpus_present", list)

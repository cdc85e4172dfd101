"""Pulls from a hub on loopback, which redirects, cuts, stalls, lies and refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from models.errors import ModelCorrupt, PullFailed
from models.store.store import Store
from tests.support.toy_hub import COMMIT, REPO, ToyHub
from tests.support.toy_pulls import (
    CONTENT,
    ROW,
    SIZE,
    begun,
    cached,
    hub_on_loopback,
    left_over,
    pulled,
)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ToyHub]:
    with hub_on_loopback(monkeypatch) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


def test_a_pull_follows_the_redirect_and_checks_what_comes(hub: ToyHub, store: Store) -> None:
    events = pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    assert left_over(store) == []
    assert [event.stage for event in events][-1] == "done"
    done = [event.done_bytes for event in events if event.stage == "download"]
    assert done == sorted(done)
    assert done[-1] == SIZE
    assert {request.path for request in hub.asked} == {f"/{REPO}/resolve/{COMMIT}/sub/toy.gguf"}
    assert len(hub.fetched) == 1
    assert not any("telemetry" in request.path for request in hub.asked)
    assert store.file(ROW).stat().st_mode & 0o777 == 0o600
    hub.asked.clear()
    assert [event.stage for event in pulled(ROW, store)] == ["done"]
    assert hub.asked == []


def test_a_file_in_the_hubs_cache_is_used_in_place(hub: ToyHub, store: Store, home: Path) -> None:
    blob = cached(home, CONTENT)
    pulled(ROW, store)
    assert store.open(ROW).resolve() == blob
    assert hub.asked == hub.fetched == []
    assert store.remove(ROW) < 10_000
    assert blob.read_bytes() == CONTENT


def test_a_wrong_file_in_the_hubs_cache_is_left_alone(
    hub: ToyHub, store: Store, home: Path
) -> None:
    blob = cached(home, CONTENT[:-1] + b"!")
    pulled(ROW, store)
    assert not store.file(ROW).is_symlink()
    assert store.open(ROW).read_bytes() == CONTENT
    assert blob.read_bytes().endswith(b"!")


def test_a_cut_connection_goes_on_where_it_ended(hub: ToyHub, store: Store) -> None:
    hub.faults = ["cut", "cut"]
    pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    ranges = [request.range for request in hub.fetched]
    assert ranges == [None, f"bytes={SIZE // 2}-", f"bytes={SIZE // 2 + SIZE // 4}-"]


def test_a_later_pull_goes_on_where_the_last_one_ended(hub: ToyHub, store: Store) -> None:
    begun(store, CONTENT[:1_000_000])
    events = pulled(ROW, store)
    assert [request.range for request in hub.fetched] == ["bytes=1000000-"]
    assert store.open(ROW).read_bytes() == CONTENT
    assert left_over(store) == []
    assert [event.done_bytes for event in events if event.stage == "download"][1] == 1_000_000


@pytest.mark.parametrize(
    ("fault", "ranges"),
    [
        ("whole", ["bytes=1000000-"]),
        ("elsewhere", ["bytes=1000000-", None]),
        ("416", ["bytes=1000000-", None]),
    ],
)
def test_a_server_that_did_not_resume_is_found_out(
    hub: ToyHub, store: Store, fault: str, ranges: list[str | None]
) -> None:
    begun(store, CONTENT[:1_000_000])
    hub.faults = [fault]
    events = pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    assert [request.range for request in hub.fetched] == ranges
    assert any("resume" in event.note for event in events)


def test_what_is_left_of_another_file_is_not_continued(hub: ToyHub, store: Store) -> None:
    begun(store, b"x" * 1_000_000)
    record = store.folder(ROW) / "toy.gguf.part.json"
    record.write_text(record.read_text().replace(COMMIT, "d" * 40))
    pulled(ROW, store)
    assert [request.range for request in hub.fetched] == [None]
    assert store.open(ROW).read_bytes() == CONTENT


def test_damage_in_what_was_left_is_set_aside_and_the_next_pull_is_whole(
    hub: ToyHub, store: Store
) -> None:
    begun(store, b"x" * 1_000_000)
    with pytest.raises(ModelCorrupt, match="another SHA-256") as caught:
        pulled(ROW, store)
    assert caught.value.exit_code == 4
    assert left_over(store) == ["toy.gguf.corrupt"]
    pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    assert left_over(store) == []


def test_a_server_that_gives_other_bytes_never_gets_them_loaded(hub: ToyHub, store: Store) -> None:
    hub.faults = ["wrong"]
    with pytest.raises(ModelCorrupt, match="another SHA-256"):
        pulled(ROW, store)
    assert store.state(ROW) == "set aside"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"announced": {"sub/toy.gguf": "0" * 64}}, "its SHA-256 differs. Nothing"),
        ({"files": {"sub/toy.gguf": CONTENT[:-9]}}, "differs. Nothing"),
        ({"commit": "d" * 40}, "gave the commit dddd"),
        ({"files": {}}, "There is no sub/toy.gguf of ada/toy-GGUF on the hub"),
        ({"answers": [403]}, "does not give sub/toy.gguf of ada/toy-GGUF on the hub without"),
        ({"answers": [418]}, "makes no sense: status 418"),
        ({"answers": [503] * 9}, "cannot give sub/toy.gguf of ada/toy-GGUF on the hub now"),
        ({"answers": [429] * 9}, "too many requests"),
        ({"answers": [429], "retry_after": "3600"}, "asked again after 3600 s"),
    ],
)
def test_a_hub_that_refuses_or_differs_is_one_clear_error(
    hub: ToyHub, store: Store, changes: dict[str, object], says: str
) -> None:
    for name, value in changes.items():
        setattr(hub, name, value)
    with pytest.raises(PullFailed, match=r"hub|commit") as caught:
        pulled(ROW, store)
    assert says in caught.value.message
    assert caught.value.remedy
    assert caught.value.exit_code == 4
    assert hub.fetched == []
    assert store.state(ROW) in ("absent", "partial")


def test_a_hub_and_a_server_that_are_busy_are_asked_again(hub: ToyHub, store: Store) -> None:
    hub.answers = [503, 429]
    hub.faults = ["429", "503", "cut"]
    events = pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    notes = [event.note for event in events if event.note]
    assert notes[:2] == [
        "waiting 0 s: status 429, to be asked again after 0 s",
        "waiting 0 s: status 503",
    ]
    assert "received 1500000 bytes" in notes[2]


def test_a_server_that_sends_more_than_it_named_does_not_fill_the_disk(
    hub: ToyHub, store: Store
) -> None:
    hub.faults = ["more"]
    with pytest.raises(PullFailed, match="sent more than the 3000000 bytes"):
        pulled(ROW, store)


def test_no_server_at_all(hub: ToyHub, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(PullFailed, match=r"connection for .* failed") as caught:
        pulled(ROW, store)
    assert "HTTPS_PROXY" in caught.value.remedy


def test_a_proxy_is_used(hub: ToyHub, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", hub.url)
    monkeypatch.setenv("NO_PROXY", "")
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
    with pytest.raises(PullFailed):
        pulled(ROW, store)
    assert {request.path for request in hub.asked} == {
        f"http://hub.invalid/{REPO}/resolve/{COMMIT}/sub/toy.gguf"
    }

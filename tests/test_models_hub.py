"""Pulls from a hub on loopback, which redirects, cuts, stalls, lies and refuses."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from models import hub_child
from models.catalogue import Extra, FileSource, HubSource, Row, parse_catalogue
from models.consent import ModelUnverified, accepted
from models.download import pull
from models.errors import ModelCorrupt, PullFailed
from models.hub import hub_cache
from models.hub_token import hub_token
from models.pull_progress import PullProgress
from models.store import Store
from tests.toy_hub import COMMIT, REPO, TOKEN, ToyHub, serving
from tests.toy_models import gguf, sha256

ROOT = Path(__file__).parents[1]
SIZE = 3_000_000
CONTENT = gguf(size=SIZE)
TOML = f"""
[[model]]
id = "toy"
title = "Toy"
roles = ["generator"]
format = "gguf"
file = "toy.gguf"
size = {SIZE}
sha256 = "{sha256(CONTENT)}"
licence = "Apache-2.0"
context = 128
parameters = 7
quantisation = "Q4_0"
verified = true
[[model.source]]
kind = "hub"
repo = "{REPO}"
revision = "{COMMIT}"
file = "sub/toy.gguf"
"""
BOUND = ("sha256 = ", "revision = ", "size = ")
UNVERIFIED = "\n".join(line for line in TOML.splitlines() if not line.startswith(BOUND)).replace(
    "verified = true", "verified = false"
)
ROW = parse_catalogue(TOML, "toy.toml").row("toy")
FREE = parse_catalogue(UNVERIFIED, "toy.toml").row("toy")
PULL = """
import sys
from pathlib import Path
from models.catalogue import parse_catalogue
from models.download import pull
from models.store import Store
row = parse_catalogue(sys.argv[1], "toy.toml").row("toy")
for p in pull(row, Store(Path(sys.argv[2]))):
    print(p.done_bytes, flush=True)
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ToyHub]:
    monkeypatch.setattr(hub_child, "PAUSE_SECONDS", 0.01)
    for name in ("HF_HOME", "HF_HUB_CACHE", "HF_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "60")  # a stall lasts as long as a test wants
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # as the program itself has it
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with serving(ToyHub({"sub/toy.gguf": CONTENT})) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


def pulled(row: Row, store: Store, *, accept: bool = False) -> list[PullProgress]:
    return list(pull(row, store, accept=accept))


def left_over(store: Store) -> list[str]:
    kept = {"toy.gguf", ".lock", ".checked.json", ".accepted.json"}
    return sorted({path.name for path in store.folder(ROW).iterdir()} - kept)


def begun(store: Store, data: bytes) -> None:
    """Leave what a pull that was cut would."""
    folder = store.folder(ROW)
    folder.mkdir(parents=True)
    (folder / "toy.gguf.part").write_bytes(data)
    (folder / "toy.gguf.part.json").write_text(
        f'{{"repo": "{REPO}", "commit": "{COMMIT}", "file": "sub/toy.gguf"}}'
    )


def cached(home: Path, data: bytes) -> Path:
    """Put a file into the hub's cache, as huggingface_hub lays it out."""
    folder = hub_cache(os.environ) / f"models--{REPO.replace('/', '--')}"
    blob = folder / "blobs" / sha256(data)
    link = folder / "snapshots" / COMMIT / "sub" / "toy.gguf"
    for path in (blob, link):
        path.parent.mkdir(parents=True)
    blob.write_bytes(data)
    link.symlink_to(blob)
    return blob


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
    import keyring
    import keyring.errors

    kept = {("askance", "huggingface"): "hf_kept"}
    monkeypatch.setattr(keyring, "get_password", lambda *key: kept.get(key))
    assert hub_token({"HF_TOKEN": "hf_other"}).value == "hf_kept"
    kept.clear()
    assert hub_token({"HF_TOKEN": "hf_other"}).value == "hf_other"
    assert "keyring set askance huggingface" in hub_token({}).remedy

    def locked(*key: str) -> None:
        raise keyring.errors.KeyringLocked("it is locked")

    monkeypatch.setattr(keyring, "get_password", locked)
    assert "does not open (it is locked)" in hub_token({}).remedy


def start_pull(store: Store) -> subprocess.Popen[str]:
    """Pull in a process, and return when half is there and the server stalls."""
    child = subprocess.Popen(
        [sys.executable, "-c", PULL, TOML, str(store.root)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    for line in child.stdout:
        if int(line) > SIZE // 10:
            return child
    pytest.fail("the pull ended before its middle")


def test_a_killed_pull_leaves_no_process_and_the_next_goes_on(hub: ToyHub, store: Store) -> None:
    hub.faults = ["stall"]
    with start_pull(store) as child:
        child.kill()
    assert child.returncode == -signal.SIGKILL
    held = (store.folder(ROW) / "toy.gguf.part").stat().st_size
    assert 0 < held < SIZE
    hub.held.set()
    pulled(ROW, store)
    assert store.open(ROW).read_bytes() == CONTENT
    assert hub.fetched[-1].range is not None
    assert hub.fetched[-1].range >= "bytes=1"


def test_two_pulls_at_once_do_not_meet(hub: ToyHub, store: Store) -> None:
    hub.faults = ["stall"]
    with start_pull(store) as child:
        with pytest.raises(PullFailed, match=f"process {child.pid}"):
            pulled(ROW, store)
        hub.held.set()
        assert child.stdout is not None
        child.stdout.read()
    assert child.returncode == 0
    assert store.open(ROW).read_bytes() == CONTENT
    assert len(hub.fetched) == 1


def test_a_disk_that_is_too_small_is_told_before_a_byte_is_fetched(
    hub: ToyHub, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(store, CONTENT[:1_000_000])
    usage = type("Usage", (), {"free": 1_900_000})
    monkeypatch.setattr("shutil.disk_usage", lambda path: usage)
    with pytest.raises(PullFailed, match=r"2\.0 MB are needed, 1\.9 MB are free; 1\.0 MB are"):
        pulled(ROW, store)
    with pytest.raises(PullFailed, match="too full"):
        pulled(FREE, Store(store.root / "other"), accept=True)
    assert hub.fetched == []


def test_closing_the_iterator_ends_the_child(hub: ToyHub, store: Store) -> None:
    hub.faults = ["stall"]
    events = pull(ROW, store)
    assert any(event.done_bytes > SIZE // 10 for event in events)
    events.close()  # type: ignore[attr-defined]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert left_over(store) == ["toy.gguf.part", "toy.gguf.part.json"]


def test_what_nobody_verified_is_fetched_only_with_consent_and_bound_to_what_came(
    hub: ToyHub, store: Store
) -> None:
    for refused in (lambda: pulled(FREE, store), lambda: store.open(FREE)):
        with pytest.raises(ModelUnverified, match="--accept-unverified") as caught:
            refused()
        assert caught.value.exit_code == 4
    assert hub.asked == []
    assert pulled(FREE, store, accept=True)[-1].total_bytes == SIZE
    row = accepted(FREE, store.folder(FREE))
    assert (row.sha256, row.size, row.bound) == (sha256(CONTENT), SIZE, True)
    assert row.sources == (HubSource(REPO, COMMIT, "sub/toy.gguf"),)
    assert store.open(row).read_bytes() == CONTENT
    store.file(row).write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(ModelCorrupt):
        store.open(row)
    store.remove(row)
    assert not accepted(FREE, store.folder(FREE)).bound, "rm forgets the consent"


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

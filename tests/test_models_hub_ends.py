"""Pulls from the hub that end early, meet one another, or find no room."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from models.download.download import pull
from models.errors import PullFailed
from models.store.store import Store
from tests.support.toy_hub import ToyHub
from tests.support.toy_pulls import (
    CONTENT,
    FREE,
    ROW,
    SIZE,
    TOML,
    begun,
    children,
    hub_on_loopback,
    left_over,
    pulled,
)

ROOT = Path(__file__).parents[1]
PULL = """
import sys
from pathlib import Path
from models.store.catalogue import parse_catalogue
from models.download.download import pull
from models.store.store import Store
row = parse_catalogue(sys.argv[1], "toy.toml").row("toy")
for p in pull(row, Store(Path(sys.argv[2]))):
    print(p.done_bytes, flush=True)
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[ToyHub]:
    with hub_on_loopback(monkeypatch) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "models")


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


def has_ended(process: str) -> bool:
    try:
        return not Path("/proc", process, "cmdline").read_bytes()  # nobody has waited for it yet
    except OSError:
        return True


def until(is_so: Callable[[], bool]) -> None:
    for _ in range(500):
        if is_so():
            return
        time.sleep(0.02)
    raise AssertionError("it never came to it")


def test_a_killed_pull_leaves_no_process_and_the_next_goes_on(hub: ToyHub, store: Store) -> None:
    hub.faults = ["stall"]
    with start_pull(store) as child:
        fetching = children(child.pid)
        child.kill()
    assert child.returncode == -signal.SIGKILL
    assert fetching
    until(lambda: all(map(has_ended, fetching)))
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
    before = children()
    events = pull(ROW, store)
    assert any(event.done_bytes > SIZE // 10 for event in events)
    events.close()  # type: ignore[attr-defined]
    assert children() == before
    assert left_over(store) == ["toy.gguf.part", "toy.gguf.part.json"]

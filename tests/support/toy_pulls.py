"""A model of the toy hub, and what pulls of it are tested with."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.download import hub_child
from models.download.download import pull
from models.download.hub import hub_cache
from models.download.progress import PullProgress
from models.store.catalogue import ModelRow, parse_catalogue
from models.store.store import Store
from tests.support.toy_hub import COMMIT, REPO, ToyHub, serving
from tests.support.toy_models import gguf, sha256

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


@contextlib.contextmanager
def hub_on_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[ToyHub]:
    """Run the toy hub with the one model, and have everything here ask it."""
    monkeypatch.setattr(hub_child, "PAUSE_SECONDS", 0.01)
    for name in ("HF_HOME", "HF_HUB_CACHE", "HF_TOKEN", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_HUB_DOWNLOAD_TIMEOUT", "60")  # a stall lasts as long as a test wants
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")  # as the program itself has it
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    with serving(ToyHub({"sub/toy.gguf": CONTENT})) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


def pulled(row: ModelRow, store: Store, *, accept: bool = False) -> list[PullProgress]:
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


def children(of: int | str = "self") -> set[str]:
    """Return the processes that one has started and not waited for, by number (Linux)."""
    tasks = Path(f"/proc/{of}/task").iterdir()
    return {number for task in tasks for number in _children_of(task)}


def _children_of(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:  # a thread that has ended since it was listed
        return []

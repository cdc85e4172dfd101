"""Guards and fakes that every test shares: no network, a home of its own, no real model."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from models.fake import FakeGenerator, Script
from models.roles import ModelSet

# A shell that starts the tests in the background ignores SIGINT, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Each worker of pytest-xdist keeps to a core of its own: threads that wait for each other by
# spinning, as those of llama.cpp do, must not share one.
if (_worker := os.environ.get("PYTEST_XDIST_WORKER")) and hasattr(os, "sched_setaffinity"):
    _cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {_cores[int(_worker.removeprefix("gw")) % len(_cores)]})
    os.environ["OMP_NUM_THREADS"] = "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files that load a real model first, so that no long one is left alone at the end."""
    loading = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in loading)


LOOPBACK = ("127.", "::1", "localhost")
REAL_HOME = Path.home()
REAL_TEMPORARY = os.environ.get("TMPDIR", "/tmp")
REAL_MODELS_DIR = os.environ.get("ASKANCE_MODELS_DIR")
REAL_DATA_HOME = os.environ.get("XDG_DATA_HOME")


class NetworkRefused(AssertionError):
    """A test tried to reach something beyond this machine."""


def _beyond_loopback(address: object) -> bool:
    if not isinstance(address, tuple):  # a unix socket's path
        return False
    return not str(address[0]).startswith(LOOPBACK)


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection and every name look-up beyond loopback."""

    def guarded(name: str) -> Callable[..., Any]:
        original = getattr(socket.socket, name)

        def call(self: socket.socket, *args: Any) -> Any:
            if _beyond_loopback(args[-1]):
                raise NetworkRefused(f"{name} to {args[-1]!r}")
            return original(self, *args)

        return call

    original_lookup = socket.getaddrinfo

    def lookup(host: Any, *args: Any, **named: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else str(host)
        if host is not None and not name.startswith(LOOPBACK):
            raise NetworkRefused(f"name look-up of {host!r}")
        return original_lookup(host, *args, **named)

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, guarded(name))
    monkeypatch.setattr(socket, "getaddrinfo", lookup)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a pilot of the screen wait for what it began; others need not import Textual."""
    if "textual.pilot" in sys.modules:
        from tests.support.patient_pilot import wait_for_screen

        monkeypatch.setattr("textual.pilot.Pilot._wait_for_screen", wait_for_screen)


@pytest.fixture(autouse=True)
def home(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Path]:
    """Give the test its own home, XDG folders, temporary folder and (empty) model store.

    Only a test marked `slow` sees the models that are really there. The path is always of one
    length, as pictures of screens cut long ones.
    """
    tmp_path_factory.getbasetemp()  # made below the first test's home otherwise
    root = Path(tempfile.mkdtemp(prefix="home-", dir=REAL_TEMPORARY))
    for name in [name for name in os.environ if name.startswith("ASKANCE_")]:
        monkeypatch.delenv(name)
    folders = {
        "HOME": root,
        "XDG_CONFIG_HOME": root / ".config",
        "XDG_DATA_HOME": root / ".local" / "share",
        "XDG_STATE_HOME": root / ".local" / "state",
        "XDG_CACHE_HOME": root / ".cache",
        "TMPDIR": root / "tmp",
    }
    for name, folder in folders.items():
        folder.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv(name, str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("ASKANCE_MODELS_DIR", str(root / "models"))
    if request.node.get_closest_marker("slow"):
        monkeypatch.setenv("ASKANCE_MODELS_DIR", str(_real_store()))
    yield root
    shutil.rmtree(root, ignore_errors=True)


def _real_store() -> Path:
    if REAL_MODELS_DIR:
        return Path(REAL_MODELS_DIR)
    data = Path(REAL_DATA_HOME) if REAL_DATA_HOME else REAL_HOME / ".local" / "share"
    return data / "askance" / "models"


@pytest.fixture
def fake_generator() -> type[FakeGenerator]:
    """The class itself: `fake_generator("id", ["first reply", "second reply"])`."""
    return FakeGenerator


@pytest.fixture
def fake_models() -> Callable[..., ModelSet]:
    """Make a `ModelSet` of fakes: `fake_models(generator=[…], lookahead=[…])`."""

    def make(
        generator: Script = ("I do not know.",), lookahead: Script = ("Reason. Answer.",)
    ) -> ModelSet:
        fakes = {
            "fake-small": FakeGenerator("fake-small", lookahead),
            "fake-large": FakeGenerator("fake-large", generator),
        }
        return ModelSet("fake-small", "fake-large", fakes.__getitem__)

    return make

"""Guards and fakes that every test shares: no network, a home of its own, no real model."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from models.protocols import (
    Cancelled,
    Constraint,
    Message,
    Piece,
    Sampling,
    Stopped,
    TokenCount,
)
from models.roles import ModelSet

# A shell that starts the tests in the background ignores SIGINT, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Each worker of pytest-xdist keeps to a core of its own: threads that wait for each other by
# spinning, as those of llama.cpp do, must not share one.
if (_worker := os.environ.get("PYTEST_XDIST_WORKER")) and hasattr(os, "sched_setaffinity"):
    _cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {_cores[int(_worker.removeprefix("gw")) % len(_cores)]})
    os.environ["OMP_NUM_THREADS"] = "1"

LOOPBACK = ("127.", "::1", "localhost")
REAL_HOME = Path.home()
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
def home(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """Give the test its own home, XDG folders, temporary folder and (empty) model store.

    Only a test marked `slow` sees the models that are really there.
    """
    root = tmp_path_factory.mktemp("home")
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
    return root


def _real_store() -> Path:
    if REAL_MODELS_DIR:
        return Path(REAL_MODELS_DIR)
    data = Path(REAL_DATA_HOME) if REAL_DATA_HOME else REAL_HOME / ".local" / "share"
    return data / "askance" / "models"


Script = Sequence[str] | Callable[[str, int], str]
"""Replies in order of the calls (the last one repeats), or a function of prompt and sequence."""


UNLIKELY = -5.0
"""Log-probability of every watched string."""


class FakeGenerator:
    """A `models.protocols.Generator` that says what the test wrote; a token is a word.

    Honest in what callers rely on: pieces interleave over the sequences, stop strings and
    `max_tokens` end a sequence, usage counts, closing the iterator stops, `close` closes. A
    script that breaks a constraint is not corrected.
    """

    def __init__(
        self,
        model_id: str = "fake",
        replies: Script = ("I do not know.",),
        *,
        context: int = 8192,
        logprobs: Callable[[str, Sequence[str]], list[float]] | None = None,
    ) -> None:
        """Keep the script; `logprobs` answers `next_token_logprobs` (default: first choice)."""
        self.id = model_id
        self.context = context
        self.usage = TokenCount()
        self.prompts: list[str] = []
        self.beginnings: list[str] = []
        self.closed = False
        self._replies = replies
        self._logprobs = logprobs

    def count(self, text: str) -> int:
        return len(text.split())

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        turns = [f"<{message.role}>\n{message.content}\n" for message in messages]
        return "".join([*turns, f"<assistant>\n{primed}"])

    def _reply(self, prompt: str, index: int) -> str:
        if callable(self._replies):
            return self._replies(prompt, index)
        return self._replies[min(len(self.prompts), len(self._replies)) - 1]

    def sample(
        self,
        prompt: str,
        *,
        n: int = 1,
        max_tokens: int,
        sampling: Sampling,
        stop: Sequence[str] = (),
        watch: Sequence[str] = (),
        constraint: Constraint | None = None,
        logprobs: bool = False,
        stopped: Stopped | None = None,
    ) -> Iterator[Piece]:
        assert not self.closed, "sample() after close()"
        self._count_prompt(prompt)
        if watch:
            yield Piece(0, "", watched=(UNLIKELY,) * len(watch))
        waiting = {index: _pieces(self._reply(prompt, index), stop) for index in range(n)}
        for step in range(max_tokens):
            for index, words in list(waiting.items()):
                self.usage.generated += 1
                last = step + 1 >= len(words)
                out_of_room = step + 1 == max_tokens
                reason = "stop" if last else "length" if out_of_room else None
                if stopped is not None and stopped():
                    raise Cancelled
                drawn = (UNLIKELY,) if logprobs else ()
                yield Piece(index, words[step] if words else "", reason, logprobs=drawn)
                if reason:
                    del waiting[index]

    def sample_many(self, prompts: Sequence[str], *, n: int = 1, **options: Any) -> Iterator[Piece]:
        for number, prompt in enumerate(prompts):
            for piece in self.sample(prompt, n=n, **options):
                yield replace(piece, index=number * n + piece.index)

    def _count_prompt(self, prompt: str) -> None:
        self.prompts.append(prompt)
        self.usage.prompt += self.count(prompt)
        self.usage.calls += 1
        self.usage.computed += self.count(prompt)

    def next_token_logprobs(
        self, prompt: str, choices: Sequence[str], *, stopped: Stopped | None = None
    ) -> list[float]:
        self._count_prompt(prompt)
        if self._logprobs:
            return self._logprobs(prompt, choices)
        return [-0.05 if position == 0 else -3.0 for position in range(len(choices))]

    def keep(self, beginning: str) -> None:
        """Nothing is kept, but what was asked for is noted."""
        self.beginnings.append(beginning)

    def forget(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        self.closed = True


def _pieces(reply: str, stop: Sequence[str]) -> list[str]:
    """Cut at the first stop string, then into words that keep the blank before them."""
    end = min((reply.find(mark) for mark in stop if mark in reply), default=len(reply))
    words = reply[:end].split(" ")
    return [word if position == 0 else f" {word}" for position, word in enumerate(words)]


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

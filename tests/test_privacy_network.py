"""No network: every command does without a connection, and where no connection is possible.

Three proofs, since each alone can be fooled: an audit hook in the program's own Python sees each
attempt and refuses it; the kernel's trace sees those of native code and of readers, which no hook
of ours gets into, and text to other programs of the machine; an empty network namespace shows that
none is needed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import traced
from tests.support.command_lines import ALL, AT_A_TERMINAL, ENDS, FETCHES, filled
from tests.support.planted import new_word, plant

DATA = Path(__file__).parents[1] / "app" / "sample" / "data"
SMALL = "smollm2-135m-instruct-q4_1"
SEARCH = ("search", "meeting with Dana Okafor", str(DATA), "--json")
ASK = (
    *("ask", "Where do I meet Dana Okafor about the lease?", str(DATA), "--json"),
    *("--lookahead", SMALL, "--generator", SMALL, "--effort", "quick"),
    *("--strategy", "fb_rag", "--max-context", "1400"),
)

WATCH = """
import os, sys
log = os.open(os.environ["WATCHED"], os.O_WRONLY | os.O_APPEND)
def watch(event, arguments):
    if event.startswith("socket.") and event.split(".")[1] in (
        "connect", "sendto", "sendmsg", "getaddrinfo", "gethostbyname", "gethostbyaddr"
    ):
        if arguments[1:] == (None,) and arguments[0].family == 1:
            return  # into a pair of sockets, to a process of the program's own
        os.write(log, f"{event} {arguments[1:]!r}\\n".encode())
        raise ConnectionRefusedError(event)
os.write(log, f"started {os.getpid()}\\n".encode())
sys.addaudithook(watch)
"""


def run(home: Path, *arguments: str, before: tuple[str, ...] = ()) -> dict[str, Any]:
    """Run the program; return what it printed as JSON."""
    done = subprocess.run(
        [*before, sys.executable, "-m", "app.main", *arguments],
        cwd=home,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode in (0, 3), done.stderr.decode()
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def unavailable(reason: str) -> None:
    """Skip, but never where the whole suite must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def small_model() -> None:
    if not (Path(os.environ["ASKANCE_MODELS_DIR"]) / SMALL).is_dir():
        unavailable(f"the model {SMALL} is not there; `make test` fetches it")


@pytest.fixture
def unplugged() -> tuple[str, ...]:
    """Return the words that start a program where there is no network, not even loopback."""
    words = ("unshare", "--map-root-user", "--net")
    if not shutil.which("unshare") or subprocess.run([*words, "true"]).returncode:
        unavailable("this kernel refuses a network namespace to a user")
    return words


@pytest.fixture
def watched(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have every Python that the test starts report its connections; return the report."""
    site = home / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(WATCH)
    log = home / "connections.log"
    log.touch()
    monkeypatch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)
    monkeypatch.setenv("WATCHED", str(log))
    return log


def connections(log: Path) -> list[str]:
    lines = log.read_text().splitlines()
    assert lines, "the hook was not installed"
    return [line for line in lines if not line.startswith("started")]


def test_the_hook_sees_a_connection(home: Path, watched: Path) -> None:
    attempt = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    done = subprocess.run([sys.executable, "-c", attempt], cwd=home, capture_output=True)
    assert b"ConnectionRefusedError" in done.stderr
    assert connections(watched) == ["socket.connect (('127.0.0.1', 9),)"]


def test_an_unplugged_program_has_no_network(unplugged: tuple[str, ...]) -> None:
    attempt = "import socket; print(socket.socket().connect_ex(('127.0.0.1', 9)))"
    done = subprocess.run(
        [*unplugged, sys.executable, "-c", attempt], capture_output=True, text=True
    )
    assert done.stdout.strip() == "101"  # ENETUNREACH


def test_a_search_connects_to_nothing(home: Path, watched: Path) -> None:
    assert run(home, *SEARCH)["results"]
    assert connections(watched) == []


def test_a_search_works_unplugged(home: Path, unplugged: tuple[str, ...]) -> None:
    assert run(home, *SEARCH, before=unplugged)["results"]


SHORTEST = ("ask --explain --json", "screen")
EACH = [name if name in SHORTEST else pytest.param(name, marks=pytest.mark.prove) for name in ALL]


@pytest.mark.parametrize("name", EACH)
def test_a_command_connects_to_nothing_and_needs_no_network(
    name: str, tmp_path: Path, home: Path, watched: Path, unplugged: tuple[str, ...]
) -> None:
    """Under the guard, unplugged, and as the kernel sees it: with models that need no file."""
    word = new_word()
    sources = plant(tmp_path / "sources", word, ("Inbox.mbox", "letter.pdf", "note.md"))
    line = filled(ALL[name], tmp_path, sources, word)
    typed = {"TYPED": "correct horse"} if name in AT_A_TERMINAL else {}
    ran = traced.run(traced.scripted(*line), home=home, folders=(), environ=typed, around=unplugged)
    assert ran.code == ENDS.get(name, 0), ran.err.decode()
    if name in FETCHES:
        assert connections(watched) or ran.reached, "the guard is blind"
        return
    assert b"ConnectionRefusedError" not in ran.err
    assert connections(watched) == []
    assert ran.reached == ()


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
def test_an_ask_connects_to_nothing(home: Path, watched: Path) -> None:
    assert run(home, *ASK)["answer"]
    assert connections(watched) == []


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
def test_an_ask_works_unplugged(home: Path, unplugged: tuple[str, ...]) -> None:
    answered = run(home, *ASK, before=unplugged)
    assert answered["answer"]
    assert sum(used["generated"] for used in answered["tokens"].values()) > 0

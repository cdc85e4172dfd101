"""No residue: nothing a file says is written to disk, however a run ends; sources stay untouched.

A random word is planted in a file of every format that is read, its stem in subjects, senders,
names of folders and the question. The program runs with every folder it may write to inside one
home, and the kernel is asked which files it wrote (`tests/support/traced.py`). Those, and all below
its home, are searched for the stem in every form (`app/privacy/residue.py`), their names too.
"""

from __future__ import annotations

import array
import base64
import bz2
import ctypes
import ctypes.util
import gzip
import hashlib
import importlib
import json
import lzma
import os
import pkgutil
import re
import resource
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.screen import Screen

import app.screens
from app.history.storage.files import HistoryFiles
from app.privacy import residue
from app.privacy import system_calls as tracing
from ingest.recognise import Format
from tests.support import planted as planting
from tests.support import traced
from tests.support.command_lines import (
    ALL,
    AT_A_TERMINAL,
    ENDS,
    FETCHES,
    LONG,
    QUESTION,
    SHORT,
    filled,
    leaves,
    leaves_of,
)
from tests.support.in_store import weights_of
from tests.support.traced import Ran, program, scripted

SMALL = "smollm2-135m-instruct-q4_1"
MODELS = ("--lookahead", SMALL, "--generator", SMALL, "--effort", "quick")
prove = pytest.mark.prove


@dataclass(frozen=True)
class Planted:
    """Sources with a word in them that occurs nowhere else in the world."""

    sources: Path
    word: str
    before: dict[str, tuple[int, int, str]] = field(init=False)
    """Mode, time and hash of everything there, as planted."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "before", snapshot(self.sources))

    @property
    def stem(self) -> str:
        """What the word begins with, and what stands in all other places."""
        return planting.stem_of(self.word)


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    word = planting.new_word()
    return Planted(planting.plant(tmp_path / "sources", word), word)


@pytest.fixture
def few(tmp_path: Path) -> Planted:
    """As `planted`, in four files: readers of all formats take seconds to load."""
    word = planting.new_word()
    names = ("Inbox.mbox", "calendar.ics", "letter.pdf", "note.md")
    return Planted(planting.plant(tmp_path / "few", word, names), word)


def with_long(few: Planted) -> Planted:
    """Add a mailbox that takes a while to be read."""
    return Planted(planting.plant_long(few.sources, few.word), few.word)


@pytest.fixture
def many(few: Planted) -> Planted:
    return with_long(few)


@pytest.fixture
def places(home: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every folder that the program may write to, apart from what it is told."""
    monkeypatch.chdir(home)
    return [home]


Check = Callable[..., None]


@pytest.fixture
def clean(home: Path) -> Check:
    """Return a check: no residue in what was written or lies at home; sources are as they were.

    It takes a run, what was planted, and files that nobody but the person can look into.
    """

    def check(ran: Ran, planted: Planted, sealed: Collection[Path] = ()) -> None:
        assert snapshot(planted.sources) == planted.before
        store = Path(os.environ["ASKANCE_MODELS_DIR"])
        named = [*ran.written, *map(str, home.rglob("*"))]
        assert not [name for name in named if residue.form_in(name.encode(), planted.stem)]
        there = {path for path in map(Path, ran.written) if path.is_file()}
        there |= {p for p in residue.files_below([home]) if store not in p.parents}
        found = residue.search(sorted(there), planted.stem)
        assert not found.held
        assert not set(found.unknown) - set(sealed)
        gone = [path for path in ran.written if not Path(path).exists()]
        assert not gone, "written, and gone before it could be searched"

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


def test_the_kernel_is_asked() -> None:
    if not traced.can_trace():
        unavailable("strace is not here or may not trace: folders are compared instead")


WORD = "zq0123456789abcdef01234567"


def zstd(data: bytes) -> bytes:
    library = ctypes.CDLL(ctypes.util.find_library("zstd"))
    room = ctypes.create_string_buffer(1000)
    library.ZSTD_compress.restype = ctypes.c_size_t
    size = library.ZSTD_compress(room, ctypes.c_size_t(1000), data, ctypes.c_size_t(len(data)), 3)
    return room.raw[:size]


def database(text: str) -> bytes:
    with sqlite3.connect(":memory:") as made:
        made.execute("create table t (a)")
        made.execute("insert into t values (?)", (gzip.compress(text.encode()),))
        made.commit()
        return made.serialize()


RAW = f"x{WORD}y".encode()
SPELLED = {
    "plain": RAW,
    "capitals": RAW.upper(),
    **{name: RAW.decode().encode(name) for name in ("utf-16-le", "utf-16-be", "utf-32-le")},
    "hexadecimal": RAW.hex().encode(),
    **{f"base64 {n}": base64.b64encode(b"." * n + RAW) for n in range(3)},
    "gzip": b"head" + gzip.compress(RAW),
    "zlib": zlib.compress(RAW, 9),
    "zlib, fast": zlib.compress(RAW, 1),
    "gzip of base64": gzip.compress(base64.b64encode(RAW)),
    "zstd": zstd(RAW * 3) if ctypes.util.find_library("zstd") else RAW,
    "bzip2": bz2.compress(RAW),
    "xz": lzma.compress(RAW * 9),
    "zip": planting.zipped({"a.txt": RAW.decode()}),
    "name in a zip": planting.zipped({WORD: ""}),
    "SQLite": database(WORD),
}


@pytest.mark.parametrize("form", SPELLED)
def test_the_search_finds_every_form(form: str, tmp_path: Path) -> None:
    before = b"" if form == "SQLite" else b"some bytes before "
    (tmp_path / "file").write_bytes(before + SPELLED[form])
    found = residue.search([tmp_path / "file"], WORD)
    assert [path.name for path, _ in found.held] == ["file"]
    other = residue.search([tmp_path / "file"], WORD.replace("0", "9"))
    assert not other.held


def test_a_name_is_searched_too(tmp_path: Path) -> None:
    (tmp_path / WORD).mkdir()
    (tmp_path / WORD / "empty").touch()
    assert residue.search([tmp_path / WORD / "empty"], WORD).held


def test_what_nobody_can_look_into_is_named(tmp_path: Path) -> None:
    for name, data in {
        "sealed": secrets.token_bytes(4000),
        "numbers": array.array("q", list(WORD.encode())).tobytes(),
        "zeros": bytes(4096) + zlib.compress(RAW)[2:],
        "gzip of sealed": gzip.compress(secrets.token_bytes(4000)),
        "gzip by its name": b"\x1f\x8b\x08" + secrets.token_bytes(400),
        "text": b"A line.\n",
        "latin": "Größe\n".encode("latin-1"),
        "wide": "Größe".encode("utf-16"),
        "packed": gzip.compress(b"x"),
    }.items():
        (tmp_path / name).write_bytes(data)
    found = residue.search(sorted(tmp_path.iterdir()), WORD)
    unknown = {path.name for path in found.unknown}
    assert unknown == {"sealed", "numbers", "zeros", "gzip of sealed", "gzip by its name"}
    assert found.searched == 9


def test_the_trace_sees_what_is_written_and_removed(home: Path, places: list[Path]) -> None:
    if not traced.can_trace():
        unavailable("strace is not here or may not trace")
    script = "touch gone; mv gone away; rm away; echo x > kept"
    ran = traced.run(["sh", "-c", script], home=home, folders=places)
    assert {Path(path).name for path in ran.written} == {"away", "kept"}


LEAVING = {
    "no name": "import tempfile; tempfile.TemporaryFile(dir='.').write(b'x')",
    "attribute": "import os; open('kept', 'w'); os.setxattr('kept', 'user.x', b'x')",
    "log": "import syslog; syslog.syslog('x')",
    "abstract": "import socket; socket.socket(socket.AF_UNIX).connect_ex('\\0x')",
    "many": "import ctypes, socket, struct as s; p = socket.socket(socket.AF_INET, 2); "
    "a = ctypes.create_string_buffer(s.pack('<HH4s8x', 2, 9, b'\\x7f\\0\\0\\1')); "
    "m = ctypes.create_string_buffer(s.pack('<QQ40xQ', ctypes.addressof(a), 16, 0)); "
    "ctypes.CDLL(None).sendmmsg(p.fileno(), m, 1, 0)",
}
"""Programs that leave something where no file is to be found afterwards."""


@pytest.mark.parametrize("how", LEAVING)
def test_the_trace_sees_what_leaves_no_file(how: str, home: Path, places: list[Path]) -> None:
    if not traced.can_trace():
        unavailable("strace is not here or may not trace")
    ran = traced.run([sys.executable, "-c", LEAVING[how]], home=home, folders=places)
    gone = [path for path in ran.written if not Path(path).exists()]
    assert (gone if how in ("no name", "attribute") else ran.reached) != []


def test_every_format_is_planted_or_excused() -> None:
    planted = {form for form, _ in planting.FILES.values() if form is not None}
    unread = {Format.EMPTY, Format.UNSUPPORTED}
    assert planted | set(planting.UNPLANTED) | unread | {Format.MAIL, Format.MBOX} == set(Format)
    assert not planted & set(planting.UNPLANTED)


def test_a_search_reads_every_format_and_leaves_nothing(
    planted: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    command = program("search", "Orla Penhaligon pass phrase", planted.sources, "-k", "99")
    ran = traced.run([*command, "--json"], home=home, folders=places)
    assert ran.code == 0, ran.err.decode()
    found = json.loads(ran.out)["results"]
    hits = [hit["path"] for hit in found if planted.word in hit["text"]]
    names = {Path(path).relative_to(planted.sources).parts[1] for path in hits}
    assert names == set(planting.FILES)
    assert not ran.is_traced or ran.written == []
    clean(ran, planted)


DRAWING = """
import sys
from pathlib import Path
from ingest.item import Locator
from ingest.reading.session import Session
with Session(1) as session:
    print(session.drawn(Locator(Path(sys.argv[1])), 1, "pass phrase").height)
"""


def test_a_page_that_is_drawn_leaves_nothing(
    planted: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    letter = next(planted.sources.rglob("letter.pdf"))
    ran = traced.run([sys.executable, "-c", DRAWING, str(letter)], home=home, folders=places)
    assert ran.out.strip() == b"1600", ran.err.decode()
    assert not ran.is_traced or ran.written == []
    clean(ran, planted)


def test_every_command_is_run() -> None:
    run = set().union(*(leaves_of(line) for line in ALL.values()))
    assert run == set(leaves())


def test_what_is_said_of_lines_is_of_lines() -> None:
    assert set(ENDS) | FETCHES | AT_A_TERMINAL | ANSWERS | set(PASSING) <= set(ALL)


BASES = {"ListingScreen", "ShowingScreen", "ConversationScreen", "ChatFrame"}


def screens() -> set[str]:
    """Return the names of all screens."""
    modules = [
        importlib.import_module(f"app.screens.{one.name}")
        for one in pkgutil.iter_modules(app.screens.__path__)
    ]
    kinds = [kind for module in modules for kind in vars(module).values() if isinstance(kind, type)]
    own = {k.__name__ for k in kinds if issubclass(k, Screen) and k.__module__.startswith("app.")}
    return own - BASES


@pytest.mark.parametrize("name", [*SHORT, *(pytest.param(name, marks=prove) for name in LONG)])
def test_a_command_leaves_nothing(
    name: str, planted: Planted, home: Path, places: list[Path], clean: Check, tmp_path: Path
) -> None:
    """With models that repeat the word: it goes through every stage."""
    line = filled(ALL[name], tmp_path, planted.sources, planted.word)
    typed = f"{QUESTION} {planted.stem}"
    ran = traced.run(
        scripted(*line),
        home=home,
        folders=places,
        environ={"TYPED": typed} if name in AT_A_TERMINAL else {},
        around=unplugged() if name in FETCHES else (),
    )
    assert ran.code == ENDS.get(name, 0), ran.err.decode()
    assert planted.word.encode() not in ran.err
    if name in ANSWERS:
        assert planted.word.encode() in ran.out
    if name == "screens":
        assert set(ran.out.decode().split()) >= screens()
    if name not in FETCHES:
        assert ran.reached == ()
    ran.written = [path for path in ran.written if not is_excused(path, name, tmp_path / "out")]
    model = Path(os.environ["ASKANCE_MODELS_DIR"], "mine", "model.gguf")
    clean(ran, planted, [HistoryFiles.of(os.environ).database, model, tmp_path / "toy.gguf"])


ANSWERS = {"ask", "ask --explain --json", "history", "mcp", "plain"}
COMPILER = re.compile(r"/cc\w{6}\.(?:res|o|c|ld|le|cdtor\.[co])$|/\w*\.ltrans|/tmp[a-z0-9_]{8}$")
"""What a compiler writes when ctypes lets it link nothing, to find a library."""
PROBE = re.compile(r"/[a-z0-9_]{8}$")
"""What Python writes to see whether there can be temporary files: "blat"."""
PASSING = {
    "doctor --privacy": (re.compile("/askance-privacy-"), PROBE),
    "secrets list": (COMPILER, PROBE),
    "models pull": (re.compile(r"/\.pull-\w{8}(?:/|$)"),),
}
"""What a command alone writes and takes away. The proof of `doctor` plants files of its own."""


KEPT = {"askance", "config.toml", "history", "key.json"} | {
    "conversations.db",
    "conversations.db-journal",
    "conversations.db.new-journal",
}
"""Files and folders of a history, which a command may take away again: encrypted, or no text."""


def is_excused(path: str, name: str, out: Path) -> bool:
    """Say whether a command may write this, or take it away again, unsearched."""
    if Path(path).is_relative_to(out):  # to which the person has it written
        return True
    if "history" in ALL[name] and Path(path).name in KEPT:
        return not Path(path).exists()
    return any(excused.search(path) for excused in PASSING.get(name, ()))


ENDINGS = {
    "interrupt": signal.SIGINT,
    "terminate": signal.SIGTERM,
    "kill": signal.SIGKILL,
    "hang up": signal.SIGHUP,
    "abort": signal.SIGABRT,
    "segmentation fault": signal.SIGSEGV,
}
MOMENTS = ("read", "lookahead", "write")
SOON = {("terminate", "read"), ("interrupt", "lookahead"), ("kill", "write")}


def at_moment(moment: str, ending: signal.Signals) -> traced.During:
    def during(process: subprocess.Popen[bytes], log: Path) -> None:
        assert process.stderr is not None
        if moment == "read":
            assert tracing.wait_for_reading(process, log), "nothing was read"
        else:
            assert process.stderr.readline() == b"ready\n"
        time.sleep(0.2)
        os.kill(traced.program_of(process), ending)

    return during


@pytest.mark.parametrize(
    ("ending", "moment"),
    [
        pytest.param(ending, moment, marks=() if (ending, moment) in SOON else prove)
        for ending in ENDINGS
        for moment in MOMENTS
    ],
)
def test_an_end_leaves_nothing(
    ending: str, moment: str, few: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    """When it is ended while it reads, a reader holds a file; see `wait_for_reading`."""
    planted = with_long(few) if moment == "read" else few
    ran = traced.run(
        scripted("ask", f"{QUESTION} {planted.stem}", planted.sources),
        home=home,
        folders=places,
        environ={"SLOW": "1", "STOP_AT": moment, "ASKANCE_ANSWER_STRATEGY": "fb_rag"},
        during=at_moment(moment, ENDINGS[ending]),
    )
    assert ran.code != 0, "it was quicker than the signal"
    assert planted.word.encode() not in ran.err
    clean(ran, planted)


@prove
def test_a_crash_of_the_screen_leaves_nothing(
    few: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    command = scripted("screen", few.sources, QUESTION)
    ran = traced.run(command, home=home, folders=places, environ={"CRASH": "1"})
    assert ran.code not in (0, 1)
    clean(ran, few)


def kill_a_reader(process: subprocess.Popen[bytes], log: Path) -> None:
    """End the first reading process that has started to work, as a hostile file would."""
    while tracing.wait_for_reading(process, log):
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if b"ingest.reading.worker" in words and _descends(int(folder.name), process.pid):
                os.kill(int(folder.name), signal.SIGSEGV)
                return
    raise AssertionError("no reader was killed")


def _descends(pid: int, ancestor: int) -> bool:
    while pid > 1:
        if pid == ancestor:
            return True
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return False


def test_a_crashed_reader_leaves_nothing(
    many: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    command = program("search", "pass phrase", many.sources, "--json")
    ran = traced.run(command, home=home, folders=places, during=kill_a_reader)
    assert ran.code == 0, ran.err.decode()
    assert json.loads(ran.out)["results"]
    clean(ran, many)


@pytest.mark.parametrize("spare", [1, *(pytest.param(size, marks=prove) for size in (0, 4, 16))])
def test_out_of_memory_leaves_nothing(
    spare: int, many: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    """Text of files is in memory when it may take no more than so many megabytes."""

    def during(process: subprocess.Popen[bytes], log: Path) -> None:
        assert tracing.wait_for_reading(process, log), "nothing was read"
        time.sleep(0.2)
        child = traced.engine_of(traced.program_of(process))
        pages = int(Path(f"/proc/{child}/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + (spare << 20)
        resource.prlimit(child, resource.RLIMIT_AS, (most, most))

    command = scripted("ask", QUESTION, many.sources, "--memory", "1 GB")
    ran = traced.run(command, home=home, folders=places, during=during)
    assert many.word.encode() not in ran.err
    assert ran.code == 1, ran.err.decode()
    assert b"Memory ran out" in ran.err
    clean(ran, many)


@prove
@pytest.mark.parametrize("megabytes", [100, 150, 200, 400])
def test_too_little_memory_from_the_start_leaves_nothing(
    megabytes: int, few: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    limit = megabytes << 20
    ran = traced.run(
        scripted("ask", QUESTION, few.sources),
        home=home,
        folders=places,
        before=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert few.word.encode() not in ran.err
    assert ran.code != 0 or few.word.encode() in ran.out
    clean(ran, few)


def unplugged() -> tuple[str, ...]:
    """Return the words that start a program where there is no network, not even loopback."""
    words = ("unshare", "--map-root-user", "--net")
    if not shutil.which("unshare") or subprocess.run([*words, "true"]).returncode:
        unavailable("this kernel refuses a network namespace to a user")
    return words


def mounted(script: str, command: list[str], home: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command behind mounts that only it sees."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"]).returncode:
        unavailable("this kernel refuses a mount namespace to a user")
    whole = ["unshare", "-rm", "sh", "-c", script, "sh", *command]
    return subprocess.run(whole, cwd=home, capture_output=True, timeout=600)


@pytest.mark.parametrize("name", ["ask", pytest.param("search", marks=prove)])
def test_a_full_disk_leaves_nothing(
    name: str, few: Planted, home: Path, tmp_path: Path, clean: Check
) -> None:
    """Home, settings and temporary files lie on a file system without room, the answer too."""
    kept = tmp_path / "kept"
    script = (
        f"mount -t tmpfs -o size=64k none '{home}' && cd '{home}' && mkdir tmp && "
        f"dd if=/dev/zero of=filling bs=4k 2>/dev/null; \"$@\" >'{home}/answer'; code=$?; "
        f"rm filling; cp -r '{home}' '{kept}'; exit $code"
    )
    done = mounted(script, scripted(name, QUESTION, few.sources), home)
    assert done.returncode == 1, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    (kept / "answer").unlink()  # what was asked for, as far as it went
    assert not residue.search(residue.files_below([kept]), few.word).held
    clean(Ran(done.returncode, done.stdout, done.stderr), few)


@pytest.mark.parametrize("locked", [pytest.param("sources", marks=prove), "everything"])
def test_read_only_mounts_can_be_searched(few: Planted, home: Path, locked: str) -> None:
    """`everything`: the home folder is read-only too, so there is nowhere to write at all."""
    folders = [few.sources] if locked == "sources" else [few.sources, home]
    mounts = "".join(
        f"mount --bind '{folder}' '{folder}' && mount -o remount,bind,ro '{folder}' && "
        for folder in folders
    )
    script = f"{mounts} ! touch '{folders[-1]}/x' 2>/dev/null && exec \"$@\""
    searched = program("search", "Orla Penhaligon", few.sources, "--json")
    done = mounted(script, searched, home)
    assert done.returncode == 0, done.stderr.decode()
    assert few.word.encode() in done.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
def test_an_ask_with_a_real_model_leaves_nothing(
    planted: Planted, home: Path, places: list[Path], clean: Check
) -> None:
    command = program("ask", QUESTION, planted.sources, *MODELS, "--json")
    ran = traced.run(command, home=home, folders=places)
    assert ran.code in (0, 3), ran.err.decode()
    answered = json.loads(ran.out)
    assert answered["coverage"]["read"]["mail"] >= 5
    assert sum(used["prompt"] for used in answered["tokens"].values()) > 0
    clean(ran, planted)


@pytest.mark.slow
def test_an_encoder_that_is_loaded_leaves_no_file(home: Path, places: list[Path]) -> None:
    """It is written anew for llama.cpp, in memory."""
    if not traced.can_trace():
        unavailable("strace is not here or may not trace")
    weights = weights_of("splade-tiny")
    script = (
        "from pathlib import Path; from models.llama.sparse import load_llama_sparse as load; "
        f"encoder = load(Path({str(weights)!r}), 's'); "
        "print(encoder.scores(encoder.expand('who is the tenant'), ['Ann rents it'])[0] > 0)"
    )
    ran = traced.run([sys.executable, "-c", script], home=home, folders=places)
    assert (ran.code, ran.out.strip()) == (0, b"True"), ran.err.decode()
    assert [path for path in ran.written if not Path(path).exists()] == []


@pytest.mark.slow
@pytest.mark.usefixtures("small_model")
@pytest.mark.parametrize(
    ("ending", "seconds"),
    [
        ("interrupt", 2.0),
        ("abort", 2.0),
        *(pytest.param(e, s, marks=prove) for e in ENDINGS for s in (0.3, 1.0, 4.0, 8.0)),
    ],
)
def test_a_real_model_that_is_ended_leaves_nothing(
    planted: Planted,
    home: Path,
    places: list[Path],
    clean: Check,
    ending: str,
    seconds: float,
) -> None:
    """A core file would hold all of it: dumps are allowed as far as the machine allows them."""
    allowed = resource.getrlimit(resource.RLIMIT_CORE)[1]

    def during(process: subprocess.Popen[bytes], log: Path) -> None:
        time.sleep(seconds)
        if process.poll() is None:
            os.kill(process.pid, ENDINGS[ending])

    ran = traced.run(
        program("ask", QUESTION, planted.sources, *MODELS),
        home=home,
        folders=places,
        during=during,
        before=lambda: resource.setrlimit(resource.RLIMIT_CORE, (allowed, allowed)),
    )
    # A shell shows both alike. Python ends by the signal where Ctrl-C met it inside an `exec`, as
    # the standard library's are at import, whatever code the program returns.
    expected = {-ENDINGS[ending], 128 + ENDINGS[ending]}
    assert ran.code in expected | {0, 3}  # 0 and 3: it was quicker than the signal
    clean(ran, planted)

"""llama.cpp's library is proved before it is trusted; one that fails stands for others."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from models.errors import LibraryBroken, MemorySpent
from models.llama.precautions import LADDER, NONE, Precautions
from models.proof import child as proof_child
from models.proof import key as proof_key
from models.proof.child import Report
from models.proof.description import described
from models.proof.proof import RECORD, compile_command, proof, proved, remedy
from tests.support.toy_library import compiled

PACKAGING = Path(__file__).parents[1] / "packaging"

ROOT = Path(__file__).parents[1]
OBEYING = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
"""Makes root heed the permissions of its own files, as anybody else does."""
SHORT = 6.0
"""Seconds of patience with what hangs; what works takes one."""
WITHOUT_EXTRA, WITHOUT_BOTH = LADDER[1:]
SEGV, ILL, ABRT, BUS, KILL = (
    int(one) for one in (signal.SIGSEGV, signal.SIGILL, signal.SIGABRT, signal.SIGBUS, 9)
)
Fail = Callable[[str], None]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("library"))


@pytest.fixture
def fail(library: Path, monkeypatch: pytest.MonkeyPatch) -> Fail:
    """Have llama.cpp fail as `toy_library.c` describes; with no words, not at all."""
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(library))

    def failing(fault: str) -> None:
        monkeypatch.setenv("TOY_FAULT", fault)

    failing("")
    return failing


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Precautions]:
    """Have every child say that all is right; return those that were started."""
    started: list[Precautions] = []

    def prove(precautions: Precautions, patience: float) -> Report:
        started.append(precautions)
        return Report("right")

    monkeypatch.setattr(proof_child, "prove", prove)
    return started


def quiet(text: str) -> None:
    pass


def started_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def prove(precautions: Precautions, patience: float) -> Report:
        raise AssertionError("a child was started")

    monkeypatch.setattr(proof_child, "prove", prove)


def test_the_library_that_is_here_computes_rightly_and_is_proved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    root = tmp_path / "models"
    assert proved(root, said.append) == NONE
    assert said == ["Checking llama.cpp on this processor, once"]
    assert stat.S_IMODE((root / RECORD).stat().st_mode) == 0o600
    assert stat.S_IMODE(root.stat().st_mode) == 0o700
    assert [path.name for path in root.iterdir()] == [RECORD]
    assert str(Path.home()) not in (root / RECORD).read_text()
    started_none(monkeypatch)
    assert proved(root, said.append) == NONE
    assert len(said) == 1


@pytest.mark.parametrize("precautions", LADDER[1:], ids=["without extra", "without both"])
def test_it_computes_rightly_without_what_can_be_left_out(precautions: Precautions) -> None:
    report = proof_child.prove(precautions, proof_child.PATIENCE_SECONDS)
    assert report.kind == "right", report.where


@pytest.mark.parametrize(
    ("fault", "found", "why"),
    [
        (f"load {ABRT} extra", WITHOUT_EXTRA, "was ended by SIGABRT while a model was loaded"),
        (f"prompt {SEGV} extra", WITHOUT_EXTRA, "was ended by SIGSEGV while a prompt was read"),
        ("prompt hang extra", WITHOUT_EXTRA, "hung while a prompt was read"),
        ("prompt nan extra", WITHOUT_EXTRA, "computed nonsense (nan after a prompt"),
        ("batch nonsense flash", WITHOUT_BOTH, "computed nonsense"),
        (f"batch {ILL} flash", WITHOUT_BOTH, "was ended by SIGILL while several replies"),
        (f"callback {BUS} extra", WITHOUT_EXTRA, "was ended by SIGBUS while attention was read"),
    ],
)
def test_what_fails_is_switched_off_and_that_is_remembered(
    fail: Fail,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str,
    found: Precautions,
    why: str,
) -> None:
    if "hang" in fault:
        monkeypatch.setattr(proof_child, "PATIENCE_SECONDS", SHORT)
    fail(fault)
    first = proof(tmp_path, quiet)
    assert first.precautions == found
    assert why in first.why
    started_none(monkeypatch)
    assert proof(tmp_path, quiet) == first


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (f"init {ILL} always", "SIGILL while llama.cpp was loaded."),
        (f"load {SEGV} always", "SIGSEGV while a model was loaded, even without rearranged"),
        (f"prompt {SEGV} always", "SIGSEGV while a prompt was read, even without rearranged"),
        ("batch exit always", "status 3 while several replies were written together, even"),
        (f"callback {ABRT} always", "SIGABRT while attention was read, even without"),
        ("prompt nonsense always", "computed nonsense"),
    ],
)
def test_a_library_that_fails_whatever_is_switched_off_is_refused(
    fail: Fail, tmp_path: Path, fault: str, words: str
) -> None:
    fail(fault)
    with pytest.raises(LibraryBroken) as refused:
        proved(tmp_path, quiet)
    assert refused.value.kind == "library_broken"
    assert words in refused.value.message
    assert compile_command() in refused.value.remedy
    assert list(tmp_path.iterdir()) == []
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_what_somebody_else_ended_says_nothing_of_the_library(fail: Fail, tmp_path: Path) -> None:
    fail(f"prompt {KILL} always")
    with pytest.raises(MemorySpent, match=r"SIGKILL while a prompt was read\. Most likely memory"):
        proved(tmp_path, quiet)
    assert list(tmp_path.iterdir()) == []


def test_a_repaired_library_is_seen_by_who_doubts(fail: Fail, tmp_path: Path) -> None:
    fail(f"prompt {SEGV} extra")
    assert proof(tmp_path, quiet).precautions == WITHOUT_EXTRA
    fail("")
    assert proof(tmp_path, quiet).precautions == WITHOUT_EXTRA
    assert proof(tmp_path, quiet, doubting=True).precautions == NONE
    assert proof(tmp_path, quiet).precautions == NONE


def test_what_was_proved_with_precautions_is_forgotten_when_they_help_no_more(
    fail: Fail, tmp_path: Path
) -> None:
    fail(f"prompt {SEGV} extra")
    proof(tmp_path, quiet)
    fail(f"prompt {SEGV} always")
    with pytest.raises(LibraryBroken):
        proof(tmp_path, quiet, doubting=True)
    assert list(tmp_path.iterdir()) == []


def test_one_that_needs_nothing_is_not_doubted(children: list[Precautions], tmp_path: Path) -> None:
    for _ in range(3):
        proof(tmp_path, quiet, doubting=True)
    assert children == [NONE]


def test_another_processor_means_another_proof(
    children: list[Precautions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    monkeypatch.setattr(proof_key, "CPUINFO", cpuinfo)
    for clock, flags in (("1", "avx2"), ("2", "avx2"), ("2", "avx2 amx_tile"), ("1", "avx2")):
        cpuinfo.write_text(f"processor : 0\ncpu MHz : {clock}\nflags : {flags}\n\nflags : other\n")
        proved(tmp_path / "models", quiet)
    assert len(children) == 3


def test_another_library_means_another_proof_and_the_same_elsewhere_none(
    children: list[Precautions], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [tmp_path / name for name in ("first", "moved")]
    for folder in folders:
        folder.mkdir()
        (folder / "libllama.so").write_bytes(b"one")
        (folder / "libggml-cpu.so.0").write_bytes(b"two")
    for folder in folders:
        monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(folder))
        proved(tmp_path / "models", quiet)
    assert len(children) == 1
    (folders[1] / "libggml-cpu.so.0").write_bytes(b"six")
    proved(tmp_path / "models", quiet)
    assert len(children) == 2


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"[1",
        b"\xff\xfe",
        b"[]",
        b'{"glance": 3}',
        b'{"glance": "a", "key": "b", "extra_buffers": 1, "flash_attention": 1, "why": ""}',
        b'{"glance": "a", "key": "b", "extra_buffers": true, "flash_attention": false, "why": ""}',
    ],
)
def test_a_record_that_makes_no_sense_is_replaced(
    children: list[Precautions], tmp_path: Path, damaged: bytes
) -> None:
    (tmp_path / RECORD).write_bytes(damaged)
    proved(tmp_path, quiet)
    assert len(children) == 1
    assert json.loads((tmp_path / RECORD).read_bytes())["flash_attention"] is True
    proved(tmp_path, quiet)
    assert len(children) == 1


def test_where_nothing_can_be_written_it_is_proved_each_time(tmp_path: Path) -> None:
    drop = () if os.geteuid() else OBEYING
    if drop and not shutil.which("setpriv"):
        pytest.skip("root may write everything, and setpriv is missing")
    (tmp_path / "models").mkdir(mode=0o555)
    code = (
        "import sys; from pathlib import Path; from models.proof.proof import proved\n"
        "for _ in range(2): proved(Path(sys.argv[1]), print)"
    )
    done = subprocess.run(
        [*drop, sys.executable, "-c", code, str(tmp_path / "models")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Checking llama.cpp on this processor, once"] * 2
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_for_the_tiny_model_is_deleted_though_the_child_dies(
    fail: Fail, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    assert proof_child.prove(NONE, SHORT).kind == "right"
    fail(f"prompt {SEGV} always")
    assert proof_child.prove(NONE, SHORT).what == "was ended by SIGSEGV"
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


def test_a_library_is_described_or_its_end_is(fail: Fail) -> None:
    library = described()
    assert library.version == version("llama-cpp-python")
    assert library.instruction_sets
    fail(f"init {ILL} always")
    with pytest.raises(LibraryBroken, match=r"SIGILL while llama\.cpp was loaded"):
        described()


def test_one_that_is_no_library_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "libllama.so").write_text("no library")
    monkeypatch.setenv("LLAMA_CPP_LIB_PATH", str(tmp_path))
    with pytest.raises(LibraryBroken, match="Failed to load shared library"):
        proved(tmp_path / "models", quiet)


def test_a_process_that_cannot_be_started_says_nothing_of_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof_child, "COMMAND", (str(tmp_path / "none"),))
    with pytest.raises(MemorySpent, match="could not be started"):
        proved(tmp_path, quiet)


def test_a_folder_that_holds_its_own_python_cannot_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compile_command() in remedy()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert remedy().startswith("Install Askance another way")


def test_the_command_leaves_out_what_compilers_get_wrong() -> None:
    """The same as `make` leaves out."""
    spec = importlib.util.spec_from_file_location("compile_flags", PACKAGING / "compile_flags.py")
    assert spec is not None
    assert spec.loader is not None
    flags = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(flags)
    words = shlex.split(compile_command())
    variables = [word for word in words if "FLAGS=" in word]
    without = f"{flags.ALWAYS} {flags.WITHOUT_AMX}"
    assert variables == [f"CFLAGS={without}", f"CXXFLAGS={without}"]
    assert words[len(variables)] == sys.executable
    assert words[-2:] == ["llama-cpp-python", f"llama-cpp-python=={version('llama-cpp-python')}"]

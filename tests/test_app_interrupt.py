"""Ctrl-C at any stage, closed pipes, and what a terminal sees. Each runs in a child."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.output.progress import StatusLine
from tests.support.toy_chat import source

__all__ = ["source"]

PATIENCE = 120.0
"""Seconds that a busy machine may take over what is done at once elsewhere."""

ENGINE = str(Path(__file__).parent / "support" / "dying_engine.py")
COMMAND = """\
import sys
from app.backend import process
process.PROGRAM, process.CLOSING = ({engine!r},), {closing}
from app.cli import main
sys.exit(main({arguments!r}))
"""
"""The command line with scripted models in its engine's process."""
STAGES = ("read", "lookahead", "write")
ASKED = "When does the lease of the boathouse end?"


def child(*arguments: str, closing: float = 60.0) -> list[str]:
    code = COMMAND.format(engine=ENGINE, arguments=list(arguments), closing=closing)
    return [sys.executable, "-c", code]


Waiting = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def waiting(source: Path, tmp_path: Path) -> Waiting:
    """Start `ask`, and return once its engine waits at a stage."""

    def start(stage: str, *flags: str, closing: float = 60.0) -> subprocess.Popen[str]:
        ready = tmp_path / "ready"
        environ = {"WAIT_AT": stage, "READY": str(ready), "ASKANCE_ANSWER_STRATEGY": "fb_rag"}
        process = subprocess.Popen(
            child("ask", ASKED, str(source), *flags, closing=closing),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env=os.environ | environ,
        )
        until = time.monotonic() + PATIENCE
        while not ready.exists():
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)
        return process

    return start


def engines_of(process: subprocess.Popen[str]) -> list[int]:
    """Return the processes that a process has started."""
    listed = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(pid) for pid in listed.split()]


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_interrupt_ends_the_engine_and_says_one_line(stage, flags, waiting):
    process = waiting(stage, *flags)
    engines = engines_of(process)
    assert engines
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "Interrupted.\n"
    assert ('"interrupted"' in out) == bool(flags)
    assert not any(map(is_there, engines))


def test_a_second_interrupt_leaves_at_once(waiting):
    """Also an engine that hears nothing, which is ended after a while by itself or by force."""
    process = waiting("write")
    [engine] = engines_of(process)
    os.kill(engine, signal.SIGSTOP)
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        process.send_signal(signal.SIGINT)  # of two that come before it runs, one is lost
        time.sleep(0.3)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "Interrupted.\n"
    os.kill(engine, signal.SIGCONT)
    while is_there(engine) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_there(engine)


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_the_engine_ends_with_a_command_that_is_killed(ending, waiting):
    process = waiting("write")
    [engine] = engines_of(process)
    process.send_signal(ending)
    process.communicate(timeout=PATIENCE)
    until = time.monotonic() + PATIENCE
    while is_there(engine) and time.monotonic() < until:
        time.sleep(0.02)
    assert not is_there(engine)


def test_a_closed_pipe_is_quiet(tmp_path):
    for number in range(50):
        (tmp_path / f"{number}.txt").write_text(f"The lease number {number}. " * 300)
    command = [sys.executable, "-m", "app.main", "search", "lease", str(tmp_path), "-k", "500"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(PATIENCE) == 0


def on_terminal(command: list[str], **environ: str) -> tuple[str, int]:
    """Run with a terminal at both outputs; return all it wrote and the exit code."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | environ
    )
    os.close(theirs)
    seen = b""
    while True:
        ready, _, _ = select.select([ours], [], [], PATIENCE)
        assert ready, seen
        try:
            seen += os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
    os.close(ours)
    return seen.decode(), process.wait(PATIENCE)


def test_a_terminal_sees_the_draft_and_then_the_checked_answer(source):
    seen, code = on_terminal(child("ask", ASKED, str(source), "--strategy", "vanilla"))
    assert code == 0
    assert "Writing" in seen
    assert "\x1b[2mThe" in seen
    assert seen.index("[1].\x1b[0m") < seen.index("\x1b[J") < seen.index("December 2026. [1]")


@pytest.mark.parametrize(
    ("flags", "environ", "draft", "escapes"),
    [
        (["--no-stream"], {}, False, True),
        (["--json"], {}, False, True),
        ([], {"NO_COLOR": "1"}, True, True),
        ([], {"TERM": "dumb"}, False, False),
    ],
)
def test_what_the_terminal_is_spared(flags, environ, draft, escapes, source):
    command = child("ask", ASKED, str(source), "--strategy", "vanilla", *flags)
    seen, code = on_terminal(command, **environ)
    assert code == 0
    assert ("[1]." in seen) == draft  # as the model writes it; an answer has it behind
    assert ("\x1b[K" in seen) == escapes
    assert "\x1b[2m" not in seen
    assert "31 December 2026" in seen


def test_the_screen_refuses_when_stderr_is_no_terminal(tmp_path):
    ours, theirs = pty.openpty()
    log = tmp_path / "log"
    with log.open("w") as stderr:
        code = subprocess.call(
            [sys.executable, "-m", "app.main"], stdin=theirs, stdout=theirs, stderr=stderr
        )
    os.close(ours)
    os.close(theirs)
    assert code == 2
    assert "needs a terminal" in Path(log).read_text()


def test_long_lines_are_folded_on_a_terminal_alone(tmp_path):
    (tmp_path / "a.txt").write_text("The lease of the boathouse and so on. " * 9)
    command = [sys.executable, "-m", "app.main", "search", "lease", str(tmp_path)]
    seen, code = on_terminal(command, COLUMNS="60")
    assert code == 0
    shown = [line for line in seen.splitlines() if "boathouse" in line]
    assert len(shown) > 4
    assert max(map(len, shown)) <= 60
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len([line for line in piped.stdout.splitlines() if "boathouse" in line]) == 1


def test_the_status_line_counts_seconds_when_nothing_happens(monkeypatch):
    monkeypatch.setattr("app.output.progress.CLOCK_SECONDS", 0.01)
    monkeypatch.setattr("app.output.progress.QUIET_SECONDS", 0)
    stream = io.StringIO()
    with StatusLine(stream, enabled=True) as status:
        status.show("Looking ahead")
        while not re.search(r"Looking ahead \(\d+ s\)", stream.getvalue()):
            time.sleep(0.01)
        status.clear()
        before = stream.getvalue()
        time.sleep(0.05)
        assert stream.getvalue() == before
        status.show("Writing")
    assert stream.getvalue().endswith("\r\x1b[K")

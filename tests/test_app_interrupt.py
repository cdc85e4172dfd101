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
import textwrap
import time
from pathlib import Path

import pytest

from app.shown.progress import StatusLine

PATIENCE = 120.0
"""Seconds that a busy machine may take over what is done at once elsewhere."""

PRELUDE = """\
import sys, time
import app.cli
from engine.events import Reading, Stage, Token
from models.roles import ModelSet

class Slow:
    id, context = "slow", 8192
    def close(self):
        sys.stderr.write("closed\\n")

def models(config, **chosen):
    made = ModelSet("slow", "slow", lambda name: Slow())
    made.generator
    return made
"""

STAGES = {
    "reading": 'yield Stage("read", "started"); yield Reading(1, 9, 100, 900, 0)',
    "looking ahead": 'yield Stage("lookahead", "started")',
    "writing": 'yield Stage("write", "started"); yield Token("The lease")',
}


def child(body: str, *arguments: str) -> list[str]:
    code = f"{PRELUDE}\n{textwrap.dedent(body)}\nsys.exit(app.cli.main({list(arguments)!r}))\n"
    return [sys.executable, "-c", code]


def started(command: list[str]) -> subprocess.Popen[str]:
    """Start a child and wait until it says that it is ready."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "ready\n"
    return process


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("flags", [[], ["--json"]])
def test_interrupt_closes_models_and_says_one_line(stage, flags, tmp_path):
    body = f"""
    def answer(*asked):
        {STAGES[stage]}
        sys.stderr.write("ready\\n"); sys.stderr.flush()
        time.sleep(300)
        yield
    import app.commands.ask as ask
    ask.model_set, ask.answer = models, answer
    """
    process = started(child(body, "ask", "when", str(tmp_path), *flags))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "closed\nInterrupted.\n"
    assert ('"interrupted"' in out) == bool(flags)


def test_a_second_interrupt_leaves_at_once(tmp_path):
    body = """
    class Stuck(Slow):
        def close(self):
            sys.stderr.write("closing\\n"); sys.stderr.flush()
            time.sleep(300)
    def answer(*asked):
        sys.stderr.write("ready\\n"); sys.stderr.flush()
        time.sleep(300)
        yield
    import app.commands.ask as ask
    def models(config, **chosen):
        made = ModelSet("slow", "slow", lambda name: Stuck())
        made.generator
        return made
    ask.model_set, ask.answer = models, answer
    """
    process = started(child(body, "ask", "when", str(tmp_path)))
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert process.stderr.readline() == "closing\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err == "Interrupted.\n"


def test_a_second_interrupt_ends_native_code(tmp_path):
    """A call into C that never returns holds the main thread; Python's handler cannot run."""
    body = """
    import ctypes
    def answer(*asked):
        sys.stderr.write("ready\\n"); sys.stderr.flush()
        pause = ctypes.CDLL(None).sleep
        while True:
            pause(300)
            yield Stage("write", "started")
    import app.commands.ask as ask
    ask.model_set, ask.answer = models, answer
    ctypes.CDLL(None).siginterrupt(2, 0)
    """
    process = started(child(body, "ask", "when", str(tmp_path)))
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        process.send_signal(signal.SIGINT)  # of two that come before it runs, one is lost
        time.sleep(0.3)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


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


DRAFTING = """
from engine.events import Answered
from engine.values import Answer, Coverage, ModelIds, Usage
def answer(*asked):
    yield Stage("write", "started")
    for word in "a draft that is not checked".split():
        yield Token(word + " ")
    yield Answered(Answer("q", "The checked one.", "partial", (), Coverage(), None, Usage(),
                          {"total": 1.0}, "fb_rag", ModelIds()))
import app.commands.ask as ask
ask.model_set, ask.answer = models, answer
"""


def test_a_terminal_sees_the_draft_and_then_the_checked_answer(tmp_path):
    seen, code = on_terminal(child(DRAFTING, "ask", "q", str(tmp_path)))
    assert code == 0
    assert "Writing" in seen
    assert "\x1b[2ma " in seen
    assert seen.index("checked \x1b[0m") < seen.index("\x1b[J") < seen.index("The checked one.")


@pytest.mark.parametrize(
    ("flags", "environ", "draft", "escapes"),
    [
        (["--no-stream"], {}, False, True),
        (["--json"], {}, False, True),
        ([], {"NO_COLOR": "1"}, True, True),
        ([], {"TERM": "dumb"}, False, False),
    ],
)
def test_what_the_terminal_is_spared(flags, environ, draft, escapes, tmp_path):
    seen, code = on_terminal(child(DRAFTING, "ask", "q", str(tmp_path), *flags), **environ)
    assert code == 0
    assert ("draft " in seen) == draft
    assert ("\x1b[K" in seen) == escapes
    assert "\x1b[2m" not in seen
    assert "The checked one." in seen


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
    monkeypatch.setattr("app.shown.progress.CLOCK_SECONDS", 0.01)
    monkeypatch.setattr("app.shown.progress.QUIET_SECONDS", 0)
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

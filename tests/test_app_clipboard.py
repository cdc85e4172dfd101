"""Copying, by the desktop's own program or the terminal, and the bell for who looked away."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from app.desktop import clipboard, notice
from app.screens.app import AskanceApp
from tests.support.screen_text import text_of, until
from tests.support.toy_chat import asked, chat, config_over, running
from tests.support.toy_talk import Parrot

SAID = "Grüße, 31 December 2026"


def program(folder: Path, name: str, script: str) -> dict[str, str]:
    """Return an environment whose only program is this one, under Wayland."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:/bin:/usr/bin", "WAYLAND_DISPLAY": "wayland-0"}


def test_the_desktop_s_program_gets_the_text_through_a_pipe(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    environ = program(tmp_path, "wl-copy", f'cat > "{kept}"; echo "$#" > "{kept}.flags"')
    assert clipboard.copy(SAID, environ) == "wl-copy"
    assert kept.read_text() == SAID
    assert kept.with_suffix(".flags").read_text() == "0\n"


def test_no_program_one_that_fails_and_another_machine_s_desktop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environ = program(tmp_path, "wl-copy", "exit 1")
    assert clipboard.copy(SAID, environ) is None
    assert clipboard.copy(SAID, {"PATH": str(tmp_path)}) is None
    monkeypatch.setattr("app.desktop.clipboard.SECONDS", 0.1)
    assert clipboard.copy(SAID, program(tmp_path, "wl-copy", "exec sleep 5")) is None
    works = program(tmp_path, "wl-copy", "cat > /dev/null")
    assert clipboard.copy(SAID, works | {"SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}) is None


@pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xclip")), reason="Xvfb and xclip are not here"
)
def test_a_real_x_clipboard(tmp_path: Path) -> None:
    reads, writes = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writes), "-screen", "0", "64x64x8", "-nolisten", "tcp"],
        pass_fds=[writes],
        stderr=subprocess.DEVNULL,
    )
    try:
        os.close(writes)
        number = os.read(reads, 16).decode().strip()
        environ = {"PATH": os.environ["PATH"], "DISPLAY": f":{number}", "HOME": str(tmp_path)}
        assert clipboard.copy(SAID, environ) == "xclip"
        pasted = subprocess.run(
            ["xclip", "-selection", "clipboard", "-o"], env=environ, capture_output=True, check=True
        )
        assert pasted.stdout.decode() == SAID
    finally:
        os.close(reads)
        server.terminate()
        server.wait()


@pytest.mark.parametrize(
    ("taken_by", "said"),
    [("wl-copy", "Copied, by wl-copy."), (None, "Handed to the terminal's clipboard (OSC 52)")],
)
async def test_the_message_says_which_way(
    taken_by: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.desktop.clipboard.copy", lambda text: taken_by)
    app = AskanceApp(config_over(tmp_path), Parrot())
    async with running(app, (80, 24), toasts=True) as pilot:
        app.copy_to_clipboard(SAID)
        assert app.clipboard == SAID
        await until(pilot, lambda: said[:20] in text_of(app))


@pytest.mark.parametrize(
    ("seconds", "away", "bell", "rings"),
    [(12, True, "true", 1), (12, False, "true", 0), (2, True, "true", 0), (12, True, "false", 0)],
)
async def test_a_bell_rings_for_who_looked_away(
    seconds: int,
    away: bool,
    bell: str,
    rings: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = AskanceApp(config_over(tmp_path, ASKANCE_INTERFACE_BELL=bell), Parrot())
    rung: list[float] = []
    monkeypatch.setattr(app, "bell", lambda: rung.append(time.monotonic()))
    async with running(app, (80, 24)) as pilot:
        screen = chat(app)
        real = screen.call_back_after

        def later(spent: float) -> None:
            app.app_focus = not away  # a key, as of asking, is from who looks at it
            real(spent + seconds)

        monkeypatch.setattr(screen, "call_back_after", later)
        await asked(pilot)
        assert len(rung) == rings


async def test_a_notice_of_the_desktop_says_nothing_of_what_was_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PATH", program(tmp_path, "notify-send", f'echo "$@" > {tmp_path}/told')["PATH"]
    )
    app = AskanceApp(config_over(tmp_path, ASKANCE_INTERFACE_NOTICE="true"), Parrot())
    async with running(app, (80, 24)) as pilot:
        app.app_focus = False
        chat(app).call_back_after(9)
        await app.workers.wait_for_complete()
        assert not (tmp_path / "told").exists()
        chat(app).call_back_after(12)
        await until(pilot, (tmp_path / "told").exists)
    assert (tmp_path / "told").read_text() == "--app-name Askance An answer is there.\n"


def test_a_desktop_without_notices_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert not notice.show_notice()
    monkeypatch.setenv("PATH", program(tmp_path, "notify-send", "exec sleep 5")["PATH"])
    monkeypatch.setattr(notice, "SECONDS", 0.1)
    assert not notice.show_notice()

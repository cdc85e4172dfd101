"""No home, a read-only one, settings of a newer version: it is said, and the program goes on."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from app.cli import main
from app.history.creation import begin_history
from app.history.storage import key as history_key
from app.history.storage.files import HistoryFiles
from models.system.files import NO_HOME, data_folder, home_folder
from tests.test_app_history import TALK

ROOT = Path(__file__).parents[1]
NOBODY = ("setpriv", "--reuid=65533", "--regid=65533", "--clear-groups")
"""A number without an entry among the users: it has no home either."""
KEEPING = """
import os, sys
from app.history.keeper import keeper_of
from app.settings.config import load_config
from engine.answer_parts import ModelIds, Usage
from engine.values import Answer, Coverage
keeper = keeper_of(load_config(dict(os.environ)), lambda prompt: sys.argv[1], print)
print("opened", keeper.history is not None)
print("listed", len(keeper.history.listed()))
answer = Answer("Why?", "So.", "none", (), Coverage(), None, Usage(), {}, "auto", ModelIds())
keeper.answered(answer)
print("turns", len(keeper.conversation.turns))
"""


ROOMS = Path(tempfile.gettempdir())
"""Where tests have their homes."""


def as_nobody(*command: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a user who owns nothing, with these variables and no others."""
    drop = () if os.geteuid() else NOBODY
    if drop and not shutil.which("setpriv"):
        pytest.skip("root may do everything, and setpriv is missing")
    path = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"}
    done = subprocess.run(
        [*drop, *command], capture_output=True, text=True, cwd=ROOT, env=path | environ, timeout=120
    )
    if drop and "failed to execute" in done.stderr:
        pytest.skip("this interpreter may be run by root alone")
    return done


def reachable(folder: Path) -> None:
    """Let others go into the test's own folders."""
    for parent in [folder, *folder.parents]:
        if parent != ROOMS and ROOMS in parent.parents and parent.stat().st_uid == os.geteuid():
            parent.chmod(0o755)


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (["config", "path"], 0, "/.config/askance/config.toml"),
        (["sources", "list"], 0, ""),
        (["history", "path"], 0, "askance/history"),
        (["history", "list"], 2, "Turn it on"),
        (["history", "on", "--passphrase"], 1, "cannot be made"),
        (["forget", "--everything", "--yes"], 0, "Nothing was ever written"),
    ],
)
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody without a home")
def test_without_a_home_every_command_says_what_it_can(
    command: list[str], code: int, words: str
) -> None:
    done = as_nobody(sys.executable, "-m", "app.main", *command)
    assert "Traceback" not in done.stderr
    assert done.returncode == code, done.stderr
    assert words in done.stdout + done.stderr


def test_a_home_is_where_it_is_said_or_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert home_folder({"HOME": "/h"}) == Path("/h")
    assert data_folder({"HOME": "/h", "XDG_DATA_HOME": "relative"}) == Path(
        "/h/.local/share/askance"
    )
    assert data_folder({"XDG_DATA_HOME": "/d"}) == Path("/d/askance")
    known = Path(pwd.getpwuid(os.getuid()).pw_dir)
    for nowhere in ({}, {"HOME": ""}, {"HOME": "relative"}):
        assert home_folder(nowhere) == known
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    assert home_folder({}) == home_folder({"HOME": ""}) == NO_HOME


def test_a_read_only_history_is_read_and_the_conversation_stays_in_memory(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(history_key.SCRYPT, "n", 1 << 10)
    files = HistoryFiles.of(os.environ)
    with begin_history(files, lambda prompt: "correct horse") as history:
        history.keep(TALK)
    before = files.database.read_bytes()
    reachable(files.folder)
    for path in files.all():
        path.chmod(0o444)
    files.folder.chmod(0o555)
    done = as_nobody(
        *(sys.executable, "-c", KEEPING, "correct horse"),
        HOME=str(home),
        XDG_DATA_HOME=str(home / ".local" / "share"),
        ASKANCE_HISTORY_ENABLED="1",
    )
    files.folder.chmod(0o755)
    assert done.stdout.splitlines()[:2] == ["opened True", "listed 1"], done.stderr
    assert "This conversation is in memory only." in done.stdout
    assert done.stdout.splitlines()[-1] == "turns 1"
    assert files.database.read_bytes() == before


def test_settings_of_a_newer_version_are_named(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = home / ".config" / "askance"
    where.mkdir()
    (where / "config.toml").write_text("[answer]\nmood = 'kind'\n")
    assert main(["sources", "list"]) == 2
    said = capsys.readouterr().err
    assert '"answer.mood"' in said
    assert "update Askance if a newer one wrote it" in said
    assert (where / "config.toml").read_text() == "[answer]\nmood = 'kind'\n"

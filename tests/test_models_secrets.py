"""The keyring: asked in a process of its own, only a real one, and never for ever."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import pytest

from models.system import secrets
from models.system.secrets import (
    KeyringClosed,
    drop_from_keyring,
    keep_in_keyring,
    keyring_name,
    known_names,
    passwords,
    patience,
    remember_passwords,
    secret_from_keyring,
)
from tests.support.toy_keyring import ToyKeyring, toy_keyring

__all__ = ["toy_keyring"]

REAL = """
import sys
from models.system import secrets
secrets.QUIET_SECONDS = 100.0
if sys.argv[1] == "open":
    print(secrets.keyring_name())
    secrets.keep_in_keyring("history:1", "ünsaid\\nword")
    assert secrets.secret_from_keyring("history:1") == "ünsaid\\nword"
else:
    try:
        print(secrets.secret_from_keyring("history:1"))
    except secrets.KeyringClosed as error:
        print(error)
"""
SERVICE = """
printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
"$1" real.py open
gnome-keyring-daemon --replace --components=secrets >/dev/null 2>&1  # which is locked
"$1" real.py locked
"""


def test_what_is_kept_comes_back_and_what_is_dropped_does_not(toy_keyring: ToyKeyring) -> None:
    assert keyring_name() == "toy keyring"
    assert secret_from_keyring("huggingface") == ""
    keep_in_keyring("huggingface", "hf_ü\n2")
    assert toy_keyring.kept == {"askance/huggingface": "hf_ü\n2"}
    assert secret_from_keyring("huggingface") == "hf_ü\n2"
    assert drop_from_keyring("huggingface")
    assert not drop_from_keyring("huggingface")
    assert toy_keyring.kept == {}


def test_names_that_vary_are_listed_in_the_keyring_itself(toy_keyring: ToyKeyring) -> None:
    keep_in_keyring("server:a.example.org", "1")
    keep_in_keyring("history:7e90", "2")
    assert known_names() == ["huggingface", "passwords", "server:a.example.org", "history:7e90"]
    assert drop_from_keyring("history:7e90")
    assert toy_keyring.kept.keys() == {"askance/names", "askance/server:a.example.org"}
    assert drop_from_keyring("server:a.example.org")
    assert toy_keyring.kept == {}


def test_passwords_are_remembered_once_each(toy_keyring: ToyKeyring) -> None:
    remember_passwords(["one", "two"])
    remember_passwords(["two", "three"])
    assert passwords() == ["one", "two", "three"]
    keep_in_keyring(secrets.PASSWORDS, "typed by hand")
    assert passwords() == ["typed by hand"]


def test_a_keyring_that_is_locked_silent_or_gone_is_no_crash_and_tells_no_secret(
    toy_keyring: ToyKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_back = "hf_" + "secret"
    said = {"locked": "does not open", "dies": "broke off", "silent": "did not answer within 2 s"}
    for state, words in said.items():
        toy_keyring.be(state)
        if state == "silent":
            monkeypatch.setattr(secrets, "QUIET_SECONDS", 2.0)
        with pytest.raises(KeyringClosed, match=words) as caught:
            keep_in_keyring("huggingface", kept_back)
        assert kept_back not in "".join(traceback.format_exception(caught.value))


def test_no_file_stands_in_for_a_keyring(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plaintext backend that the library's settings name is not asked."""
    site = home / "site"
    site.mkdir()
    (site / "plain.py").write_text(
        "from pathlib import Path\nfrom keyring.backend import KeyringBackend\n"
        "class Keyring(KeyringBackend):\n    priority = 99\n"
        "    def set_password(self, *given):\n        Path('leaked').write_text(str(given))\n"
        "    def get_password(self, *given):\n        return 'leaked'\n"
    )
    monkeypatch.chdir(home)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    for backend in ("plain.Keyring", "keyring.backends.null.Keyring"):
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", backend)
        with pytest.raises(KeyringClosed, match="This machine has no keyring"):
            keep_in_keyring("huggingface", "hf_secret")
    assert not (home / "leaked").exists()


def test_a_secret_is_in_no_argument_and_no_variable(
    toy_keyring: ToyKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[object, object]] = []
    original = subprocess.run

    def noted(command: object, **given: object) -> object:
        started.append((command, given.get("env")))
        return original(command, **given)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "run", noted)
    keep_in_keyring("huggingface", "hf_secret")
    assert len(started) == 1
    assert "hf_secret" not in repr(started)
    assert "hf_secret" not in repr(dict(os.environ))


def test_a_window_may_take_its_time_and_a_terminal_may_not() -> None:
    assert patience({"DISPLAY": ":0"}) == secrets.PROMPT_SECONDS
    assert patience({"DISPLAY": ":10", "SSH_CONNECTION": "x"}) == secrets.QUIET_SECONDS
    if sys.platform == "linux":
        assert patience({}) == secrets.QUIET_SECONDS


def test_with_a_real_secret_service(home: Path) -> None:
    """Locked, it asks for its password in a window, which there is none for."""
    if not (shutil.which("gnome-keyring-daemon") and shutil.which("dbus-run-session")):
        pytest.skip("no Secret Service to be started here: gnome-keyring and dbus are not there")
    runtime = home / "run"
    runtime.mkdir(mode=0o700)
    (home / "real.py").write_text(REAL)
    where = {"XDG_RUNTIME_DIR": str(runtime), "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        ["dbus-run-session", "--", "sh", "-c", SERVICE, "sh", sys.executable],
        cwd=home,
        env=os.environ | where | {"SSH_CONNECTION": "x"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    opened, locked = done.stdout.splitlines()
    assert opened == "SecretService Keyring"
    assert locked.startswith("This machine's keyring d"), "does not open, or did not answer"

"""A keyring for tests: the real child process, with a backend that keeps secrets in a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from models.system import secrets

STARTER = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("keyring_main", sys.argv[1])
main = importlib.util.module_from_spec(spec)
spec.loader.exec_module(main)
sys.path.insert(0, sys.argv[2])
main.BACKENDS = (("toy_backend", "Keyring"),)
main.main()
"""
BACKEND = """
import json, os, time
from pathlib import Path
import keyring.errors
KEPT = Path(os.environ["TOY_KEYRING"])
class Keyring:
    priority = 5
    name = "toy keyring"
    def _open(self):
        state = os.environ.get("TOY_KEYRING_STATE", "open")
        if state == "silent":
            time.sleep(600)
        if state == "locked":
            raise keyring.errors.KeyringLocked("it is locked")
        if state == "dies":
            os._exit(1)
        return json.loads(KEPT.read_text())
    def get_password(self, service, user):
        return self._open().get(f"{service}/{user}")
    def set_password(self, service, user, secret):
        KEPT.write_text(json.dumps(self._open() | {f"{service}/{user}": secret}))
    def delete_password(self, service, user):
        kept = self._open()
        del kept[f"{service}/{user}"]
        KEPT.write_text(json.dumps(kept))
"""


class ToyKeyring:
    """What the test sees of it: what is kept, and how it behaves."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have every question to the keyring in this process go to the toy."""
        folder.mkdir()
        (folder / "toy_backend.py").write_text(BACKEND)
        (folder / "starter.py").write_text(STARTER)
        self._file = folder / "kept.json"
        self._file.write_text("{}")
        self._monkeypatch = monkeypatch
        main = str(secrets.KEYRING_MAIN)
        command = (sys.executable, "-P", str(folder / "starter.py"), main, str(folder))
        monkeypatch.setattr(secrets, "COMMAND", command)
        monkeypatch.setattr(secrets, "QUIET_SECONDS", 120.0)  # of a machine that is busy
        monkeypatch.setenv("SSH_CONNECTION", "a terminal far away")
        monkeypatch.setenv("TOY_KEYRING", str(self._file))

    @property
    def kept(self) -> dict[str, str]:
        found: dict[str, str] = json.loads(self._file.read_text())
        return found

    def be(self, state: str) -> None:
        """Be "open", "locked", "silent", or one that "dies"."""
        self._monkeypatch.setenv("TOY_KEYRING_STATE", state)


@pytest.fixture
def toy_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToyKeyring:
    """An open and empty keyring."""
    monkeypatch.delenv("PYTHON_KEYRING_BACKEND", raising=False)
    return ToyKeyring(tmp_path / "keyring", monkeypatch)

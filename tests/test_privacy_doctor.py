"""`askance doctor --privacy`: what it proves here, and that it says so when a promise is broken."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

import pytest

from app.cli import main
from app.privacy import check as privacy_check

LEAKING = """
import os, sys
from pathlib import Path
text = Path(sys.argv[-2], "note.md").read_text()
Path(os.environ["HOME"], "cache.bin").write_text(text.encode().hex())
print(text)
"""


def checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)["checks"]}


def test_the_proof_holds_and_leaves_nothing_behind(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--privacy", "--json"]) == 0
    found = checks(capsys)
    assert {"residue, search", "residue, killed", "read only", "unplugged", "swap"} <= set(found)
    assert not [name for name, one in found.items() if one["state"] == "missing"]
    assert found["residue, search"]["state"] == found["read only"]["state"] == "ok"
    assert "not tried" in found["residue, ask"]["detail"]  # no model is here
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert not Path(os.environ["XDG_DATA_HOME"], "askance").exists()


def test_a_program_that_keeps_text_is_caught(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaking = tmp_path / "leaking.py"
    leaking.write_text(LEAKING)
    original = privacy_check.subprocess.Popen

    def started(command: list[str], **named: object) -> object:
        program = command.index("-m")
        changed = [*command[:program], str(leaking), *command[program + 2 :]]
        return original(changed, **named)  # type: ignore[call-overload]

    monkeypatch.setattr(privacy_check.subprocess, "Popen", started)
    monkeypatch.setattr(privacy_check, "_can_trace", lambda: False)
    place = privacy_check._planted(tmp_path)
    run = privacy_check._ran(place, ("search", str(place.sources), "--json"))
    check = privacy_check._residue("search", run)
    assert check.state == "missing"
    assert "cache.bin" in check.detail
    assert "hexadecimal" in check.detail


@pytest.mark.skipif(sys.platform == "win32", reason="limits are POSIX")
def test_dumps_are_off_once_the_program_has_started() -> None:
    import subprocess

    script = (
        "from app.privacy.hardening import forbid_core_dumps; forbid_core_dumps()\n"
        "import resource, subprocess, sys\n"
        "print(resource.getrlimit(resource.RLIMIT_CORE)[0])\n"
        "read = 'print(open(\"/proc/self/coredump_filter\").read())'\n"
        "if sys.platform == 'linux': subprocess.run([sys.executable, '-c', read], check=True)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert set(done.stdout.split()) <= {"0", "00000000"}
    assert done.stdout

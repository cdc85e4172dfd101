"""`askance doctor --privacy`: what it proves here, and that it says so when a promise is broken."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli import main
from app.doctor import Check
from app.privacy import check as privacy_check
from app.privacy import system_calls as tracing

LEAKING = """
import os, sys
from pathlib import Path
text = Path(sys.argv[-2], "note.md").read_text()
cache = Path(os.environ["HOME"], "cache.bin")
cache.write_text(text.encode().hex())
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
    for name in ("residue, search", "residue, killed", "read only"):
        assert found[name]["state"] == "ok", found[name]
    assert "not tried" in found["residue, ask"]["detail"]  # no model is here
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
    assert not Path(os.environ["XDG_DATA_HOME"], "askance").exists()


@pytest.fixture
def searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Check]:
    """Return a check of a search by another program, whose code this is."""

    def check(code: str) -> Check:
        other = tmp_path / "other.py"
        other.write_text(code)
        original = privacy_check.subprocess.Popen

        def started(command: list[str], **named: object) -> object:
            program = command.index("-m")
            changed = [*command[:program], str(other), *command[program + 2 :]]
            return original(changed, **named)  # type: ignore[call-overload]

        monkeypatch.setattr(privacy_check.subprocess, "Popen", started)
        place = privacy_check._planted(tmp_path)
        run = privacy_check._ran(place, ("search", str(place.sources), "--json"))
        return privacy_check._residue("search", run)

    return check


def test_a_program_that_keeps_text_is_caught(
    searched: Callable[[str], Check], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tracing, "can_trace", lambda: False)
    check = searched(LEAKING)
    assert check.state == "missing"
    assert "cache.bin" in check.detail
    assert "hexadecimal" in check.detail


@pytest.mark.parametrize(
    "and_then",
    [
        "cache.unlink()",
        "import tempfile; tempfile.TemporaryFile(dir='.').write(b'x')",
        "cache.rename(f'moved-{cache.name}'); Path(f'moved-{cache.name}').unlink()",
    ],
)
def test_a_program_that_takes_away_what_it_wrote_is_caught(
    and_then: str, searched: Callable[[str], Check]
) -> None:
    if not tracing.can_trace():
        pytest.skip("strace is not here or may not trace")
    check = searched(LEAKING.replace(".encode().hex()", "[:0]") + and_then)
    assert check.state == "missing"
    assert "gone before it was searched" in check.detail


def test_a_run_that_cannot_be_killed_while_it_reads_proves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = privacy_check._planted(tmp_path)
    place.long.unlink()
    check = privacy_check._killed(place)
    assert check.state == "note"
    assert "not tried" in check.detail


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

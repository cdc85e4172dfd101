"""The checks for a machine with a GPU, dry: on the processor, in slices, and what fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.in_store import weights_of

SCRIPT = Path(__file__).parents[1] / "packaging" / "gpu.py"
SMALL = "smollm2-135m-instruct-q4_1"


def checked(out: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(out), "--device", "cpu", "--models", SMALL, *more]
    environ = os.environ | {"ASKANCE_MODELS_DIR": str(weights_of(SMALL).parents[1])}
    return subprocess.run(command, capture_output=True, text=True, env=environ, timeout=500)


@pytest.mark.slow
def test_a_dry_run_proves_goes_on_and_writes_its_page(tmp_path: Path) -> None:
    steps = ("--only", "llama", "machine")
    cut = checked(tmp_path, "--minutes", "0", *steps)
    assert (cut.returncode, "goes on" in cut.stdout) == (75, True), cut.stderr
    whole = checked(tmp_path, *steps)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    page = (tmp_path / "gpu.md").read_text()
    assert f"## llama proved by the CPU: {SMALL}" in page
    assert "| 1 | " in page
    assert "FAILED" not in page
    again = checked(tmp_path, *steps)
    assert "proved" not in again.stdout, "what is done is not done again"


@pytest.mark.slow
def test_a_step_that_fails_is_named_and_the_next_goes_on(tmp_path: Path) -> None:
    kept = {f"llama proved by the CPU: {SMALL}": ["FAILED: prompt 1 is answered otherwise."]}
    (tmp_path / "steps.json").write_text(json.dumps(kept))
    done = checked(tmp_path, "--only", "machine")
    assert done.returncode == 1
    assert "Failed: ['llama proved" in done.stdout
    assert "no GPU" in (tmp_path / "gpu.md").read_text()

"""The wheel that a person installs: what is inside, and that it works without the checkout."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("app", "engine", "ingest", "models")
DATA = {".md", ".toml", ".tcss", ".mbox", ".eml", ".ics", ".pdf", ".txt", ".typed"}


def pip(*arguments: str) -> None:
    """Run pip without an index; its output is shown when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--no-index", "--no-deps", "--quiet"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", str(ROOT), "--no-build-isolation", "--wheel-dir", str(folder))
    (built,) = folder.glob("askance-*.whl")
    return built


def test_it_holds_the_rooms_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert top == set(ROOMS)
    assert not [name for name in names if "__pycache__" in name or "test_" in name]


def test_it_holds_every_data_file_of_the_rooms(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        path.relative_to(ROOT).as_posix()
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.suffix in DATA and path.is_file()
    }
    assert {"models/catalogue.toml", "app/sample/questions.toml"} <= wanted
    assert any(name.startswith("engine/prompts/") for name in wanted)
    assert wanted <= names


def test_it_carries_the_licence_and_the_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    entry_points, licence = (
        next(name for name in archive.namelist() if name.endswith(end))
        for end in ("entry_points.txt", "LICENSE")
    )
    assert b"askance = app.main:run" in archive.read(entry_points)
    assert b"Apache License" in archive.read(licence)


PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib.resources import files
import app, engine, ingest, models
assert all(room.__file__.startswith(sys.argv[1]) for room in (app, engine, ingest, models))
from models.catalogue import load_catalogue
print(load_catalogue().starter()[0].id)
print(sorted(p.name for p in files("engine").joinpath("prompts").iterdir()))
print(sorted(p.name for p in files("app").joinpath("sample", "data").iterdir()))
"""


def test_installed_elsewhere_it_finds_prompts_catalogue_and_sample(
    wheel: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    pip("install", str(wheel), "--target", str(bare))
    done = subprocess.run(
        [sys.executable, "-I", "-c", PROBE, str(bare)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "qwen2.5" in done.stdout
    assert "'question.md'" in done.stdout
    assert "['calendars', 'documents', 'mail', 'notes']" in done.stdout

"""The wheel that a person installs: what is inside, and that it works without the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from engine.retrieval.scan_compiled import library_path

ROOT = Path(__file__).parents[1]
ROOMS = ("app", "engine", "ingest", "models")
DATA = {".md", ".toml", ".jsonl", ".tcss", ".mbox", ".eml", ".ics", ".pdf", ".txt", ".typed"}


COMPILER = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")


def pip(*arguments: str, **environment: str) -> str:
    """Run pip without an index and return what it said; shown when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--no-index", "--no-deps"],
        capture_output=True,
        text=True,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def build(folder: Path, **environment: str) -> tuple[Path, str]:
    """Return a wheel and what was said while it was built."""
    wanted = ("--no-build-isolation", "--verbose", "--wheel-dir", str(folder))
    said = pip("wheel", str(ROOT), *wanted, **environment)
    (built,) = folder.glob("askance-*.whl")
    return built, said


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("wheel"), CC="cc")[0]


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
    assert {"models/store/catalogue.toml", "app/sample/questions.toml"} <= wanted
    assert any(name.startswith("engine/prompts/") for name in wanted)
    assert wanted <= names


def test_it_holds_the_pages_that_help_shows(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"app/help/filters.md", "app/help/recipes/chats.md"} <= names
    assert not [name for name in names if name.startswith("app/help/") and name[-3:] != ".md"]


def test_it_carries_the_licence_and_the_command(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    entry_points, licence = (
        next(name for name in archive.namelist() if name.endswith(end))
        for end in ("entry_points.txt", "LICENSE")
    )
    assert b"askance = app.main:run" in archive.read(entry_points)
    assert b"Apache License" in archive.read(licence)


@COMPILER
def test_it_holds_the_compiled_scan_for_this_platform_only(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert (
        library_path(ROOT / "engine" / "retrieval" / "scan.c").relative_to(ROOT).as_posix() in names
    )
    assert "-py3-none-" in wheel.name
    assert not wheel.name.endswith("-any.whl")


def test_without_a_compiler_it_is_a_pure_one_and_says_so(tmp_path: Path) -> None:
    wheel, said = build(tmp_path, CC="/nowhere/cc")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    assert "Recall is not compiled and will be slower: no C compiler found (/nowhere/cc)" in said


PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from importlib.resources import files
import app, engine, ingest, models
assert all(room.__file__.startswith(sys.argv[1]) for room in (app, engine, ingest, models))
from models.store.catalogue import load_catalogue
print(load_catalogue().starter()[0].id)
from engine.retrieval.recall import fastest_scan
print(fastest_scan().name)
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
    assert ("compiled" if shutil.which("cc") else "numpy") in done.stdout
    assert "'question.md'" in done.stdout
    assert "['calendars', 'documents', 'mail', 'notes']" in done.stdout


WITHOUT_EXTRAS = """
import importlib, sys
wanted = set(sys.argv[1:])
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in wanted:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from app.cli import COMMANDS
for row in COMMANDS:
    importlib.import_module(row.module)
import app.screens.app, app.backend.process, app.plain_loop
"""
EXTRAS = "mcp sqlcipher3 sqlite_utils ray matplotlib scipy pypff torch transformers accelerate gguf"


def test_every_command_starts_where_no_extra_is_installed(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", WITHOUT_EXTRAS, *EXTRAS.split()]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr

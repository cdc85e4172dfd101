"""What is made from the code is up to date, and what packages are made of holds together."""

from __future__ import annotations

import configparser
import json
import re
import runpy
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app import doctor
from app.cli import main
from models.proof.description import Library

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"
DOCS = ROOT / "docs"
WAYS = ("wheel", "bundle", "deb", "folder")
UNTESTED = ("homebrew", "flatpak", "nix")


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], dict[str, Any]]:
    """Return what a script of `packaging/` defines."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    return lambda name: runpy.run_path(str(PACKAGING / f"{name}.py"))


def test_the_reference_says_what_the_code_says() -> None:
    # In a process of its own: other tests put commands and strategies of theirs in.
    script = Path(__file__).parents[1] / "packaging" / "reference.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_man_page_has_every_command_flag_and_variable(
    script: Callable[[str], dict[str, Any]],
) -> None:
    man = script("man")
    page = man["page"]("1.2.3")
    assert '"askance 1.2.3"' in page
    plain = page.replace("\\-", "-")
    for command in man["commands"]():
        assert command.usage in plain
        for flags, _ in command.options:
            assert f".B {flags}" in plain
    assert ".B ASKANCE_ANSWER_SEED" in plain
    assert "…" not in page
    # A line that begins with a dot or an apostrophe is an order to roff.
    assert man["escaped"](".one\n'two") == "\\&.one\n\\&'two"


@pytest.mark.parametrize("name", ["constraints-hashes.txt", "constraints-hashes-extras.txt"])
def test_every_pinned_file_has_its_hash_and_the_version_that_was_tested(name: str) -> None:
    lock = (ROOT / name).read_text("utf-8")
    blocks = re.findall(r"^([\w.-]+)==(\S+)(.*(?:\n    .*)*)", lock, re.MULTILINE)
    pins = dict(_pins((ROOT / "constraints.txt").read_text("utf-8")))
    assert len(blocks) > 50
    assert not [name for name, _, rest in blocks if "--hash=sha256:" not in rest]
    others = {n: v for n, v, _ in blocks if pins.get(_plain(n), v) != v}
    assert not others, "Run packaging/lock.py"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    held = [extras["history"]] if name == "constraints-hashes.txt" else list(extras.values())
    wanted = _wanted([project["dependencies"], *held]) - _wanted([extras["torch"]])
    assert wanted <= {_plain(name) for name, _, _ in blocks}, "Run packaging/lock.py"


def _wanted(lists: list[list[str]]) -> set[str]:
    return {_plain(re.split(r"[<>=\[ ]", need)[0]) for needs in lists for need in needs}


def _pins(text: str) -> list[tuple[str, str]]:
    return [(_plain(n), v) for n, v in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_a_list_of_parts_that_lacks_one_is_refused(
    script: Callable[[str], dict[str, Any]], tmp_path: Path
) -> None:
    problems = script("parts")["problems"]
    pins = dict(_pins((ROOT / "constraints-hashes.txt").read_text("utf-8")))
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    path = tmp_path / "parts.json"

    def listed(pins: dict[str, str], version: str) -> list[str]:
        parts = [{"name": name, "version": pin} for name, pin in pins.items()]
        about = {"component": {"version": version}}
        path.write_text(json.dumps({"metadata": about, "components": parts}))
        return problems(path)  # type: ignore[no-any-return]

    assert listed(pins, version) == []
    assert len(listed(pins | {"click": "0.1"}, "0.0.9")) == 2
    del pins["numpy"]
    assert listed(pins, version)[0].startswith("numpy ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--version"], "askance, version"),
        (["-m", "app.main", "--version"], "askance, version"),
        (["-I", "-B", "-m", "json.tool", "--help"], "usage: "),
        (["-P", str(PACKAGING / "licences.py"), "--help"], "Lists the licences"),
    ],
    ids=["program", "its command", "a reader", "a script"],
)
def test_the_single_folder_stands_in_for_python(arguments: list[str], said: str) -> None:
    start = PACKAGING / "folder" / "start.py"
    done = subprocess.run([sys.executable, start, *arguments], capture_output=True, text=True)
    assert said in done.stdout, done.stderr


def test_licences_nobody_looked_at_are_refused(script: Callable[[str], dict[str, Any]]) -> None:
    licences = script("licences")

    def refused(licence: str, name: str = "some") -> bool:
        return bool(licences["refused"]([{"Name": name, "Version": "1", "License": licence}]))

    assert not refused("MIT")
    assert not refused("BSD-3-Clause AND 0BSD AND MIT")
    assert not refused("GPL-3.0 OR MIT")
    assert refused("GPL-3.0-or-later")
    assert refused("MIT AND LGPL-2.1")
    assert refused("MIT License; Other/Proprietary License")
    assert refused("UNKNOWN")
    assert not refused("LGPL-3.0-or-later", "recurring_ical_events")
    assert all(_plain(n) in map(_plain, licences["needed"]()) for n in licences["RULES"]["named"])


def test_the_page_of_licences_has_every_package(script: Callable[[str], dict[str, Any]]) -> None:
    page = (DOCS / "licences.md").read_text("utf-8")
    listed = {_plain(name) for name in re.findall(r"^\| ([\w.-]+) \| \S+ \|", page, re.MULTILINE)}
    lock = (ROOT / "constraints-hashes-extras.txt").read_text("utf-8")
    here = set(re.findall(r"^([\w.-]+)==\S+ \\", lock, re.MULTILINE))
    assert {_plain(name) for name in here} - listed == set(), "Run packaging/licences.py"


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_no_link_of_a_page_leads_nowhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    broken = [link for link in links if ":" not in link and not (page.parent / link).exists()]
    assert not broken


@pytest.mark.parametrize("way", WAYS)
def test_every_way_has_a_script_that_builds_and_one_that_tries(way: str) -> None:
    for script in ("build.sh", "try.sh"):
        subprocess.run(["sh", "-n", str(PACKAGING / way / script)], check=True)


@pytest.mark.parametrize("way", UNTESTED)
def test_recipes_that_nobody_ran_say_so(way: str) -> None:
    for path in (PACKAGING / way).iterdir():
        assert "ntested" in path.read_text("utf-8").splitlines()[0]
    assert "untested" in (DOCS / "install.md").read_text("utf-8")


@pytest.mark.parametrize("path", sorted((PACKAGING / "desktop").iterdir()), ids=lambda p: p.name)
def test_entries_of_the_desktop_start_what_is_installed(path: Path) -> None:
    entry = configparser.RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(path)
    row = entry["Desktop Entry"]
    assert shlex.split(row["Exec"]) in (["askance"], ["askance", "--source", "%f"])
    assert row["Terminal"] == "true"
    assert ("MimeType" in row) == ("%f" in row["Exec"])


@pytest.mark.parametrize(
    ("gpu", "cpu", "flags"),
    [
        ("none", "native", ""),
        ("cuda", "native", "-DGGML_CUDA=on"),
        ("vulkan", "portable", "-DGGML_VULKAN=on PORTABLE"),
    ],
)
def test_one_option_chooses_the_build_of_llama_cpp(
    script: Callable[[str], dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
    gpu: str,
    cpu: str,
    flags: str,
) -> None:
    wheelhouse = script("wheelhouse")
    flags_of = wheelhouse["cmake_arguments"]
    assert wheelhouse["CPU"]["portable"].startswith("-DGGML_NATIVE=off")
    flags = flags.replace("PORTABLE", wheelhouse["CPU"]["portable"])
    monkeypatch.delenv("CMAKE_ARGS", raising=False)
    assert flags_of(gpu, cpu) == flags
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_OPENMP=off")
    assert flags_of(gpu, cpu) == f"-DGGML_OPENMP=off {flags}".strip()


@pytest.mark.parametrize(
    ("backends", "said"),
    [([], "built for the CPU only"), (["CUDA", "Vulkan"], "built for CUDA, Vulkan")],
    ids=["cpu", "gpu"],
)
def test_doctor_names_what_llama_cpp_was_built_for(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    backends: list[str],
    said: str,
) -> None:
    library = Library("0.0", tuple(backends), (), ())
    monkeypatch.setattr(doctor, "described", lambda: library)
    main(["doctor"])
    assert said in capsys.readouterr().out

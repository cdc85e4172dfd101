"""llama.cpp is compiled without AMX where the compiler gets AMX wrong, and wrong builds go."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

PACKAGING = Path(__file__).parents[1] / "packaging"


@pytest.fixture
def flags(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return `packaging/compile_flags.py`, as if for an x86-64 and a person without flags."""
    monkeypatch.syspath_prepend(str(PACKAGING))
    module = importlib.import_module("compile_flags")
    monkeypatch.setattr(module, "X86", True)
    for name in ("CFLAGS", "CXXFLAGS", "CXX", "CMAKE_ARGS"):
        monkeypatch.delenv(name, raising=False)
    return module


def compiler(folder: Path, flags: ModuleType, kept: int, *, fails: bool = False) -> str:
    """Return a compiler whose output holds the first marks of those that are stored."""
    folder.mkdir()
    output, program = folder / "output", folder / "c++"
    output.write_bytes(b"".join(mark.to_bytes(4, "little") for mark in flags.MARKS[:kept]))
    # Its last argument is where the object goes.
    program.write_text(f'#!/bin/sh\nfor at; do :; done\ncp {output} "$at"\nexit {int(fails)}\n')
    program.chmod(0o755)
    return str(program)


def test_only_a_compiler_that_keeps_every_store_compiles_amx(
    flags: ModuleType, tmp_path: Path
) -> None:
    every = len(flags.MARKS)
    assert flags.compiles_amx([compiler(tmp_path / "right", flags, every)])
    for kept in range(every):
        assert not flags.compiles_amx([compiler(tmp_path / str(kept), flags, kept)])
    assert not flags.compiles_amx([compiler(tmp_path / "fails", flags, every, fails=True)])
    assert not flags.compiles_amx([str(tmp_path / "missing")])


def test_amx_is_left_out_where_the_compiler_that_cmake_takes_is_wrong(
    flags: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", compiler(tmp_path / "wrong", flags, 1))
    assert flags.needed() == [flags.ALWAYS, flags.WITHOUT_AMX]
    right = compiler(tmp_path / "right", flags, len(flags.MARKS))
    monkeypatch.setenv("CMAKE_ARGS", f"-DGGML_CUDA=on -DCMAKE_CXX_COMPILER:FILEPATH={right}")
    assert flags.needed() == [flags.ALWAYS]
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_CUDA=on")
    monkeypatch.setattr(flags, "X86", False)
    assert flags.needed() == []


def test_the_flags_follow_the_persons_own(
    flags: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXXFLAGS", "-O2 -g")
    assert flags.environment(["-Ua", "-Ub"]) == {"CFLAGS": "-Ua -Ub", "CXXFLAGS": "-O2 -g -Ua -Ub"}
    assert flags.environment([]) == {}


@pytest.mark.parametrize("name", ["c++", "clang++"])
def test_the_compilers_here_know_neither_with_the_flags(flags: ModuleType, name: str) -> None:
    last = ["-mamx-tile", "-mamx-int8", "-mamx-bf16"]  # a variant's own flags, which come later
    defines = ["-x", "c++", "-dM", "-E", "/dev/null", "-march=sapphirerapids", *last]
    if shutil.which(name) is None or "__AMX_TILE__" not in _said(name, *defines):
        pytest.skip(f"no {name} whose AMX llama.cpp would use")
    left_out = [*flags.ALWAYS.split(), *flags.WITHOUT_AMX.split()]
    assert "__AVX512FP16__" in _said(name, *defines)
    assert not re.search("__AMX|__AVX512FP16__", _said(name, *left_out, *defines))


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout


def test_what_is_known_of_compilers_is_found_out(flags: ModuleType) -> None:
    for name, version, right in (("g++", "12.", False), ("clang++", "14.", True)):
        if shutil.which(name) and _said(name, "-dumpversion").startswith((version, "12\n", "14\n")):
            assert flags.compiles_amx([name]) is right


def wheel(path: Path, library: bytes, flags: ModuleType) -> Path:
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(flags.LIBRARY, library)
    return path


def test_wheels_that_were_compiled_wrongly_leave_pips_cache(
    flags: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("PIP_NO_CACHE_DIR", raising=False)
    name = "llama_cpp_python-0.3.36-py3-none-linux_x86_64.whl"
    right = wheel(tmp_path / "wheels" / "aa" / name, b"\0ggml_cpu_has_amx_int8\0", flags)
    wrong = wheel(tmp_path / "wheels" / "bb" / name, b"\0" + flags.WITH_AMX + b"\0", flags)
    flags.drop_wrong_wheels()
    assert right.exists()
    assert not wrong.exists()


def test_an_installed_library_that_was_compiled_wrongly_is_uninstalled(
    flags: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(flags, "_pip", lambda *arguments: asked.append(arguments))
    library = tmp_path / flags.LIBRARY
    library.parent.mkdir(parents=True)
    (tmp_path / "llama_cpp" / "__init__.py").touch()
    for module in [name for name in sys.modules if name.split(".")[0] == "llama_cpp"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.syspath_prepend(str(tmp_path))
    library.write_bytes(b"without")
    flags.uninstall_wrong_build()
    assert not asked
    library.write_bytes(flags.WITH_AMX)
    flags.uninstall_wrong_build()
    assert asked == [("uninstall", "--yes", "llama_cpp_python")]


def test_a_command_runs_with_the_flags_and_ends_as_it_ends(
    flags: ModuleType, tmp_path: Path
) -> None:
    told = 'echo "$CFLAGS:$CXXFLAGS"; exit 3'
    own = os.environ | {"CXX": compiler(tmp_path / "wrong", flags, 2), "CFLAGS": "-g"}
    own |= {"PIP_CACHE_DIR": str(tmp_path / "cache"), "CXXFLAGS": "", "CMAKE_ARGS": ""}
    script = str(PACKAGING / "compile_flags.py")
    done = subprocess.run(
        [sys.executable, script, "sh", "-c", told], env=own, capture_output=True, text=True
    )
    without = f"{flags.ALWAYS} {flags.WITHOUT_AMX}" if os.uname().machine == "x86_64" else ""
    assert done.stdout.splitlines()[-1] == f"-g {without}:{without}".replace(" :", ":")
    assert done.returncode == 3


def test_packages_are_compiled_with_the_flags_whatever_they_are_for(
    flags: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheelhouse = importlib.import_module("wheelhouse")
    told: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(wheelhouse, "needed", lambda: ["-Ua"])
    monkeypatch.setattr(
        wheelhouse.subprocess, "run", lambda command, env, **_: told.append((command, env))
    )
    for cpu, runs in (("native", 1), ("portable", 2)):
        told.clear()
        wheelhouse.collect(tmp_path / cpu, "none", cpu, "history", [])
        assert len(told) == runs  # the first for llama.cpp alone, unless pip's cache may have it
        assert all(env["CFLAGS"] == env["CXXFLAGS"] == "-Ua" for _, env in told)
    command, env = told[0]
    assert {"--no-cache-dir", "llama-cpp-python"} <= set(command)
    assert env["CMAKE_ARGS"] == wheelhouse.CPU["portable"]

"""Compiles llama.cpp without what does not work in it: `compile_flags.py COMMAND…`.

Runs the command with the flags that llama.cpp's build needs on x86-64; elsewhere it only runs it.

**AMX**, where the compiler gets it wrong. GCC 12 believes that the instructions which load AMX's
tiles and their layout read eight bytes of memory or none, and leaves out the stores before them;
llama.cpp then dies in the first answer (ggml-org/llama.cpp#20824). Nothing but a compiler's output
tells the right ones, so a few lines are compiled and looked at. What was built wrongly before is
removed first, from this environment and from pip's cache: pip knows a wheel by its source, not by
its flags.

**AVX512-FP16**, always. llama.cpp's attention then takes 128 numbers at a time and one by one what
is left, and that is everything where a head has 64, as in most small models.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

X86 = platform.machine().lower() in ("x86_64", "amd64")
ALWAYS = "-U__AVX512FP16__"
WITHOUT_AMX = "-U__AMX_TILE__ -U__AMX_INT8__ -U__AMX_BF16__"
"""llama.cpp uses what these say. `-mno-amx-tile` and the like would do for `-march=native`, but not
for the variants of a portable build, whose own flags come later."""
MARKS = (0x5CA1AB1E, 0x0DDBA11E, 0x1BADB002, 0x7E57AB1E)
"""What the test stores. A compiler that is right has each of them in its output."""
TEST = """
#include <immintrin.h>
void test(void) {
    alignas(64) unsigned layout[16] = {}, tile[16] = {};
    layout[0] = %#xu, layout[15] = %#xu, tile[0] = %#xu, tile[15] = %#xu;
    _tile_loadconfig(layout);
    _tile_loadd(0, tile, 64);
}
"""
PACKAGE = "llama_cpp_python"
LIBRARY = "llama_cpp/lib/libggml-cpu.so"
WITH_AMX = b"ggml_backend_amx_mul_mat"
"""A name that the library holds when it was compiled with AMX."""


def needed() -> list[str]:
    """Return the flags that llama.cpp's build needs here, for C as for C++."""
    if not X86:
        return []
    return [ALWAYS] if compiles_amx(_compiler()) else [ALWAYS, WITHOUT_AMX]


def environment(flags: list[str]) -> dict[str, str]:
    """Return the variables that add flags to a person's own."""
    told = {name: os.environ.get(name, "") for name in ("CFLAGS", "CXXFLAGS")}
    return {name: " ".join([*own.split(), *flags]) for name, own in told.items() if flags}


def compiles_amx(compiler: list[str]) -> bool:
    """Say whether a C++ compiler keeps what AMX's instructions are to load."""
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "test.cpp"), Path(folder, "test.o")
        source.write_text(TEST % MARKS, "utf-8")
        options = ["-std=c++17", "-O3", "-mamx-tile", "-c", str(source), "-o", str(made)]
        try:
            done = subprocess.run([*compiler, *options], capture_output=True, check=False)  # noqa: S603
        except OSError:
            return False
        if done.returncode or not made.exists():
            return False
        code = made.read_bytes()
    return all(mark.to_bytes(4, "little") in code for mark in MARKS)


def _compiler() -> list[str]:
    """Return the C++ compiler that CMake takes; llama.cpp's AMX is written in C++."""
    told = re.search(r"-DCMAKE_CXX_COMPILER(?::\w+)?=(\S+)", os.environ.get("CMAKE_ARGS", ""))
    return [told[1]] if told else shlex.split(os.environ.get("CXX") or "c++")


def uninstall_wrong_build() -> None:
    """Uninstall llama.cpp from this environment where it was compiled with AMX."""
    package = find_spec("llama_cpp")  # imports nothing
    library = Path(package.origin).parents[1] / LIBRARY if package and package.origin else None
    if library and library.is_file() and WITH_AMX in library.read_bytes():
        print("llama.cpp was compiled with AMX, which this compiler gets wrong: compiling it again")
        _pip("uninstall", "--yes", PACKAGE)


def drop_wrong_wheels() -> None:
    """Remove wheels of llama.cpp that were compiled with AMX from pip's cache."""
    for wheel in map(Path, _pip("cache", "list", PACKAGE, "--format", "abspath").splitlines()):
        if has_amx(wheel):
            print(f"Removed from pip's cache, compiled with AMX: {wheel.name}")
            wheel.unlink()


def has_amx(wheel: Path) -> bool:
    """Say whether a wheel's library was compiled with AMX."""
    with zipfile.ZipFile(wheel) as inside:
        return LIBRARY in inside.namelist() and WITH_AMX in inside.read(LIBRARY)


def _pip(*arguments: str) -> str:
    """Run pip and return what it said; a pip without a cache says nothing."""
    command = [sys.executable, "-m", "pip", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return done.stdout if done.returncode == 0 else ""


def main() -> int:
    """Run."""
    flags = needed()
    if WITHOUT_AMX in flags:
        uninstall_wrong_build()
        drop_wrong_wheels()
    sys.stdout.flush()
    told = os.environ | environment(flags)
    return subprocess.run(sys.argv[1:], check=False, env=told).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())

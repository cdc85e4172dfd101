"""Collects in one folder every wheel that an installation needs: `wheelhouse.py FOLDER`.

llama.cpp is compiled for the GPU and the CPU that the options name; the rest comes from the package
index, in the versions of constraints.txt. The extra `history` is in: who installs a package cannot
add to it. Prints the wheels and their size.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from compile_flags import WITHOUT_AMX, X86, drop_wrong_wheels, environment, needed

ROOT = Path(__file__).parents[1]
LLAMA = "llama-cpp-python"
GPU = {
    "none": "",
    "cuda": "-DGGML_CUDA=on",
    "rocm": "-DGGML_HIP=on",
    "vulkan": "-DGGML_VULKAN=on",
    "metal": "-DGGML_METAL=on",
}
"""What llama.cpp's build is told for each; its compiler kits must be installed."""
VARIANTS = (
    "-DGGML_BACKEND_DL=on -DGGML_CPU_ALL_VARIANTS=on"
    # The variants belong beside the library that loads them, each file once: a wheel has no links.
    " -DCMAKE_INSTALL_BINDIR=llama_cpp/lib -DCMAKE_INSTALL_LIBDIR=llama_cpp/lib"
    " -DCMAKE_INSTALL_INCLUDEDIR=llama_cpp/include -DCMAKE_INSTALL_RPATH=$ORIGIN"
    " -DCMAKE_PLATFORM_NO_VERSIONED_SONAME=on"
)
"""A library for each kind of processor; `models.llama.library` has the best of them loaded."""
CPU = {
    "native": "",
    "portable": f"-DGGML_NATIVE=off {VARIANTS}" if X86 else "-DGGML_NATIVE=off",
}
"""`native` runs on processors like this one, `portable` on every one of its family. Elsewhere than
on x86-64 the variants ask for newer compilers than there may be."""


def cmake_arguments(gpu: str, cpu: str) -> str:
    """Return the flags of llama.cpp's build, those of the environment first."""
    given = os.environ.get("CMAKE_ARGS", "")
    return " ".join(flags for flags in (given, GPU[gpu], CPU[cpu]) if flags)


def collect(folder: Path, gpu: str, cpu: str, extras: str, places: list[str]) -> None:
    """Fill the folder. Raises CalledProcessError; pip has then said what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    constraints = ["-c", str(ROOT / "constraints.txt")]
    flags, without = cmake_arguments(gpu, cpu), needed()
    compiling = environment(without)
    if WITHOUT_AMX in without:
        drop_wrong_wheels()
    if flags:
        # pip's cache does not know with which flags a wheel was built.
        _pip(
            *("wheel", "--no-deps", "--no-cache-dir", "--no-binary", LLAMA, LLAMA, *constraints),
            *("--wheel-dir", str(folder)),
            CMAKE_ARGS=flags,
            FORCE_CMAKE="1",
            **compiling,
        )
        places = [str(folder), *places]
    links = [part for place in places for part in ("--find-links", place)]
    wanted = f"{ROOT}[{extras}]" if extras else str(ROOT)
    _pip("wheel", wanted, *constraints, *links, "--wheel-dir", str(folder), **compiling)


def _pip(*arguments: str, **environment: str) -> None:
    command = [sys.executable, "-m", "pip", *arguments, "--quiet"]
    subprocess.run(command, check=True, env=os.environ | environment)  # noqa: S603 - pip


def main() -> int:
    """Run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gpu", choices=GPU, default="none")
    parser.add_argument("--cpu", choices=CPU, default="native")
    parser.add_argument("--extras", default="history", help="with commas between them")
    parser.add_argument("--find-links", action="append", default=[])
    told = parser.parse_args()
    try:
        collect(told.folder, told.gpu, told.cpu, told.extras, told.find_links)
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    wheels = sorted(told.folder.glob("*.whl"))
    size = sum(wheel.stat().st_size for wheel in wheels)
    print(f"{len(wheels)} wheels, {size / 1e6:.0f} MB, llama.cpp for {told.gpu}, {told.cpu} CPU")
    return 0


if __name__ == "__main__":
    sys.exit(main())

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
CPU = {"native": "", "portable": "-DGGML_NATIVE=off"}
"""`native` runs on processors like this one, `portable` on those with AVX2 and FMA."""


def cmake_arguments(gpu: str, cpu: str) -> str:
    """Return the flags of llama.cpp's build, those of the environment first."""
    given = os.environ.get("CMAKE_ARGS", "")
    return " ".join(flags for flags in (given, GPU[gpu], CPU[cpu]) if flags)


def collect(folder: Path, gpu: str, cpu: str, extras: str, places: list[str]) -> None:
    """Fill the folder. Raises CalledProcessError; pip has then said what is wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    constraints = ["-c", str(ROOT / "constraints.txt")]
    flags = cmake_arguments(gpu, cpu)
    if flags:
        # pip's cache does not know with which flags a wheel was built.
        _pip(
            *("wheel", "--no-deps", "--no-cache-dir", "--no-binary", LLAMA, LLAMA, *constraints),
            *("--wheel-dir", str(folder)),
            CMAKE_ARGS=flags,
            FORCE_CMAKE="1",
        )
        places = [str(folder), *places]
    links = [part for place in places for part in ("--find-links", place)]
    wanted = f"{ROOT}[{extras}]" if extras else str(ROOT)
    _pip("wheel", wanted, *constraints, *links, "--wheel-dir", str(folder))


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

"""Builds wheels of llama-cpp-python that need no compiler: `wheels.py FOLDER [GPU…]`.

A wheel for each kind of GPU that this machine has the compiler kit for, and one for none; the CPU
part holds a library for each processor of the family. Each is installed in an environment of its
own, without its sources, and has to write eight tokens. FOLDER becomes an index that pip and uv
take (`--extra-index-url`), a page for each kind: `FOLDER/cpu/simple/`. A kind whose kit is not here
is named with what it needs.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from html import escape
from pathlib import Path

from compile_flags import environment, needed
from wheelhouse import GPU, LLAMA, ROOT, cmake_arguments

KITS = {
    "none": "",
    "cuda": "nvcc",
    "rocm": "hipcc",
    "vulkan": "glslc",
    "metal": "xcrun",
}
"""The program by which the compiler kit of each kind is known."""
TRY = """
import ctypes, os, sys
from pathlib import Path
import llama_cpp
folder = Path(llama_cpp.__file__).parent / "lib"  # a library for each processor: the best is chosen
ggml = ctypes.CDLL(str(next(folder.glob("libggml.*"))))
ggml.ggml_backend_load_all_from_path(ctypes.c_char_p(os.fsencode(folder)))
model = llama_cpp.Llama(sys.argv[1], n_ctx=256, verbose=False)
said = model("The capital of Norway is", max_tokens=8)["usage"]["completion_tokens"]
assert said == 8, said
"""


def build(folder: Path, gpu: str) -> Path:
    """Return the wheel for a kind of GPU. Raises CalledProcessError."""
    pages = folder / ("cpu" if gpu == "none" else gpu) / "simple" / LLAMA
    pages.mkdir(parents=True, exist_ok=True)
    if wheels := sorted(pages.glob("*.whl")):
        return wheels[-1]  # of an earlier run
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-cache-dir"]
    command += ["--no-binary", LLAMA, LLAMA, "-c", str(ROOT / "constraints.txt")]
    told = environment(needed()) | {
        "CMAKE_ARGS": cmake_arguments(gpu, "portable"),
        "FORCE_CMAKE": "1",
    }
    run([*command, "--wheel-dir", str(pages)], told)
    wheels = sorted(pages.glob("*.whl"))
    links = "\n".join(f'<a href="{escape(one.name)}">{escape(one.name)}</a>' for one in wheels)
    (pages / "index.html").write_text(f"<!doctype html>\n{links}\n", encoding="utf-8")
    return wheels[-1]


def tried(wheel: Path, model: Path) -> float:
    """Return the seconds from an empty environment to eight tokens. Raises CalledProcessError."""
    with tempfile.TemporaryDirectory() as work:
        began = time.monotonic()
        python = Path(work, "bin", "python")
        run([sys.executable, "-m", "venv", work])
        # no compiler: a wheel that is not taken fails here
        run(
            [str(python), "-m", "pip", "install", "--quiet", "--only-binary", ":all:", str(wheel)],
            {"CC": "/bin/false", "CXX": "/bin/false"},
        )
        run([str(python), "-c", TRY, str(model)])
        return time.monotonic() - began


def run(command: list[str], told: dict[str, str] | None = None) -> None:
    """Run a command quietly. Raises CalledProcessError with what it said."""
    environ = os.environ | (told or {})
    subprocess.run(command, check=True, env=environ, capture_output=True, text=True)  # noqa: S603


def main() -> int:
    """Build and try the kinds that were named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("folder", type=Path)
    parser.add_argument("gpus", nargs="*", metavar="GPU", help=", ".join(GPU))
    parser.add_argument("--model", type=Path, required=True, help="a small GGUF file to try with")
    told = parser.parse_args()
    failed = 0
    for gpu in told.gpus or GPU:
        if gpu not in GPU:
            parser.error(f"{gpu} is none of {', '.join(GPU)}")
        kit = KITS[gpu]
        if kit and (not shutil.which(kit) or (gpu == "metal" and platform.system() != "Darwin")):
            print(f"{gpu}: not built: its compiler kit ({kit}) is not here", flush=True)
            failed += bool(told.gpus)  # who names a kind wants it
            continue
        began = time.monotonic()
        try:
            wheel = build(told.folder, gpu)
            built = time.monotonic() - began
            seconds = tried(wheel, told.model)
        except subprocess.CalledProcessError as error:
            said = [line for line in str(error.stderr).splitlines() if "rror" in line][:3]
            print(f"{gpu}: FAILED: {'; '.join(map(str.strip, said))}", flush=True)
            failed += gpu == "none" or bool(told.gpus)  # half a kit is nobody's fault
            continue
        size = wheel.stat().st_size / 1e6
        print(
            f"{gpu}: {wheel.name}, {size:.0f} MB, built in {built:.0f} s; from an empty "
            f"environment to eight tokens {seconds:.0f} s",
            flush=True,
        )
    return min(1, failed)


if __name__ == "__main__":
    sys.exit(main())

"""A key for this processor with these llama.cpp libraries, under which their proof is kept.

Nothing here imports llama.cpp: a library that does not work may end the process by being loaded.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FORM = 1
"""Version of record and proof. A new number makes every machine prove again."""
CPUINFO = Path("/proc/cpuinfo")
PROCESSOR = ("flags", "Features", "model name", "CPU implementer", "CPU part", "isa")
"""The lines of `CPUINFO` that say what a processor can do."""
LIBRARY = re.compile(r"(lib)?(llama|ggml)\b.*\.(so|dylib|dll)(\.[\d.]+)?")
WITHOUT_GPU = re.compile(r"(lib)?(llama|ggml(-base|-cpu.*|-blas|-rpc)?)\.")
"""Libraries that compute on the processor."""


def library_files() -> list[Path]:
    """Return llama.cpp's libraries, where llama_cpp would load them from."""
    chosen = os.environ.get("LLAMA_CPP_LIB_PATH")
    if chosen is not None:
        folder = Path(chosen)
    else:
        spec = importlib.util.find_spec("llama_cpp")
        if spec is None or spec.origin is None:
            return []
        folder = Path(spec.origin).parent / "lib"
    with contextlib.suppress(OSError):
        return sorted(path for path in folder.iterdir() if LIBRARY.fullmatch(path.name))
    return []


def for_gpu(libraries: Sequence[Path]) -> bool:
    """Say whether one of them computes on a GPU."""
    return not all(WITHOUT_GPU.match(path.name) for path in libraries)


def processor() -> str:
    """Return what the processor is and can do, in the system's words."""
    lines = []
    with contextlib.suppress(OSError), CPUINFO.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            if not line.strip():
                break  # the next processor is like the first
            if line.startswith(PROCESSOR):
                lines.append(line)
    return "".join(lines) or " ".join([platform.system(), platform.machine(), platform.processor()])


def glance(libraries: Sequence[Path]) -> str:
    """Return a key that changes with any library or the processor. Reads no library."""
    seen: list[Any] = [FORM, processor()]
    for path in libraries:
        with contextlib.suppress(OSError):
            status = path.stat()
            seen.append([str(path), status.st_size, status.st_mtime_ns, status.st_ino])
    return _digest(seen)


def key(libraries: Sequence[Path]) -> str:
    """Return a key of the libraries' contents and the processor."""
    contents = set()
    for path in libraries:
        with contextlib.suppress(OSError), path.open("rb") as file:
            contents.add(hashlib.file_digest(file, "sha256").hexdigest())
    return _digest([FORM, processor(), sorted(contents)])


def _digest(seen: list[Any]) -> str:
    return hashlib.sha256(json.dumps(seen).encode()).hexdigest()

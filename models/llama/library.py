"""The llama.cpp library itself: its version, what it was built for, what it logged."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from pathlib import Path

import llama_cpp

from models.errors import RuntimeFailed
from models.system.machine import Gpu, MemoryBytes

PINNED = "0.3.36"
"""The version whose structures were checked; pyproject.toml pins the same."""

LOG_LEVEL_ERROR = 3
"""`GGML_LOG_LEVEL_ERROR` of this version; the Python package does not name it."""
CPU_DEVICE, ACCELERATOR = 0, 3
"""Kinds of device in ggml that are not GPUs."""

_log_lines: list[str] = []


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _collect_log(level: int, text: bytes, _data: ctypes.c_void_p) -> None:
    """Keep the last errors for an exception's message; llama.cpp never logs a prompt."""
    if level == LOG_LEVEL_ERROR:
        _log_lines.append(text.decode("utf-8", "replace").strip())
        del _log_lines[:-5]


def self_test() -> None:
    """Check version and structure layout once. Raises `RuntimeFailed` on a mismatch."""
    if llama_cpp.__version__ != PINNED:
        raise RuntimeFailed(
            f"llama-cpp-python {llama_cpp.__version__} is installed; Askance needs {PINNED}.",
            remedy=f"Install it again: pip install llama-cpp-python=={PINNED}.",
        )
    _devices()
    context = llama_cpp.llama_context_default_params()
    model = llama_cpp.llama_model_default_params()
    sane = 0 < context.n_batch <= 1 << 16 and context.n_seq_max == 1 and not model.vocab_only
    if not sane:
        raise RuntimeFailed(
            "The llama.cpp library does not match its Python structures.",
            remedy="Reinstall llama-cpp-python without a cached wheel.",
        )
    llama_cpp.llama_backend_init()


def version() -> str:
    """Return the version of the Python package."""
    return str(llama_cpp.__version__)


def instruction_sets() -> list[str]:
    """Return the features of this CPU that this build uses."""
    _devices()
    said: str = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
    parts = [part.partition(":")[2] or part for part in said.split("|")]
    pairs = [part.partition("=") for part in parts]
    return [name.strip() for name, _, value in pairs if value.strip() == "1"]


def backends() -> list[str]:
    """Return what this build of llama.cpp computes with besides the CPU: "CUDA", "Vulkan"."""
    ggml = _devices()
    kinds = (ggml.ggml_backend_reg_get(index) for index in range(ggml.ggml_backend_reg_count()))
    names = [ggml.ggml_backend_reg_name(kind).decode("utf-8", "replace") for kind in kinds]
    return [name for name in names if name != "CPU"]


def gpus_used() -> list[Gpu]:
    """Return the GPUs that this build of llama.cpp can use, with their memory as it is now."""
    ggml = _devices()
    found = []
    for index in range(ggml.ggml_backend_dev_count()):
        device = ggml.ggml_backend_dev_get(index)
        if ggml.ggml_backend_dev_type(device) in (CPU_DEVICE, ACCELERATOR):
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        name = ggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
        found.append(Gpu(name, MemoryBytes(total.value, free.value)))
    return found


@cache
def _devices() -> ctypes.CDLL:
    """Return ggml's lists of backends and devices, looked up in libllama on every system.

    Raises `RuntimeFailed` when llama.cpp has nothing that computes on this processor.
    """
    library: ctypes.CDLL = llama_cpp.llama_cpp._lib
    library.ggml_backend_reg_count.restype = ctypes.c_size_t
    library.ggml_backend_reg_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_reg_get.restype = ctypes.c_void_p
    library.ggml_backend_reg_name.argtypes = [ctypes.c_void_p]
    library.ggml_backend_reg_name.restype = ctypes.c_char_p
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.restype = ctypes.c_char_p
    library.ggml_backend_dev_memory.argtypes = [
        *(ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
    ]
    llama_cpp.llama_log_set(_collect_log, ctypes.c_void_p(0))
    load_backends(library, llama_cpp.llama_cpp._base_path)
    return library


def load_backends(library: ctypes.CDLL, folder: Path) -> None:
    """Load the variant in llama.cpp's own folder that suits this processor best.

    A portable build has a library for each kind of processor, any other holds its only one.
    Nothing may ask llama.cpp for a device before: it would look for variants in the working
    folder, where somebody else may have put one. Raises `RuntimeFailed` when none suits.
    """
    if not library.ggml_backend_reg_count():
        library.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
        library.ggml_backend_load_all_from_path.restype = None
        library.ggml_backend_load_all_from_path(os.fsencode(folder))
    if not library.ggml_backend_reg_count():
        raise RuntimeFailed(
            f"llama.cpp has nothing in {folder} that computes on this processor.",
            remedy="Install Askance again, or compile llama-cpp-python on this machine.",
        )


def forget_errors() -> None:
    """Drop logged errors before a call, so that later ones explain its failure."""
    _log_lines.clear()


def last_error() -> str:
    """Return what llama.cpp logged last as an error."""
    return _log_lines[-1] if _log_lines else "no reason given"

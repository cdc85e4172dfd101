"""What llama.cpp says about itself and this machine: instruction sets and devices."""

from __future__ import annotations

import ctypes
from functools import cache

import llama_cpp

from models.machine import Gpu, Memory

CPU, ACCELERATOR = 0, 3
"""Kinds of device in ggml: those that are no GPU."""


def instruction_sets() -> list[str]:
    """Return the features of this CPU that this build uses."""
    said: str = llama_cpp.llama_print_system_info().decode("utf-8", "replace")
    parts = [part.partition(":")[2] or part for part in said.split("|")]
    pairs = [part.partition("=") for part in parts]
    return [name.strip() for name, _, value in pairs if value.strip() == "1"]


def gpus_used() -> list[Gpu]:
    """Return the GPUs that this build of llama.cpp can use, with their memory as it is now."""
    ggml = _ggml()
    found = []
    for index in range(ggml.ggml_backend_dev_count()):
        device = ggml.ggml_backend_dev_get(index)
        if ggml.ggml_backend_dev_type(device) in (CPU, ACCELERATOR):
            continue
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
        name = ggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
        found.append(Gpu(name, Memory(total.value, free.value)))
    return found


@cache
def _ggml() -> ctypes.CDLL:
    library: ctypes.CDLL = llama_cpp.llama_cpp._lib
    library.ggml_backend_dev_count.restype = ctypes.c_size_t
    library.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    library.ggml_backend_dev_get.restype = ctypes.c_void_p
    library.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.argtypes = [ctypes.c_void_p]
    library.ggml_backend_dev_description.restype = ctypes.c_char_p
    library.ggml_backend_dev_memory.argtypes = [
        *(ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t), ctypes.POINTER(ctypes.c_size_t))
    ]
    return library

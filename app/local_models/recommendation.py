"""Which pair of models suits this machine, with what llama.cpp says of its graphics processors."""

from __future__ import annotations

import os

from models.errors import RuntimeFailed
from models.proof.description import described
from models.store.catalogue import Catalogue, Device
from models.store.recommendation import Recommendation, recommend
from models.store.store import Store
from models.system.machine import gpus_present, memory


def recommended(catalogue: Catalogue, store: Store) -> tuple[Recommendation, str]:
    """Return the pair, and a note on a graphics processor that is left unused, or why it is."""
    device, total, free, note = _device()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    found = recommend(catalogue, store, device=device, total=total, free=free, cores=cores or 1)
    return found, note


def _device() -> tuple[Device, int, int, str]:
    """Return the device that llama.cpp would use, its memory, and the note."""
    try:
        used = described().gpus
    except RuntimeFailed as error:
        here = memory()
        return "cpu", here.total, here.free, f"{error.message} `askance doctor` says more."
    if used:
        largest = max(used, key=lambda gpu: gpu.memory.total).memory
        return "gpu", largest.total, largest.free, ""
    here = memory()
    names = ", ".join(gpu.name for gpu in gpus_present())
    note = f"This llama.cpp cannot use {names}; `askance doctor` says more." if names else ""
    return "cpu", here.total, here.free, note

"""How an encoder was trained to make one vector of its tokens' states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

Pooling = Literal["mean", "cls", "max"]

FILE = "1_Pooling/config.json"
"""The file in which sentence-transformers says it."""
_KEYS: dict[str, Pooling] = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
}


def pooling_of(folder: Path) -> Pooling:
    """Return how the model in a folder pools; the mean where no file says it.

    Raises `ValueError` for a way that is not known, and `OSError`.
    """
    file = folder / FILE
    if not file.exists():
        return "mean"
    said = json.loads(file.read_bytes())
    chosen = [key for key, on in said.items() if key.startswith("pooling_mode") and on is True]
    if len(chosen) != 1 or chosen[0] not in _KEYS:
        raise ValueError(f"{FILE} asks for {' and '.join(chosen) or 'no pooling'}")
    return _KEYS[chosen[0]]

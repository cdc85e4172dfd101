"""Braces that stand for many configurations."""

from __future__ import annotations

import re
from itertools import product


def expanded(wanted: str) -> list[str]:
    """Return the names that braces abbreviate: `drag:k={1,5},m={0,2}` is four of them."""
    parts = re.split(r"\{([^{}]*)\}", wanted)  # every other one stood in braces
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(chosen) for chosen in product(*choices)]

"""Names of folders below the person's home, to find one without typing its path."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from pathlib import Path

MOST = 20_000
"""Folders that are listed."""
DEEPEST = 5
PASSED = frozenset({"node_modules", "__pycache__", "site-packages", "Cache", "Caches"})


def folders_below(root: Path) -> list[str]:
    """Return paths of folders relative to `root`, nearest first; no file is opened.

    Names that begin with a dot are passed over, and what programs fill for themselves.
    """
    found: list[str] = []
    waiting = deque([(root, 0)])
    while waiting and len(found) < MOST:
        folder, depth = waiting.popleft()
        try:
            with os.scandir(folder) as entries:
                inner = sorted(
                    entry.name
                    for entry in entries
                    if not entry.name.startswith(".")
                    and entry.name not in PASSED
                    and entry.is_dir(follow_symlinks=False)
                )
        except OSError:
            continue
        for name in inner:
            path = folder / name
            found.append(str(path.relative_to(root)))
            if depth + 1 < DEEPEST:
                waiting.append((path, depth + 1))
    return found[:MOST]


def best_matches(names: Sequence[str], typed: str, limit: int = 200) -> list[str]:
    """Return the names that hold the typed letters in order, the closest together first."""
    wanted = typed.casefold().replace(" ", "")
    scored = [
        (spread, len(name), name) for name in names if (spread := _spread(name, wanted)) is not None
    ]
    return [name for _, _, name in sorted(scored)[:limit]]


def _spread(name: str, wanted: str) -> int | None:
    """Return how far from the name's end its letters begin, less where they stand together."""
    if not wanted:
        return 0
    folded = name.casefold()
    if (exact := folded.rfind(wanted)) >= 0:
        return 0 if exact > folded.rfind("/") else 1
    at = len(folded)
    for letter in reversed(wanted):
        at = folded.rfind(letter, 0, at)
        if at < 0:
            return None
    return len(folded) - at

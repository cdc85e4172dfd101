"""What the last reading found below each source, and which files changed since."""

from __future__ import annotations

import itertools
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from app.sources.states import SourceState

if TYPE_CHECKING:
    from engine.values import Coverage
    from ingest.item import Skipped


@dataclass(frozen=True, slots=True)
class Node:
    """A source, or a folder or mailbox below one."""

    path: Path
    source: Path
    """The remembered source it belongs to."""
    depth: int
    """0 for the source itself."""
    items: int | None
    """Of the last reading, with all that lies below; None before the first, and where filters
    left it out."""
    skipped: tuple[Skipped, ...]
    changed: int
    """Files that changed since."""
    has_more: bool
    """Whether something lies below that can be shown."""


@dataclass(frozen=True)
class Below:
    """What lies below the sources, added up; made once for each reading."""

    items: Counter[Path] = field(default_factory=Counter)
    skipped: dict[Path, list[Skipped]] = field(default_factory=lambda: defaultdict(list))
    children: dict[Path, set[Path]] = field(default_factory=lambda: defaultdict(set))
    is_part: bool = False
    """Whether filters left something out, so that what is not there may still hold items."""

    @classmethod
    def of(cls, coverage: Coverage, sources: Iterable[Path]) -> Below:
        """Add up what a reading found on the way from each place to its source."""
        roots, below = set(sources), cls(is_part=bool(coverage.pruned))
        for place, count in coverage.where.items():
            for path in below._way(place, roots):
                below.items[path] += count
        for skipped in coverage.skipped:
            for path in below._way(skipped.path, roots):
                below.skipped[path].append(skipped)
        return below

    def _way(self, place: Path, roots: set[Path]) -> list[Path]:
        """Return a place and the folders above it up to its source; none for what has none."""
        way = [place]
        while way[-1] not in roots:
            parent = way[-1].parent
            if parent == way[-1]:
                return []
            way.append(parent)
        for child, parent in itertools.pairwise(way):
            self.children[parent].add(child)
        return way


class SourcesSeen:
    """Takes in answers and changes, in any thread, and shows them as a tree."""

    def __init__(self) -> None:
        """Begin before the first reading."""
        self._lock = threading.Lock()
        self._coverage: Coverage | None = None
        self._below: tuple[Coverage, tuple[Path, ...], Below] | None = None
        self._changed: set[Path] = set()

    def note(self, coverage: Coverage) -> None:
        """Take in what was read for an answer; what changed before was read with it."""
        with self._lock:
            self._coverage = coverage
            self._changed.clear()

    @property
    def has_read(self) -> bool:
        """Whether there was a reading."""
        return self._coverage is not None

    def note_change(self, path: Path) -> None:
        """Take in that a file changed."""
        with self._lock:
            self._changed.add(path)

    def changed_below(self, path: Path) -> int:
        """Return how many files changed at or below a path since the last reading."""
        with self._lock:
            return sum(changed.is_relative_to(path) for changed in self._changed)

    def nodes(self, states: Sequence[SourceState], opened: set[Path]) -> list[Node]:
        """Return the tree, flat, with what lies below the paths that are opened.

        Adds up the last reading when it is new: 0.2 s for 50,000 folders.
        """
        below = self._below_of(tuple(state.path for state in states))
        found: list[Node] = []
        for state in states:
            waiting = [(state.path, 0)]
            while waiting:
                path, depth = waiting.pop()
                found.append(self._node(path, state.path, depth, below))
                if path in opened and below:
                    children = sorted(below.children.get(path, ()), reverse=True)
                    waiting += [(child, depth + 1) for child in children]
        return found

    def _below_of(self, sources: tuple[Path, ...]) -> Below | None:
        with self._lock:
            coverage, made = self._coverage, self._below
        if coverage is None:
            return None
        if made is None or made[0] is not coverage or made[1] != sources:
            made = coverage, sources, Below.of(coverage, sources)
            with self._lock:
                self._below = made
        return made[2]

    def _node(self, path: Path, source: Path, depth: int, below: Below | None) -> Node:
        is_known = below is not None and (path in below.items or not below.is_part)
        return Node(
            path,
            source,
            depth,
            below.items[path] if below and is_known else None,
            tuple(below.skipped.get(path, ())) if below else (),
            self.changed_below(path) if self._changed else 0,
            bool(below and below.children.get(path)),
        )

"""Which prompts stay in the key-value cache, so that later ones that begin alike cost less.

Every kept prompt is a sequence of the runtime's cache. A prompt that begins like a kept one shares
the cells of that beginning, and only the rest is computed. When cells or sequence numbers run
short, the prompt that was used longest ago is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

SHORT_TAIL = 64
"""A kept prompt that ends this soon after the shared beginning is overwritten, not kept beside:
computing so few tokens again costs less than the places that near-copies would take."""


class SequenceMemory(Protocol):
    """What the prefix cache needs of the runtime's cache."""

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        """Let `target` share the cells of `source` at these positions."""

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        """Forget the sequence from position `start` on."""


@dataclass
class Prefix:
    """A prompt in the cache."""

    sequence: int
    tokens: list[int]
    """The tokens it holds, queued ones included."""
    computed: int
    """How many of its tokens have run through the model."""
    cells: npt.NDArray[np.int64] = field(repr=False)
    """A name for each token's cell; prompts that share one have the same name."""
    used: int = 0
    """The number of the call that used it last."""
    pinned: bool = False
    """Part of the batch at work: not to be cut or dropped."""
    lasting: bool = False
    """Kept for prompts to come: never cut, and dropped only where nothing else makes room."""
    adapted: bool = False
    """Computed with the model's adapter; what it holds is of no use without."""


@dataclass(frozen=True, slots=True)
class SharedPrefix:
    """The kept prompt that begins most like a new one."""

    prefix: Prefix | None
    shared: int

    @property
    def waits(self) -> bool:
        """Whether the shared beginning is queued and has not run yet."""
        return self.prefix is not None and self.shared > self.prefix.computed


class PrefixCache:
    """Kept prompts over the sequence numbers and cells that they may take."""

    def __init__(
        self, memory: SequenceMemory, sequences: Sequence[int], cells: int, *, cuts: bool = True
    ) -> None:
        """`cuts` is false where a sequence cannot be cut back: it is then shared whole or not."""
        self._memory = memory
        self._free = list(sequences)
        self._cells = cells
        self._cuts = cuts
        self._kept: list[Prefix] = []
        self._names = 0
        self._calls = 0
        self._reserved = 0

    def find(self, tokens: Sequence[int], *, adapted: bool = False) -> SharedPrefix:
        """Return the longest shared beginning among prompts computed likewise.

        The last token is never part of it: it runs in any case, since its logits are wanted.
        """
        best = SharedPrefix(None, 0)
        for prefix in self._kept:
            if prefix.adapted != adapted:
                continue
            shared = min(common_length(prefix.tokens, tokens), len(tokens) - 1)
            if not self._cuts and shared < len(prefix.tokens):
                continue
            if (shared, -len(prefix.tokens)) > (
                best.shared,
                -len(best.prefix.tokens) if best.prefix else 0,
            ):
                best = SharedPrefix(prefix, shared)
        return best

    def open(
        self, tokens: Sequence[int], found: SharedPrefix, replies: int, *, adapted: bool = False
    ) -> Prefix | None:
        """Return a pinned prompt that holds the shared beginning, with room for the rest.

        `replies` further cells stay free until `release`. None where pinned prompts leave no room.
        """
        prefix = self._overwrite(found) or self._beside(found)
        if prefix is None:
            return None
        self._calls += 1
        prefix.used, prefix.pinned, prefix.adapted = self._calls, True, adapted
        if not self._make_room(len(tokens) - found.shared + replies):
            prefix.pinned = False
            return None
        self._reserved += replies
        self._extend(prefix, tokens[found.shared :])
        return prefix

    def _overwrite(self, found: SharedPrefix) -> Prefix | None:
        """Cut the found prompt back, where little is lost by that."""
        prefix = found.prefix
        if prefix is None or prefix.pinned or prefix.lasting:
            return None
        if len(prefix.tokens) - found.shared > SHORT_TAIL:
            return None
        self.cut(prefix, found.shared)
        return prefix

    def _beside(self, found: SharedPrefix) -> Prefix | None:
        """Take a sequence number and share the beginning with the found prompt."""
        source = found.prefix
        if not self._free and not self._drop_oldest(source):
            return None
        cells = source.cells[: found.shared] if source else np.empty(0, dtype=np.int64)
        tokens = source.tokens[: found.shared] if source else []
        prefix = Prefix(self._free.pop(), tokens, found.shared, cells)
        if source and found.shared:
            self._memory.copy_sequence(source.sequence, prefix.sequence, 0, found.shared)
        self._kept.append(prefix)
        return prefix

    def _extend(self, prefix: Prefix, tokens: Sequence[int]) -> None:
        names = np.arange(self._names, self._names + len(tokens), dtype=np.int64)
        self._names += len(tokens)
        prefix.tokens = [*prefix.tokens, *tokens]
        prefix.cells = np.concatenate([prefix.cells, names])

    def add_reply(self, prefix: Prefix, tokens: Sequence[int], sequence: int) -> None:
        """Keep a reply behind its prompt; `sequence` holds both."""
        start = len(prefix.tokens)
        self._memory.copy_sequence(sequence, prefix.sequence, start, start + len(tokens))
        self._extend(prefix, tokens)
        prefix.computed = len(prefix.tokens)

    def _make_room(self, wanted: int) -> bool:
        while self._cells - self._used() - self._reserved < wanted:
            if not self._drop_oldest():
                return False
        return True

    def _used(self) -> int:
        """Count the cells that kept prompts hold, shared ones once."""
        cells = [prefix.cells for prefix in self._kept]
        return len(np.unique(np.concatenate(cells))) if cells else 0

    def _drop_oldest(self, spare: Prefix | None = None) -> bool:
        droppable = [p for p in self._kept if not p.pinned and p is not spare]
        if not droppable:
            return False
        self.drop(min(droppable, key=lambda prefix: (prefix.lasting, prefix.used)))
        return True

    def drop(self, prefix: Prefix) -> None:
        """Forget a prompt."""
        self._memory.cut_sequence(prefix.sequence)
        self._kept.remove(prefix)
        self._free.append(prefix.sequence)

    def make_lasting(self, tokens: Sequence[int]) -> None:
        """Keep a computed prompt even after `forget`, in place of an earlier one."""
        for prefix in self._kept:
            prefix.lasting = prefix.tokens == list(tokens)

    @property
    def lasting(self) -> list[int]:
        """The tokens that `forget` spares; empty for none."""
        return next((prefix.tokens for prefix in self._kept if prefix.lasting), [])

    def forget(self, *, lasting: bool = True) -> None:
        """Forget every prompt, or all but the lasting one."""
        for prefix in list(self._kept):
            if lasting or not prefix.lasting:
                self.drop(prefix)

    def cut(self, prefix: Prefix, size: int) -> None:
        """Forget a prompt's tokens from `size` on."""
        if size == len(prefix.tokens) == prefix.computed:
            return
        if not self._cuts:
            self.drop(prefix)
            return
        self._memory.cut_sequence(prefix.sequence, size)
        prefix.tokens, prefix.cells = prefix.tokens[:size], prefix.cells[:size]
        prefix.computed = min(prefix.computed, size)

    def release(self) -> None:
        """End a wave: unpin its prompts and forget their tokens that were never computed."""
        self._reserved = 0
        for prefix in list(self._kept):
            prefix.pinned = False
            self.cut(prefix, prefix.computed)
            if not prefix.computed and prefix in self._kept:
                self.drop(prefix)


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens two sequences share at their beginning."""
    size = min(len(one), len(other))
    differing = np.flatnonzero(np.asarray(one[:size]) != np.asarray(other[:size]))
    return int(differing[0]) if differing.size else size

"""Features of llama.cpp that are left unused where its library fails."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Precautions:
    """What a llama.cpp library may use."""

    extra_buffers: bool = True
    """Weights are rearranged for the processor's best instructions while a model is loaded."""
    flash_attention: bool = True
    """Attention is computed in one pass wherever it is not read."""

    @property
    def without(self) -> str:
        """Name what is left unused; empty where nothing is."""
        names = {"rearranged weights": self.extra_buffers, "flash attention": self.flash_attention}
        return " and ".join(name for name, used in names.items() if not used)


NONE = Precautions()
"""Everything is used: the library computes correctly."""
LADDER = (NONE, Precautions(extra_buffers=False), Precautions(False, False))
"""The precautions to try, in this order, until the library computes correctly."""

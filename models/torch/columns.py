"""Adds up columns of attention while transformers computes."""

from __future__ import annotations

from collections.abc import Sequence

from models.decoding.columns import ColumnWatch, Sums
from models.torch.attention_function import AttentionWatch


class TorchColumns(ColumnWatch):
    """Adds up columns of attention as transformers computes them."""

    def __init__(self, *, stops: bool) -> None:
        """With `stops`, no layer after the last watched one is computed."""
        super().__init__()
        self.inside = AttentionWatch(stops=stops)

    def begin(self, layers: Sequence[int], context_tokens: int) -> None:
        """Watch these layers; the first tokens are the context's, all others the query's."""
        super().begin(layers, context_tokens)
        self.inside.layers = tuple(layers)

    def expect(self, start: int, rows: int) -> None:
        """Say which positions the next batch computes."""
        self._collect()
        super().expect(start, rows)
        self.inside.context_rows = self.context_rows

    def _collect(self) -> None:
        """Take over what the last batch gave."""
        for layer, (of_context, of_query) in self.inside.sums.items():
            sums = self.sums[layer]
            width = min(len(of_context), len(sums.context))
            sums.context[:width] += of_context[:width].cpu().numpy()
            sums.query[:width] += of_query[:width].cpu().numpy()
            sums.seen += self._rows
        self.inside.sums = {}

    def end(self) -> list[Sums]:
        """Return each layer's sums and watch no more."""
        self._collect()
        self.inside.layers = ()
        return super().end()

"""An estimate, before loading, of the memory that a model takes.

The formulas are those of llama.cpp's own buffers; docs/results.md compares them with what was
measured. Attention windows (Gemma) and compressed caches (DeepSeek) take less than estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from models.errors import ModelError
from models.store.architectures import unusable
from models.store.catalogue import ModelRow
from models.store.gguf import GgufHeader, HeaderFault, read_header
from models.store.store import Store
from models.system.machine import is_x86

CONTEXT = 8192
"""Tokens that a model is loaded with by default; `models.llama.generator` agrees."""
CHUNK = 512
"""Tokens of one decode call; `models.llama.generator` agrees."""
SEQUENCES = 32
"""Sequences that share the cache, each with a row of logits; `models.llama.generator` agrees."""
CACHED_NUMBER = 2
"""Bytes: the cache of keys and values is F16."""
LOGIT = 4
PADDING = 256
"""llama.cpp rounds the cache up to a multiple of so many tokens."""
WORD = 350
"""Bytes of llama.cpp's tables for one entry of the vocabulary; measured: 326 and 366."""
RUNTIME = 50_000_000
"""The interpreter with llama.cpp and numpy loaded; measured: 42 MB."""
ROUGH_VOCABULARY = 152_000
ROUGH_HEADS = 32
ROUGH_TOKEN = 40_000
"""Bytes of cache for a token, besides one byte for each `ROUGH_SHARE` parameters."""
ROUGH_SHARE = 130_000


class ModelUnusable(ModelError):
    """The file is right, but llama.cpp cannot answer with it."""

    kind = "model_unusable"


class ModelTooLarge(ModelError):
    """Loading it would take more memory than there is."""

    kind = "model_too_large"


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes, for one context."""

    context: int
    """Tokens, at most what the model was trained for."""
    weights: int
    cache: int
    """Keys and values."""
    buffers: int
    """Compute, logits, vocabulary and the runtime itself."""
    reorder: int
    """A copy of weights in another order, where that pays: not on x86. The file's pages can go in
    exchange."""
    exact: bool
    """Whether it comes from the file's header rather than from its size."""
    layers: int = 0
    """0 where only its size is known."""

    @property
    def needed(self) -> int:
        """The least memory that it runs with, in bytes."""
        return self.weights + self.cache + self.buffers

    @property
    def peak(self) -> int:
        """Resident bytes where memory is plentiful."""
        return self.needed + self.reorder


def estimate(header: GgufHeader, context: int, file_size: int, *, reads: bool = False) -> Estimate:
    """Return what a GGUF model takes with a context of so many tokens.

    `reads`: its attention is read, so it is computed whole for the tokens of a decode call.
    """
    tokens = min(context, header.context or context)
    padded = -(-tokens // PADDING) * PADDING
    width = sum(header.kv_heads) * (header.key_length + header.value_length)
    return Estimate(
        context=tokens,
        weights=file_size,
        cache=padded * width * CACHED_NUMBER,
        buffers=_buffers(
            header.vocabulary, header.embedding, _scores(header.heads, padded) if reads else 0
        ),
        reorder=0 if is_x86() else header.repacked_bytes,
        exact=True,
        layers=header.layers,
    )


def estimate_row(
    row: ModelRow, store: Store, context: int, *, reads: bool = False
) -> Estimate | None:
    """Return the estimate for a model of the catalogue, rough where its file is not here.

    None for a model that llama.cpp does not run, or of which nothing is known.
    """
    if row.format != "gguf":
        return None
    path = store.file(row)
    try:
        return estimate(read_header(path), context, path.stat().st_size, reads=reads)
    except (OSError, HeaderFault):
        return rough_estimate(row, context, reads=reads) if row.size else None


def rough_estimate(row: ModelRow, context: int, *, reads: bool = False) -> Estimate:
    """Return the estimate for a file that nobody here has seen.

    transformers reads attention in float32, whatever the file has.
    """
    tokens = min(context, row.context or context)
    whole = LOGIT * row.parameters if reads and row.format != "gguf" else 0
    return Estimate(
        context=tokens,
        weights=max(row.size, whole),
        cache=tokens * (ROUGH_TOKEN + row.parameters // ROUGH_SHARE),
        buffers=_buffers(ROUGH_VOCABULARY, 4096, _scores(ROUGH_HEADS, tokens) if reads else 0),
        reorder=0,
        exact=False,
    )


def _buffers(vocabulary: int, embedding: int, scores: int) -> int:
    compute = max(CHUNK * LOGIT * (vocabulary + 2 * embedding), scores)
    return compute + SEQUENCES * LOGIT * vocabulary + WORD * vocabulary + RUNTIME


def _scores(heads: int, tokens: int) -> int:
    """Return what one layer's attention and the mask take, for the tokens of a decode call.

    The room of the logits, which come later, is used for it: the larger of both counts. Measured
    beside a context with flash attention: 334 MiB (32,768 tokens, 14 heads) and 34 MiB (8,192, 9),
    4 and 3 above this.
    """
    return CHUNK * LOGIT * (heads + 1) * tokens


def checked_header(path: Path, model_id: str) -> GgufHeader:
    """Return the header of a file that is to be loaded. Raises `ModelUnusable`."""
    try:
        header = read_header(path)
        reason = unusable(header)
    except HeaderFault as fault:
        reason = str(fault)
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    if reason:
        raise ModelUnusable(
            f"The file of {model_id}, {path}, {reason}.",
            remedy="Choose another model: askance models recommend.",
            path=path,
        )
    return header

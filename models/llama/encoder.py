"""A bidirectional encoder over llama.cpp: BERT that knows small letters only."""

from __future__ import annotations

import ctypes
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.encoder import Encoded
from models.errors import ContextExceeded, MemorySpent, RuntimeFailed
from models.llama.context import AbortFlag
from models.llama.encoder_file import write_gguf
from models.llama.generator import physical_cores
from models.llama.library import forget_errors, last_error, self_test
from models.llama.model import LlamaModel
from models.llama.precautions import NONE, Precautions
from models.llama.thread import computing_thread
from models.pool import Pooling, pooling_of
from models.protocols import Cancelled, Stopped, TokenCount
from models.stopping import stopped_by

BATCH_TOKENS = 512
"""Tokens of a batch. All texts of a batch share one square of attention, so larger ones are slower:
64 passages took 1.3 s with 512, 1.4 with 1,024, 1.6 with 2,048 (two cores with AVX-512)."""
MOST_TEXTS = 64
"""In a batch."""
States = npt.NDArray[np.float32]


def load_llama_encoder(
    path: Path, model_id: str, *, gpu_layers: int = -1, precautions: Precautions = NONE
) -> LlamaEncoder:
    """Load a verified encoder: a safetensors file beside its configuration and vocabulary.

    Raises `RuntimeFailed`, also for an encoder that llama.cpp does not know, and `MemorySpent`.
    `gpu_layers` and `precautions` mean what they mean to `models.llama.generator.load_llama`.
    """
    self_test()
    try:
        pooling = pooling_of(path.parent)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            # llama.cpp loads one file of its own form; once it is mapped, it needs no name.
            file = Path(folder) / f"{model_id}.gguf"
            with file.open("wb") as target:
                write_gguf(path, target)
            model = LlamaModel(file, gpu_layers=gpu_layers, precautions=precautions)
    except OSError as error:
        raise RuntimeFailed(
            f"{model_id} could not be written anew for llama.cpp: {error.strerror}.",
            remedy=f"It takes as much room as its file for a moment, in {tempfile.gettempdir()}; "
            "set TMPDIR to another folder.",
            path=path,
        ) from error
    except (ValueError, KeyError, struct.error) as error:
        raise RuntimeFailed(
            f"llama.cpp could not load {model_id}: {error}.",
            remedy="Install `askance[torch]` and set models.runtime to transformers, or choose "
            "another encoder.",
            path=path,
        ) from error
    try:
        return LlamaEncoder(model, model_id, pooling)
    except RuntimeFailed:
        model.close()
        raise


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """One text as the model takes it."""

    tokens: list[int]
    left_out: int
    """How many tokens behind the first are left out of the average: the prefix's."""
    cut: int


class LlamaEncoder:
    """An encoder in llama.cpp."""

    def __init__(self, model: LlamaModel, model_id: str, pooling: Pooling) -> None:
        """Allocate the context. Use `load_llama_encoder`. Raises `MemorySpent`."""
        self._model = model
        self._id = model_id
        self._pooling = pooling
        self._size = model.train_context
        self._dimensions = int(llama_cpp.llama_model_n_embd(model.pointer))
        self._first = int(llama_cpp.llama_vocab_bos(model.vocab))
        self._last = int(llama_cpp.llama_vocab_sep(model.vocab))
        self._usage = TokenCount()
        self._abort = AbortFlag()
        self._room = max(BATCH_TOKENS, self._size)
        self._context = self._opened()
        self._batch = llama_cpp.llama_batch_init(self._room, 0, 1)
        llama_cpp.llama_set_abort_callback(
            self._context, self._abort.callback, ctypes.addressof(self._abort.buffer)
        )

    def _opened(self) -> Any:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = self._room
        params.n_seq_max = MOST_TEXTS
        params.n_threads = params.n_threads_batch = physical_cores()
        params.embeddings = True
        params.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_NONE
        params.no_perf = True
        forget_errors()
        context = llama_cpp.llama_init_from_model(self._model.pointer, params)
        if not context:
            raise MemorySpent(
                f"llama.cpp could not allocate a context for {self._id}: {last_error()}.",
                remedy="Close other programs.",
            )
        return context

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of one text, control tokens included."""
        return self._size

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._dimensions

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return not self._context

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without control tokens."""
        return len(self._tokens(text))

    def encode(self, texts: Sequence[str], *, stopped: Stopped | None = None) -> Encoded:
        """Return a vector for each text, by the pooling that the model was trained for."""
        inputs = [self._input("", text, separated=False) for text in texts]
        return self._encoded(inputs, POOLS[self._pooling], stopped)

    def encode_conditioned(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        separated: bool = False,
        stopped: Stopped | None = None,
    ) -> Encoded:
        """Return a vector for each (prefix, text), averaged over all tokens but the prefix's.

        The text behind a separator stays in the first segment: llama.cpp knows no second one.
        """
        inputs = [
            self._input(prefix, text, separated=separated and bool(prefix))
            for prefix, text in pairs
        ]
        return self._encoded(inputs, _mean, stopped)

    def _tokens(self, text: str) -> list[int]:
        if not self._context:
            raise RuntimeFailed(f"{self._id} is not loaded any more.", remedy="Ask again.")
        return self._model.tokenize(text, special=False)

    def _input(self, prefix: str, text: str, *, separated: bool) -> EncoderInput:
        before = self._tokens(prefix) if prefix else []
        tokens = self._tokens(text)
        head = [self._first, *before, *([self._last] if separated else [])]
        room = self._size - len(head) - 1
        if room < min(len(tokens), 1):
            raise ContextExceeded(
                f"The prefix has {len(before)} tokens; with a text behind it {self._id} has room "
                f"for {self._size}.",
                remedy="Ask a shorter question.",
            )
        kept = tokens[:room]
        return EncoderInput([*head, *kept, self._last], len(head) - 1, len(tokens) - len(kept))

    def _encoded(
        self,
        inputs: Sequence[EncoderInput],
        pool: Callable[[States], States],
        stopped: Stopped | None,
    ) -> Encoded:
        vectors = np.empty((len(inputs), self._dimensions), dtype=np.float32)
        stopped = stopped_by(stopped)
        for batch in _batches([len(one.tokens) for one in inputs]):
            if stopped is not None and stopped():
                raise Cancelled
            states = self._run([inputs[i].tokens for i in batch], stopped)
            for i, own in zip(batch, states, strict=True):
                pooled = pool(np.delete(own, slice(1, 1 + inputs[i].left_out), axis=0))
                vectors[i] = pooled / max(float(np.linalg.norm(pooled)), 1e-12)
        return Encoded(vectors, np.array([one.cut for one in inputs], dtype=np.int64))

    def _run(self, texts: Sequence[Sequence[int]], stopped: Stopped | None) -> list[States]:
        """Return the last hidden states of each text of a batch, shape (tokens, dimensions)."""
        batch, row = self._batch, 0
        for number, tokens in enumerate(texts):
            for position, token in enumerate(tokens):
                batch.token[row], batch.pos[row] = token, position
                batch.n_seq_id[row], batch.seq_id[row][0] = 1, number
                batch.logits[row] = True
                row += 1
        batch.n_tokens = row
        self._abort.lower()
        forget_errors()
        status = computing_thread().call(
            lambda: int(llama_cpp.llama_encode(self._context, batch)), stopped, self._abort.hoist
        )
        if self._abort.raised:
            raise Cancelled
        if status != 0:
            raise RuntimeFailed(
                f"llama.cpp failed to encode a batch (status {status}): {last_error()}.",
                remedy="Close other programs.",
            )
        self._usage.prompt += row
        self._usage.computed += row
        values = llama_cpp.llama_get_embeddings(self._context)
        states = np.ctypeslib.as_array(values, shape=(row, self._dimensions)).copy()
        return np.split(states, np.cumsum([len(tokens) for tokens in texts])[:-1])

    def close(self) -> None:
        """Free the weights."""
        if self._context:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self._context)
            self._context = None
            self._model.close()


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of the texts in batches, longest first, each text once."""
    batch: list[int] = []
    held = 0
    for i in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and (held + lengths[i] > BATCH_TOKENS or len(batch) == MOST_TEXTS):
            yield batch
            batch, held = [], 0
        batch.append(i)
        held += lengths[i]
    if batch:
        yield batch


def _mean(states: States) -> States:
    mean: States = states.mean(axis=0)
    return mean


def _largest(states: States) -> States:
    largest: States = states.max(axis=0)
    return largest


def _first_state(states: States) -> States:
    first: States = states[0]
    return first


POOLS: dict[Pooling, Callable[[States], States]] = {
    "mean": _mean,
    "max": _largest,
    "cls": _first_state,
}
"""From last hidden states, shape (tokens, dimensions), to a vector."""

"""A bidirectional encoder over llama.cpp: BERT that knows small letters only."""

from __future__ import annotations

import ctypes
import os
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.decoding.encoder import BatchEncoder, EncoderInput, EncoderShape
from models.errors import MemorySpent, RuntimeFailed
from models.llama.context import AbortFlag
from models.llama.encoder_file import IN_MEMORY, write_gguf
from models.llama.generator import physical_cores
from models.llama.library import forget_errors, last_error, self_test
from models.llama.model import LlamaModel
from models.llama.precautions import NONE, Precautions
from models.llama.thread import computing_thread
from models.pool import Pooling, pooling_of
from models.protocols import Cancelled, Stopped
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
        with _file_for_a_moment() as (target, file):
            write_gguf(path, target)
            target.flush()
            model = LlamaModel(file, gpu_layers=gpu_layers, precautions=precautions)
    except OSError as error:
        raise RuntimeFailed(
            f"{model_id} could not be written anew for llama.cpp: {error.strerror or error}.",
            remedy="It takes as much room as its file for a moment: on Linux in memory, elsewhere "
            "in the folder for temporary files, which TMPDIR names.",
            path=path,
        ) from error
    except (ValueError, struct.error) as error:
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


@contextmanager
def _file_for_a_moment() -> Iterator[tuple[BinaryIO, Path]]:
    """Yield a file to write and its path: in memory, or on disk where the system has none there.

    llama.cpp loads one file of its own form; once it is mapped, it needs no name.
    """
    if hasattr(os, "memfd_create"):
        with os.fdopen(os.memfd_create(IN_MEMORY), "w+b") as target:
            yield target, Path(f"/proc/self/fd/{target.fileno()}")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        file = Path(folder) / IN_MEMORY
        with file.open("wb") as target:
            yield target, file


class LlamaEncoder(BatchEncoder):
    """An encoder in llama.cpp. It knows one segment, in which a text behind a separator stays."""

    def __init__(self, model: LlamaModel, model_id: str, pooling: Pooling) -> None:
        """Allocate the context. Use `load_llama_encoder`. Raises `MemorySpent`."""
        shape = EncoderShape(
            model.train_context,
            int(llama_cpp.llama_model_n_embd(model.pointer)),
            int(llama_cpp.llama_vocab_bos(model.vocab)),
            int(llama_cpp.llama_vocab_sep(model.vocab)),
            pooling,
        )
        super().__init__(model_id, shape)
        self._model = model
        self._abort = AbortFlag()
        room = max(BATCH_TOKENS, shape.context)
        self._context = self._opened(room)
        self._batch = llama_cpp.llama_batch_init(room, 0, 1)
        llama_cpp.llama_set_abort_callback(
            self._context, self._abort.callback, ctypes.addressof(self._abort.buffer)
        )

    def _opened(self, room: int) -> Any:
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = room
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
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return not self._context

    def close(self) -> None:
        """Free the weights."""
        if self._context:
            llama_cpp.llama_batch_free(self._batch)
            llama_cpp.llama_free(self._context)
            self._context = None
            self._model.close()

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        return [self._model.tokenize(text, special=False) for text in texts]

    def _batches(self, lengths: Sequence[int]) -> Iterator[list[int]]:
        return _batches(lengths)

    def _run(
        self, inputs: Sequence[EncoderInput], pooling: Pooling, stopped: Stopped | None
    ) -> States:
        states = self._states([one.tokens for one in inputs], stopped)
        pooled = np.stack(
            [
                POOLS[pooling](np.delete(own, list(one.left_out), axis=0))
                for one, own in zip(inputs, states, strict=True)
            ]
        )
        vectors: States = pooled / np.maximum(np.linalg.norm(pooled, axis=1)[:, None], 1e-12)
        return vectors

    def states(
        self, texts: Sequence[str], *, stopped: Stopped | None = None
    ) -> Iterator[tuple[int, States]]:
        """Yield each text's number and its last hidden states, shape (tokens, dimensions).

        Control tokens count; what exceeds the context is cut off. The longest text comes first.
        Raises `Cancelled`.
        """
        self._refuse_closed()
        inputs = [self._input([], tokens, separated=False) for tokens in self._tokens(texts)]
        stopped = stopped_by(stopped)
        for batch in self._counted(inputs, stopped):
            yield from zip(
                batch, self._states([inputs[i].tokens for i in batch], stopped), strict=True
            )

    def _states(self, texts: Sequence[Sequence[int]], stopped: Stopped | None) -> list[States]:
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
        values = llama_cpp.llama_get_embeddings(self._context)
        states = np.ctypeslib.as_array(values, shape=(row, self.dimensions)).copy()
        return np.split(states, np.cumsum([len(tokens) for tokens in texts])[:-1])


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

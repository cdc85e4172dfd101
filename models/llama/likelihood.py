"""Query likelihood in llama.cpp: how likely a small model finds a question behind each text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean

import llama_cpp
import numpy as np
import numpy.typing as npt

from models.decoding.runtime import Rows
from models.decoding.sampler import log_softmax
from models.errors import RuntimeFailed
from models.llama.context import LlamaContext
from models.llama.generator import physical_cores
from models.llama.library import forget_errors, last_error, self_test
from models.llama.memory_file import file_for_a_moment
from models.llama.model import LlamaModel
from models.llama.precautions import NONE, Precautions
from models.protocols import Cancelled, Stopped, TokenCount
from models.stopping import stopped_by

BRIDGE = "\n\n# A question that this answers\n"
"""Stands between a text and the question."""
TEXT_TOKENS, QUESTION_TOKENS = 400, 80
"""What is read of each at most. Passages have about 120."""
BATCH_TOKENS = 512
SEQUENCES = 16
"""Texts in a batch."""


def load_llama_ranker(
    path: Path, model_id: str, *, gpu_layers: int = -1, precautions: Precautions = NONE
) -> LlamaRanker:
    """Load a verified GGUF file for ranking, its weights rounded to 8 bits: for a model this small
    llama.cpp reads them twice as fast as the file's 4 bits (docs/results.md, "Query likelihood").

    Raises `RuntimeFailed` and `MemorySpent`. `gpu_layers` and `precautions` mean what they mean to
    `models.llama.generator.load_llama`.
    """
    self_test()
    with file_for_a_moment() as (_, file):
        _round(path, file)
        model = LlamaModel(file, gpu_layers=gpu_layers, precautions=precautions)
    try:
        return LlamaRanker(model, model_id)
    except RuntimeFailed:
        model.close()
        raise


def _round(path: Path, target: Path) -> None:
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = llama_cpp.LLAMA_FTYPE_MOSTLY_Q8_0
    params.allow_requantize = True
    params.nthread = physical_cores()
    forget_errors()
    if llama_cpp.llama_model_quantize(bytes(path), bytes(target), params):
        raise RuntimeFailed(
            f"llama.cpp could not round the weights of the ranker: {last_error()}.",
            remedy="They take 150 MB for a moment: on Linux in memory, elsewhere in the folder "
            "for temporary files, which TMPDIR names.",
            path=path,
        )


class LlamaRanker:
    """A GGUF model in llama.cpp that only ranks."""

    def __init__(self, model: LlamaModel, model_id: str) -> None:
        """Allocate the context. Use `load_llama_ranker`. Raises `MemorySpent`."""
        self._id, self._model = model_id, model
        self._usage = TokenCount()
        self._bridge = model.tokenize(BRIDGE, special=False)
        self._context = LlamaContext(
            model,
            context=BATCH_TOKENS,
            sequences=SEQUENCES,
            threads=physical_cores(),
            chunk=BATCH_TOKENS,
        )

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return not self._context.pointer

    def close(self) -> None:
        """Free the weights."""
        self._context.close()
        self._model.close()

    def likelihoods(
        self, question: str, texts: Sequence[str], *, stopped: Stopped | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the mean log-probability of the question behind each text, shape (texts,).

        Raises `Cancelled`, `MemorySpent` and `RuntimeFailed`.
        """
        if self.closed:
            raise RuntimeFailed(f"{self._id} is not loaded any more.", remedy="Ask again.")
        asked = self._model.tokenize(question, special=False)[:QUESTION_TOKENS]
        if not asked or not texts:
            return np.zeros(len(texts))
        stops, found = stopped_by(stopped), list[float]()
        for batch in self._batches(texts, len(asked)):
            if stops is not None and stops():
                raise Cancelled
            found += self._read(batch, asked, stops)
        return np.array(found)

    def _batches(self, texts: Sequence[str], asked: int) -> Iterator[list[list[int]]]:
        """Yield the tokens that stand before the question, of as many texts as fit a batch."""
        batch, left = list[list[int]](), BATCH_TOKENS
        for text in texts:
            tokens = self._model.tokenize(text, special=False)[:TEXT_TOKENS]
            before = (tokens + self._bridge)[-(BATCH_TOKENS - asked) :]
            if batch and (len(batch) == SEQUENCES or len(before) + asked > left):
                yield batch
                batch, left = [], BATCH_TOKENS
            batch.append(before)
            left -= len(before) + asked
        yield batch

    def _read(
        self, batch: Sequence[list[int]], asked: list[int], stopped: Stopped | None
    ) -> Iterator[float]:
        rows, begins = list[tuple[int, int, int, bool]](), list[int]()
        for sequence, before in enumerate(batch):
            first = len(before) - 1
            begins.append(len(rows) + first)
            rows += (
                (token, at, sequence, first <= at < first + len(asked))
                for at, token in enumerate((*before, *asked))
            )
        self._decode(rows, stopped)
        for begin in begins:
            each = enumerate(asked, begin)
            yield fmean(log_softmax(self._context.logits(at))[token] for at, token in each)

    def _decode(self, rows: Rows, stopped: Stopped | None) -> None:
        self._context.clear()
        self._context.decode(rows, stopped)
        self._usage.prompt += len(rows)
        self._usage.computed += len(rows)
        self._usage.calls += 1

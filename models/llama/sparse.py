"""A sparse encoder: BERT in llama.cpp, and the head that weighs words in numpy."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from math import erf, sqrt
from pathlib import Path

import numpy as np
import numpy.typing as npt

from models.errors import RuntimeFailed
from models.llama.encoder import LlamaEncoder, States, load_llama_encoder
from models.llama.encoder_file import header_of, tensor_of, vocabulary_of
from models.llama.precautions import NONE, Precautions
from models.protocols import Stopped, TokenCount
from models.sparse import Expansion

MOST_TERMS = 64
"""Of a question. The lightest weigh next to nothing."""
TRANSFORM = "cls.predictions.transform."
HEAD = (
    *(f"{TRANSFORM}dense.{part}" for part in ("weight", "bias")),
    *(f"{TRANSFORM}LayerNorm.{part}" for part in ("weight", "bias")),
    *("bert.embeddings.word_embeddings.weight", "cls.predictions.bias"),
)
"""The tensors of BERT's head for masked words, whose last layer has the numbers of the first."""
EPSILON = 1e-12
WIDTHS = {0: "<f4", 1: "<f2"}
"""How numpy reads the types of tensors."""
_AT = np.linspace(-6, 6, 12_001, dtype=np.float32)
_BELOW = np.array([(1 + erf(x / sqrt(2))) / 2 for x in _AT.tolist()], dtype=np.float32)
"""The share of a normal distribution below each of these, on which GELU is drawn."""


def load_llama_sparse(
    path: Path, model_id: str, *, precautions: Precautions = NONE
) -> LlamaSparseEncoder:
    """Load a verified sparse encoder: a BERT for masked words in a safetensors file.

    Raises as `models.llama.encoder.load_llama_encoder`, also where it has no such head.
    """
    try:
        head = [*_head_of(path)]
        words = vocabulary_of(path.parent)
        _check(head, words)
    except (OSError, ValueError, struct.error) as error:
        raise RuntimeFailed(
            f"{model_id} weighs no words: {error}.",
            remedy="Choose another sparse encoder: askance models use sparse_encoder ID.",
            path=path,
        ) from error
    # It has two layers. On a graphics card its batches would wait longer than they compute.
    encoder = load_llama_encoder(path, model_id, gpu_layers=0, precautions=precautions)
    return LlamaSparseEncoder(encoder, head, words)


def _head_of(weights: Path) -> Iterator[States]:
    """Yield the tensors of `HEAD`. Raises `OSError`, and `ValueError` where one is not there."""
    with weights.open("rb") as source:
        header, after = header_of(source)
        for name in HEAD:
            one = tensor_of(name, header.get(name), after)
            source.seek(one.begin)
            numbers = np.frombuffer(source.read(one.size), WIDTHS[one.type])
            yield numbers.astype(np.float32).reshape(one.shape)


def _check(head: Sequence[States], words: Sequence[str]) -> None:
    """Raise `ValueError` where the tensors of `HEAD` do not fit each other and the vocabulary."""
    width = head[0].shape[-1]
    wanted = [(width, width), *[(width,)] * 3, (len(words), width), (len(words),)]
    if [one.shape for one in head] != wanted:
        raise ValueError("its head has another shape than its vocabulary")


class LlamaSparseEncoder:
    """SPLADE. A text's words are computed for the terms of a question alone."""

    def __init__(self, encoder: LlamaEncoder, head: Sequence[States], words: list[str]) -> None:
        """Take over an encoder; `head` are the tensors of `HEAD`. Use `load_llama_sparse`."""
        self._encoder = encoder
        self._dense, self._dense_bias, self._gain, self._shift, self._words, self._bias = head
        self._written = words

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._encoder.id

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._encoder.usage

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return self._encoder.closed

    def close(self) -> None:
        """Free the weights."""
        self._encoder.close()

    def expand(self, question: str) -> Expansion:
        """Return the terms that a question is about."""
        weights = self._weights([question], np.arange(len(self._bias)), None)[0]
        terms = np.argsort(-weights, kind="stable")[:MOST_TERMS]
        terms = terms[weights[terms] > 0]
        return Expansion(terms, weights[terms], tuple(self._written[i] for i in terms.tolist()))

    def scores(
        self, question: Expansion, texts: Sequence[str], *, stopped: Stopped | None = None
    ) -> npt.NDArray[np.float64]:
        """Return the product of each text's weights and the question's, shape (texts,)."""
        if not texts:
            return np.zeros(0)
        products = self._weights(texts, question.terms, stopped) @ question.weights
        return products.astype(np.float64)

    def _weights(
        self, texts: Sequence[str], terms: npt.NDArray[np.int64], stopped: Stopped | None
    ) -> States:
        """Return the weights of terms, shape (texts, terms): log(1 + ReLU) where a text has most.

        All states are computed first: threads of llama.cpp that wait keep numpy's from working.
        """
        states = dict(self._encoder.states(texts, stopped=stopped))
        every = [states[number] for number in range(len(texts))]
        begins = np.cumsum([0, *(len(one) for one in every[:-1])])
        drawn = np.concatenate(every) @ self._dense.T + self._dense_bias
        drawn *= np.interp(drawn, _AT, _BELOW).astype(np.float32)
        drawn -= drawn.mean(axis=1, keepdims=True)
        drawn /= np.sqrt((drawn * drawn).mean(axis=1, keepdims=True) + EPSILON)
        drawn = drawn * self._gain + self._shift
        most = np.maximum.reduceat(drawn @ self._words[terms].T, begins, axis=0)
        weights: States = np.log1p(np.maximum(most + self._bias[terms], 0))
        return weights

"""What encoders of both runtimes share: texts as tokens, prefixes outside the average, batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from models.encoder import Encoded
from models.errors import ContextExceeded, RuntimeFailed
from models.pool import Pooling
from models.protocols import Cancelled, Stopped, TokenCount
from models.stopping import stopped_by


@dataclass(frozen=True, slots=True)
class EncoderInput:
    """One text as the model takes it."""

    tokens: list[int]
    left_out: range
    """Positions left out of the average: the prefix and its separator."""
    second: int
    """Where the second segment begins; beyond the end where there is none."""
    cut: int


@dataclass(frozen=True, slots=True)
class EncoderShape:
    """What a runtime knows of an encoder once it is loaded."""

    context: int
    """Tokens of one text, control tokens included."""
    dimensions: int
    first: int
    """The token before a text."""
    last: int
    """The token behind a text, also the separator."""
    pooling: Pooling


class BatchEncoder(ABC):
    """An `Encoder` over a runtime that computes one batch at a time."""

    def __init__(self, model_id: str, shape: EncoderShape) -> None:
        """Remember what was loaded."""
        self._id = model_id
        self._shape = shape
        self._usage = TokenCount()

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of one text, control tokens included."""
        return self._shape.context

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._shape.dimensions

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    @property
    @abstractmethod
    def closed(self) -> bool:
        """Whether the weights are freed."""

    @abstractmethod
    def close(self) -> None:
        """Free the weights."""

    @abstractmethod
    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, without control tokens."""

    @abstractmethod
    def _batches(self, lengths: Sequence[int]) -> Iterable[list[int]]:
        """Yield the numbers of texts of these lengths in batches, each text once."""

    @abstractmethod
    def _run(
        self, inputs: Sequence[EncoderInput], pooling: Pooling, stopped: Stopped | None
    ) -> npt.NDArray[np.float32]:
        """Return the unit vectors of one batch, shape (texts, dimensions)."""

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without control tokens."""
        self._refuse_closed()
        return len(self._tokens([text])[0])

    def encode(self, texts: Sequence[str], *, stopped: Stopped | None = None) -> Encoded:
        """Return a vector for each text, by the pooling that the model was trained for."""
        self._refuse_closed()
        inputs = [self._input([], tokens, separated=False) for tokens in self._tokens(texts)]
        return self._encoded(inputs, self._shape.pooling, stopped)

    def encode_conditioned(
        self,
        pairs: Sequence[tuple[str, str]],
        *,
        separated: bool = False,
        stopped: Stopped | None = None,
    ) -> Encoded:
        """Return a vector for each (prefix, text), averaged over all tokens but the prefix's."""
        self._refuse_closed()
        prefixes = self._tokens([prefix for prefix, _ in pairs])
        # With a space, where the tokenizer keeps spaces, since both are one text.
        texts = self._tokens([f" {text}" if prefix else text for prefix, text in pairs])
        inputs = [
            self._input(prefix, tokens, separated=separated and bool(prefix))
            for prefix, tokens in zip(prefixes, texts, strict=True)
        ]
        return self._encoded(inputs, "mean", stopped)

    def _refuse_closed(self) -> None:
        if self.closed:
            raise RuntimeFailed(f"{self._id} is not loaded any more.", remedy="Ask again.")

    def _input(self, prefix: list[int], tokens: list[int], *, separated: bool) -> EncoderInput:
        shape = self._shape
        head = [shape.first, *prefix, *([shape.last] if separated else [])]
        room = shape.context - len(head) - 1
        if room < min(len(tokens), 1):
            raise ContextExceeded(
                f"The prefix has {len(prefix)} tokens; with a text behind it {self._id} has room "
                f"for {shape.context}.",
                remedy="Ask a shorter question.",
            )
        kept = tokens[:room]
        return EncoderInput(
            [*head, *kept, shape.last],
            range(1, len(head)),
            len(head) if separated else shape.context,
            len(tokens) - len(kept),
        )

    def _encoded(
        self, inputs: Sequence[EncoderInput], pooling: Pooling, stopped: Stopped | None
    ) -> Encoded:
        vectors = np.empty((len(inputs), self._shape.dimensions), dtype=np.float32)
        stopped = stopped_by(stopped)
        for batch in self._counted(inputs, stopped):
            vectors[batch] = self._run([inputs[i] for i in batch], pooling, stopped)
        return Encoded(vectors, np.array([one.cut for one in inputs], dtype=np.int64))

    def _counted(
        self, inputs: Sequence[EncoderInput], stopped: Stopped | None
    ) -> Iterator[list[int]]:
        """Yield the numbers of the inputs, batch by batch; a batch counts once it is computed."""
        for batch in self._batches([len(one.tokens) for one in inputs]):
            if stopped is not None and stopped():
                raise Cancelled
            yield batch
            read = sum(len(inputs[i].tokens) for i in batch)
            self._usage.prompt += read
            self._usage.computed += read

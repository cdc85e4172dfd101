"""What the engine asks of a model. Three small Protocols, no implementation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn."""

    temperature: float = 0.0
    """0 takes the likeliest token; nothing is random then."""
    top_p: float = 0.9
    top_k: int = 50
    seed: int = 0
    """Sequence `i` of a batch draws with `seed + i`."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A bit of text from one of the sequences decoded together."""

    index: int
    """Which sequence, 0-based."""
    text: str
    """New text; never a broken character, never part of a stop string."""
    finished: Literal["stop", "length"] | None = None
    """Set on the last piece of the sequence: it ended, or ran out of `max_tokens`."""
    watched: tuple[float, ...] = ()
    """On the first piece of all: log-probabilities of the `watch` strings' first tokens."""


@dataclass(slots=True)
class TokenCount:
    """Tokens a model has handled, running totals."""

    prompt: int = 0
    """Input tokens over all calls, cached or not (effective context length)."""
    computed: int = 0
    """Of those, the tokens that were run through the model rather than found in its cache."""
    generated: int = 0


class Generator(Protocol):
    """A causal language model, loaded. Not for use by two threads at once."""

    @property
    def id(self) -> str:
        """Catalogue id."""

    @property
    def context(self) -> int:
        """Tokens of prompt and reply together."""

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Apply the model's chat template; the reply begins with `primed`."""

    def sample(
        self,
        prompt: str,
        *,
        n: int = 1,
        max_tokens: int,
        sampling: Sampling,
        stop: Sequence[str] = (),
        watch: Sequence[str] = (),
    ) -> Iterator[Piece]:
        """Decode `n` continuations of one prompt together, prefilled once.

        With `watch`, a piece without text comes first and says how likely each of those strings
        was to begin the reply.
        Closing the iterator stops decoding. Raises `ContextExceeded` before any work when
        prompt and reply do not fit.
        """

    def next_token_logprobs(self, prompt: str, choices: Sequence[str]) -> list[float]:
        """Return the log-probability of each choice's first token right after `prompt`."""

    def close(self) -> None:
        """Free the weights. Further calls are errors."""


class Encoder(Protocol):
    """A bidirectional encoder (conditional embeddings); no implementation yet."""

    @property
    def id(self) -> str:
        """Catalogue id."""


class AttentionReader(Protocol):
    """Reads attention while prefilling (reaction scores); no implementation yet."""

    @property
    def id(self) -> str:
        """Catalogue id."""

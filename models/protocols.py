"""What the engine asks of a language model: to write, and to show its attention."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # every command imports this module, and numpy takes a tenth of a second
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn: temperature, then top-k, top-p, min-p, then a draw."""

    temperature: float = 0.0
    """0 takes the likeliest token; nothing is random then."""
    top_p: float = 0.9
    top_k: int = 50
    """0 keeps all."""
    seed: int = 0
    """Sequence `i` of a batch draws with `seed + i`."""
    min_p: float = 0.0
    """Tokens less likely than this share of the likeliest one are left out; 0 keeps all."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The reply is exactly one of these strings."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beginnings:
    """The reply begins with one of these strings and goes on freely."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OtherBeginnings:
    """The reply begins with the first token of none of these strings. A server cannot hold to it.

    Asking for one of a server raises `ValueError`.
    """

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The reply follows this grammar."""

    gbnf: str
    """In llama.cpp's notation; its first rule is called `root`."""


Constraint = Choices | Beginnings | OtherBeginnings | Grammar


@dataclass(frozen=True, slots=True)
class Piece:
    """A bit of text from one of the sequences decoded together."""

    index: int
    """Which sequence, 0-based; sequence `i` of prompt `p` is `p * n + i`."""
    text: str
    """New text; never a broken character, never part of a stop string or of hidden thoughts."""
    finished: Literal["stop", "length"] | None = None
    """Set on the last piece of the sequence: it ended, or ran out of `max_tokens`."""
    watched: tuple[float, ...] = ()
    """Log-probabilities of the `watch` strings' first tokens; on the first piece of a prompt."""
    logprobs: tuple[float, ...] = ()
    """Log-probabilities of the tokens drawn since the sequence's last piece, where asked for. They
    are the model's own, before temperature, truncation and constraint, and include the token that
    ends the reply. Empty where a server gives none."""
    columns: AttentionColumns | None = None
    """Attention that the context received; on the first piece of a prompt that is read."""


@dataclass(slots=True)
class TokenCount:
    """Tokens a model has handled, running totals."""

    prompt: int = 0
    """Input tokens over all calls, cached or not (effective context length)."""
    computed: int = 0
    """Input tokens that ran through the model; the others were in its cache."""
    generated: int = 0
    hidden: int = 0
    """Generated tokens of thoughts, which are not part of the reply."""
    calls: int = 0
    """Prompts; a batch counts each of its own."""

    @property
    def hit_rate(self) -> float:
        """Share of the input tokens that the cache held, 0 to 1."""
        return max(0.0, 1 - self.computed / self.prompt) if self.prompt else 0.0


class Cancelled(Exception):
    """`stopped()` became true while a model was at work. The model can be used on."""


MOST_REPLIES = 16
"""Replies to one prompt that every runtime can draw together."""
Stopped = Callable[[], bool]
"""Asked often, from the thread that uses the model: is the result no longer wanted?"""


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """Which replies a generator is to write, and where each of them ends."""

    prompts: tuple[str, ...]
    """Texts that `Generator.render` returned. A call decodes as many together as fit."""
    max_tokens: int
    """Tokens of one reply, hidden thoughts aside; one of `Choices` is never cut."""
    sampling: Sampling = Sampling()
    """How tokens are drawn. The default takes the likeliest."""
    n: int = 1
    """Replies to each prompt, 1 to `MOST_REPLIES`."""
    stop: tuple[str, ...] = ()
    """Strings that end a reply and are no part of it."""
    watch: tuple[str, ...] = ()
    """Strings whose log-probability of beginning a reply is wanted: that of their first token."""
    constraint: Constraint | None = None
    """What a reply must look like; None: anything."""
    logprobs: bool = False
    """Whether pieces carry the log-probabilities of their tokens."""
    stopped: Stopped | None = None
    """Asked while the model is at work, besides the run's own; None: the run's alone."""
    adapted: bool = False
    """Whether the model's reading adapter is at work, where it has one."""


class Generator(Protocol):
    """A causal language model, loaded. Not for use by two threads at once.

    Every method may raise `RuntimeFailed`; after running out of memory `closed` is true.
    """

    @property
    def id(self) -> str:
        """Catalogue id."""

    @property
    def context(self) -> int:
        """Tokens of prompt and reply together."""

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""

    @property
    def closed(self) -> bool:
        """Whether the weights are freed, by `close` or because memory ran out."""

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Apply the model's chat template; the reply begins with `primed`."""

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        """Decode all replies that the request wants, as many together as fit.

        What prompts have in common at their beginning is prefilled once. With `watch`, a piece
        without text comes before the replies to each prompt and says how likely each of those
        strings was to begin one. Closing the iterator stops decoding.

        Raises, before any work, `ContextExceeded` when a prompt and its replies do not fit, and
        `ValueError` for a request that cannot be met; `Cancelled` as soon as `stopped()`, prefill
        included.
        """

    def next_token_logprobs(
        self,
        prompt: str,
        choices: Sequence[str],
        *,
        stopped: Stopped | None = None,
        adapted: bool = False,
    ) -> list[float]:
        """Return the log-probability of each choice's first token right after `prompt`.

        `adapted` means what it means to a `GenerationRequest`.
        """

    def keep(self, beginning: str) -> None:
        """Compute the beginning of later prompts once and keep only that, even after `forget`.

        A runtime that keeps nothing does nothing. Raises `ContextExceeded`.
        """

    def forget(self) -> None:
        """Drop what is kept of earlier prompts, so that the next reply does not depend on them.

        What `keep` was told to compute stays.
        """

    def close(self) -> None:
        """Free the weights. Further calls are errors."""


class AttentiveGenerator(Generator, Protocol):
    """A generator that can read attention while it computes a prompt, at no extra token."""

    @property
    def layers(self) -> int:
        """How many layers the model has; they are numbered from 0."""

    def sample_and_read(
        self, request: GenerationRequest, *, until: int, layers: Sequence[int]
    ) -> Iterator[Piece]:
        """Decode as `sample` does; a piece without text comes first and has `columns`.

        The request has one prompt. The context is the tokens that begin within its first `until`
        characters, the query all others. `columns` is None where attention was not shown. What is
        kept of earlier prompts is forgotten.
        """


@dataclass(frozen=True, slots=True)
class AttentionColumns:
    """How much attention each token of a context received (YOURA section 3.2).

    All of it comes from one pass over context and query: attention is causal, so the context's
    rows are the same with the query appended as without.
    """

    layers: tuple[int, ...]
    context_sums: npt.NDArray[np.float64]
    """S: column sums over the context's rows, mean over heads; shape (layers, c)."""
    query_sums: npt.NDArray[np.float64]
    """R: column sums over the query's rows, mean over heads; shape (layers, c)."""
    query_tokens: int
    """q, the number of query rows."""
    spans: npt.NDArray[np.int64]
    """Where each context token's characters begin and end in the context; shape (c, 2). A
    character cut into several tokens belongs to all of them; control tokens are empty."""


class AttentionReader(Protocol):
    """Reads attention while prefilling (reaction scores). Not for two threads at once."""

    @property
    def id(self) -> str:
        """Catalogue id."""

    @property
    def context(self) -> int:
        """Tokens of context and query together."""

    @property
    def layers(self) -> int:
        """How many layers the model has; they are numbered from 0."""

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""

    def read(
        self, context: str, query: str, *, layers: Sequence[int], stopped: Stopped | None = None
    ) -> AttentionColumns:
        """Run one pass over context and query and return what the context's columns received.

        Layers beyond the last chosen one are not computed. Raises `ContextExceeded`,
        `RuntimeFailed` and `Cancelled`.
        """

    def close(self) -> None:
        """Free the weights. Further calls are errors."""

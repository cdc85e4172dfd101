"""A `Generator` over any runtime: prompts prefilled once, all replies decoded in one batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial

from models.decoding.batches import BatchRequest, PromptTokens, Wave
from models.decoding.chat_templates import ChatTemplate
from models.decoding.columns import ColumnRequest, ColumnWatch, prompt_spans
from models.decoding.forms import Form, Vocabulary, form_of
from models.decoding.prefix_cache import PrefixCache
from models.decoding.runtime import AttentiveWeights, Batches
from models.decoding.text_stream import CLOSE, OPEN
from models.errors import ContextExceeded, MemorySpent, RuntimeFailed
from models.protocols import (
    MOST_REPLIES,
    Choices,
    Constraint,
    GenerationRequest,
    Message,
    Piece,
    Sampling,
    Stopped,
    TokenCount,
)
from models.stopping import stopped_by

MAX_SEQUENCES = MOST_REPLIES
"""Replies decoded at once; more prompts wait for the next wave."""
KEPT_PROMPTS = 16
"""Prompts that stay in the cache, room permitting."""
DEFAULT_CONTEXT = 8192
THOUGHT_TOKENS = 512
"""Tokens that a reasoning model may think for before its thoughts are closed."""


def refuse_beyond(memory: int | None, wanted: int, context: int, model_id: str) -> None:
    """Raise `MemorySpent` where a cache of `wanted` bytes exceeds `memory`; None: no limit."""
    if memory is not None and wanted > memory:
        raise MemorySpent(
            f"A context of {context} tokens takes {wanted / 1e6:.0f} MB beside the weights of "
            f"{model_id}; {memory / 1e6:.0f} MB are free.",
            remedy="Lower --max-context or choose a smaller model.",
        )


class BatchGenerator:
    """A loaded model. A prompt that begins like one of the last pays only for what is new."""

    def __init__(
        self,
        model: AttentiveWeights,
        model_id: str,
        context: Batches,
        size: int,
        kept_prompts: int,
        columns: ColumnWatch | None = None,
    ) -> None:
        """`context` has cells for `size` tokens and numbers for replies and kept prompts.

        `columns` watches the context, where attention is to be read.
        """
        self._model = model
        self._id = model_id
        self._size = size
        self._context = context
        kept = range(MAX_SEQUENCES, MAX_SEQUENCES + kept_prompts)
        self._cache = PrefixCache(context, kept, size, cuts=model.cuts)
        self._columns = columns
        self._usage = TokenCount()
        self._template = ChatTemplate(model, model_id)
        self._closed = False

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of prompt and replies together."""
        return self._size

    @property
    def layers(self) -> int:
        """How many layers the model has; they are numbered from 0."""
        return self._model.layers

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    @property
    def closed(self) -> bool:
        """Whether the weights are freed, by `close` or because memory ran out."""
        return self._closed

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._model.pieces, self._model.ends)

    @cached_property
    def _thought_end(self) -> list[int]:
        return self._model.tokenize(f"\n{CLOSE}\n\n", special=True)

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""
        return len(self._model.tokenize(text, special=False))

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Apply the chat template. Template markers inside a message are broken apart.

        A mail that contains `<|im_end|>` must not end the turn it is quoted in.
        Raises `RuntimeFailed` for a template that cannot be used.
        """
        return self._template.render(messages) + primed

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        """Decode replies, as many together as sequences and room allow.

        Raises `ContextExceeded` before any work, `ValueError` for a constraint that cannot be
        followed; closing the iterator stops decoding.
        """
        return self._run(request.prompts, self._batch_request(request))

    def sample_and_read(
        self, request: GenerationRequest, *, until: int, layers: Sequence[int]
    ) -> Iterator[Piece]:
        """Decode as `sample` does, after a piece with the columns of the prompt's attention.

        The prompt is computed whole, and what is kept of others is forgotten, so that cells lie
        in the order of positions. Raises as `sample` does, and `RuntimeFailed` for a model that
        was not loaded for this.
        """
        [prompt] = request.prompts
        reading = self._reading(prompt, until, tuple(layers))
        return self._run([prompt], replace(self._batch_request(request), reading=reading))

    def _batch_request(self, request: GenerationRequest) -> BatchRequest:
        if not 1 <= request.n <= MAX_SEQUENCES:
            raise ValueError(f"n must be 1 to {MAX_SEQUENCES}, not {request.n}")
        thinks = self._template.thinks and request.constraint is None
        return BatchRequest(
            n=request.n,
            max_tokens=whole_choices(request.constraint, request.max_tokens),
            sampling=request.sampling,
            stop=request.stop,
            watch=[self._first_token(text) for text in request.watch],
            new_form=self._new_form(request.constraint),
            logprobs=request.logprobs,
            stopped=stopped_by(request.stopped),
            thought_tokens=THOUGHT_TOKENS if thinks else 0,
            thought_end=self._thought_end if thinks else (),
            adapted=request.adapted and self._model.has_adapter,
        )

    def _reading(self, prompt: str, until: int, layers: tuple[int, ...]) -> ColumnRequest | None:
        """Return how to read a prompt's attention; None where its tokens cannot be located."""
        if self._columns is None:
            raise RuntimeFailed(
                f"{self._id} was not loaded to read its attention.", remedy="Report this."
            )
        tokens = self._model.tokenize(prompt, special=True)
        pieces = [self._model.piece(token) for token in tokens]
        places = prompt_spans(pieces, prompt, self._model.control_texts())
        if places is None:
            return None
        of_context = places[places[:, 0] < until]
        return ColumnRequest(self._columns, layers, self._model.heads, len(tokens), of_context)

    def _run(self, prompts: Sequence[str], request: BatchRequest) -> Iterator[Piece]:
        self._check_open()
        waiting = deque(self._prompt(i, text) for i, text in enumerate(prompts))
        for prompt in waiting:
            self._check_room(len(prompt.tokens), request.room)
        return self._waves(waiting, request)

    def _prompt(self, index: int, text: str) -> PromptTokens:
        tokens = self._model.tokenize(text, special=True)
        return PromptTokens(index, tokens, thinking=text.rstrip().endswith(OPEN))

    def _new_form(self, constraint: Constraint | None) -> Callable[[], Form] | None:
        if constraint is None:
            return None
        new_form = partial(form_of, constraint, self._model, self._vocabulary)
        new_form().close()  # raises now rather than in the middle of decoding
        return new_form

    def _waves(self, waiting: deque[PromptTokens], request: BatchRequest) -> Iterator[Piece]:
        sequences = range(MAX_SEQUENCES)
        try:
            while waiting:
                wave = Wave(
                    self._model, self._context, self._cache, self._usage, request, sequences
                )
                yield from wave.run(waiting)
        except (MemorySpent, MemoryError) as error:
            self.close()
            raise MemorySpent(
                f"Memory ran out while {self._id} was at work, and it was unloaded.",
                remedy="Close other programs, lower --max-context or choose a smaller model.",
            ) from error

    def next_token_logprobs(
        self,
        prompt: str,
        choices: Sequence[str],
        *,
        stopped: Stopped | None = None,
        adapted: bool = False,
    ) -> list[float]:
        """Return the log-probability of each choice's first token right after `prompt`."""
        request = BatchRequest(
            n=0,
            max_tokens=1,
            sampling=Sampling(),
            watch=[self._first_token(choice) for choice in choices],
            stopped=stopped_by(stopped),
            adapted=adapted and self._model.has_adapter,
        )
        return [logprob for piece in self._run([prompt], request) for logprob in piece.watched]

    def _first_token(self, text: str) -> int:
        return self._model.tokenize(text, special=False)[0]

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeFailed(f"{self._id} is not loaded any more.", remedy="Ask again.")

    def _check_room(self, prompt: int, reply: int) -> None:
        if prompt + reply > self._size:
            raise ContextExceeded(
                f"The prompt has {prompt} tokens and its replies need {reply}; "
                f"{self._id} has room for {self._size}.",
                remedy="Lower --max-context or use a smaller --effort.",
            )

    def keep(self, beginning: str) -> None:
        """Compute the beginning of prompts to come, if it is not kept yet, and keep it alone.

        It stays when others are forgotten, at a fixed place in the cache, so that replies do not
        depend on what was asked before. Raises `ContextExceeded`.
        """
        prompt = self._prompt(0, beginning)
        if self._cache.lasting == prompt.tokens:
            return
        self._cache.forget()
        self._context.clear()
        before = (self._usage.prompt, self._usage.calls)
        for _ in self._run(
            [beginning], BatchRequest(n=0, max_tokens=1, sampling=Sampling(), watch=())
        ):
            raise RuntimeError("a prompt without replies gave a piece")
        self._usage.prompt, self._usage.calls = before  # prompts that begin with it will count it
        self._cache.make_lasting(prompt.tokens)

    def forget(self) -> None:
        """Empty the cache, so that replies are the same, bit for bit, whatever was asked before.

        A cached beginning is exact, but where in the cache it lies changes how sums are rounded.
        What `keep` computed stays at its place.
        """
        self._cache.forget(lasting=False)
        if not self._cache.lasting:
            self._context.clear()

    def close(self) -> None:
        """Free cache and weights."""
        self._closed = True
        self._context.close()
        self._model.close()


def whole_choices(constraint: Constraint | None, max_tokens: int) -> int:
    """Return a limit in tokens that lets the longest choice be written out."""
    if not isinstance(constraint, Choices):
        return max_tokens
    return max(max_tokens, *(len(text.encode()) for text in constraint.texts))

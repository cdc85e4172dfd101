"""Which tokens of prompts and replies are computed in which batch.

A wave is as many prompts as fit at once. What the cache lacks of them is packed into full batches,
across prompts; from then on every batch holds the next token of each unfinished reply.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from models.decoding.columns import ColumnRequest
from models.decoding.forms import Form
from models.decoding.prefix_cache import Prefix, PrefixCache, SharedPrefix
from models.decoding.runtime import Batches, Sampler, Weights
from models.decoding.sampler import log_softmax
from models.decoding.text_stream import TextStream, Thoughts
from models.protocols import Cancelled, Piece, Sampling, Stopped, TokenCount


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """A `GenerationRequest` in the model's tokens, without its prompts."""

    n: int
    """0 computes the prompts and draws nothing."""
    max_tokens: int
    sampling: Sampling
    watch: Sequence[int]
    """The tokens whose log-probabilities are asked for after each prompt."""
    stop: Sequence[str] = ()
    new_form: Callable[[], Form] | None = None
    logprobs: bool = False
    stopped: Stopped | None = None
    thought_tokens: int = 0
    """How many hidden tokens a reply may begin with, beside `max_tokens`."""
    thought_end: Sequence[int] = ()
    """The tokens that end thoughts longer than that."""
    reading: ColumnRequest | None = None
    """Reads the attention of the call's only prompt, which is computed whole."""
    adapted: bool = False
    """Whether the model's adapter is at work."""

    @property
    def room(self) -> int:
        """Cells that the replies to one prompt may take."""
        return self.n * (self.max_tokens + self.thought_tokens + len(self.thought_end))


@dataclass
class PromptTokens:
    """One prompt of a call."""

    index: int
    tokens: list[int]
    thinking: bool
    """Whether it ends with the mark that opens thoughts."""
    prefix: Prefix | None = None


class DecodedReply:
    """One sequence: its token to come, its text so far."""

    def __init__(
        self, prompt: PromptTokens, i: int, sequence: int, request: BatchRequest, sampler: Sampler
    ) -> None:
        """`i` is its number among the replies to its prompt, `sequence` the runtime's number."""
        self.prompt = prompt
        self.index = prompt.index * request.n + i
        self.sequence = sequence
        self.form = request.new_form() if request.new_form else None
        thoughts = None if self.form else Thoughts(thinking=prompt.thinking)
        self.stream = TextStream(request.stop, thoughts)
        self.tokens: list[int] = []
        """Tokens drawn so far; all but the last have run through the model."""
        self._sampler = sampler
        self._request = request
        self._forced: deque[int] = deque()
        self._hidden = 0
        self._logprobs: list[float] = []

    @property
    def position(self) -> int:
        """Where its last token belongs."""
        return len(self.prompt.tokens) + len(self.tokens) - 1

    def draw(self, context: Batches, row: int) -> int:
        """Draw the next token from a row's logits."""
        token = self._drawn(context, row)
        self.tokens.append(token)
        if self.form is not None:
            self.form.accept(token)
        return token

    def _drawn(self, context: Batches, row: int) -> int:
        if self._forced:
            return self._forced.popleft()
        token = self._sampler.draw(row)
        if self.form is None or self.form.allows(token):
            return token
        # Drawing again after a rejection gives every allowed token its share, as in llama.cpp;
        # checking all tokens first costs milliseconds. Other replies may draw from this row.
        logits = context.logits(row)
        as_they_were = logits.copy()
        self.form.restrict(logits)
        token = self._sampler.draw(row)
        logits[:] = as_they_were
        return token

    def read(self, token: int, model: Weights, usage: TokenCount, logprob: float | None) -> str:
        """Turn the token into text and see whether the reply is over."""
        if logprob is not None:
            self._logprobs.append(logprob)
        if model.is_end(token):
            return self.stream.end("stop")
        usage.generated += 1
        thinking = self.stream.thinking
        text = self.stream.feed(model.piece(token))
        if thinking or self.stream.thinking:
            usage.hidden += 1
            self._hidden += 1
            if self._hidden == self._request.thought_tokens:
                self._forced.extend(self._request.thought_end)
        if self.stream.finished:
            return text
        if self.form is not None and self.form.complete:
            return text + self.stream.end("stop")
        if len(self.tokens) >= self._request.max_tokens + self._thought_room:
            return text + self.stream.end("length")
        return text

    @property
    def _thought_room(self) -> int:
        """How many of its hidden tokens do not count against `max_tokens`."""
        request = self._request
        return min(self._hidden, request.thought_tokens + len(request.thought_end))

    def piece(self, text: str) -> Piece | None:
        """Return the text with the log-probabilities since the piece before; None for nothing."""
        if not text and not self.stream.finished:
            return None
        logprobs, self._logprobs = tuple(self._logprobs), []
        return Piece(self.index, text, self.stream.finished, logprobs=logprobs)

    def close(self) -> None:
        """Free sampler and form."""
        self._sampler.close()
        if self.form is not None:
            self.form.close()


@dataclass
class Wave:
    """The prompts that are decoded together, until all their replies are over."""

    model: Weights
    context: Batches
    cache: PrefixCache
    usage: TokenCount
    request: BatchRequest
    sequences: Sequence[int]
    """The runtime's numbers for sequences of replies; the cache has those of kept prompts."""
    replies: list[DecodedReply] = field(default_factory=list)
    _queue: list[tuple[int, int, int, bool]] = field(default_factory=list)
    _queued: list[PromptTokens] = field(default_factory=list)

    def run(self, waiting: deque[PromptTokens]) -> Iterator[Piece]:
        """Take as many prompts as fit from the queue and decode them to their ends."""
        try:
            yield from self._prefill(waiting)
            yield from self._decode()
            self._keep_replies()
        finally:
            if self.request.reading is not None:
                self.request.reading.watch.end()
            for reply in self.replies:
                reply.close()
                self.context.cut_sequence(reply.sequence)
            self.cache.release()

    def _prefill(self, waiting: deque[PromptTokens]) -> Iterator[Piece]:
        taken = 0
        while waiting and (taken + 1) * self.request.n <= len(self.sequences):
            prompt = waiting[0]
            found = self._find(prompt)
            if found.waits:
                yield from self._flush()
                found = self._find(prompt)
            prompt.prefix = self.cache.open(
                prompt.tokens, found, self.request.room, adapted=self.request.adapted
            )
            if prompt.prefix is None:
                break
            waiting.popleft()
            taken += 1
            self.usage.prompt += len(prompt.tokens)
            self.usage.calls += 1
            yield from self._enqueue(prompt, found.shared)
        yield from self._flush()

    def _find(self, prompt: PromptTokens) -> SharedPrefix:
        """Return the kept prompt that begins alike; none where attention needs every row."""
        if self.request.reading is None:
            return self.cache.find(prompt.tokens, adapted=self.request.adapted)
        self.cache.forget()
        self.context.clear()
        self.request.reading.begin()
        return SharedPrefix(None, 0)

    def _enqueue(self, prompt: PromptTokens, start: int) -> Iterator[Piece]:
        assert prompt.prefix is not None  # noqa: S101 -- opened by the caller
        self._queued.append(prompt)
        final = len(prompt.tokens) - 1
        for position in range(start, len(prompt.tokens)):
            row = (prompt.tokens[position], position, prompt.prefix.sequence, position == final)
            self._queue.append(row)
            if len(self._queue) == self.context.chunk:
                yield from self._flush()

    def _flush(self) -> Iterator[Piece]:
        """Run the queued rows and begin the replies to prompts that are whole now."""
        if not self._queue:
            return
        rows, self._queue = self._queue, []
        if self.request.reading is not None:
            self.request.reading.watch.expect(rows[0][1], len(rows))
        self._run(rows)
        self.usage.computed += len(rows)
        ran = {sequence: position + 1 for _, position, sequence, _ in rows}
        ends = {sequence: row for row, (*_, sequence, wanted) in enumerate(rows) if wanted}
        prompts, self._queued = self._queued, []
        for prompt in prompts:
            assert prompt.prefix is not None  # noqa: S101
            sequence = prompt.prefix.sequence
            prompt.prefix.computed = ran.get(sequence, prompt.prefix.computed)
            if sequence in ends:
                yield from self._begin(prompt, ends[sequence])
            else:
                self._queued.append(prompt)

    def _run(self, rows: list[tuple[int, int, int, bool]]) -> None:
        stopped = self.request.stopped
        if stopped is not None and stopped():
            raise Cancelled
        self.context.decode(rows, stopped, adapted=self.request.adapted)

    def _begin(self, prompt: PromptTokens, row: int) -> Iterator[Piece]:
        """Say what was watched, and draw the first token of each reply."""
        assert prompt.prefix is not None  # noqa: S101
        if self.request.reading is not None:
            columns = self.request.reading.end()
            yield Piece(prompt.index * self.request.n, "", columns=columns)
        if self.request.watch:
            scores = log_softmax(self.context.logits(row))
            watched = tuple(float(scores[token]) for token in self.request.watch)
            yield Piece(prompt.index * self.request.n, "", watched=watched)
        begun = []
        for i in range(self.request.n):
            sequence = self.sequences[len(self.replies)]
            self.context.copy_sequence(prompt.prefix.sequence, sequence)
            sampler = self.context.sampler(self.request.sampling, self.request.sampling.seed + i)
            begun.append(DecodedReply(prompt, i, sequence, self.request, sampler))
            self.replies.append(begun[-1])
        yield from self._draw(dict.fromkeys(begun, row))

    def _decode(self) -> Iterator[Piece]:
        while live := [reply for reply in self.replies if not reply.stream.finished]:
            self._run([(r.tokens[-1], r.position, r.sequence, True) for r in live])
            yield from self._draw({reply: row for row, reply in enumerate(live)})

    def _draw(self, rows: dict[DecodedReply, int]) -> Iterator[Piece]:
        """Draw for each reply from its row, then yield: the next batch overwrites the logits."""
        pieces = []
        scores = self._scores(set(rows.values()))
        for reply, row in rows.items():
            token = reply.draw(self.context, row)
            logprob = float(scores[row][token]) if scores else None
            piece = reply.piece(reply.read(token, self.model, self.usage, logprob))
            if piece is not None:
                pieces.append(piece)
        yield from pieces

    def _scores(self, rows: set[int]) -> dict[int, npt.NDArray[np.float64]]:
        """Return the rows' log-probabilities, where asked for."""
        if not self.request.logprobs:
            return {}
        return {row: log_softmax(self.context.logits(row)) for row in rows}

    def _keep_replies(self) -> None:
        """Leave single replies in the cache: the next turn of a chat begins with them."""
        if self.request.n > 1:
            return
        for reply in self.replies:
            prefix = reply.prompt.prefix
            if prefix is not None and len(reply.tokens) > 1:
                self.cache.add_reply(prefix, reply.tokens[:-1], reply.sequence)

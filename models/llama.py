"""A `Generator` over llama.cpp: one prefill, K sequences decoded in one batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from models.errors import ContextExceeded
from models.llama_api import LlamaContext, LlamaModel, LlamaSampler, self_test
from models.protocols import Message, Piece, Sampling, TokenCount
from models.streaming import TextStream

CHUNK = 256
"""Prompt tokens per decode call. Shorter ones prefill slower, longer ones delay Ctrl-C."""
MAX_SEQUENCES = 8
DEFAULT_CONTEXT = 8192


def load_llama(
    path: Path, model_id: str, *, context: int = DEFAULT_CONTEXT, gpu_layers: int = -1
) -> LlamaGenerator:
    """Load a verified GGUF file. Raises `RuntimeFailed`.

    `context` is in tokens, at most what the model was trained for; `gpu_layers` of -1 offloads
    everything where the build can.
    """
    self_test()
    return LlamaGenerator(LlamaModel(path, gpu_layers=gpu_layers), model_id, context)


class LlamaGenerator:
    """A GGUF model. A prompt that begins like the one before pays only for what is new."""

    def __init__(self, model: LlamaModel, model_id: str, context: int) -> None:
        """Allocate the context. Use `load_llama`."""
        self._model = model
        self._id = model_id
        self._context = LlamaContext(
            model,
            context=min(context, model.train_context),
            sequences=MAX_SEQUENCES,
            threads=_physical_cores(),
            chunk=CHUNK,
        )
        self._size = min(context, model.train_context)
        self._cached: list[int] = []
        self._usage = TokenCount()

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._id

    @property
    def context(self) -> int:
        """Tokens of prompt and replies together."""
        return self._size

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._usage

    @cached_property
    def _control_texts(self) -> list[str]:
        return [text for text in self._model.control_texts() if len(text) > 1]

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""
        return len(self._model.tokenize(text, special=False))

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Apply the chat template. Template markers inside a message are broken apart.

        A mail that contains `<|im_end|>` must not end the turn it is quoted in.
        """
        turns = [(m.role, self._defused(m.content)) for m in messages]
        return self._model.apply_template(turns) + primed

    def _defused(self, content: str) -> str:
        for text in self._control_texts:
            if text in content:
                content = content.replace(text, f"{text[0]} {text[1:]}")
        return content

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
        """Decode `n` continuations together, the prompt prefilled once.

        Raises `ContextExceeded` before any work; closing the iterator stops decoding.
        """
        if not 1 <= n <= MAX_SEQUENCES:
            raise ValueError(f"n must be 1 to {MAX_SEQUENCES}, not {n}")
        tokens = self._model.tokenize(prompt, special=True)
        self._check_room(len(tokens), n * max_tokens)
        return self._sample(tokens, n, max_tokens, sampling, stop, watch)

    def _sample(
        self,
        tokens: list[int],
        n: int,
        max_tokens: int,
        sampling: Sampling,
        stop: Sequence[str],
        watch: Sequence[str],
    ) -> Iterator[Piece]:
        last_row = self._prefill(tokens)
        if watch:
            yield Piece(0, "", watched=tuple(self._first_logprobs(last_row, watch)))
        samplers = [
            LlamaSampler(
                temperature=sampling.temperature,
                top_k=sampling.top_k,
                top_p=sampling.top_p,
                seed=sampling.seed + i,
            )
            for i in range(n)
        ]
        streams = [TextStream(stop) for _ in range(n)]
        try:
            for i in range(1, n):
                self._context.copy_sequence(0, i)
            rows = dict.fromkeys(range(n), last_row)
            for step in range(max_tokens):
                drawn = {i: samplers[i].draw(self._context, row) for i, row in rows.items()}
                for i, token in drawn.items():
                    yield from self._advance(i, token, streams[i], step + 1 == max_tokens)
                live = [i for i in drawn if not streams[i].finished]
                if not live:
                    break
                position = len(tokens) + step
                self._context.decode([(drawn[i], position, i, True) for i in live])
                rows = {i: row for row, i in enumerate(live)}
        finally:
            for sampler in samplers:
                sampler.close()
            for i in range(1, n):
                self._context.cut_sequence(i)
            self._context.cut_sequence(0, len(tokens))

    def _advance(self, index: int, token: int, stream: TextStream, last: bool) -> Iterator[Piece]:
        if self._model.is_end(token):
            text = stream.end("stop")
        else:
            self._usage.generated += 1
            text = stream.feed(self._model.piece(token))
            if last and not stream.finished:
                text += stream.end("length")
        if text or stream.finished:
            yield Piece(index, text, stream.finished)

    def next_token_logprobs(self, prompt: str, choices: Sequence[str]) -> list[float]:
        """Return the log-probability of each choice's first token right after `prompt`."""
        tokens = self._model.tokenize(prompt, special=True)
        self._check_room(len(tokens), 1)
        return self._first_logprobs(self._prefill(tokens), choices)

    def _first_logprobs(self, row: int, choices: Sequence[str]) -> list[float]:
        logits = self._context.logits(row).astype(np.float64)
        logits -= logits.max()
        normaliser = np.log(np.exp(logits).sum())
        first = [self._model.tokenize(choice, special=False)[0] for choice in choices]
        return [float(logits[token] - normaliser) for token in first]

    def _check_room(self, prompt: int, reply: int) -> None:
        if prompt + reply > self._size:
            raise ContextExceeded(
                f"The prompt has {prompt} tokens and its replies need {reply}; "
                f"{self._id} has room for {self._size}.",
                remedy="Lower --max-context or use a smaller --effort.",
            )

    def _prefill(self, tokens: list[int]) -> int:
        """Bring sequence 0 to `tokens`; return the batch row that holds the last logits."""
        shared = _common_prefix(self._cached, tokens[:-1])
        self._context.cut_sequence(0, shared)
        self._cached = tokens[:shared]
        self._usage.prompt += len(tokens)
        row = 0
        for start in range(shared, len(tokens), CHUNK):
            chunk = tokens[start : start + CHUNK]
            final = len(tokens) - 1
            self._context.decode([(t, p, 0, p == final) for p, t in enumerate(chunk, start=start)])
            self._cached = tokens[: start + len(chunk)]
            self._usage.computed += len(chunk)
            row = len(chunk) - 1
        return row

    def close(self) -> None:
        """Free cache and weights."""
        self._context.close()
        self._model.close()


def _common_prefix(one: list[int], other: list[int]) -> int:
    for i, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return i
    return min(len(one), len(other))


def _physical_cores() -> int:
    """Return the cores this process may use; hyper-threads slow llama.cpp down."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None
    return max(1, allowed or os.cpu_count() or 1)

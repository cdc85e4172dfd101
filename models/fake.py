"""A `Generator` with known replies, for tests of whatever uses one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from models.errors import ContextExceeded
from models.protocols import (
    MOST_REPLIES,
    Cancelled,
    GenerationRequest,
    Message,
    Piece,
    Stopped,
    TokenCount,
)
from models.stopping import stopped_by

Script = Sequence[str] | Callable[[str, int], str]
"""Replies in order of the calls (the last one repeats), or a function of prompt and sequence."""

Finish = Literal["stop", "length"]
LIKELY, UNLIKELY = -0.05, -5.0
"""Log-probability of every watched string."""


class FakeGenerator:
    """A `models.protocols.Generator` that writes what the test prescribes; a token is a word.

    It keeps to what callers rely on: pieces interleave over the sequences, stop strings and
    `max_tokens` end a sequence, usage counts, closing the iterator stops, `close` closes. A
    script that breaks a constraint is not corrected.
    """

    def __init__(
        self,
        model_id: str = "fake",
        replies: Script = ("I do not know.",),
        *,
        context: int = 8192,
        logprobs: Callable[[str, Sequence[str]], list[float]] | None = None,
        likely: Callable[[str], float] = lambda reply: LIKELY,
    ) -> None:
        """Keep the script; `logprobs` answers `next_token_logprobs` (default: first choice).

        `likely` is the log-probability of each token of a reply.
        """
        self.id = model_id
        self.context = context
        self.usage = TokenCount()
        self.prompts: list[str] = []
        self.requests: list[GenerationRequest] = []
        self.beginnings: list[str] = []
        self.closed = False
        self._replies = replies
        self._logprobs = logprobs
        self._likely = likely

    def count(self, text: str) -> int:
        return len(text.split())

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        turns = [f"<{message.role}>\n{message.content}\n" for message in messages]
        return "".join([*turns, f"<assistant>\n{primed}"])

    def _reply(self, prompt: str, index: int) -> str:
        if callable(self._replies):
            return self._replies(prompt, index)
        return self._replies[min(len(self.prompts), len(self._replies)) - 1]

    def sample(self, request: GenerationRequest) -> Iterator[Piece]:
        assert not self.closed, "sample() after close()"
        assert 1 <= request.n <= MOST_REPLIES, f"{request.n} replies"
        self.requests.append(request)
        stopped = stopped_by(request.stopped)
        for number, prompt in enumerate(request.prompts):
            for piece in self._replies_to(prompt, request):
                if stopped is not None and stopped():
                    raise Cancelled
                yield replace(piece, index=number * request.n + piece.index)

    def _replies_to(self, prompt: str, request: GenerationRequest) -> Iterator[Piece]:
        self._count_prompt(prompt)
        if request.watch:
            yield Piece(0, "", watched=(UNLIKELY,) * len(request.watch))
        waiting = {i: _pieces(self._reply(prompt, i), request.stop) for i in range(request.n)}
        for step in range(request.max_tokens):
            for index, words in list(waiting.items()):
                self.usage.generated += 1
                last = step + 1 >= len(words)
                out_of_room = step + 1 == request.max_tokens
                reason: Finish | None = "stop" if last else "length" if out_of_room else None
                drawn = (self._likely(" ".join(words)),) if request.logprobs else ()
                yield Piece(index, words[step] if words else "", reason, logprobs=drawn)
                if reason:
                    del waiting[index]

    def _count_prompt(self, prompt: str) -> None:
        self.prompts.append(prompt)
        self.usage.prompt += self.count(prompt)
        self.usage.calls += 1
        self.usage.computed += self.count(prompt)

    def next_token_logprobs(
        self,
        prompt: str,
        choices: Sequence[str],
        *,
        stopped: Stopped | None = None,
        adapted: bool = False,
    ) -> list[float]:
        self._count_prompt(prompt)
        if self._logprobs:
            return self._logprobs(prompt, choices)
        return [-0.05 if position == 0 else -3.0 for position in range(len(choices))]

    def keep(self, beginning: str) -> None:
        """Keep nothing, but note what was asked for. Raises `ContextExceeded`."""
        if self.count(beginning) > self.context:
            raise ContextExceeded(
                f"{self.count(beginning)} tokens are more than {self.context}.", remedy="Show less."
            )
        self.beginnings.append(beginning)

    def forget(self) -> None:
        """Do nothing, since nothing is kept."""

    def close(self) -> None:
        self.closed = True


def _pieces(reply: str, stop: Sequence[str]) -> list[str]:
    """Cut at the first stop string, then into words that keep the blank before them."""
    end = min((reply.find(mark) for mark in stop if mark in reply), default=len(reply))
    words = reply[:end].split(" ")
    return [word if position == 0 else f" {word}" for position, word in enumerate(words)]

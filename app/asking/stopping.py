"""Models that stop between two tokens, so that Escape need not wait for a stage's next event."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, cast

from models.protocols import (
    Cancelled,
    Constraint,
    Generator,
    Message,
    Piece,
    Sampling,
    Stopped,
    TokenCount,
)
from models.roles import ModelSet

if TYPE_CHECKING:
    from collections.abc import Generator as Steps


def stoppable(models: ModelSet, stopped: Callable[[], bool]) -> ModelSet:
    """Return the same models; while they decode they raise `Cancelled` once `stopped()` is true."""

    def load(model_id: str) -> Generator:
        same = model_id == models.lookahead_id
        model = models.lookahead if same else models.generator
        model.forget()  # these are new for each question
        return StoppableGenerator(model, stopped)

    return ModelSet(
        *(models.lookahead_id, models.generator_id, load),
        encoder=models.encoder_id,
        load_encoder=lambda _id: models.encoder,
        idle_seconds=models.idle_seconds,
    )


class StoppableGenerator:
    """A `Generator` that asks before every piece of text whether to go on."""

    def __init__(self, model: Generator, stopped: Callable[[], bool]) -> None:
        """Wrap a loaded model."""
        self._model = model
        self._stopped = stopped

    @property
    def id(self) -> str:
        """Catalogue id."""
        return self._model.id

    @property
    def context(self) -> int:
        """Tokens of prompt and reply together."""
        return self._model.context

    @property
    def usage(self) -> TokenCount:
        """Running totals since loading."""
        return self._model.usage

    @property
    def closed(self) -> bool:
        """Whether the weights are freed."""
        return self._model.closed

    def count(self, text: str) -> int:
        """Return the number of tokens in `text`, without special tokens."""
        return self._model.count(text)

    def render(self, messages: Sequence[Message], primed: str = "") -> str:
        """Apply the model's chat template."""
        return self._model.render(messages, primed)

    def sample(
        self,
        prompt: str,
        *,
        n: int = 1,
        max_tokens: int,
        sampling: Sampling,
        stop: Sequence[str] = (),
        watch: Sequence[str] = (),
        constraint: Constraint | None = None,
        logprobs: bool = False,
        stopped: Stopped | None = None,
    ) -> Iterator[Piece]:
        """Decode as the model does. Raises `Cancelled`."""
        return self._checked(
            self._model.sample(
                prompt,
                n=n,
                max_tokens=max_tokens,
                sampling=sampling,
                stop=stop,
                watch=watch,
                constraint=constraint,
                logprobs=logprobs,
                stopped=stopped or self._stopped,
            )
        )

    def sample_many(
        self,
        prompts: Sequence[str],
        *,
        n: int = 1,
        max_tokens: int,
        sampling: Sampling,
        stop: Sequence[str] = (),
        watch: Sequence[str] = (),
        constraint: Constraint | None = None,
        logprobs: bool = False,
        stopped: Stopped | None = None,
    ) -> Iterator[Piece]:
        """Decode as the model does. Raises `Cancelled`."""
        return self._checked(
            self._model.sample_many(
                prompts,
                n=n,
                max_tokens=max_tokens,
                sampling=sampling,
                stop=stop,
                watch=watch,
                constraint=constraint,
                logprobs=logprobs,
                stopped=stopped or self._stopped,
            )
        )

    def _checked(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        with closing(cast("Steps[Piece, None, None]", pieces)):
            self._check()
            for piece in pieces:
                self._check()
                yield piece

    def next_token_logprobs(
        self, prompt: str, choices: Sequence[str], *, stopped: Stopped | None = None
    ) -> list[float]:
        """Return the log-probability of each choice's first token. Raises `Cancelled`."""
        self._check()
        return self._model.next_token_logprobs(prompt, choices, stopped=stopped or self._stopped)

    def keep(self, beginning: str) -> None:
        """Compute and keep a beginning."""
        self._model.keep(beginning)

    def forget(self) -> None:
        """Drop what the model keeps of earlier prompts."""
        self._model.forget()

    def close(self) -> None:
        """Free the weights."""
        self._model.close()

    def _check(self) -> None:
        if self._stopped():
            raise Cancelled

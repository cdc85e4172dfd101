"""The models that took part in an answer, and their tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelTokens:
    """Tokens one model handled for this answer."""

    prompt: int = 0
    """Input tokens over all calls, cached or not (effective context length)."""
    computed: int = 0
    generated: int = 0
    calls: int = 0
    """Prompts, of batches each one."""

    def __add__(self, other: ModelTokens) -> ModelTokens:
        """Return both together."""
        return ModelTokens(
            self.prompt + other.prompt,
            self.computed + other.computed,
            self.generated + other.generated,
            self.calls + other.calls,
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens by role."""

    lookahead: ModelTokens = ModelTokens()
    generator: ModelTokens = ModelTokens()
    encoder: ModelTokens = ModelTokens()

    @property
    def effective_context(self) -> int:
        """Input tokens of both language models over all calls (Inference scaling section 3.1)."""
        return self.lookahead.prompt + self.generator.prompt


@dataclass(frozen=True, slots=True)
class ModelIds:
    """Catalogue ids of the models that took part; None where a role was not used."""

    lookahead: str | None = None
    generator: str | None = None
    encoder: str | None = None

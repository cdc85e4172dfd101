"""Lends the models of one question, and counts their tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from engine.answer_parts import ModelTokens
from engine.budget.work import RoleName
from engine.toolbox.budget import QuestionBudget
from models.encoder import Encoder
from models.protocols import AttentionReader, AttentiveGenerator, Generator, TokenCount
from models.roles import ModelSet
from models.sparse import SparseEncoder

Lent = TypeVar("Lent", Generator, AttentiveGenerator, Encoder, SparseEncoder, AttentionReader)


@dataclass(frozen=True, kw_only=True)
class Lender:
    """The models of one question. Tokens handled while a model is lent count for the budget."""

    roles: ModelSet
    """The models themselves, for what costs nothing: ids, contexts, token counts."""
    budget: QuestionBudget

    def lend(self, role: RoleName) -> AbstractContextManager[Generator]:
        """Lend a language model. Raises `TimeSpent` when no time is left."""
        return self._lent(lambda: self.of(role), role)

    def lend_encoder(self) -> AbstractContextManager[Encoder]:
        """Lend the encoder. Raises `ModelMissing` where there is none, and as `lend`."""
        return self._lent(lambda: self.roles.encoder, "encoder")

    def lend_sparse_encoder(self) -> AbstractContextManager[SparseEncoder]:
        """Lend the encoder that weighs words. Raises as `lend_encoder`."""
        return self._lent(lambda: self.roles.sparse_encoder, "sparse_encoder")

    def lend_attention(self) -> AbstractContextManager[AttentionReader]:
        """Lend the reader of the look-ahead model's attention; its tokens count as that model's.

        Raises `ModelMissing` and `RuntimeFailed` where its attention cannot be read, and as `lend`.
        """
        return self._lent(lambda: self.roles.attention, "lookahead")

    def lend_attentive(self) -> AbstractContextManager[AttentiveGenerator]:
        """Lend the look-ahead model, loaded so that it shows attention. Raises as the two above."""
        return self._lent(lambda: self.roles.attentive_lookahead, "lookahead")

    def of(self, role: RoleName) -> Generator:
        """Return the model of a role; nothing is counted."""
        model: Generator = getattr(self.roles, role)
        return model

    @contextmanager
    def _lent(self, load: Callable[[], Lent], role: str) -> Iterator[Lent]:
        self.budget.require_time()
        model = load()
        before = replace(model.usage)
        try:
            yield model
        finally:
            self.budget.count(role, since(before, model.usage))


def since(before: TokenCount | ModelTokens, after: TokenCount | ModelTokens) -> ModelTokens:
    """Return the tokens between two readings of a model's counter."""
    return ModelTokens(
        after.prompt - before.prompt,
        after.computed - before.computed,
        after.generated - before.generated,
        after.calls - before.calls,
    )

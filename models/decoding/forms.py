"""Replies in a given form: which tokens may come next.

Choices and beginnings are followed byte by byte, so every way to cut a choice into tokens is
allowed and the model takes the one it knows. Grammars are the runtime's own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from models.decoding.runtime import TokenGrammar, Weights
from models.protocols import Choices, Constraint, Grammar, OtherBeginnings

AFTER_ANY = b"\xff" * 8
"""Sorts after every continuation of a token's bytes, since UTF-8 has no byte 0xFF."""


class Vocabulary:
    """All tokens by their bytes."""

    def __init__(self, pieces: Sequence[bytes], ends: Sequence[int]) -> None:
        """Sort them. `ends` are the tokens that end a reply; those without bytes are left out."""
        self.pieces = pieces
        self.ends = frozenset(ends)
        tokens = [t for t, piece in enumerate(pieces) if piece and t not in self.ends]
        self._sorted = sorted(tokens, key=lambda token: pieces[token])
        self._keys = [pieces[token] for token in self._sorted]
        self._spelt = {b"": True}

    def spelling(self, text: bytes) -> list[int]:
        """Return the tokens that `text` begins with, if others can spell the rest."""
        found: list[int] = []
        for size in range(1, len(text) + 1):
            tokens = self._between(text[:size], text[:size] + b"\0")
            if tokens and self._spells(text[size:]):
                found += tokens
        return found

    def _spells(self, text: bytes) -> bool:
        if text not in self._spelt:
            self._spelt[text] = bool(self.spelling(text))
        return self._spelt[text]

    def beyond(self, text: bytes) -> list[int]:
        """Return the tokens that begin with `text` and are longer."""
        return self._between(text + b"\0", text + AFTER_ANY)

    def _between(self, low: bytes, high: bytes) -> list[int]:
        return self._sorted[bisect_left(self._keys, low) : bisect_left(self._keys, high)]


class Form(Protocol):
    """What may follow in one reply; each sequence has a form of its own."""

    @property
    def complete(self) -> bool:
        """Whether the reply is over: nothing may follow."""

    def restrict(self, logits: npt.NDArray[np.float32]) -> None:
        """Put minus infinity where a token must not follow, before one is drawn."""

    def allows(self, token: int) -> bool:
        """Say whether a token drawn without `restrict` may follow."""

    def accept(self, token: int) -> None:
        """Go on with an allowed token."""

    def close(self) -> None:
        """Free what it holds."""


class OneOf:
    """A reply that begins with one of some strings, or is one of them."""

    def __init__(self, vocabulary: Vocabulary, texts: Sequence[str], *, alone: bool) -> None:
        """With `alone`, nothing may follow the string."""
        if not texts or not all(texts):
            raise ValueError("a choice needs strings, and none of them empty")
        self._vocabulary = vocabulary
        self._alone = alone
        self._rests = list(dict.fromkeys(text.encode() for text in texts))
        self._allowed = self._find()
        if not self._allowed:
            raise ValueError("the model's vocabulary cannot spell this choice")

    @property
    def complete(self) -> bool:
        """Whether a string is complete and no longer one remains possible."""
        return self._alone and self._rests == [b""]

    def _find(self) -> list[int] | None:
        """Return the tokens that may follow; None: any."""
        spelt = b"" in self._rests
        if spelt and not self._alone:
            return None
        allowed = set(self._vocabulary.ends) if spelt else set()
        for rest in self._rests:
            allowed.update(self._vocabulary.spelling(rest))
            if not self._alone:
                allowed.update(self._vocabulary.beyond(rest))
        return sorted(allowed)

    def restrict(self, logits: npt.NDArray[np.float32]) -> None:
        """Put minus infinity on all but the allowed tokens."""
        if self._allowed is None:
            return
        kept = logits[self._allowed]
        logits[:] = -np.inf
        logits[self._allowed] = kept

    def allows(self, token: int) -> bool:
        """Say whether the token is among the allowed ones."""
        return self._allowed is None or token in self._allowed

    def accept(self, token: int) -> None:
        """Keep the strings that the token spells on."""
        if self._allowed is None:
            return
        piece = b"" if token in self._vocabulary.ends else self._vocabulary.pieces[token]
        going_on = [rest[len(piece) :] for rest in self._rests if rest.startswith(piece)]
        passed = [b"" for rest in self._rests if not self._alone and piece.startswith(rest)]
        self._rests = list(dict.fromkeys([*passed, *going_on])) if piece else [b""]
        self._allowed = self._find()

    def close(self) -> None:
        """Do nothing, since nothing is held."""


class NoneOf:
    """A reply that begins with none of some tokens."""

    complete = False

    def __init__(self, tokens: Sequence[int]) -> None:
        """Bar them until a first token is drawn."""
        self._barred = list(tokens)

    def restrict(self, logits: npt.NDArray[np.float32]) -> None:
        """Put minus infinity on the barred tokens."""
        logits[self._barred] = -np.inf

    def allows(self, token: int) -> bool:
        """Say whether the token is not barred."""
        return token not in self._barred

    def accept(self, token: int) -> None:
        """Bar nothing from here on."""
        self._barred = []

    def close(self) -> None:
        """Do nothing, since nothing is held."""


class Grammatical:
    """A reply that follows a grammar. The runtime allows its end where the grammar does."""

    complete = False

    def __init__(self, grammar: TokenGrammar) -> None:
        """Begin at the grammar's root."""
        self._grammar = grammar

    def restrict(self, logits: npt.NDArray[np.float32]) -> None:
        """Ask about every token."""
        self._grammar.mask(logits)

    def allows(self, token: int) -> bool:
        """Ask about one token, thousands of times cheaper."""
        return self._grammar.allows(token)

    def accept(self, token: int) -> None:
        """Go on."""
        self._grammar.accept(token)

    def close(self) -> None:
        """Free the grammar."""
        self._grammar.close()


def form_of(constraint: Constraint, model: Weights, vocabulary: Vocabulary) -> Form:
    """Return the form of one sequence. Raises `ValueError` for what cannot be followed."""
    if isinstance(constraint, Grammar):
        return Grammatical(model.grammar(constraint.gbnf))
    if isinstance(constraint, OtherBeginnings):
        if not all(constraint.texts):
            raise ValueError("an empty string begins every reply")
        return NoneOf([model.tokenize(text, special=False)[0] for text in constraint.texts])
    alone = isinstance(constraint, Choices)
    return OneOf(vocabulary, constraint.texts, alone=alone)

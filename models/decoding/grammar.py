"""Grammars for runtimes without one of their own: llguidance over a model's pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from models.errors import RuntimeFailed

try:
    from llguidance import LLMatcher, LLTokenizer
    from llguidance.gbnf_to_lark import GbnfToLarkError, any_to_lark
except ImportError as error:
    raise RuntimeFailed(
        "Replies cannot be held to a grammar: llguidance is not installed.",
        remedy="Run `pip install 'askance[torch]'`.",
    ) from error


Spell = Callable[[str], list[int]]
"""Cuts a text into tokens and treats control tokens in it as text."""


class Pieces:
    """What llguidance needs of a tokenizer."""

    bos_token_id = None
    is_tokenizer_wrapper = True

    def __init__(self, pieces: Sequence[bytes], ends: Sequence[int], spell: Spell) -> None:
        """Pieces without bytes, and those that end a reply, are control tokens."""
        self.eos_token_id = ends[0] if ends else 0
        self.tokens = list(pieces)
        self.special_token_ids = sorted({*ends, *(i for i, p in enumerate(pieces) if not p)})
        self._spell = spell

    def __call__(self, text: str | bytes) -> list[int]:
        """Cut text that a grammar prescribes as the model would cut it."""
        return self._spell(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def grammars(
    pieces: Sequence[bytes], ends: Sequence[int], spell: Spell
) -> Callable[[str], GuidedGrammar]:
    """Return what parses a grammar for this vocabulary. It takes about a second, once."""
    tokenizer = LLTokenizer(
        Pieces(pieces, ends, spell),  # type: ignore[arg-type]  # their wrapper adds nothing
        n_vocab=len(pieces),
        eos_token=list(ends),
    )
    return lambda gbnf: GuidedGrammar(tokenizer, gbnf)


class GuidedGrammar:
    """A grammar and how far a reply has come in it."""

    def __init__(self, tokenizer: LLTokenizer, gbnf: str) -> None:
        """Parse it. Raises `ValueError`."""
        try:
            lark = any_to_lark(gbnf)
        except (GbnfToLarkError, ValueError, IndexError, KeyError) as error:
            raise ValueError(f"this grammar cannot be read: {error}") from error
        self._matcher = LLMatcher(tokenizer, LLMatcher.grammar_from_lark(lark), log_level=0)
        self._check()

    def _check(self) -> None:
        if self._matcher.is_error():
            raise ValueError(f"this grammar cannot be followed: {self._first_line()}")

    def _first_line(self) -> str:
        return next(iter(self._matcher.get_error().splitlines()), "no reason given")

    def allows(self, token: int) -> bool:
        """Say whether the reply may go on with this token."""
        return self._matcher.validate_tokens([token]) == 1

    def mask(self, logits: npt.NDArray[np.float32]) -> None:
        """Forbid, in place, what the grammar does."""
        bits = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        allowed = np.unpackbits(bits, bitorder="little")[: len(logits)]
        logits[: len(allowed)][allowed == 0] = -np.inf
        logits[len(allowed) :] = -np.inf

    def accept(self, token: int) -> None:
        """Go on with an allowed token."""
        self._matcher.consume_token(token)
        self._check()

    def close(self) -> None:
        """Do nothing, since Python frees it."""

"""A transformers tokenizer as bytes: what each token writes, and which end a reply."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from models.decoding.runtime import TokenGrammar
from models.decoding.text_stream import CLOSE, OPEN
from models.errors import RuntimeFailed

END_TEXTS = frozenset(
    {
        *("<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end|>", "<|end_of_text|>", "<|eot|>"),
        *("<|endoftext|>", "<|return|>", "<end_of_turn>", "<EOT>", "<|EOT|>", "</s>"),
    }
)
"""Control tokens that end a turn even if a configuration omits them, as in llama.cpp."""
BLANK = "\u2581"
"""What SentencePiece writes for a space."""


class TorchTokens:
    """The vocabulary of a model. Every piece of text comes back byte by byte."""

    adds_bos: bool
    chat_template: bytes | None

    def __init__(self, tokenizer: Any, size: int, ends: Sequence[int]) -> None:
        """Take a fast tokenizer, the number of logits and the configuration's end tokens."""
        backend = getattr(tokenizer, "backend_tokenizer", None)
        if backend is None:
            raise RuntimeFailed(
                "The model's tokenizer is of an old kind that transformers runs in Python.",
                remedy="Choose a model with a tokenizer.json, or its GGUF file.",
            )
        backend.no_truncation()
        backend.no_padding()
        self._backend = backend
        self._tokenizer = tokenizer
        self.vocab_size = size
        self._added = backend.get_added_tokens_decoder()
        self._control = {i for i, token in self._added.items() if token.special}
        known = {i for i in self._control if self._added[i].content in END_TEXTS}
        self._ends = frozenset(known | {i for i in ends if 0 <= i < size})
        first = tokenizer.bos_token_id
        self.adds_bos = first is not None and self.tokenize("", special=True) == [first]
        template = tokenizer.chat_template
        if isinstance(template, dict):
            template = template.get("default")
        self.chat_template = template.encode("utf-8", "replace") if template else None

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Return token ids; with `special`, template markers become their control tokens."""
        self._backend.encode_special_tokens = not special
        whole = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._backend.encode(whole, add_special_tokens=special).ids
        return ids

    @cached_property
    def pieces(self) -> list[bytes]:
        """The bytes of every token; empty for control tokens, but for thought marks."""
        to_bytes = self._to_bytes()
        pieces = [b""] * self.vocab_size
        for text, token in self._backend.get_vocab(with_added_tokens=False).items():
            if token < self.vocab_size:
                pieces[token] = to_bytes(text)
        for token, added in self._added.items():
            shown = token not in self._control or added.content in (OPEN, CLOSE)
            if token < self.vocab_size:
                pieces[token] = added.content.encode() if shown else b""
        return pieces

    def _to_bytes(self) -> Callable[[str], bytes]:
        if "ByteLevel" in repr(self._backend.decoder):
            table = byte_level()
            return lambda text: bytes(table[char] for char in text if char in table)
        return sentence_piece

    def piece(self, token: int) -> bytes:
        """Return the bytes of one token."""
        return self.pieces[token]

    @property
    def ends(self) -> list[int]:
        """The tokens that end a reply."""
        return sorted(self._ends)

    def is_end(self, token: int) -> bool:
        """Say whether the token ends a reply."""
        return token in self._ends

    def control_texts(self) -> list[str]:
        """Return the written forms of all control tokens, longest first."""
        return sorted((self._added[i].content for i in self._control), key=len, reverse=True)

    def first_and_last_texts(self) -> tuple[str, str]:
        """Return what a template calls `bos_token` and `eos_token`; empty where there is none."""
        return self._tokenizer.bos_token or "", self._tokenizer.eos_token or ""

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str | None:
        """Return None: no template is built in, each is rendered in its sandbox."""
        return None

    def grammar(self, gbnf: str) -> TokenGrammar:
        """Parse a grammar. Raises `ValueError`, `RuntimeFailed` without llguidance."""
        return self._new_grammar(gbnf)

    @cached_property
    def _new_grammar(self) -> Callable[[str], TokenGrammar]:
        from models.decoding.grammar import grammars  # llguidance is part of the extra

        return grammars(self.pieces, self.ends, partial(self.tokenize, special=False))


def byte_level() -> dict[str, int]:
    """Return which byte a character of GPT-2's alphabet stands for.

    Printable characters of Latin-1 stand for themselves, the other bytes, in order, for those
    from U+0100 on.
    """
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(b): b for b in plain} | {chr(256 + i): b for i, b in enumerate(rest)}


def sentence_piece(text: str) -> bytes:
    """Return a token's bytes where `<0x0A>` is a byte and U+2581 a space."""
    if len(text) == 6 and text.startswith("<0x") and text.endswith(">"):
        return bytes([int(text[3:5], 16)])
    return text.replace(BLANK, " ").encode()

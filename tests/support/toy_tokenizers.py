"""Tokenizers of two kinds, trained on the spot; they give what each token of a text decodes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def byte_level(texts: Sequence[str], size: int = 400) -> Callable[[str], list[bytes]]:
    """Return the encoding of a byte-level BPE, as GPT-2's."""
    import tokenizers

    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, initial_alphabet=alphabet, show_progress=False
    )
    model.train_from_iterator(texts, trainer)
    byte_of = {letter: bytes([byte]) for byte, letter in _byte_letters().items()}

    def encode(text: str) -> list[bytes]:
        tokens = model.encode(text).tokens
        return [b"".join(byte_of[letter] for letter in token) for token in tokens]

    return encode


def _byte_letters() -> dict[int, str]:
    """How GPT-2 writes bytes as letters: printable ones as they are, the others from 256 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    return letters | {byte: chr(256 + number) for number, byte in enumerate(others)}


def unigram(texts: Sequence[str], size: int = 200) -> Callable[[str], list[bytes]]:
    """Return the encoding of a unigram model as SentencePiece's.

    A blank is put in front, and the end of a line is a token by itself.
    """
    import tokenizers

    model = tokenizers.Tokenizer(tokenizers.models.Unigram())
    model.pre_tokenizer = tokenizers.pre_tokenizers.Sequence(
        [
            tokenizers.pre_tokenizers.Split("\n", "isolated"),
            tokenizers.pre_tokenizers.Metaspace(prepend_scheme="first"),
        ]
    )
    trainer = tokenizers.trainers.UnigramTrainer(
        vocab_size=size,
        initial_alphabet=sorted(set("".join(texts))),
        show_progress=False,
        unk_token="<unk>",
    )
    model.train_from_iterator(texts, trainer)

    def encode(text: str) -> list[bytes]:
        return [token.replace("▁", " ").encode() for token in model.encode(text).tokens]

    return encode

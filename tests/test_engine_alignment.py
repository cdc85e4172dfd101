"""The sentences of a text are found among its tokens, whatever kind the tokenizer is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from engine.attention.reaction import tokens_of
from engine.language.sentences import Span, sentence_spans
from models.decoding.columns import spans
from tests.support.in_store import weights_of
from tests.support.toy_tokenizers import byte_level, unigram

TEXT = (
    "The lease was signed by Berta Lindqvist in Harlow. It ends on 31 December 2026. "
    "Who keeps the keys?  The harbour office does. It opens at nine.The club meets there "
    "every Thursday, unless the lease forbids it.\nTomas Veld repairs the roof in May. "
    "Ærø's ferry — blå, naïve — costs 3 €. 租约于三月开始。谁签的\uff1f 😀 Done."
)


def decoded(pieces: Sequence[bytes], text: str, sentences: Sequence[Span]) -> list[str]:
    """Return what each sentence's tokens decode to; of a token across two, each its letters."""
    places = spans(pieces, text)
    blanks = max(0, sum(map(len, pieces)) - len(text.encode("utf-8", "replace")))
    found = []
    for (begin, end), (first, last) in zip(sentences, tokens_of(places, sentences), strict=True):
        before = begin - int(places[first, 0]) if first < last else 0
        before += 0 if first else blanks  # SentencePiece puts one before the text
        joined = b"".join(pieces[first:last]).decode("utf-8", "replace")
        found.append(joined[before:][: end - begin])
    return found


def check(pieces: Sequence[bytes], text: str) -> None:
    places = sentence_spans(text)
    assert decoded(pieces, text, places) == [text[begin:end] for begin, end in places]


def test_a_token_across_two_sentences_belongs_to_both() -> None:
    pieces, text = [b"It", b" was", b".T", b"he", b" end", b"."], "It was.The end."
    found = tokens_of(spans(pieces, text), [(0, 7), (7, 15)])
    assert [(int(first), int(last)) for first, last in found] == [(0, 3), (2, 6)]
    assert decoded(pieces, text, [(0, 7), (7, 15)]) == ["It was.", "The end."]


def of_letters(_: Sequence[str]) -> Callable[[str], list[bytes]]:
    """A byte a token: the finest there is."""
    return lambda text: [bytes([byte]) for byte in text.encode()]


KINDS: dict[str, Callable[[Sequence[str]], Callable[[str], list[bytes]]]] = {
    "byte-level BPE": byte_level,
    "unigram": unigram,
    "bytes": of_letters,
}


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_are_found_on_tokenizers_of_every_kind(kind: str) -> None:
    pytest.importorskip("tokenizers")
    text = TEXT.replace("\n", " ").replace("  ", " ") if kind == "unigram" else TEXT
    check(KINDS[kind]([text])(text), text)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model_id", ["smollm2-135m-instruct-q4_1", "qwen2.5-coder-0.5b-instruct-q4_k_m"]
)
def test_sentences_are_found_on_the_tokenizers_of_real_models(model_id: str) -> None:
    from models.llama.library import self_test
    from models.llama.model import LlamaModel

    file = weights_of(model_id)
    self_test()
    model: Any = LlamaModel(file, gpu_layers=0)
    try:
        tokens = model.tokenize(TEXT, special=False)
        check([model.piece(token) for token in tokens], TEXT)
    finally:
        model.close()

"""YOURA on SmolLM2-135M: what it finds, and that no text is too odd for a real tokenizer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from engine.attention.compression import sentences_of
from engine.attention.reaction import Measure
from engine.attention.sentence_attention import MARGIN, QUERY, Way, attend, windows
from models.llama.attention import LlamaAttentionReader, load_llama_attention
from models.store.catalogue import load_catalogue
from tests.support.in_store import weights_of
from tests.support.toy_attention import CLUB, QUESTION, passages_of

pytestmark = pytest.mark.slow

SMALL = "smollm2-135m-instruct-q4_1"
CONTEXT = 512
HARBOUR = (
    "The harbour opens at nine. The boathouse was painted green in spring. Boats are moored along "
    "the pier. The lease of the boathouse was signed by Berta Lindqvist. Rain is common here."
)
SAILING = (
    "The sailing club meets on Thursdays. Tomas keeps the keys of the club. Tea is served at four. "
    "Members pay forty euros in January."
)


@pytest.fixture(scope="module")
def reader() -> Iterator[LlamaAttentionReader]:
    loaded = load_llama_attention(weights_of(SMALL), SMALL, context=CONTEXT)
    yield loaded
    loaded.close()


ODD = {
    "no full stops": "the keys of the club are with Tomas and nobody else has any",
    "one endless sentence": "word " * 900 + "keys",
    "no blanks": "x" * 1500,
    "chinese": "租约于三月开始。钥匙在托马斯那里。俱乐部周五开会。",
    "chinese without an end": "租约于三月开始钥匙在托马斯那里" * 40,
    "arabic": "بدأ العقد في مارس. المفاتيح مع توماس. يجتمع النادي يوم الجمعة.",
    "emoji": "😀👩\u200d👩\u200d👧\u200d👦" * 60,
    "hieroglyphs": "𓀀𓂀𓃰" * 160,
    "many marks": "k̷̢̛͚̈́e̵y̶s" * 40,
    "half a surrogate pair": "Tomas has \ud800 the keys. Yes.",
    "a zero byte": "a\x00b. The keys.",
    "control tokens": "<|im_start|>system<|im_end|> has the keys. Yes it is.",
    "blank": " \n\n ",
}


@pytest.mark.parametrize("name", ODD)
def test_every_text_is_read(reader: LlamaAttentionReader, name: str) -> None:
    """Others are not given up for one that is longer than a window, and score as they should."""
    passages = passages_of(ODD[name], "", CLUB)
    sentences = sentences_of(passages)
    scores = attend(reader, passages, sentences, QUESTION, Way((0,)))
    assert np.isfinite(scores).all()
    assert (scores[-2:] > 0).all()
    if name not in ("blank",):
        assert scores[:-2].max() > 0


def test_windows_fit_the_model(reader: LlamaAttentionReader) -> None:
    passages = passages_of(*[f"Row {i}: keys." for i in range(160)])
    sentences = sentences_of(passages)
    for room in (200, CONTEXT - reader.count(QUERY.format(QUESTION)) - MARGIN, 2020):
        found = windows(passages, sentences, reader.count, room)
        assert all(reader.count(window.text) <= room for window in found)
        assert sum(len(window.sentences) for window in found) == len(sentences)


ASKED = {
    "Who signed the lease of the boathouse?": "The lease of the boathouse was signed",
    "What colour is the boathouse?": "The boathouse was painted green",
    "Who keeps the keys of the club?": "Tomas keeps the keys",
    "When do members pay?": "Members pay forty euros",
    "When does the sailing club meet?": "The sailing club meets",
    "When does the harbour open?": "The harbour opens",
}


@pytest.mark.parametrize("measure", ["reaction", "query"])
def test_the_sentence_that_answers_reacts_most(
    reader: LlamaAttentionReader, measure: Measure
) -> None:
    """At the catalogue's layer, for four of six questions at least: by chance for less than one.

    What is first changes with the question, so no place in the text is the reason.
    """
    layer = load_catalogue().row(SMALL).reaction_layer
    passages = passages_of(HARBOUR, SAILING)
    sentences = sentences_of(passages)
    first = []
    for question, answer in ASKED.items():
        scores = attend(reader, passages, sentences, question, Way((layer,), measure=measure))
        best = sentences[int(np.argmax(scores))].place.text
        first.append(best.startswith(answer))
    assert sum(first) >= 4

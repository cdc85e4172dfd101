"""Other words for a question whose own do not occur: another language, other names for things.

The look-ahead model puts the question into the language that the files are written in; where it is
that language already, it makes up how an answer may read. What it says is only searched for: a word
that no passage holds scores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.language.languages import language_of
from engine.language.tokens import content_words
from engine.prompts.templates import render
from engine.retrieval.corpus import Corpus
from engine.values import Passage
from models.protocols import GenerationRequest, Generator, Sampling

SAMPLES = 3
TEMPERATURE = 0.7
TOKENS = 48
LOOKED_AT = 50
"""Passages, taken evenly from all, by which the language is known."""
_NOT_MEANT = frozenset(("synonyms", "synonym", "question", "english", "translation"))
"""Words of the asked form."""


def unknown_words(question: str, corpus: Corpus) -> tuple[list[str], list[str]]:
    """Return the question's words of content, and those of them that no passage holds."""
    words = list(dict.fromkeys(content_words(question)))
    held = corpus.recall.holders(words)
    return words, [word for word, count in zip(words, held, strict=True) if not count]


def expanded(model: Generator, question: str, passages: Sequence[Passage], seed: int) -> str:
    """Return words that passages with the answer may hold, each once for a sample that says it."""
    looked_at = passages[:: max(1, len(passages) // LOOKED_AT)]
    language = language_of(passage.searched for passage in looked_at) or "English"
    part = "imagine" if language_of([question]) == language else "translate"
    replies = [""] * SAMPLES
    pieces = model.sample(
        GenerationRequest(
            (render(model, "expansion", part, question=question, language=language),),
            n=SAMPLES,
            max_tokens=TOKENS,
            sampling=Sampling(TEMPERATURE, seed=seed),
            stop=("\n\n",),
        )
    )
    for piece in pieces:
        replies[piece.index] += piece.text
    own = {*content_words(question), *_NOT_MEANT}
    return " ".join(
        word for reply in replies for word in dict.fromkeys(content_words(reply)) if word not in own
    )

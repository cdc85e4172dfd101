"""Other words for a question whose own do not occur: another language, other names for things.

The look-ahead model sees how the files write, and puts the question in their words. What it says
is only searched for; what no file holds scores nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.corpus import Corpus
from engine.prompting import render
from engine.tokens import content_words
from engine.values import Passage
from models.protocols import Generator, Sampling

SAMPLES = 3
TEMPERATURE = 0.7
TOKENS = 64
LINES = 8
"""Beginnings of passages that show how the files write."""
LINE_LENGTH = 80


def unknown_words(question: str, corpus: Corpus) -> tuple[list[str], list[str]]:
    """Return the question's words of content, and those of them that no passage holds."""
    words = list(dict.fromkeys(content_words(question)))
    held = corpus.recall.holders(words)
    return words, [word for word, count in zip(words, held, strict=True) if not count]


def expanded(model: Generator, question: str, passages: Sequence[Passage], seed: int) -> str:
    """Return words that passages with the answer may hold; a word that comes often counts often."""
    prompt = render(model, "expansion", question=question, samples=_lines(passages))
    replies = [""] * SAMPLES
    pieces = model.sample(
        prompt,
        n=SAMPLES,
        max_tokens=TOKENS,
        sampling=Sampling(TEMPERATURE, seed=seed),
        stop=("\n\n",),
    )
    for piece in pieces:
        replies[piece.index] += piece.text
    own = set(content_words(question))
    said = [word for reply in replies for word in content_words(reply)]
    return " ".join(word for word in said if word not in own and word not in _FORM)


_FORM = frozenset(("question", "words"))


def _lines(passages: Sequence[Passage]) -> str:
    """Return how some passages begin, taken evenly from all of them."""
    step = max(1, len(passages) // LINES)
    shown = [" ".join(one.searched.split())[:LINE_LENGTH] for one in passages[::step][:LINES]]
    return "\n".join(f"- {line}" for line in shown)

"""What the look-ahead model makes of a follow-up that the rules leave open.

Of several readings it chooses one, by the log-probability of a letter, each reading at each
letter in turn. Where there are none it writes the question itself, one line, and what it wrote
holds only if every word of it was said before and none of the follow-up's own is lost.
"""

from __future__ import annotations

import re
from dataclasses import replace

from engine.conversation import Standalone, Turn
from engine.language.stemming import stem
from engine.language.tokens import FUNCTION_WORDS, folded_words, readable
from engine.prompts.templates import render, section
from models.protocols import GenerationRequest, Generator, Grammar

LETTERS = "ABCD"
MARGIN = 0.5
"""Log-probability by which a reading must beat the rules' own, mean over the letters."""
QUESTION_TOKENS = 48
ANSWER_SHOWN = 600
"""Characters of the last answer in the prompt."""
ONE_LINE = Grammar('root ::= [^\\n<>?]+ "?"')
SMALL = 3
"""Letters of a word that need not mean anything, in a language nobody knows here."""
_DENIALS = frozenset({"not", "no", "non", "pas", "ne", "nie", "nao", "não", "ni", "ej", "ikke"})
_NOT_CARRIED = FUNCTION_WORDS | {"ok", "okay", "please", "ones", "one"}


def by_model(model: Generator, question: str, last: Turn, found: Standalone) -> Standalone:
    """Return the model's reading, or the rules' where it has none that holds."""
    if found.choices:
        return _chosen(model, question, last, found)
    written = _written(model, question, last)
    if not _holds(written, question, last, found):
        return replace(found, sure=False)
    changed = written != question
    reason = f"After “{last.question}”" if changed else ""
    return Standalone(written, found.scope, reason, changed)


def _chosen(model: Generator, question: str, last: Turn, found: Standalone) -> Standalone:
    choices = found.choices[: len(LETTERS)]
    scores = dict.fromkeys(choices, 0.0)
    for turn in range(len(choices)):
        order = (*choices[turn:], *choices[:turn])
        labels = [
            section("follow_up", "choice", letter=letter, text=text).strip()
            for letter, text in zip(LETTERS, order, strict=False)
        ]
        prompt = _prompt(model, "choose", question, last, labels="\n".join(labels))
        said = model.next_token_logprobs(prompt, LETTERS[: len(order)])
        for text, logprob in zip(order, said, strict=True):
            scores[text] += logprob / len(order)
    best = max(choices, key=lambda text: scores[text])
    if best == found.text or scores[best] - scores[found.text] < MARGIN:
        return replace(found, sure=best == found.text)
    return replace(found, text=best, reason=f"After “{last.question}”", sure=True)


def _written(model: Generator, question: str, last: Turn) -> str:
    pieces = model.sample(
        GenerationRequest(
            (_prompt(model, "user", question, last),),
            max_tokens=QUESTION_TOKENS,
            stop=("\n",),
            constraint=ONE_LINE,
        )
    )
    return " ".join("".join(piece.text for piece in pieces).split())


def _prompt(model: Generator, part: str, question: str, last: Turn, **fields: str) -> str:
    answer = " ".join(last.answer[:ANSWER_SHOWN].split())
    return render(
        model, "follow_up", part, question=question, before=last.question, answer=answer, **fields
    )


def _holds(written: str, question: str, last: Turn, found: Standalone) -> bool:
    """Say whether a written question is made of what was said, and keeps what was asked."""
    new = _stems(written)
    names = " ".join(name for cited in last.cited for name in cited.people)
    said = _stems(f"{question} {last.question} {last.answer} {names} {found.text}")
    kept = {stem(word) for word in folded_words(question) if _must_stay(readable(word), question)}
    return bool(new) and all(word in said or _is_small(word) for word in new) and kept <= new


def _must_stay(word: str, question: str) -> bool:
    """Say whether a follow-up's word carries what it asks: long, a number, or a name or month."""
    if word in _NOT_CARRIED:
        return False
    proper = re.search(rf"(?<=\s){re.escape(word.capitalize())}\b", question) is not None
    return len(word) > SMALL or not word.isalpha() or proper


def _is_small(word: bytes) -> bool:
    """Say whether a word may be new: an article or a preposition, and nothing that denies."""
    text = readable(word)
    return len(text) <= SMALL and text.isalpha() and text not in _DENIALS


def _stems(text: str) -> set[bytes]:
    """Return the words of a text that mean something, by their stems."""
    return {stem(word) for word in folded_words(text) if readable(word) not in _NOT_CARRIED}

"""The generator's reply, and its confidence that the evidence states it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from engine.checking import abstention
from engine.checking.citation_check import MARKER
from engine.events import Steps, Token
from engine.generation.draft import Draft
from engine.generation.literal import as_written
from engine.language.tokens import content_words, words
from engine.prompts.tasks import Task
from engine.prompts.templates import render, section, show
from engine.stages import is_past
from engine.values import Passage
from models.protocols import Constraint, GenerationRequest, Generator

JUDGEMENT = 3.0
"""Weight of the log odds of Yes against No in the confidence; those of "Not found" weigh 1."""
DOUBT_AT_EVEN_ODDS = 3.6
"""Both were chosen with the starter generator on mail questions that no result reports. Together
the two signals tell right answers from answers to unanswerable questions better than either alone
(docs/decisions.md has the figures, and the method for another generator)."""

REPEATED_WORDS = 5
"""Fewest words of a sentence that may not be said twice."""

_END = re.compile(rf"[.!?]+(?=\s|$)(?:\s*{MARKER.pattern})*\s*|\n+")
"""The end of a sentence, with the citations behind it."""
_INTERROGATIVE = re.compile(r"\b(?:who|whom|whose|what|when|where|which|why|how)\b", re.IGNORECASE)
_RELATIVE_TO_NOW = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|now|next|last|latest|recently|currently|coming"
    r"|upcoming|ago|soon|this (?:morning|afternoon|evening|week|weekend|month|quarter|year))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GeneratorQuestion:
    """A question as it is put to the generator."""

    task: Task
    text: str
    today: date
    deadline: float | None = None
    """`time.monotonic` at which a reply is broken off; None: no limit."""
    remark: str = ""
    """An additional remark in a personal prompt, with a blank behind it."""

    def prompt(
        self,
        model: Generator,
        passages: Sequence[Passage],
        part: str = "answer",
        how: str | None = None,
        **fields: str,
    ) -> str:
        """Return the prompt for an answer; `how` says in which form, else what suits it."""
        how = how or section("question", "several" if asks_several(self.text) else "one")
        today = self.remark + _today(self.text, self.today)
        return self.task.prompt(model, part, self.text, passages, today=today, how=how, **fields)

    def late(self) -> bool:
        """Say whether the deadline has passed."""
        return is_past(self.deadline)


def write(
    model: Generator,
    asked: GeneratorQuestion,
    prompt: str,
    *,
    max_tokens: int | None = None,
    stop: tuple[str, ...] | None = None,
    constraint: Constraint | None = None,
) -> Steps[Draft]:
    """Yield the tokens of the likeliest reply to a prompt; return it, unjudged.

    It ends at the limit and stop strings, by default the task's, and at the deadline.
    """
    text, ended, doubt = "", False, 0.0
    pieces = model.sample(
        GenerationRequest(
            (prompt,),
            max_tokens=max_tokens or asked.task.answer_tokens,
            stop=asked.task.stop if stop is None else stop,
            watch=("Not",),
            constraint=constraint,
        )
    )
    for piece in pieces:
        if piece.watched:
            doubt = piece.watched[0]
        text += piece.text
        ended = piece.finished == "stop"
        if piece.text:
            yield Token(piece.text)
        if constraint is None and (said := _before_a_repetition(text)) is not None:
            return Draft(said, doubt=doubt)
        if asked.late() and not piece.finished:
            break
    return Draft(text.strip(), ended=ended, doubt=doubt)


def finish(
    model: Generator,
    asked: GeneratorQuestion,
    passages: Sequence[Passage],
    first: Draft,
    *,
    once: bool = False,
) -> Draft:
    """Return a personal answer with the model's confidence, in the spelling of the passages.

    Where a reply adds no word to the question, a whole sentence is asked for, unless `once` is set;
    the surer of the two is returned. All calls share the prefill of the passages.
    """
    best = checked(model, asked, passages, first)
    if not once:
        best = _surer(model, asked, passages, best)
    return replace(best, text=as_written(best.text, passages), evidence=tuple(passages))


def _surer(
    model: Generator, asked: GeneratorQuestion, passages: Sequence[Passage], first: Draft
) -> Draft:
    """Return the first reply, or a sentence the model is surer of where it adds no word.

    A name instead of the e-mail address asked for, or a bare marker, adds no word. A subject asked
    for may add none and be right. A sentence always wins over a bare marker.
    """
    if first.confidence is None or _adds(asked.text, first) or asked.late():
        return first
    prompt = asked.prompt(model, passages, how=section("question", "sentence"))
    again = checked(model, asked, passages, unshown(write(model, asked, prompt)))
    if again.confidence is None or not _content(again):
        return first
    return again if again.confidence > first.confidence or not _content(first) else first


def checked(
    model: Generator, asked: GeneratorQuestion, passages: Sequence[Passage], written: Draft
) -> Draft:
    """Return the reply with its confidence, unless it says that the passages hold no answer.

    The model is asked whether they state it, Yes against No as the first token; its odds are
    joined with those of "Not found" at the beginning of the reply.
    """
    if abstention.denies(written.text, passages):
        return written
    prompt = render(
        model, "check", passages=show(passages), question=asked.text, answer=written.text
    )
    yes, no = model.next_token_logprobs(prompt, ("Yes", "No"))
    odds = JUDGEMENT * (yes - no) - written.doubt - DOUBT_AT_EVEN_ODDS
    return replace(written, confidence=1 / (1 + math.exp(-odds)))


def _adds(question: str, written: Draft) -> bool:
    """Say whether a reply has a content word that the question has not."""
    return not _content(written) <= set(words(question))


def _content(written: Draft) -> set[str]:
    return set(content_words(MARKER.sub("", written.text)))


def unshown(steps: Steps[Draft]) -> Draft:
    """Run to the end without showing what is written."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            written: Draft = stop.value
            return written


def asks_several(question: str) -> bool:
    """Say whether a question asks more than one thing.

    Only then are sentences asked for, one for each. A single question is answered in a few words:
    small models answer it worse when they are told of several.
    """
    return len(_INTERROGATIVE.findall(question)) > 1


def _today(question: str, today: date) -> str:
    """Return a line with today's date where the question depends on it.

    Elsewhere small models take the date for an answer. A question of several parts often asks when,
    so it gets the date too.
    """
    if not (_RELATIVE_TO_NOW.search(question) or asks_several(question)):
        return ""
    return section("question", "today", date=today.strftime("%A %Y-%m-%d"))


def _before_a_repetition(text: str) -> str | None:
    """Return the text before a sentence that was just repeated; None without a repetition.

    Small models that have said all they know repeat it, up to the limit.
    """
    ends = [end.end() for end in _END.finditer(text)]
    if len(ends) < 2:
        return None
    last = text[ends[-2] : ends[-1]]
    said = words(MARKER.sub("", last))
    earlier = (text[begin:end] for begin, end in zip([0, *ends], ends[:-1], strict=False))
    if len(said) < REPEATED_WORDS or said not in (words(MARKER.sub("", one)) for one in earlier):
        return None
    return text[: ends[-2]].strip()

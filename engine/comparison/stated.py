"""Has a model state what is compared of each option, checks it against sources, and compares.

Small models find both days and then choose the wrong one: of 42 questions for one of two, first
half of 2wikimultihopqa, 22 were right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from engine.checking.citation_check import check
from engine.checking.claims import folded_names, source_of
from engine.comparison.amounts import foremost
from engine.comparison.asked import Comparison
from engine.comparison.nearest import Claimed, order_of
from engine.confidence.reasons import COMPARED
from engine.events import Decided, Steps, Token
from engine.generation.draft import Draft
from engine.generation.reply import GeneratorQuestion, write
from engine.language.tokens import FUNCTION_WORDS
from engine.prompts.templates import section
from engine.stages import unseen
from engine.values import Argument, Citation, Passage
from models.protocols import Generator

STATED_TOKENS = 48
"""Limit of what is stated of one option."""
_DIGITS = re.compile(r"\d+")
NAMED = 0.6
"""Share of an option's words that a passage must have to be about it."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a model states of an option."""

    option: str
    said: Draft
    source: Citation | None
    """Where it is from; None where no passage about the option says so."""

    def __str__(self) -> str:
        """Return `the lease: 30 June 2028`."""
        return f"{self.option}: {self.said.text}"


@dataclass(frozen=True, slots=True)
class Compared:
    """What was stated of all options, and the one that is meant."""

    statements: tuple[Stated, ...]
    """In the order of the question."""
    chosen: str | None
    """None where the statements do not tell."""

    def __str__(self) -> str:
        """Return all statements on one line."""
        return "; ".join(map(str, self.statements))

    @property
    def reply(self) -> Draft:
        """All statements as one reply of the model, to be judged."""
        logprobs = tuple(value for one in self.statements for value in one.said.logprobs)
        return Draft("\n".join(map(str, self.statements)), logprobs=logprobs)

    @property
    def lacking(self) -> tuple[str, ...]:
        """The statements without a source, without their numbers, which may be made up."""
        told = (str(one) for one in self.statements if one.source is None)
        return tuple(_DIGITS.sub("", one) for one in told)

    def answer(self, judged: Draft) -> Draft:
        """Return the judged reply as the option that is meant, with its sources."""
        sources = {(id(one.passage), one.start): one for s in self.statements if (one := s.source)}
        cited = tuple(replace(one, id=n) for n, one in enumerate(sources.values(), start=1))
        text = " ".join([self.chosen or "", *(f"[{one.id}]" for one in cited)])
        reason = Argument(f"{COMPARED}{self}", True)
        return replace(judged, text=text, citations=cited, reasons=(reason,))


def weight_of(comparison: Comparison) -> float:
    """Return how much a comparison speaks for its answer, as a signal of the confidence.

    Half as much where it is of amounts: an offer may have two that are to be added.
    """
    return 0.5 if comparison.measure == "amount" else 1.0


def compare(
    model: Generator,
    asked: GeneratorQuestion,
    evidence: Sequence[Passage],
    comparison: Comparison,
) -> Steps[Compared]:
    """State what is compared of each option, check it, and choose.

    Nothing is chosen where a statement has no source, or where two may mean the same.
    """
    said = yield from unseen(_state(model, asked, evidence, comparison))
    statements = tuple(
        Stated(option, one, _source(one.text, option, comparison, evidence, asked.text))
        for option, one in zip(comparison.options, said, strict=True)
    )
    found = Compared(statements, None)
    if found.lacking:
        yield Decided("compare", False, f"no source states all of this: {found}")
        return found
    if not comparison.of:
        found = replace(found, statements=_exchanged(statements))
    number = foremost([one.said.text for one in found.statements], comparison)
    if number is None:
        yield Decided("compare", False, f"what is stated of each does not tell: {found}")
        return found
    yield Decided("compare", True, str(found))
    yield Token(comparison.options[number])
    return replace(found, chosen=comparison.options[number])


def _exchanged(statements: Sequence[Stated]) -> tuple[Stated, ...]:
    """Return the statements with each amount at the option that its source has it of."""
    claimed = [Claimed(one.option, one.said.text, one.source) for one in statements if one.source]
    if len(claimed) < len(statements):
        return tuple(statements)
    own = [statements[number] for number in order_of(claimed)]
    return tuple(replace(its, option=one.option) for one, its in zip(statements, own, strict=True))


def _state(
    model: Generator,
    asked: GeneratorQuestion,
    evidence: Sequence[Passage],
    comparison: Comparison,
) -> Steps[list[Draft]]:
    """Return what the model states of each option, a line for each."""
    form = "\n".join(f"{option}: ..." for option in comparison.options)
    name = "compared whose" if comparison.of else "compared"
    how = section("question", name, what=comparison.what, of=comparison.of, form=form)
    prompt = asked.prompt(model, evidence, how=how)
    found: list[Draft] = []
    for option in comparison.options:
        prompt += f"{option}:"
        line = yield from write(model, asked, prompt, max_tokens=STATED_TOKENS, stop=("\n",))
        found.append(line)
        prompt += f" {line.text}\n"
    return found


def _source(
    said: str,
    option: str,
    comparison: Comparison,
    evidence: Sequence[Passage],
    question: str,
) -> Citation | None:
    """Return where a statement is from: a passage about the option.

    What is stated of another, such as its director, is from any other document: a year in its own
    is most likely its own.
    """
    if comparison.of:
        able = [one for one in evidence if not _names(folded_names(one.item.title), option)]
    else:
        able = [one for one in evidence if _names(source_of(one).names, option)]
    citations = check(said, able, question).citations
    return citations[0] if citations else None


def _names(known: Iterable[str], option: str) -> bool:
    """Say whether words of names are those of an option."""
    wanted = {word for word in folded_names(option) if word not in FUNCTION_WORDS}
    return len(wanted.intersection(known)) >= NAMED * len(wanted) > 0

"""Answers a question about who or what is described: first the name, then what is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.checking import abstention
from engine.checking.citation_check import check
from engine.checking.draft_sentences import MARKER
from engine.errors import BudgetTooSmall
from engine.events import Decided, Noted, Steps
from engine.generation.draft import Draft
from engine.question.description import Description, called_in, description_of, named_in
from engine.stages import unseen, untold
from engine.toolbox.steps import Toolbox
from engine.values import Argument

Read = Callable[[Toolbox], Steps[Draft]]


def read_by_name(tools: Toolbox, read: Read) -> Steps[Draft | None]:
    """Ask who is described, then `read` the question with that name.

    The answer is as likely as both are together, and says who or what was taken to be meant. None
    where a question describes nothing, no passage has the name, or nothing is found by that of a
    thing.
    """
    description = description_of(tools.query.text) if tools.task.personal else None
    if description is None:
        return None
    found = yield from unseen(_first_reading(tools.asking(description.who)))
    tools.timings.forget("first_token")
    said = MARKER.sub("", found.text)
    is_denied = abstention.denies(found.text, found.evidence)
    named = called_in if description.is_thing else named_in
    name = None if is_denied else named(said, description.who)
    confidence = found.confidence
    if name is None or confidence is None or confidence < tools.settings.least_confidence:
        yield Decided("sub-questions", False, f'no passage names "{description.text}"')
        return None
    yield Decided(
        "sub-questions", True, f'"{description.text}" is {name}, and is asked about by name'
    )
    steps = read(tools.asking(description.asked_of(name)))
    answer = yield from (untold(tools.timings, steps) if description.is_thing else steps)
    if not answer.text or abstention.denies(answer.text, answer.evidence):
        if not description.is_thing:
            return answer
        yield Noted(f"Nothing is found about {name}: the question is read as it stands.")
        return None
    return _joined(answer, found, name, description)


def _first_reading(tools: Toolbox) -> Steps[Draft]:
    scores = yield from tools.recall()
    try:
        chosen = tools.fit_first(scores)[::-1]
    except BudgetTooSmall:  # not one passage fits: the question itself says so
        return Draft("")
    return (yield from tools.write(tools.passages.in_order(chosen)))


def _joined(answer: Draft, found: Draft, name: str, description: Description) -> Draft:
    """Return the answer with who or what is meant, and the sources of both.

    A person's name is one by its form. What a thing is called may be something else, so that speaks
    against the answer.
    """
    said = f"{description.text[0].upper()}{description.text[1:]} is {name}."
    evidence = (*answer.evidence, *(one for one in found.evidence if one not in answer.evidence))
    confidence = (found.confidence or 0.0) * (
        1.0 if answer.confidence is None else answer.confidence
    )
    if description.is_thing:
        doubt = Argument(f"it is right only if {description.text} is {name}", False)
        answer = replace(answer, reasons=(*answer.reasons, doubt))
    if not answer.citations:
        text = f"{MARKER.sub('', answer.text).strip()}\n{said}"
        return replace(answer, text=text, evidence=evidence, confidence=confidence)
    sources = check(said, found.evidence, description.who).citations[:1]
    first = len(answer.citations) + 1
    cited = [replace(one, id=number) for number, one in enumerate(sources, start=first)]
    marks = "".join(f" [{one.id}]" for one in cited)
    return replace(
        answer,
        text=f"{answer.text}\n{said}{marks}",
        evidence=evidence,
        citations=(*answer.citations, *cited),
        confidence=confidence,
    )

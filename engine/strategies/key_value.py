"""Key-value: the best record by BM25, and the value read off it (TTRAG section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Generator as Steps
from dataclasses import dataclass
from typing import ClassVar

from engine.drafts import Draft
from engine.events import Event
from engine.prompting import render, show
from engine.recall import best_first
from engine.stages import staged
from engine.steps import Toolbox
from engine.values import Citation, Passage
from models.protocols import Sampling

RECORD_CHARACTERS = 600
"""Of a long record the model reads the part around the words asked for: under 300 tokens in all."""
VALUE_TOKENS = 64
_MEMBER = re.compile(
    r"""^[\s{]*["']?(?P<key>[^"'\n:=]{1,200}?)["']?\s*[:=]\s*"""
    r"""(?P<quote>["'])?(?P<value>(?(quote)(?:\\.|[^"\\])*|[^\n]*?))(?(quote)["'])[\s,}]*$"""
)


@dataclass(frozen=True)
class KeyValue:
    """One record is read; where it says `key: value`, not even a model is needed."""

    name: ClassVar[str] = "key_value"
    summary: ClassVar[str] = "the value of one key, read off the best record"

    def run(self, tools: Toolbox) -> Steps[Event, None, Draft]:
        """Recall, read off, verify literally."""
        scores = yield from tools.recall()
        if not scores.any():
            return Draft("", ())
        best = int(best_first(scores)[0])
        yield tools.selected("select", [best])
        record = tools.passages([best])[0]
        if stated := member_value(record, tools.query.text):
            return _draft(record, *stated)
        return (yield from staged("write", tools.timings, _read_off(tools, record)))


def member_value(record: Passage, question: str) -> tuple[int, int] | None:
    """Return where the value stands in a record `key: value` whose key the question names."""
    member = _MEMBER.match(record.text)
    if member is None or not member["value"]:
        return None
    if member["key"].strip().casefold() not in question.casefold():
        return None
    return member.span("value")


def _read_off(tools: Toolbox, record: Passage) -> Steps[Event, None, Draft]:
    """Let the model read the value; one that is not literally in the record is none."""
    yield from ()
    shown = _around(record, tools.query.text)
    with tools.metered("generator") as model:
        prompt = render(model, "value", passages=show([shown]), question=tools.query.text)
        pieces = model.sample(prompt, max_tokens=VALUE_TOKENS, sampling=Sampling(), stop=("\n",))
        reply = "".join(piece.text for piece in pieces).strip().strip("\"'.,` ")
    start = record.text.find(reply) if reply else -1
    return _draft(record, start, start + len(reply)) if start >= 0 else Draft("", (record,))


def _around(record: Passage, question: str) -> Passage:
    """Return the part of a long record around the rarest word that it shares with the question."""
    if record.end - record.start <= RECORD_CHARACTERS:
        return record
    words = sorted(re.findall(r"\w{3,}", question), key=lambda word: record.text.count(word) or 999)
    at = record.text.find(words[0]) if words else 0
    start = record.start + max(0, min(max(at, 0), len(record.text)) - RECORD_CHARACTERS // 3)
    return Passage(record.item, start, min(record.end, start + RECORD_CHARACTERS))


def _draft(record: Passage, start: int, end: int) -> Draft:
    """Return the value as the record has it, with the place where it stands."""
    begin, finish = record.start + start, record.start + end
    citation = Citation(1, record, begin, finish, "matched", support=True)
    return Draft(f"{record.item.text[begin:finish]} [1]", (record,), citations=(citation,))

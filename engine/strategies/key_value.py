"""Key-value: the best record by BM25, and the value read off it (TTRAG section 3.3)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from engine.events import Steps
from engine.generation.draft import Draft
from engine.prompts.templates import render, show
from engine.retrieval.recall import best_first
from engine.stages import staged
from engine.toolbox.steps import Toolbox
from engine.values import Citation, Passage
from models.protocols import GenerationRequest, Generator

PROMPT_TOKENS = 300
"""Most tokens of the prompt. Of a long record the model reads the part around the words asked
for."""
RECORD_CHARACTERS = 600
"""The first try. It is halved where few characters make a token, as in keys."""
LEAST_CHARACTERS = 100
"""Least part of a record that is read, however long the question."""
VALUE_TOKENS = 64
_LETTER = r"[^\W\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""Not in Chinese, Japanese and Korean, where no blank ends a word."""
_IN_WORD = rf"(?:{_LETTER}|[\d_])"
_JOINT = "[-./:@]"
"""What joins the parts of a key."""
_MEMBER = re.compile(
    r"""^[\s{]*["']?(?P<key>[^"'\n:=]{1,200}?)["']?\s*[:=]\s*"""
    r"""(?P<quote>["'])?(?P<value>(?(quote)(?:\\.|[^"\\])*|[^\n]*?))(?(quote)["'])[\s,}]*$"""
)


@dataclass(frozen=True)
class KeyValue:
    """One record is read; where it says `key: value`, not even a model is needed."""

    name: ClassVar[str] = "key_value"
    summary: ClassVar[str] = "the value of one key, read off the best record"

    def run(self, tools: Toolbox) -> Steps[Draft]:
        """Recall, read off, verify literally."""
        scores = yield from tools.recall()
        if not scores.any():
            return Draft("", ())
        hits = (int(number) for number in best_first(scores) if scores[number] > 0)
        best = next((number for number in hits if tools.passages([number])), None)
        if best is None:
            return Draft("", ())
        yield tools.passages.selected("select", [best])
        [record] = tools.passages([best])
        if stated := member_value(record, tools.query.text):
            return _draft(record, *stated)
        return (yield from staged("write", tools.timings, _read_off(tools, record)))


def member_value(record: Passage, question: str) -> tuple[int, int] | None:
    """Return the place of the value in a record `key: value` whose key the question names."""
    member = _MEMBER.match(record.text)
    if member is None or not member["value"]:
        return None
    return member.span("value") if _names(question, member["key"]) else None


def _names(question: str, key: str) -> bool:
    """Say whether the question holds the whole key: "abc-12" does not name "abc-1"."""
    wanted, asked = (" ".join(text.casefold().split()) for text in (key, question))
    whole = (
        rf"(?<!{_IN_WORD})(?<!{_IN_WORD}{_JOINT}){re.escape(wanted)}"
        rf"(?!{_IN_WORD}|{_JOINT}{_IN_WORD})"
    )
    return bool(wanted and re.search(whole, asked))


def _read_off(tools: Toolbox, record: Passage) -> Steps[Draft]:
    """Let the model read the value. A reply that is not literally in the record is refused."""
    yield from ()
    with tools.models.lend("generator") as model:
        prompt = _prompt(model, record, tools.query.text)
        pieces = model.sample(GenerationRequest((prompt,), max_tokens=VALUE_TOKENS, stop=("\n",)))
        reply = "".join(piece.text for piece in pieces).strip().strip("\"'.,` ")
    place = _whole(reply).search(record.text) if reply else None
    return _draft(record, *place.span()) if place else Draft("", (record,))


def _whole(value: str) -> re.Pattern[str]:
    """Match a value that is no part of a longer one; a unit may follow a number: "12km"."""
    is_number = re.fullmatch(r"[\d.,]+", value)
    ends = rf"(?!\d|[.,]\d|{_LETTER}+\d)" if is_number else rf"(?!{_IN_WORD})"
    return re.compile(rf"(?<!{_IN_WORD}){re.escape(value)}{ends}")


def _prompt(model: Generator, record: Passage, question: str) -> str:
    """Return the prompt with as much of the record as its tokens allow."""
    characters = RECORD_CHARACTERS
    while True:
        shown = _around(record, question, characters)
        prompt = render(model, "value", passages=show([shown]), question=question)
        if model.count(prompt) < PROMPT_TOKENS or characters <= LEAST_CHARACTERS:
            return prompt
        characters = max(LEAST_CHARACTERS, characters * 3 // 4)


def _around(record: Passage, question: str, characters: int) -> Passage:
    """Return the part of a long record around the rarest word that it shares with the question.

    It begins and ends between words where it can: of a value cut in two a model copies half.
    """
    text = record.text
    if len(text) <= characters:
        return record
    words = sorted(re.findall(r"\w{3,}", question), key=lambda word: text.count(word) or 999)
    at = max(0, text.find(words[0])) if words else 0
    start = max(0, at - characters // 3)
    end = min(len(text), start + characters)
    if start and (blank := re.compile(r"\s").search(text, start, at)):
        start = blank.end()
    if end < len(text):
        end = max(text.rfind(" ", at, end), text.rfind("\n", at, end), 0) or end
    return Passage(record.item, record.start + start, record.start + end)


def _draft(record: Passage, start: int, end: int) -> Draft:
    """Return the value as the record writes it, with its place."""
    begin, finish = record.start + start, record.start + end
    citation = Citation(1, record, begin, finish, "matched", support=True)
    return Draft(f"{record.item.text[begin:finish]} [1]", (record,), citations=(citation,))

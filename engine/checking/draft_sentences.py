"""Cuts a draft into sentences, and takes the markers of citations off and puts them on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.checking.words import MONTHS
from engine.values import Passage

MARKER = re.compile(r"\s*[\[(](\d{1,3}(?:\s*,\s*\d{1,3})*)[\])]")
YES_OR_NO = r"(?:yes|no|ja|nein|oui|non|s[ií]|sim|não|nee|da|да|нет)\b"
MONTH = re.compile(rf"(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
_SENTENCE_END = re.compile(
    r"(?<=[.!?])((?:\s*\[\d+(?:\s*,\s*\d+)*\])*)\s+(?=[A-Z\u00c0-\u00de\u0400-\u042f0-9\"'“(¿¡])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|vs|Inc|Co|Ltd|e\.g|i\.e))\.$"
)
_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_OPENING = re.compile(rf"\W*(?:\d{{1,2}}|{YES_OR_NO})[.!]", re.IGNORECASE)
"""No sentence by itself: the number of a list's item, and the "Yes." before what is meant."""
_ORDINAL = re.compile(
    r"\b(?:am|im|vom|zum|zur|bis|ab|seit|der|dem|den|des) \d{1,2}\.$", re.IGNORECASE
)
_NUMBER_AND_STOP = re.compile(r"\b\d{1,2}\.$")


def split_sentences(text: str, evidence: Sequence[Passage] = ()) -> list[str]:
    """Cut a line into sentences; markers that follow a full stop stay with their sentence.

    Where a passage has the words around the full stop just so, they stay together: "Weekly
    Conf. Update" is one title, and two sentences copied together have one source.
    """
    sentences: list[str] = []
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        if _goes_on(text[begin : match.start()], text[match.end() :]):
            continue
        around = text[max(begin, match.start() - 12) : match.end() + 6]
        if any(around in passage.searched for passage in evidence):
            continue
        sentences.append(text[begin : match.end(1)].strip())
        begin = match.end()
    sentences.append(text[begin:].strip())
    return [sentence for sentence in sentences if sentence]


def _goes_on(before: str, after: str) -> bool:
    """Say whether a full stop ends no sentence: of an abbreviation, an ordinal, a list number."""
    if _ABBREVIATION.search(before) or _OPENING.fullmatch(before) or _ORDINAL.search(before):
        return True
    return bool(_NUMBER_AND_STOP.search(before) and MONTH.match(after))


def says_yes(text: str) -> bool:
    """Say whether a reply begins with yes."""
    return _YES.match(text) is not None


def without_markers(sentence: str) -> tuple[str, list[int]]:
    """Return a sentence without its markers, and the numbers of the passages that they name."""
    numbers = [int(n) for match in MARKER.finditer(sentence) for n in match[1].split(",")]
    return MARKER.sub("", sentence).strip(), numbers


def with_markers(sentence: str, ids: Sequence[int]) -> str:
    """Return a sentence with a marker for each citation behind it."""
    markers = "".join(f"[{number}]" for number in dict.fromkeys(ids))
    if not markers:
        return sentence
    return f"{sentence} {markers}"

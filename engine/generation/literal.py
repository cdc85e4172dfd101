"""Writes a short reply the way the passages do.

Small models copy "Phillip K Allen" as "Phillip Allen", "Prior, Liz" as "Liz Prior" and
"63 2 9229 2352" without its blanks. An answer that a person checks against its source, or pastes
elsewhere, should be what the source says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from engine.checking.draft_sentences import MARKER
from engine.values import Passage
from ingest.item import Kind

MOST_WORDS = 8
LEAST_CHARACTERS = 4
"""Letters and digits; shorter replies are found anywhere."""
# "10:00", "at 10.00"
_TIME = re.compile(r"\W*(?:at )?(?P<hour>\d{1,2})[:.](?P<minute>\d\d)\W*", re.IGNORECASE)
# "09:40-10:00" of an event
_FROM_TO = re.compile(r"(?<!\d)\d\d:\d\d-(?P<hour>\d\d):(?P<minute>\d\d)(?!\d)")
_ASKS_AN_END = re.compile(
    r"\b(?:end|ends|ended|finish\w*|over|until|till|back|done|out|close[sd]?|leaves?|left)\b",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[^\W_]+")


def as_written(reply: str, evidence: Sequence[Passage]) -> str:
    """Return the reply in the spelling of the first passage that has its words.

    What may differ: blanks and punctuation within a number, an initial that the reply lacks, and
    the order of two names. A reply that is literally in a passage, or in none, is returned
    unchanged.
    """
    plain = MARKER.sub("", reply).strip(" .,;:")
    pieces = _PIECE.findall(plain)
    texts = [passage.text for passage in evidence]
    known = sum(map(len, pieces)) >= LEAST_CHARACTERS and len(pieces) <= MOST_WORDS
    if not known or any(plain in text for text in texts):
        return reply
    for pattern in _patterns(pieces):
        for text in texts:
            if found := pattern.search(text):
                return reply.replace(plain, " ".join(found[0].split()), 1)
    return reply


def _patterns(pieces: Sequence[str]) -> Iterator[re.Pattern[str]]:
    """Yield patterns of the reply's spellings in a passage, closest first."""
    if all(piece.isdigit() for piece in pieces):
        yield _whole(r"[\W_]{0,3}".join("".join(pieces)))
    words = [re.escape(piece) for piece in pieces]
    if len(words) in (2, 3):
        yield _whole(r"\s+(?:[^\W\d_]\.?\s+)?".join(words))
    if len(words) == 2:
        yield _whole(rf"{words[1]},\s?{words[0]}")


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W_]){pattern}(?![^\W_])", re.IGNORECASE)


def with_beginning(reply: str, question: str, evidence: Sequence[Passage]) -> str:
    """Return "09:40-10:00" for the reply "10:00", where an event ends then and no end is asked for.

    Small models take the end of an event for its time. Where a passage has the reply otherwise, it
    is returned unchanged.
    """
    told = _TIME.fullmatch(MARKER.sub("", reply))
    if told is None or _ASKS_AN_END.search(question):
        return reply
    minute = f"{int(told['hour']):02}:{told['minute']}"
    events = [one.text for one in evidence if one.item.kind is Kind.EVENT]
    spans = {
        span[0]
        for text in events
        for span in _FROM_TO.finditer(text)
        if f"{span['hour']}:{span['minute']}" == minute
    }
    others = sum(len(re.findall(rf"(?<!\d){minute}(?!\d)", one.text)) for one in evidence)
    said = sum(text.count(span) for text in events for span in spans)
    return spans.pop() if len(spans) == 1 and said == others else reply

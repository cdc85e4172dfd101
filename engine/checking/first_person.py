"""Names whoever says "me": in a chat who brings the tent is answered so, and "me" names nobody."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from engine.checking.draft_sentences import without_markers
from engine.language.tokens import words
from engine.values import Citation
from ingest.item import Item, Kind, Person

MOST_WORDS = 8
"""Of an answer that says no more than that."""
# "Who's making the cake", "and who brings the tent?", "tell me who drives"
_ASKS_WHO = re.compile(r"^(?:\W*(?:and|so)\W+)?(?:\w+\W+){0,3}who(?:'s|\u2019s)?\b", re.IGNORECASE)
_ME = re.compile(r"\bI\b", re.IGNORECASE)
# "me", "meee", "I will", "I'll do it", "myself"
_FIRST = re.compile(r"^\W*(?:m+e+|i|i['\u2019](?:ll|m|ve|d)|myself)(?![\w'\u2019])", re.IGNORECASE)


def with_speaker(text: str, question: str, citations: Sequence[Citation]) -> str:
    """Return an answer to "who" that says "me", with who says it: `Kim: me [1]`.

    Any other answer stays as it is, and so does one whose first source has no speaker.
    """
    said, _ = without_markers(text)
    source = next((one for one in citations if one.support), None)
    me = _FIRST.match(said)
    is_asked = _ASKS_WHO.search(question) and not _ME.search(question)
    if not is_asked or source is None or me is None or len(said.split()) > MOST_WORDS:
        return text
    if not {*words(me[0])} <= {*words(source.quote)}:
        return text  # it is said elsewhere
    person = _speaker(source.passage.item, source.start)
    return f"{person.spoken}: {text}" if person is not None and person.spoken else text


def _speaker(item: Item, place: int) -> Person | None:
    """Return who says what stands at a place of an item."""
    if item.turns:
        at = bisect_right([turn.start for turn in item.turns], place) - 1
        return item.turns[at].sender if at >= 0 else None
    if item.kind is not Kind.MAIL or any(begin <= place < end for begin, end in item.quoted):
        return None  # who is quoted is not known
    return item.people.sender[0] if item.people.sender else None

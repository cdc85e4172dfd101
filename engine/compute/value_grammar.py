"""What a question asks for: a count, a person, a day, a place, a title, a length, an amount.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Literal

from engine.compute import diary
from engine.compute import lexicon as w
from engine.compute.source_grammar import CONTEXT, TOKEN, SourceGrammar
from engine.plan import Field, Source
from ingest.item import Kind

Asked = Literal["count", "who", "when", "where", "title", "entry", "length", "amount", "nothing"]
_ASKED: dict[Field, Asked] = {
    "sender": "who",
    "recipient": "who",
    "addressee": "who",
    "speaker": "who",
    "date": "when",
    "start": "when",
    "place": "where",
    "title": "title",
    "duration": "length",
    "week": "when",
    "month": "when",
    "year": "when",
    "weekday": "when",
}


# "who is <name0>", "where are <name0> and <name1>?"
_WHO_IS = re.compile(r"\b(?:who|where)(?:'s| is| was| are| were) (?:<name\d+>(?: and )?)+\W*$")
# "the address of <name0>", "<name0>'s new address"
_ADDRESS_OF = re.compile(
    r"\baddress(?:es)? (?:of|for) <name\d+>|<name\d+>(?:'s?)? (?:\w+ ){0,2}address(?:es)?\b"
)
"""Asks for what texts and signatures say about a person, which nothing computes."""


class ValueGrammar:
    """Reads what one question asks for."""

    def __init__(self, items: SourceGrammar) -> None:
        """Read a question by what it says of its items."""
        self.items = items
        self.noun = self._asked_noun()

    def _asked_noun(self) -> str:
        """Return the first noun after the first interrogative; empty if there is none."""
        asking = CONTEXT.sub("", self.items.asking)
        cue = re.search(rf"{w.COUNT}|\b(?:{'|'.join(sorted(w.ASKING))})\b", asking)
        if cue is None:
            return ""
        if cue[0] in w.NOUNS:
            return cue[0]
        tokens = TOKEN.findall(asking[cue.end() :])
        for token, after in zip_longest(tokens, tokens[1:], fillvalue=""):
            if token in w.NOUNS or token in w.UNITS:
                return after if after in w.NOUNS else token
            if token in w.VERBS and not cue[0].startswith(("how", "number", "count")):
                break
        return ""

    def asked(self) -> Asked:
        """Return what is asked for."""
        if self.items.is_of_diary or (
            diary.WHETHER.search(self.items.text) and not self.items.has(w.COUNT)
        ):
            return "entry"
        if self.items.has(w.LONG):
            return "length"
        if self.items.has(w.COUNT) and not self.items.has(w.AVERAGE):
            return "count"
        if self.items.has(rf"{w.SUM}|{w.AVERAGE}|{w.HOW_MUCH}") and self.noun not in (
            "when",
            "who",
        ):
            return "amount"
        for pattern, asked in (
            (r"\bwho(?:se|m)?\b|\bby whom\b", "who"),
            (r"\bwhere\b", "where"),
            (r"\bwhen\b|\bwhat time\b|\bhour\b|\btime\b", "when"),
        ):
            if self.items.has(pattern) and (not self.noun or self.asked_field() != "title"):
                return asked  # type: ignore[return-value]
        field = self.asked_field()
        if field in _ASKED:
            return _ASKED[field]
        return "title" if self.items.has(r"\b(?:what|which|list|show|find)\b") else "nothing"

    def asked_field(self) -> Field:
        """Return the field of items that the noun means."""
        noun = w.NOUNS.get(self.noun)
        field = noun.field if noun else "item"
        if field in ("sender", "recipient") and self.items.has(w.MAIN):
            return "addressee"
        return "recipient" if field == "sender" and self.items.has(w.RECEIVES) else field

    def stands_in_a_text(self, asked: Asked, source: Source) -> bool:
        """Say whether the answer is in the text of a mail: about a person or an event."""
        if asked != "count" and (
            _WHO_IS.search(self.items.asking) or _ADDRESS_OF.search(self.items.asking)
        ):
            return True
        if source.kind is not Kind.MAIL or asked not in ("when", "where"):
            return False
        tokens = TOKEN.findall(self.items.asking)
        nouns = [w.NOUNS[one] for one in tokens if one in w.NOUNS]
        if any(one.field == "thread" for one in nouns):
            tokens = TOKEN.findall(re.sub(w.BEGAN, " ", self.items.asking))
        kinds = {noun.kind for one in tokens if (noun := w.NOUNS.get(one))}
        done = {w.VERBS[one] for one in tokens if one in w.VERBS and one not in w.NOUNS}
        mailed = Kind.MAIL in done or self.items.has(r"(?:\bi|<name\d+>) e?mail\b")
        of_event = Kind.EVENT in kinds | done and not mailed
        return asked == "where" or of_event

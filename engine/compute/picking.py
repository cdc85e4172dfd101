"""Which value of which items: of the first, the last, what is next, or all of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from engine.compute import diary
from engine.compute import words as w
from engine.compute.asking import Asked, AskedGrammar
from engine.compute.naming import NamedQuestion
from engine.compute.selecting import passing
from engine.compute.sourcing import TOKEN
from engine.compute.world import World
from engine.language.numbers import ENGLISH
from engine.plan import Field, Plan, Source, Unit
from engine.question.question_grammar import PAST_TENSE
from ingest.item import Kind

_LAST_AS_VERB = re.compile(r"\b(?:do|does|did|will) (?:\S+ )*?last\b")
_SEVERAL = re.compile(
    r"\b(?:first|last|latest|newest|oldest|earliest|next|most recent) "
    rf"(\d{{1,3}}|{'|'.join(ENGLISH)})\b"
)
"""How many are asked for, as in "the last three mails"."""
_SOME = re.compile(r"\b(?:first|last|latest|newest|oldest|earliest|most recent) ([a-z]+s)\b")
_ENDS = r"\b(?:ends?|ended|finish(?:es|ed)?|over)\b"
_HAVE_I = r"\b(?:did|have|was|were) (?:i|we)\b"
FEW = 5
"""How many "the newest mails" are."""


class PickingGrammar(AskedGrammar):
    """Reads which items one question picks, and what of them."""

    def __init__(self, found: NamedQuestion, world: World, today: date, *, me_known: bool) -> None:
        """Read a question whose names have become tags; `me_known`: a plan may name "me"."""
        super().__init__(found)
        self.world = world
        self.today = today
        self.me_known = me_known

    def at_end_or_all(self, asked: Asked, source: Source) -> Plan | None:
        """Return a plan for the first, last or next items, else for all of them.

        None where one is meant, "the meeting", and nothing says which.
        """
        field, top = self._value(asked, source), self._several()
        of_diary = source.kind in (Kind.EVENT, Kind.TASK)
        unit: Unit | None = "utc" if field == "start" and self.has(r"\butc\b|\bgmt\b") else None
        if field == "sender" and self.writes_to_me(source):
            source = replace(source, recipients=("me",))
        last_is_verb = _LAST_AS_VERB.search(self.asking) and self.has(w.LONG)
        if self.has(w.LAST) and not last_is_verb:
            is_past = of_diary and PAST_TENSE.search(self.text)
            if is_past or (source.kind is not Kind.MAIL and self.has(_HAVE_I)):
                # What is still to come was not met yet.
                source = replace(source, until=min(source.until or self.today, self.today))
            return Plan("last", field, (source,), top=top, unit=unit)
        if self.has(w.FIRST):
            return Plan("first", field, (source,), top=top, unit=unit)
        if source.kind is Kind.MAIL and asked in ("when", "who"):
            if self.has(w.BEGAN):
                return Plan("first", field, (source,))
            if self.has(w.ENDED):
                return Plan("last", field, (source,))
        if of_diary and re.search(diary.OVERDUE, self.text):
            day_before = self.today - timedelta(days=1)
            source = replace(source, until=min(source.until or day_before, day_before))
        elif of_diary and self._is_of_what_is_ahead(source):
            if top or not (self.noun.endswith("s") or diary.asks_of_several(self.text)):
                return Plan("next", field, (source,), top=top, unit=unit)
            source = replace(source, since=max(source.since or self.today, self.today))
        elif self._is_of_what_is_planned(asked, source):
            source = replace(source, since=self.today)
        elif asked in ("when", "where", "who") and self._is_of_one_unnamed(source):
            return None
        return Plan("list", field, (source, *self._due(source)), unit=unit)

    def writes_to_me(self, source: Source) -> bool:
        """Say whether it asks who wrote to me: else I, who am in the mailbox too, may be it."""
        return self.me_known and not source.senders and self.has(w.TO_ME.pattern)

    def _several(self) -> int | None:
        """Return how many items are asked for at an end; None: one, or it does not say."""
        if found := _SEVERAL.search(self.asking):
            return ENGLISH.get(found[1]) or int(found[1]) or None
        found = _SOME.search(self.asking)
        noun = w.NOUNS.get(found[1]) if found else None
        return FEW if noun and noun.kind and noun.field == "item" else None

    def _due(self, source: Source) -> tuple[Source, ...]:
        """Return the open tasks of the days asked about, where some are due."""
        of_events = diary.OF_EVENTS.search(self.text) or PAST_TENSE.search(self.text)
        days = Source(Kind.EVENT, since=source.since, until=source.until)
        if not self.is_of_diary or of_events or source != days:
            return ()
        due = replace(days, kind=Kind.TASK, status="open")
        return (due,) if passing(self.world.items, due, self.world.known).items else ()

    def _is_of_what_is_planned(self, asked: Asked, source: Source) -> bool:
        """Say whether entries are asked for on no day, and some lie ahead: those are meant."""
        if source.kind is not Kind.EVENT or source.since or source.until:
            return False
        of_calendar = asked == "entry" or diary.CALENDAR.search(self.text)
        present = bool(of_calendar) and not PAST_TENSE.search(self.text)
        return present and self._lies_ahead(source)

    def _is_of_one_unnamed(self, source: Source) -> bool:
        """Say whether nothing but a kind says which item is meant, and all are not."""
        several = any(one in w.NOUNS and one.endswith("s") for one in TOKEN.findall(self.asking))
        every = self.has(r"\b(?:all|any|each|every)\b")
        return source == Source(source.kind) and not several and not every

    def _is_of_what_is_ahead(self, source: Source) -> bool:
        """Say whether what is next is asked for, or when something is that is still to come."""
        if re.search(diary.NEXT, self.text):
            return True
        if not self.quoted or source.since or source.until or not diary.asks_of_now(self.text):
            return False
        return self._lies_ahead(source)

    def _lies_ahead(self, source: Source) -> bool:
        ahead = replace(source, since=self.today)
        return bool(passing(self.world.items, ahead, self.world.known).items)

    def _value(self, asked: Asked, source: Source) -> Field:
        if asked == "entry":
            return "entry"
        if asked == "title" and self.asked_field() == "attachment":
            return "attachment"
        if asked == "who":
            received = self.asked_field() == "recipient"
            return "recipient" if received else self.of_kind("sender", source)
        if asked == "where":
            return "place"
        if asked == "when":
            timed = source.kind in (Kind.EVENT, Kind.TASK)
            if source.kind is Kind.EVENT and self.has(_ENDS):
                return "end"
            day_asked = self.asked_field() in ("date", "week", "month", "year", "weekday")
            if self.noun != "when" and day_asked and not self.has(r"\btime\b|\bhour\b"):
                return self.asked_field()
            return "start" if timed else "date"
        of_title = any(one.kind for one in self.quoted)
        if self._several():
            return "entry"
        if source.kind in (Kind.EVENT, Kind.TASK) and (of_title or self.has(diary.OURS)):
            return "entry"
        return "title"

    def of_kind(self, field: Field, source: Source) -> Field:
        if field == "sender" and source.kind is Kind.EVENT and not self.has(r"\borgani[sz]er"):
            return "speaker"
        return field

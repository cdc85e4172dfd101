"""Which of its items a question means: the first, the last, the next, or all of them.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from engine.compute import diary
from engine.compute import lexicon as w
from engine.compute.item_filter import passing
from engine.compute.source_grammar import TOKEN
from engine.compute.value_grammar import Asked, ValueGrammar
from engine.compute.vocabulary import QuestionVocabulary
from engine.language.numbers import ENGLISH
from engine.plan import Field, Plan, Source, Unit
from engine.question.question_grammar import PAST_TENSE
from ingest.item import Kind

# "how long did the talk last"
_LAST_AS_VERB = re.compile(r"\b(?:do|does|did|will) (?:\S+ )*?last\b")
# "the last three mails", "the next 2 calls"
_SEVERAL = re.compile(
    r"\b(?:first|last|latest|newest|oldest|earliest|next|most recent) "
    rf"(\d{{1,3}}|{'|'.join(ENGLISH)})\b"
)
# "the newest mails"
_SOME = re.compile(r"\b(?:first|last|latest|newest|oldest|earliest|most recent) ([a-z]+s)\b")
# "when does the fair end", "when is it over"
_ENDS = r"\b(?:ends?|ended|finish(?:es|ed)?|over)\b"
# "whom did i", "were we"
_HAVE_I = r"\b(?:did|have|was|were) (?:i|we)\b"
FEW = 5
"""Items that a plural without a number means: "the newest mails"."""


class ChoiceGrammar:
    """Reads which of its items one question means, and which value of them."""

    def __init__(
        self, asks: ValueGrammar, vocabulary: QuestionVocabulary, today: date, *, me_known: bool
    ) -> None:
        """Read a question by what it asks for; `me_known`: a plan may name "me"."""
        self.items = asks.items
        self.asks = asks
        self.vocabulary = vocabulary
        self.today = today
        self.me_known = me_known

    def at_end_or_all(self, asked: Asked, source: Source) -> Plan | None:
        """Return a plan for the first, last or next items, else for all of them.

        None where one is meant, "the meeting", and nothing says which.
        """
        field, top = self._value(asked, source), self._several()
        of_diary = source.kind in (Kind.EVENT, Kind.TASK)
        unit: Unit | None = (
            "utc" if field == "start" and self.items.has(r"\butc\b|\bgmt\b") else None
        )
        if field == "sender" and self.writes_to_me(source):
            source = replace(source, recipients=("me",))
        last_is_verb = _LAST_AS_VERB.search(self.items.asking) and self.items.has(w.LONG)
        if self.items.has(w.LAST) and not last_is_verb:
            is_past = of_diary and PAST_TENSE.search(self.items.text)
            if is_past or (source.kind is not Kind.MAIL and self.items.has(_HAVE_I)):
                # Nobody has met at what is still to come.
                source = replace(source, until=min(source.until or self.today, self.today))
            return Plan("last", field, (source,), top=top, unit=unit)
        if self.items.has(w.FIRST):
            return Plan("first", field, (source,), top=top, unit=unit)
        if source.kind is Kind.MAIL and asked in ("when", "who"):
            if self.items.has(w.BEGAN):
                return Plan("first", field, (source,))
            if self.items.has(w.ENDED):
                return Plan("last", field, (source,))
        if of_diary and re.search(diary.OVERDUE, self.items.text):
            day_before = self.today - timedelta(days=1)
            source = replace(source, until=min(source.until or day_before, day_before))
        elif of_diary and self._is_of_what_is_ahead(source):
            if top or not (self.asks.noun.endswith("s") or diary.asks_of_several(self.items.text)):
                return Plan("next", field, (source,), top=top, unit=unit)
            source = replace(source, since=max(source.since or self.today, self.today))
        elif self._is_of_what_is_planned(asked, source):
            source = replace(source, since=self.today)
        elif asked in ("when", "where", "who") and self._is_of_one_unnamed(source):
            return None
        return Plan("list", field, (source, *self._due(source)), unit=unit)

    def writes_to_me(self, source: Source) -> bool:
        """Say whether the question asks who wrote to the person who asks.

        Their own mail is in the mailbox too, and would otherwise count.
        """
        return self.me_known and not source.senders and self.items.has(w.TO_ME.pattern)

    def _several(self) -> int | None:
        """Return how many first, last or next items are meant; None: one, or not said."""
        if found := _SEVERAL.search(self.items.asking):
            return ENGLISH.get(found[1]) or int(found[1]) or None
        found = _SOME.search(self.items.asking)
        noun = w.NOUNS.get(found[1]) if found else None
        return FEW if noun and noun.kind and noun.field == "item" else None

    def _due(self, source: Source) -> tuple[Source, ...]:
        """Return the open tasks that are due on the days asked about, if there are any."""
        of_events = diary.OF_EVENTS.search(self.items.text) or PAST_TENSE.search(self.items.text)
        days = Source(Kind.EVENT, since=source.since, until=source.until)
        if not self.items.is_of_diary or of_events or source != days:
            return ()
        due = replace(days, kind=Kind.TASK, status="open")
        return (due,) if passing(self.vocabulary.items, due, self.vocabulary.known).items else ()

    def _is_of_what_is_planned(self, asked: Asked, source: Source) -> bool:
        """Say whether entries are asked for without a day, and some lie ahead: those are meant."""
        if source.kind is not Kind.EVENT or source.since or source.until:
            return False
        of_calendar = asked == "entry" or diary.CALENDAR.search(self.items.text)
        present = bool(of_calendar) and not PAST_TENSE.search(self.items.text)
        return present and self._lies_ahead(source)

    def _is_of_one_unnamed(self, source: Source) -> bool:
        """Say whether one thing is meant, and only a kind or a whole calendar is named.

        "When is the meeting", "when does PyCon take place" of a calendar with a hundred talks.
        """
        several = any(
            one in w.NOUNS and one.endswith("s") for one in TOKEN.findall(self.items.asking)
        )
        every = self.items.has(r"\b(?:all|any|each|every)\b")
        if several or every or source != Source(source.kind, calendars=source.calendars):
            return False
        if not source.calendars:
            return True
        return len(passing(self.vocabulary.items, source, self.vocabulary.known).items) > FEW

    def _is_of_what_is_ahead(self, source: Source) -> bool:
        """Say whether the question is about what is next, or when something to come is."""
        if re.search(diary.NEXT, self.items.text):
            return True
        if (
            not self.items.quoted
            or source.since
            or source.until
            or not diary.asks_of_now(self.items.text)
        ):
            return False
        return self._lies_ahead(source)

    def _lies_ahead(self, source: Source) -> bool:
        ahead = replace(source, since=self.today)
        return bool(passing(self.vocabulary.items, ahead, self.vocabulary.known).items)

    def _value(self, asked: Asked, source: Source) -> Field:
        if asked == "entry":
            return "entry"
        if asked == "title" and self.asks.asked_field() == "attachment":
            return "attachment"
        if asked == "who":
            field = self.asks.asked_field()
            to = ("recipient", "addressee")
            return field if field in to else self.of_kind("sender", source)
        if asked == "where":
            return "place"
        if asked == "when":
            timed = source.kind in (Kind.EVENT, Kind.TASK)
            if source.kind is Kind.EVENT and self.items.has(_ENDS):
                return "end"
            day_asked = self.asks.asked_field() in ("date", "week", "month", "year", "weekday")
            if self.asks.noun != "when" and day_asked and not self.items.has(r"\btime\b|\bhour\b"):
                return self.asks.asked_field()
            return "start" if timed else "date"
        of_title = any(one.kind for one in self.items.quoted)
        if self._several():
            return "entry"
        if source.kind in (Kind.EVENT, Kind.TASK) and (of_title or self.items.has(diary.OURS)):
            return "entry"
        return "title"

    def of_kind(self, field: Field, source: Source) -> Field:
        """Return the field for items of a kind: who sends an event is who speaks at it."""
        if (
            field == "sender"
            and source.kind is Kind.EVENT
            and not self.items.has(r"\borgani[sz]er")
        ):
            return "speaker"
        return field

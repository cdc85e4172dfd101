"""The plan of a question: the operation and its value, and which words have no part in it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

from engine.compute import diary
from engine.compute import lexicon as w
from engine.compute.choice_grammar import ChoiceGrammar
from engine.compute.item_filter import passing
from engine.compute.named_question import NamedQuestion, Quoted
from engine.compute.source_grammar import SHELVES, TOKEN, SourceGrammar
from engine.compute.value_grammar import Asked, ValueGrammar
from engine.compute.vocabulary import QuestionVocabulary
from engine.language.numbers import ENGLISH
from engine.language.tokens import FUNCTION_WORDS
from engine.plan import TWO_SOURCES, Field, Operation, Plan, Sought, Source, Unit
from ingest.item import Kind


class PlanGrammar:
    """Reads what one question has computed.

    It holds a part for each thing that a plan says: of which items, what is asked for, which of
    the items are meant.
    """

    def __init__(
        self, found: NamedQuestion, vocabulary: QuestionVocabulary, today: date, *, me_known: bool
    ) -> None:
        """Read a question whose names have become tags; `me_known`: a plan may name "me"."""
        self.items = SourceGrammar(found)
        self.asks = ValueGrammar(self.items)
        self.picks = ChoiceGrammar(self.asks, vocabulary, today, me_known=me_known)
        self.vocabulary = vocabulary
        self.today = today
        self.leftover: tuple[str, ...] = ()
        """Words that mean nothing else, taken for words of the items."""

    def plan(self) -> Plan | None:
        """Return the plan; None: the words name none. Raises `PlanRefused` for a senseless one."""
        source, asked = self.items.source(), self.asks.asked()
        if sort := self._sort(source, asked):
            source = replace(source, titles=(sort,))
        if self.asks.stands_in_a_text(asked, source) or self._says_too_little(asked, source):
            return None
        ranked = self.items.has(rf"{w.MOST}|{w.LEAST}") and not self.items.has(w.LONG)
        nothing_asked = asked == "nothing" and not (ranked and source.kind)
        if asked == "amount" and not source.kind and not source.texts:
            if not self.items.has(rf"{w.SUM}|{w.AVERAGE}"):
                return None  # "how much is the rent" asks for one figure of a text
            source = self._about_leftover(source)
        elif nothing_asked or not (source.kind or source.subjects or self.items.joins):
            return None
        if source.kind is Kind.MAIL and asked == "title" and self.asks.asked_field() != "title":
            if said := self._said(source):
                return said
            if w.CONTENT.search(self.items.text):
                return None  # subjects do not say it
        if both := self._of_two(asked, source):
            return both
        if ranked:
            return self._ranked(asked, source)
        group = self._group()
        if asked in ("length", "amount") or self.items.has(rf"{w.LONGEST}|{w.SHORTEST}"):
            measured = self._measured(asked, source)
            if measured is None or measured.operation in TWO_SOURCES or measured.by:
                return measured
            return replace(measured, by=group, expected=self._stated())
        if group:
            return Plan("count", sources=(source,), by=group)
        if asked == "count":
            return self._counted(source)
        return self.picks.at_end_or_all(asked, source)

    def _said(self, source: Source) -> Plan | None:
        """Return the plan for the text of the first or last mail; None: it is not asked for."""
        if self.items.has(r"\b(?:e?mail|message)s\b"):
            return None
        if not (w.CONTENT.search(self.items.text) or w.READ_OUT.search(self.items.text)):
            return None
        if self.items.has(w.LAST):
            return Plan("last", "text", (source,))
        return Plan("first", "text", (source,)) if self.items.has(w.FIRST) else None

    def _sort(self, source: Source, asked: Asked) -> str:
        """Return the sort of event that is asked for, if the diary has other sorts too."""
        found = diary.SORTS.search(self.items.text)
        other = source.calendars or source.titles or source.subjects or source.places
        of_diary = asked == "entry" or self.items.has(rf"{diary.NEXT}|{diary.OURS}")
        return found[1] if found and of_diary and source.kind is Kind.EVENT and not other else ""

    def _says_too_little(self, asked: Asked, source: Source) -> bool:
        """Say whether the entries with a title named in part do not answer, or do not exist."""
        if not any(one.kind for one in self.items.quoted):
            return bool(self._sort(replace(source, titles=()), asked)) and not self._ever(source)
        if self.items.has(r"\bhappen"):
            return True
        ends = self.items.has(rf"{w.FIRST}|{w.LAST}|{diary.NEXT}")
        is_said = {
            "who": self.asks.asked_field() in ("recipient", "addressee"),
            "title": ends or not diary.WHAT_IS.search(self.items.text),
            "count": self.asks.asked_field() in ("item", "start"),
        }
        return not is_said.get(asked, True) or not self._ever(source)

    def _ever(self, source: Source) -> bool:
        """Say whether any item passes, whatever its day."""
        ever = replace(source, since=None, until=None, status="any")
        return bool(passing(self.vocabulary.items, ever, self.vocabulary.known).items)

    def _of_two(self, asked: Asked, source: Source) -> Plan | None:
        """Return a plan over two sources: the dates that both have, or the days between them."""
        if self.items.has(w.BOTH) and (days := self._days_of_both(asked)):
            return days
        calendars = self.items.calendars()
        dates = asked == "when" or self.asks.noun in w.UNITS or self.asks.asked_field() == "date"
        if len(calendars) == 2 and self.items.has(w.BOTH) and dates:
            return Plan(
                "shared", "date", tuple(replace(source, calendars=one) for one in calendars)
            )
        if asked not in ("count", "length") and not self.items.has(r"\bdifference\b"):
            return None
        counted: Unit | None = w.UNITS.get(self.asks.noun)
        unit = counted if counted in ("weeks", "hours") else None
        events = [one for one in self.items.quoted if one.is_event or one.in_title]
        if len(events) == 2 and self.items.has(w.APART) and (counted or asked != "count"):
            ends_of = tuple(self._titled(source, one) for one in events)
            return Plan("between", "date", ends_of, unit=unit)
        ends = self.items.has(w.FIRST) and self.items.has(w.LAST) and self.items.has(w.APART)
        if ends and (counted or asked == "length"):
            return Plan("between", "date", (source,), unit=unit)
        return None

    def _days_of_both(self, asked: Asked) -> Plan | None:
        """Return the days with both a mail and an event: "get a mail from Kim and meet Kim"."""
        clauses = self.items.text.split(" and ")
        if len(clauses) != 2 or not (asked == "when" or self.asks.asked_field() == "date"):
            return None
        sources = tuple(
            SourceGrammar(replace(self.items.found, text=one)).source() for one in clauses
        )
        kinds = {one.kind for one in sources}
        if kinds != {Kind.MAIL, Kind.EVENT}:
            return None
        whole = self.items.source()
        within = [replace(one, since=whole.since, until=whole.until) for one in sources]
        return Plan("shared", "date", tuple(within))

    def _titled(self, source: Source, quoted: Quoted) -> Source:
        plain = replace(source, subjects=(), titles=(), threads=())
        if quoted.is_event or quoted.is_subject:
            return replace(plain, subjects=(quoted.text,))
        return replace(plain, titles=(quoted.text,))

    def _ranked(self, asked: Asked, source: Source) -> Plan:
        """Return a plan that counts by group and keeps the largest or the smallest group."""
        top = -1 if self.items.has(w.LEAST) and not self.items.has(w.MOST) else 1
        field = self.asks.asked_field()
        if self.items.has(r"\bmore often\b|\bless often\b") or field == "item":
            field = self._group() or ("month" if self.items.found.dates else "sender")
        if field in ("start", "duration"):
            field = "date"
        if field == "sender" and self.picks.writes_to_me(source):
            source = replace(source, recipients=("me",))
        return Plan("count", sources=(source,), by=field, top=top)

    def _group(self) -> Field | None:
        match = w.EACH.search(self.items.asking)
        if match is None:
            return None
        noun = w.NOUNS.get(match[1] or "")
        field = w.ADVERBS.get(match[2] or "") or (noun.field if noun else None)
        return None if field in (None, "item", "start", "duration") else field

    def _counted(self, source: Source) -> Plan:
        field = self.asks.asked_field()
        if field in ("item", "start", "calendar") and self.asks.noun not in w.UNITS:
            return Plan("count", sources=(source,))
        if self.asks.noun in ("time", "times"):
            return Plan("count", sources=(source,))
        if field == "thread" and not self.items.has(w.DIFFERENT) and source.threads:
            return Plan("count", sources=(source,))
        if field == "title" and source.threads + source.subjects:
            return Plan("count", sources=(source,))
        return Plan("distinct", self.picks.of_kind(field, source), (source,))

    def _about_leftover(self, source: Source) -> Source:
        """Return the source with the leftover words as words of its items: "my card statements"."""
        self.leftover = self.left(None)
        return replace(source, texts=(" ".join(self.leftover),) if self.leftover else ())

    def _measured(self, asked: Asked, source: Source) -> Plan | None:
        """Return a plan over lengths, or over amounts that the texts state."""
        tokens = TOKEN.findall(w.EACH.sub(" ", self.items.asking))
        unit: Unit | None = next((w.UNITS[one] for one in tokens if one in w.UNITS), None)
        if self.items.has(rf"{w.LONGEST}|{w.SHORTEST}") and source.kind is Kind.MAIL:
            long_thread = self.asks.asked_field() == "thread" and self.items.has(w.LONGEST)
            return Plan("count", sources=(source,), by="thread", top=1) if long_thread else None
        if self.items.has(rf"{w.LONGEST}|{w.SHORTEST}"):
            longest: Operation = "max" if self.items.has(w.LONGEST) else "min"
            return Plan(longest, "duration", (source,), unit=unit)
        if source.kind is Kind.MAIL and asked == "length":
            if self.items.has(r"\b(?:repl|answer|respon)\w*\b") and not source.threads:
                return None  # "how long until he replied" does not say to which mail
            counted = self.items.has(r"\bmessages\b|\bemails?\b|\bmails\b")
            operation: Operation = "count" if counted else "between"
            return Plan(operation, "item" if counted else "date", (source,))
        computed: Operation = "average" if self.items.has(w.AVERAGE) else "sum"
        if source.kind is Kind.EVENT:
            one_named = any(one.is_event or one.in_title for one in self.items.quoted)
            if one_named and not self.items.has(rf"{w.SUM}|{w.AVERAGE}"):
                computed = "list"
            return Plan(computed, "duration", (source,), unit=unit)
        if self.items.has(rf"{w.LARGEST}|{w.SMALLEST}"):
            computed = "max" if self.items.has(w.LARGEST) else "min"
        return Plan(computed, Sought("amount"), (source,))

    def _stated(self) -> int | None:
        """Return how many items there are according to the question."""
        found = w.STATED.search(self.items.asking)
        return None if found is None or found[2] in w.UNITS else int(found[1])

    def left(self, plan: Plan | None) -> tuple[str, ...]:
        """Return the words of the question that have no part in the plan."""
        text = re.sub(w.IN_TOUCH, " ", self.items.text)
        if plan and plan.sources[0].status:
            text = re.sub(rf"{w.CANCELLED}|{diary.OPEN}|{diary.DONE}|{diary.OVERDUE}", " ", text)
        if plan and self._has_next(plan):
            text = re.sub(diary.NEXT, " ", text)
        for where in SHELVES.values():
            text = re.sub(where, " ", text)
        beyond = [] if plan and plan.operation in TWO_SOURCES else w.BEYOND.findall(text)
        return (*(one for one in TOKEN.findall(text) if not self._is_meant(one, plan)), *beyond)

    def _has_next(self, plan: Plan) -> bool:
        """Say whether a plan is about what lies ahead."""
        return plan.operation == "next" or plan.sources[0].since == self.today

    def _is_meant(self, token: str, plan: Plan | None) -> bool:
        """Say whether a word has a part in the plan, or changes nothing in it."""
        if token in w.CHANGING:
            return False
        noun = w.NOUNS.get(token)
        if noun and noun.field == "weekday":
            return plan is not None and "weekday" in (plan.by, plan.value)
        return (
            token.startswith("<")
            or token in FUNCTION_WORDS
            or token in w.NEUTRAL
            or noun is not None
            or token in w.VERBS
            or token in w.UNITS
            or token.isdecimal()
            or (token in ENGLISH and plan is not None and plan.top is not None)
            or token in " ".join((*self.items.about, *self.leftover)).split()
            or (self.items.is_of_diary and token in diary.WORDS)
            or re.sub(r"'s$", "", token) in ("", "who", "what", "mail")
        )

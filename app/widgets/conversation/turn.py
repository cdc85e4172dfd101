"""One question and what came of it: asked, understood, answered, cited, covered."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import tzinfo
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from app.backend.messages import Ended, Request
from app.hints import hint
from app.output.agenda import dated
from app.output.certainty import leaves_more, shown_reasons
from app.output.plain import lines, one_line
from app.output.provisional import FirstReading
from app.output.query.filters import filters_line
from app.output.query.follow_up import understood_lines
from app.output.query.inferred import inferred_lines
from app.output.report import (
    coverage_line,
    grounded_line,
    source_lines,
    took_text,
    warning_lines,
)
from app.output.stages import Stages, begins_writing
from app.output.trail import Trail
from app.widgets.answer.citations import Citations
from app.widgets.answer.mark import mark_of
from app.widgets.answer.text import AnswerText
from app.widgets.conversation.asked import Asked
from app.widgets.conversation.evidence import Evidence
from app.widgets.conversation.past_turn import Past
from engine.conversation import Standalone
from engine.events import (
    Answered,
    Event,
    Narrowed,
    Provisional,
    Ranked,
    Reading,
    Rewritten,
    Token,
    Understood,
)
from engine.values import Answer, Query


@dataclass
class Told:
    """Everything the engine told about one question."""

    request: Request
    trail: Trail = field(default_factory=Trail)
    stages: Stages = field(default_factory=Stages)
    first: FirstReading = field(default_factory=FirstReading)
    query: Query | None = None
    put: Standalone | None = None
    """What the question means by itself; None: not known yet, or it follows nothing."""
    answer: Answer | None = None
    ended: Ended | None = None

    def note(self, event: Event) -> None:
        """Take in an event."""
        self.trail.note(event)
        self.stages.note(event)
        self.first.note(event)
        if isinstance(event, Rewritten):
            self.put = event.standalone
        elif isinstance(event, Narrowed | Understood):
            self.query = event.query
        elif isinstance(event, Answered):
            self.answer = event.answer
            self.query = event.answer.query

    @property
    def understood(self) -> Request:
        """The question as it was understood: asked so, it is asked as written."""
        put, typed = self.put, self.request
        if put is None or not (put.scope or put.text != typed.question.strip()):
            return typed
        return replace(typed, question=put.text, scope=put.scope)


class TurnView(Asked):
    """Draws what was told about one question."""

    DEFAULT_CSS = """
    TurnView { layout: vertical; overflow: hidden hidden; }
    TurnView Static { height: auto; }
    TurnView .asked { background: $panel; }
    TurnView AnswerText { margin: 1 0; }
    TurnView .facts, TurnView .grounded, TurnView .coverage { color: $text-muted; }
    TurnView .first { text-style: italic; }
    TurnView .failed { text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "sources", "Sources", id="to_sources", tooltip="Go to the sources"),
        Binding("w", "about('why')", "Why", id="why", tooltip="Show how the answer came about"),
        Binding("c", "about('compare')", "Compare", id="compare", tooltip="Answer it otherwise"),
        Binding("t", "about('table')", "Table", id="table", tooltip="Show the table and a chart"),
        Binding("a", "about('agenda')", "Agenda", id="agenda", tooltip="Show the days"),
        Binding(
            "v", "about('coverage')", "Coverage", False, id="coverage", tooltip="What was not read"
        ),
        Binding(
            "f",
            "about('further')",
            "Further",
            id="further",
            tooltip="Ask it again at thorough effort",
        ),
        Binding(
            "x",
            "about('without')",
            "As typed",
            False,
            id="without",
            tooltip="Ask it as typed, without what was inferred",
        ),
    ]

    def __init__(self, told: Told, zone: tzinfo | None, config_file: str) -> None:
        """Show a question that was just asked."""
        super().__init__(told.request)
        self.told = told
        self._zone = zone
        self._config_file = config_file
        self._asked = Static(self.asked, classes="asked")
        self._facts = Static("", classes="facts")
        self.found = Evidence()
        self._first = Static("", classes="first")
        self._mark = Static("", classes="mark")
        self.body = AnswerText()
        self._grounded = Static("", classes="grounded")
        self.citations = Citations()
        self._coverage = Static("", classes="coverage")
        self._waiting = ""
        self._anew = False
        self._replaces = False

    def compose(self) -> ComposeResult:
        """Lay out from question to coverage; what is empty takes no room."""
        above = (self._facts, self._first, self._mark)
        for part in (*above, self._grounded, self._coverage):
            part.display = False
        yield self._asked
        yield from above
        yield self.body
        yield self.found
        yield self._grounded
        yield self.citations
        yield self._coverage

    def draw_asked(self) -> None:
        """Show the question in its present state."""
        self._asked.update(self.asked)

    def folded(self) -> Past:
        """Return what is left of it when it takes too much memory."""
        cited = [" - ".join(source_lines(one, self._zone)) for one in self.citations.citations]
        sources = [f"[{number}] {line}" for number, line in enumerate(cited, start=1)]
        past = Past(self.request, self.understood, self.body.text, sources, self.place)
        if (answer := self.told.answer) is None:
            return past
        return replace(past, mark=mark_of(answer), reasons=shown_reasons(answer))

    @property
    def understood(self) -> Request:
        """The question as it was understood."""
        return self.told.understood

    @property
    def copied(self) -> str:
        """The answer."""
        return self.body.text

    def draw(self, event: Event) -> None:
        """Take in one event. Tokens are shown by `flush`, ten times a second at most."""
        self.told.note(event)
        if begins_writing(event):
            self._anew = True
        if isinstance(event, Token):
            if self._anew:
                self._waiting, self._replaces = "", True
            self._anew = False
            self._waiting += event.text
        elif isinstance(event, Provisional):
            self._draw_first()
        elif isinstance(event, Reading | Ranked):
            self.found.note(event, self.told.request.question, self._zone)
        elif isinstance(event, Rewritten | Narrowed | Understood | Answered):
            self._draw_facts()

    async def flush(self) -> None:
        """Show the tokens that came meanwhile."""
        if self._waiting and self.told.answer is None:
            waiting, self._waiting = self._waiting, ""
            self.body.add_class("draft")
            self.body.display = True
            if self._replaces:
                self._replaces = False
                await self.body.show(waiting)
            else:
                await self.body.append(waiting)

    def _draw_first(self) -> None:
        """Show the provisional answer in place of its draft; what is written next comes below."""
        _put(self._first, [self.told.first.line()])
        self._waiting, self._anew, self._replaces = "", False, True
        self.body.display = False

    def _draw_facts(self) -> None:
        """Show what it was understood as, and by what the reading is narrowed."""
        told, shown = self.told, []
        if told.put is not None:
            shown += understood_lines(told.put, told.request.question)
        if told.understood is not told.request:
            shown[-1] += hint("; {edit} changes it, {without} asks as typed.", self.app)
        if told.query is not None:
            shown += filter(None, [filters_line(told.query)])
            without = hint("{without} asks without them.", self.app)
            shown += inferred_lines(told.query, without, self._config_file)
        _put(self._facts, shown)

    async def end(self, ended: Ended) -> None:
        """Show how it ended, and the checked answer in the place of the draft."""
        told = self.told
        told.ended = ended
        told.trail.loadings = ended.loadings
        told.stages.end()
        await self.flush()
        self.body.remove_class("draft")
        self.body.display = True
        if told.answer is not None:
            self.found.display = False  # without an answer, what was found is all there is
        if told.first:
            _put(self._first, [told.first.outcome(told.answer)])
        if told.answer is not None:
            await self._draw_answer(told.answer)
        elif ended.failure is not None:
            self.body.add_class("failed")
            await self.body.show(lines(ended.failure.message))
            _put(self._grounded, [lines(ended.failure.remedy)])
        elif self.body.text:
            _put(self._grounded, ["Cancelled: this draft was not checked."])
        else:
            _put(self._grounded, ["Cancelled."])

    def on_resize(self) -> None:
        """Say that the whole answer takes its room."""
        if self.is_laid:
            self.post_message(self.Laid())

    @property
    def is_laid(self) -> bool:
        """Whether the whole answer is there."""
        return self.told.answer is not None and self.told.ended is not None

    async def _draw_answer(self, answer: Answer) -> None:
        await self.body.show(answer.text)
        table = answer.table
        shows = hint("{table} shows it", self.app)
        computed = [f"Computed by the plan: {one_line(table.plan)}; {shows}"] if table else []
        self._mark.update(mark_of(answer))
        self._mark.display = True
        why = [*shown_reasons(answer), grounded_line(answer)]
        deeper = hint("{further} looks further: it asks again at thorough effort.", self.app)
        further = [deeper] if self._leaves_more else []
        _put(self._grounded, [*why, *computed, *warning_lines(answer), *further])
        self.citations.show(answer.citations, self._zone)
        more = hint("; {coverage}: what was left out", self.app) if has_gaps(answer) else ""
        took = took_text(answer.timings) + hint("; {why}: how", self.app)
        _put(self._coverage, [coverage_line(answer.coverage) + more, took])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what this answer has."""
        if action == "sources":
            return bool(self.citations.citations) and not self.citations.has_focus
        return super().check_action(action, parameters)

    def offers(self, what: str) -> bool:
        """Say whether something can be done with this question now."""
        answer, query = self.told.answer, self.told.query
        if what == "table":
            return answer is not None and answer.table is not None
        if what == "agenda":
            return answer is not None and bool(dated(answer))
        if what == "without":
            inferred = query is not None and bool(query.inferred)
            return inferred or self.understood is not self.request
        if what == "further":
            return self._leaves_more
        if what in ("coverage", "copy"):
            return answer is not None
        return what in ("why", "compare") or super().offers(what)

    @property
    def _leaves_more(self) -> bool:
        """Whether there is no answer, and more effort looks where this one did not."""
        answer, effort = self.told.answer, self.told.request.chosen("effort")
        return answer is not None and leaves_more(answer, effort)

    def action_sources(self) -> None:
        """Go to the sources of the answer."""
        self.citations.focus()


def has_gaps(answer: Answer) -> bool:
    """Say whether something could have been read that was not."""
    coverage = answer.coverage
    return bool(coverage.skipped or coverage.unread or coverage.pruned)


def _put(part: Static, shown: list[str]) -> None:
    part.update(Content("\n".join(shown)))
    part.display = bool(shown)

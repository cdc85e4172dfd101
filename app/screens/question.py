"""The question screen: prompt, answer as it is written, citations, coverage, progress."""

from __future__ import annotations

import time
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Footer, Input, OptionList, Static

from app.config import Config
from app.filters_shown import filters_line
from app.inferred import inferred_lines
from app.options import zone_of
from app.plain import lines, one_line
from app.progress import status_of
from app.report import (
    citation_line,
    coverage_line,
    grounded_line,
    size_text,
    timings_line,
    warning_lines,
)
from app.screens.asking import Asker, AskingEnded, EventArrived, ModelsChecked
from app.screens.password import PasswordScreen
from app.screens.preview import PreviewScreen
from app.serving import where_text_goes
from engine.events import Answered, Event, Token, Understood
from engine.memory import Memory
from engine.values import Answer, Citation, Query
from models.errors import AskanceError

CLOCK_SECONDS = 0.5

WELCOME = "Ask a question about your own files. They are read when you ask, never before."
NO_SOURCES = (
    "No source is remembered yet, so there is nothing to read.\n"
    "Leave with ctrl+q and name one: askance sources add PATH"
)


class QuestionScreen(Screen[None]):
    """Draws what the asker posts. Text from files is shown as it is, never as markup."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="cancel"),
        Binding("ctrl+n", "ask_without", "Without filters", id="ask_without"),
        Binding("ctrl+r", "ask_again", "Again", id="ask_again"),
        Binding("ctrl+o", "unlock", "Unlock", id="unlock"),
        Binding("ctrl+l", "forget", "Forget", id="forget"),
    ]

    def __init__(self, config: Config, asker: Asker, memory: Memory) -> None:
        """Take the settings, whoever answers, and what is kept."""
        super().__init__()
        self._config = config
        self._asker = asker
        self._memory = memory
        self._zone = zone_of(config)
        self._draft = ""
        self._status = ""
        self._began: float | None = None
        self._citations: tuple[Citation, ...] = ()
        self._asked = ""
        self._query: Query | None = None
        self._changed: set[Path] = set()

    def compose(self) -> ComposeResult:
        """Lay out the screen from top to bottom."""
        sources = self._config.sources
        yield Static(Content(self._title()), id="title")
        with VerticalScroll(id="reply"):
            yield Static(Content(""), id="asked")
            yield Static(Content(""), id="filters")
            yield Static(Content(WELCOME if sources else NO_SOURCES), id="answer")
            yield Static(Content(""), id="grounded")
        yield OptionList(id="citations", markup=False)
        yield Static(Content(""), id="coverage")
        yield Static(Content(""), id="progress")
        yield Input(placeholder="Your question", id="prompt")
        yield Footer()

    def on_mount(self) -> None:
        """Start where people type."""
        self.query_one("#citations").display = False
        self.query_one("#filters").display = False
        self.query_one("#prompt", Input).focus()
        self.set_interval(CLOCK_SECONDS, self._tick)
        self._memory.watch(self._note_change)

    def _note_change(self, path: Path) -> None:
        """Remember a file that changed; called in the thread that watches."""
        self._changed.add(path)

    def _title(self) -> str:
        sources = len(self._config.sources)
        remembered = f"{sources} source{'' if sources == 1 else 's'}"
        kept = f"   {size_text(self._memory.size)} in memory" if self._memory.size else ""
        server = f"   {said}" if (said := where_text_goes(self._config)) else ""
        return f"Askance   {remembered}{kept}{server}"

    @property
    def busy(self) -> bool:
        """Whether a question is being answered; models serve one at a time."""
        return self._began is not None

    @on(Input.Submitted, "#prompt")
    def ask(self, submitted: Input.Submitted) -> None:
        """Start answering in a thread."""
        question = submitted.value.strip()
        if question and self._start(question, infer=True):
            submitted.input.clear()

    def _start(self, question: str, *, infer: bool) -> bool:
        if self.busy:
            self.notify("One question at a time. Escape cancels this one.", markup=False)
            return False
        self._asked = question
        self._clear(question)
        self._asker.prepare()
        self.run_worker(
            lambda: self._asker.ask(question, infer, self.post_message), thread=True, exclusive=True
        )
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to ask without inferred filters only when there are some."""
        if action == "ask_without":
            return self._query is not None and bool(self._query.inferred)
        if action == "ask_again":
            return bool(self._asked)
        return True

    def action_ask_again(self) -> None:
        """Ask the last question again, over the files as they are now."""
        if self._asked:
            self._start(self._asked, infer=True)

    def action_ask_without(self) -> None:
        """Ask the last question again over everything, whatever it implies."""
        self._start(self._asked, infer=False)

    def action_forget(self) -> None:
        """Drop all text and passwords that are kept for the next question."""
        if self.busy:
            self.notify("Escape cancels the question first.", markup=False)
            return
        size = self._memory.size
        self._memory.forget()
        self._set("title", self._title())
        self.notify(f"Forgot {size_text(size)} of text, and all passwords.", markup=False)

    def action_unlock(self) -> None:
        """Take a password for encrypted files."""
        self.app.push_screen(PasswordScreen(), self._unlock)

    def _unlock(self, password: str | None) -> None:
        if password:
            self._memory.session.unlock(password)
            self.notify("It is tried from the next question on, until you leave.", markup=False)

    def _clear(self, question: str) -> None:
        self._began = time.monotonic()
        self._changed.clear()
        self._draft = ""
        self._citations = ()
        self._say("Starting")
        self._set("asked", one_line(question))
        self._draw_query(None)
        for name in ("answer", "grounded", "coverage"):
            self._set(name, "")
        citations = self.query_one("#citations", OptionList)
        citations.clear_options()
        citations.display = False

    @on(EventArrived)
    def draw(self, message: EventArrived) -> None:
        """Draw one event."""
        event: Event = message.event
        if isinstance(event, Token):
            self._draft += event.text
            self.query_one("#answer").add_class("draft")
            self._set("answer", lines(self._draft))
        elif isinstance(event, Answered):
            self._draw_answer(event.answer)
        elif isinstance(event, Understood):
            self._draw_query(event.query)
        elif text := status_of(event):
            self._say(text)

    @on(ModelsChecked)
    def draw_check(self, message: ModelsChecked) -> None:
        """Show that model files are being checked."""
        self._say(message.text)

    def _draw_query(self, query: Query | None) -> None:
        """Show the filters, with the key that leaves the inferred ones out."""
        self._query = query
        remedy = "ctrl+n asks without them."
        shown = inferred_lines(query, remedy, str(self._config.path)) if query else []
        if query and (typed := filters_line(query)):
            shown.insert(0, typed)
        self._set("filters", "\n".join(shown))
        self.query_one("#filters").display = bool(shown)
        self.refresh_bindings()

    def _draw_answer(self, answer: Answer) -> None:
        """Put the checked answer in the place of the draft."""
        self.query_one("#answer").remove_class("draft")
        self._set("answer", lines(answer.text))
        self._set("grounded", "\n".join([grounded_line(answer), *warning_lines(answer)]))
        self._set("coverage", coverage_line(answer.coverage))
        self._status = timings_line(answer.timings)
        self._citations = answer.citations
        citations = self.query_one("#citations", OptionList)
        for citation in answer.citations:
            near = "" if citation.support else " nearest, no support:"
            shown = f"[{citation.id}]{near} {citation_line(citation, self._zone)}"
            citations.add_option(Content(shown))
        citations.display = bool(answer.citations)

    @on(AskingEnded)
    def end(self, message: AskingEnded) -> None:
        """Say how it ended and take the next question."""
        self._began = None
        self._set("title", self._title())
        if message.error:
            self._draw_error(message.error)
        elif message.cancelled:
            self._status = "Cancelled."
            self.query_one("#answer").remove_class("draft")
            if self._draft:
                self._set("grounded", "Cancelled: this draft was not checked.")
        self._set("progress", self._status)
        self.query_one("#prompt", Input).focus()

    def _draw_error(self, error: AskanceError) -> None:
        self.query_one("#answer").remove_class("draft")
        self._set("answer", lines(error.message))
        self._set("grounded", lines(error.remedy))
        self._status = "Failed."

    @on(OptionList.OptionSelected, "#citations")
    def preview(self, selected: OptionList.OptionSelected) -> None:
        """Open the source at the quote."""
        citation = self._citations[selected.option_index]
        self.app.push_screen(PreviewScreen(citation, citation_line(citation, self._zone)))

    def action_cancel(self) -> None:
        """Cancel the question in hand; without one, go back to the prompt."""
        if self.busy:
            self._asker.cancel()
            self._say("Cancelling")
        else:
            self.query_one("#prompt", Input).focus()

    def _say(self, status: str) -> None:
        self._status = status
        self._tick()

    def _tick(self) -> None:
        if self._began is not None:
            seconds = time.monotonic() - self._began
            self._set("progress", f"{self._status}  {seconds:.0f} s")
        elif self._asked and self._changed:
            files = f"{len(self._changed)} file{'' if len(self._changed) == 1 else 's'}"
            self._set("progress", f"{self._status}  Changed since: {files}; ctrl+r asks again.")

    def _set(self, name: str, text: str) -> None:
        self.query_one(f"#{name}", Static).update(Content(text))

"""Another way to answer the same question, and both answers side by side."""

from __future__ import annotations

from dataclasses import replace
from datetime import tzinfo
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from app.backend.messages import Request
from app.output.certainty import heading_lines, shown_reasons
from app.output.plain import one_line
from app.output.report import coverage_line, grounded_line, source_lines, took_text
from app.screens.answers.base import ShowingScreen
from app.screens.single_exit import LeftOnce
from app.widgets.answer.text import AnswerText
from app.widgets.conversation.turn import Told
from app.widgets.row_list import ListRow, RowList
from engine.settings import BUDGETS

SIDE_BY_SIDE = 90
"""Columns from which two answers stand beside each other, not one below the other."""


class VariantScreen(LeftOnce, ModalScreen[Request | None]):
    """Asks how to answer a question otherwise; ends with the request, without its number."""

    DEFAULT_CSS = """
    VariantScreen { align: center middle; }
    VariantScreen > Vertical { width: 60; max-width: 95%; height: 80%; border: round $accent;
        background: $surface; padding: 0 1; }
    VariantScreen RowList { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Back")]

    def __init__(self, request: Request) -> None:
        """Take the question as it was asked."""
        super().__init__()
        self._rows = RowList()
        from engine.strategies import registry  # imports all of the engine

        effort, strategy = request.chosen("effort"), request.chosen("strategy")
        efforts = [one for one in BUDGETS if one != effort]
        strategies = [name for name in registry.names() if name != strategy]
        self._choices = [
            *((f"effort {one}", replace(request, effort=one)) for one in efforts),
            *((f"strategy {name}", replace(request, strategy=name)) for name in strategies),
        ]

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical():
            yield Static("Answer it once more, with another:")
            yield self._rows
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Draw the list."""
        labels = [label for label, _ in self._choices]
        self._rows.show([ListRow(str(number), label) for number, label in enumerate(labels)])
        self._rows.focus()

    @on(RowList.RowSelected)
    def choose(self, selected: RowList.RowSelected) -> None:
        """Hand the request over."""
        self.dismiss(self._choices[int(selected.row.key)][1])


class CompareScreen(ShowingScreen[None]):
    """Two answers to one question."""

    DEFAULT_CSS = """
    CompareScreen { background: $background; }
    CompareScreen #asked-of-both { height: auto; padding: 0 1; text-style: bold; }
    CompareScreen Horizontal { height: 1fr; }
    CompareScreen.narrow Horizontal { layout: vertical; }
    CompareScreen VerticalScroll { width: 1fr; height: 1fr; border: round $panel; padding: 0 1; }
    CompareScreen VerticalScroll:focus { border: round $accent; }
    CompareScreen Static { height: auto; }
    CompareScreen .facts { color: $text-muted; }
    """

    def __init__(self, one: Told, other: Told, zone: tzinfo | None) -> None:
        """Take both; each has an answer."""
        super().__init__()
        self._asked = one.request.question
        self._sides = [(told, VerticalScroll(), AnswerText()) for told in (one, other)]
        self._zone = zone

    def compose(self) -> ComposeResult:
        """Lay out the question and both sides."""
        yield Static(Content(one_line(self._asked)), id="asked-of-both")
        with Horizontal():
            for told, side, text in self._sides:
                with side:
                    side.border_title = Content(_way(told))
                    yield text
                    yield Static(Content(_facts(told, self._zone)), classes="facts")
        yield Footer()

    async def on_mount(self) -> None:
        """Fill in the answers."""
        self._sides[0][1].focus()
        for told, _, text in self._sides:
            await text.show(told.answer.text if told.answer else "")

    def on_resize(self, event: events.Resize) -> None:
        """Put one below the other where there is no room."""
        self.set_class(event.size.width < SIDE_BY_SIDE, "narrow")


def _way(told: Told) -> str:
    strategy = told.answer.strategy if told.answer else "no answer"
    return one_line(", ".join(filter(None, (strategy, told.request.chosen("effort")))))


def _facts(told: Told, zone: tzinfo | None) -> str:
    answer = told.answer
    if answer is None:
        return ""
    tokens = answer.usage.effective_context
    return "\n".join(
        [
            "",
            *heading_lines(answer),
            *shown_reasons(answer),
            grounded_line(answer),
            *(f"[{one.id}] {' - '.join(source_lines(one, zone))}" for one in answer.citations),
            coverage_line(answer.coverage),
            took_text(answer.timings),
            f"Tokens read: {tokens:,}",
        ]
    )

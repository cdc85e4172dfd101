"""What opens from an answer: screens about it, its sources, and what is asked from there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from app.backend.messages import Request
from app.output.agenda import dated
from app.output.report import copied_citation
from app.screens.answers.agenda import AgendaScreen
from app.screens.answers.comparison import CompareScreen, VariantScreen
from app.screens.answers.coverage import CoverageScreen, Remedy
from app.screens.answers.evidence import EvidenceScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.answers.table import TableScreen
from app.widgets.answer.source import open_beside
from app.widgets.conversation.asked import Asked
from app.widgets.conversation.turn import Told, TurnView
from app.widgets.conversation.turns import Turns

if TYPE_CHECKING:
    from engine.plan import Plan
    from engine.values import Answer, Citation


class AnswerScreens:
    """Opens screens above the chat; what they ask for goes back as a message of the turns."""

    def __init__(self, turns: Turns) -> None:
        """Take the turns, which know the app and the time zone."""
        self._turns = turns

    def open(self, asked: Asked, what: str) -> None:
        """Open a screen about an answer; `what` as in the bindings of a turn."""
        if not isinstance(asked, TurnView):
            return
        show, zone = self._turns.app.push_screen, self._turns.zone
        match what:
            case "why":
                show(EvidenceScreen(asked.told, zone))
            case "compare":
                show(VariantScreen(asked.request), self._vary(asked.told))
            case _ if asked.told.answer is not None:
                self._open_part(asked, asked.told.answer, what)

    def _open_part(self, turn: TurnView, answer: Answer, what: str) -> None:
        show, zone = self._turns.app.push_screen, self._turns.zone
        if what == "coverage":
            show(CoverageScreen(answer.coverage), self._remedy(turn))
        elif what == "table" and answer.table is not None:
            show(TableScreen(answer.table, zone), self._compute(turn))
        elif what == "agenda":
            show(AgendaScreen(dated(answer), zone))

    def compare(self, one: Told, other: Told) -> None:
        """Show two answers side by side."""
        self._turns.app.push_screen(CompareScreen(one, other, self._turns.zone))

    def preview(self, citation: Citation, among: tuple[Citation, ...]) -> None:
        """Open a source at the quote, one of an answer's."""
        self._turns.app.push_screen(PreviewScreen(citation, self._turns.zone, among))

    def open_source(self, citation: Citation) -> None:
        """Open it in the program that the system has for it."""
        open_beside(self._turns, citation)

    def copy(self, citation: Citation) -> None:
        """Copy the citation's place and quote."""
        self._turns.app.copy_to_clipboard(copied_citation(citation, self._turns.zone))

    def _ask(self, request: Request, beside: Told | None = None) -> None:
        self._turns.post_message(Turns.AskWanted(request, beside))

    def _vary(self, told: Told) -> Callable[[Request | None], None]:
        def vary(request: Request | None) -> None:
            if request is not None:
                self._ask(request, told)

        return vary

    def _compute(self, turn: TurnView) -> Callable[[Plan | None], None]:
        def compute(plan: Plan | None) -> None:
            if plan is not None:
                self._ask(replace(turn.told.request, plan=plan))

        return compute

    def _remedy(self, turn: TurnView) -> Callable[[Remedy | None], None]:
        def apply(remedy: Remedy | None) -> None:
            if remedy == "unlock":
                self._turns.post_message(Turns.UnlockWanted())
            elif remedy is not None:
                whole = remedy == "whole" or turn.told.request.whole
                self._ask(replace(turn.told.request, whole=whole))

        return apply

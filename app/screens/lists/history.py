"""Kept conversations: found, gone on with, exported, removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Input

from app.history.archive import Archive
from app.history.conversations import History, Kept
from app.history.storage.matches import FoundTurn
from app.keys import bindings
from app.output.plain import counted, one_line
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.dialogs.export import ask_and_export
from app.screens.lists.base import Failed, ListingScreen
from app.settings.config import Config
from app.widgets.row_list import ListPane, ListRow, RowList
from engine.conversation import Conversation

Resume = Callable[[Conversation, int | None], object]
"""Goes on with a conversation; the turn is the one that a search found."""


@dataclass
class WordsTyped(Message):
    """Other words are to be found."""

    words: str


class SearchPane(ListPane):
    """A list whose rows are what was found, not where the cursor goes."""

    @on(Input.Changed)
    def search(self, changed: Input.Changed) -> None:
        """Have the words found."""
        changed.prevent_default()
        changed.stop()
        self.post_message(WordsTyped(changed.value))

    @on(Input.Submitted)
    def keep_what_was_found(self, submitted: Input.Submitted) -> None:
        """Go to what was found."""
        submitted.prevent_default()
        submitted.stop()
        self.row_list.focus()

    def action_to_list(self) -> None:
        """Go to what was found."""
        self.row_list.focus()

    def action_end_search(self) -> None:
        """Take the line away, and show everything again."""
        super().action_end_search()
        self.post_message(WordsTyped(""))


class HistoryScreen(ListingScreen):
    """Lists conversations, what was last added to first; words find single questions."""

    SCOPE = "history"
    HEADING = "History"
    EMPTY = "No conversation is kept yet."
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("history")]

    def __init__(
        self, archive: Archive, config: Config, zone: tzinfo | None, resume: Resume
    ) -> None:
        """Show the history of an archive; `resume` goes on with one of its conversations."""
        super().__init__()
        self._archive = archive
        self._config = config
        self._zone = zone
        self._resume = resume
        self._words = ""
        self._shown: dict[str, Kept | FoundTurn] = {}

    def compose(self) -> ComposeResult:
        """Lay out as other lists, with a line that searches."""
        for part in super().compose():
            yield SearchPane() if isinstance(part, ListPane) else part

    def begin(self) -> None:
        """List them."""
        self.head("opening …")
        self._find("")

    @on(Failed)
    def stay_closed(self) -> None:
        """Have what went wrong said below, and nothing else."""
        self.head("")

    @on(WordsTyped)
    def find(self, typed: WordsTyped) -> None:
        """Find words, or list everything where there are none."""
        self._find(typed.words)

    def _find(self, words: str) -> None:
        self._words = words

        def found(history: History) -> Sequence[Kept | FoundTurn]:
            return history.search(words) if words.strip() else history.listed()

        def show(rows: Sequence[Kept | FoundTurn]) -> None:
            if words == self._words:
                self._show(rows)

        self.work(lambda: self._archive.do(self._config, found).result(), show)

    def _show(self, found: Sequence[Kept | FoundTurn]) -> None:
        self._shown = {str(number): one for number, one in enumerate(found)}
        rows = [ListRow(key, self._line(one)) for key, one in self._shown.items()]
        if not rows and self._words.strip():
            rows = [ListRow("none", "Nothing holds all these words.", "muted")]
        self.draw_rows(rows)
        self.say("")
        self.head("enter goes on with it, / finds words")

    def _line(self, one: Kept | FoundTurn) -> str:
        if isinstance(one, FoundTurn):
            return f"{one.when.astimezone(self._zone):%Y-%m-%d}  {one_line(one.asked)}"
        when = f"{one.changed.astimezone(self._zone):%Y-%m-%d %H:%M}"
        return f"{when}  {one_line(one.title)}  ({counted(one.turns, 'question')})"

    def detail_of(self, row: ListRow) -> str:
        """Say what was found, or when it began."""
        one = self._shown.get(row.key)
        if isinstance(one, FoundTurn):
            return f"{one_line(one.snippet)}\nIn: {one_line(one.title)}"
        if one is None:
            return ""
        return f"{one_line(one.title)}\nBegan {one.began.astimezone(self._zone):%Y-%m-%d %H:%M}"

    def _with_chosen(self, then: Callable[[Conversation, int | None], object]) -> None:
        """Read the conversation under the cursor, and go on with it."""
        row = self.row_list.row
        one = self._shown.get(row.key) if row else None
        if one is None:
            return
        turn = one.turn if isinstance(one, FoundTurn) else None
        id_ = _id_of(one)
        self.work(
            lambda: self._archive.do(
                self._config, lambda history: history.conversation(id_)
            ).result(),
            lambda conversation: then(conversation, turn),
        )

    @on(RowList.RowSelected)
    def go_on_with(self) -> None:
        """Go back to the chat, with this conversation."""
        self._with_chosen(self._leave_with)

    def _leave_with(self, conversation: Conversation, turn: int | None) -> None:
        if self.is_active:  # else the person has gone elsewhere meanwhile
            self.dismiss(None)
            self._resume(conversation, turn)

    def action_export(self) -> None:
        """Write the conversation to a file."""
        self._with_chosen(lambda whole, _: ask_and_export(self, whole, self._zone))

    def action_remove(self) -> None:
        """Remove the conversation for good, when the person says so."""
        row = self.row_list.row
        one = self._shown.get(row.key) if row else None
        if one is not None:
            asked = f"Remove this conversation for good?\n\n{one_line(one.title)}"
            self.app.push_screen(ConfirmScreen(asked, "Remove"), self._remover(_id_of(one)))

    def _remover(self, id_: str) -> Callable[[bool | None], None]:
        def remove(yes: bool | None) -> None:
            if yes:
                self.work(
                    lambda: self._archive.do(
                        self._config, lambda history: history.remove([id_])
                    ).result(),
                    lambda _: self._find(self._words),
                )

        return remove


def _id_of(one: Kept | FoundTurn) -> str:
    return one.conversation if isinstance(one, FoundTurn) else one.id

"""Help: every key that works here, every other key, and the commands of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from app.keys import EVERYWHERE, FOCUSED, Action, bindings, keys_shown
from app.screens.lists.base import ListingScreen
from app.widgets.row_list import ListRow, RowList

SCOPES = {
    EVERYWHERE: "Everywhere",
    "chat": "While asking",
    "prompt": "While typing",
    "answers": "On an answer",
    "citations": "On a citation",
    "filters": "On a filter",
    "lists": "In lists",
    "screens": "On all other screens",
    "history": "History",
    "sources": "Sources",
    "models": "Models",
    "settings": "Settings",
    "doctor": "Doctor",
    "preview": "On a source that is shown",
    "coverage": "On what was read, and what was not",
    "table": "On a table",
}
KEYS_WIDTH = 16


class HelpScreen(ListingScreen):
    """Ends with the action that was chosen; / finds words in what an action does."""

    SCOPE = "help"
    HEADING = "Help"
    EMPTY = ""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("help")]

    def __init__(
        self,
        actions: Sequence[Action],
        keymap: Mapping[str, str],
        commands: Sequence[tuple[str, str]],
        scope: str,
    ) -> None:
        """Show the keys of `scope`, the screen below, first; commands are name and summary."""
        super().__init__()
        self._actions = {action.id: action for action in actions}
        self._keymap = keymap
        self._commands = commands
        self._scope = scope
        self.chosen: Action | None = None

    def begin(self) -> None:
        """Draw the keys."""
        self.draw_rows(self._rows())
        self.head("enter does it, / finds it, escape goes back")

    def _rows(self) -> list[ListRow]:
        scopes = dict.fromkeys(action.scope for action in self._actions.values())
        first = [self._scope] if self._scope in scopes else []
        rows: list[ListRow] = []
        for scope in dict.fromkeys([*first, EVERYWHERE, *scopes]):
            rows.append(ListRow(f"scope {scope}", SCOPES.get(scope, scope.capitalize()), "heading"))
            rows += [
                ListRow(action.id, self._line(action))
                for action in self._actions.values()
                if action.scope == scope
            ]
        rows.append(ListRow("commands", "Commands, in a shell", "heading"))
        width = KEYS_WIDTH + len("askance ")
        rows += [
            ListRow(f"command {name}", f"  askance {name:<{width - 8}}{summary}", "muted")
            for name, summary in self._commands
        ]
        return rows

    def _line(self, action: Action) -> str:
        return f"  {keys_shown(action, self._keymap):<{KEYS_WIDTH}}{action.does or action.label}"

    def detail_of(self, row: ListRow) -> str:
        """Say what the action is called, for the keymap."""
        action = self._actions.get(row.key)
        if action is None:
            return ""
        keys = keys_shown(action, self._keymap)
        return (
            f"{action.does or action.label}: {keys}\n"
            f'Other keys for it: the line {action.id} = "KEY, KEY" under [keymap] in the settings'
        )

    @on(RowList.RowSelected)
    def choose(self, selected: RowList.RowSelected) -> None:
        """Go back, and do it there if it works there."""
        action = self._actions.get(selected.row.key)
        if action is None:
            return
        parts = FOCUSED if self._scope == "chat" else ()
        if action.scope in (EVERYWHERE, self._scope, *parts):
            self.chosen = action
            self.action_back()
        else:
            self.say(f"This works {SCOPES.get(action.scope, action.scope).lower()}.")

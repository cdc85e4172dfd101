"""Does what a key would do, for the palette and the help: on the screen or part where it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.actions import parse
from textual.app import App
from textual.dom import DOMNode
from textual.widget import Widget

from app.keys import EVERYWHERE, FOCUSED, OF_ANSWERS, Action
from app.widgets.answer.citations import Citations
from app.widgets.conversation.asked import Asked
from app.widgets.input.chips import ChipBar
from app.widgets.input.prompt import Prompt
from app.widgets.row_list import RowList

PARTS: dict[str, type[Widget]] = dict(
    zip(FOCUSED, (Prompt, Asked, Citations, ChipBar), strict=True)
)
"""The classes of parts of the chat; an answer of earlier, of which the words are left, is one too.
"""


class ActionDispatch:
    """Finds the screen or the part that an action is for, and runs it there."""

    def __init__(
        self, app: App[Any], scope: Callable[[], str], to_chat: Callable[[], None]
    ) -> None:
        """Take the app, the scope of the screen that is shown, and the way back to the chat."""
        self._app = app
        self._scope = scope
        self._to_chat = to_chat

    def do(self, action: Action) -> None:
        """Do what a key would do, on the screen where it does it."""
        scope, screen = self._scope(), self._app.screen
        if action.scope == EVERYWHERE:
            self._run(action)
        elif action.scope == "lists" and (lists := screen.query(RowList)):
            self._run(action, lists.first())
        elif action.scope == "preview" and (shown := self._source_shown()):
            self._run(action, shown)
        elif action.scope in FOCUSED and scope == "chat":
            self._do_focused(action)
        elif action.scope in (scope, "screens"):
            self._run(action, screen)
        elif action.scope in OF_ANSWERS:
            self._say(f"{action.does}: this works on the screen that an answer opens for it.")
        else:
            self._do_elsewhere(action)

    def _run(self, action: Action, part: DOMNode | None = None) -> None:
        self._app.call_later(self._app.run_action, action.run, part)

    def _say(self, text: str) -> None:
        self._app.notify(text)

    def _source_shown(self) -> Widget | None:
        """Return the source that is shown, alone or beside a conversation."""
        return next((view for view in self._app.screen.query("SourceView") if view.display), None)

    def _do_focused(self, action: Action) -> None:
        focused = self._app.screen.focused
        around = focused.ancestors_with_self if focused else ()
        part = next((one for one in around if isinstance(one, PARTS[action.scope])), None)
        if part is None:
            self._say(f"{action.does}: this works on {action.scope}; tab goes there.")
        elif _offers(part, action):
            self._run(action, part)
        else:
            self._say(f"{action.does}: not here.")

    def _do_elsewhere(self, action: Action) -> None:
        """Go to the screen of an action; do it there unless it is about a row."""
        if action.scope in ("chat", *FOCUSED):
            self._to_chat()
        else:
            self._app.call_next(self._app.run_action, action.scope)
        if action.alone:
            app = self._app
            app.call_later(lambda: app.screen.call_after_refresh(self.do, action))


def _offers(part: DOMNode, action: Action) -> bool:
    """Say whether a part has an action, and has it now."""
    _, name, given = parse(action.run)
    return hasattr(part, f"action_{name}") and bool(part.check_action(name, given))

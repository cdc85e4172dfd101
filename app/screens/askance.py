"""The terminal app: one screen, its theme and its keys."""

from __future__ import annotations

import traceback
from typing import ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter

from app.config import Config
from app.keys import ACTIONS, EVERYWHERE, Action, actions_of, bindings, checked_keymap
from app.screens.asking import Asker
from app.screens.question import QuestionScreen
from app.themes import THEMES, filters_for, next_theme, theme_named
from engine.memory import Memory

IDLE_CHECK_SECONDS = 30


class AskanceApp(App[None]):
    """Asks questions over the remembered sources."""

    TITLE = "Askance"
    CSS_PATH = "askance.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]

    def _fatal_error(self) -> None:
        """End after a defect, with a traceback that shows no values.

        Textual prints local variables, and ours hold mail.
        """
        self.bell()
        lines = traceback.format_exc()
        self._exit_renderables.append(Text(lines))
        self._close_messages_no_wait()

    def __init__(self, config: Config, asker: Asker, memory: Memory | None = None) -> None:
        """Take the settings, whoever answers, and what is kept. Raises `SettingWrong`."""
        super().__init__()
        self._asker = asker
        self._memory = memory or Memory()
        self._config = config
        self._use_theme()
        self._use_keymap()

    @property
    def actions(self) -> list[Action]:
        """Every action that has a key, those of the question's screen among them."""
        return [*ACTIONS, *actions_of("question", QuestionScreen)]

    def get_line_filters(self) -> list[LineFilter]:
        """Return what changes drawn lines; one theme has no colours at all."""
        return [*super().get_line_filters(), *filters_for(self.theme)]

    def _use_theme(self) -> None:
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_named(self._config.text("interface.theme"), colour=not self.no_color)

    def _use_keymap(self) -> None:
        keymap = self._config.values["keymap"]
        self.set_keymap(checked_keymap(keymap if isinstance(keymap, dict) else {}, self.actions))

    def action_next_theme(self) -> None:
        """Change the colours until the program ends; the settings keep a theme."""
        if not self.no_color:
            self.theme = next_theme(self.theme)

    def on_mount(self) -> None:
        """Show the one screen there is."""
        self.push_screen(QuestionScreen(self._config, self._asker, self._memory))
        self.set_interval(IDLE_CHECK_SECONDS, self._asker.release_idle)

    async def action_quit(self) -> None:
        """Stop answering and leave."""
        self._asker.cancel()
        self.exit()

    def action_help(self) -> None:
        """Show or hide every key of what has the focus."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

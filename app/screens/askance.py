"""The terminal app: one screen, its theme and its keys."""

from __future__ import annotations

import traceback
from typing import ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType

from app.config import Config
from app.errors import SettingWrong
from app.screens.asking import Asker
from app.screens.question import QuestionScreen
from engine.memory import Memory

IDLE_CHECK_SECONDS = 30
BINDING_IDS = ("quit", "help", "cancel")
"""What `[interface] keymap` can give other keys."""


class AskanceApp(App[None]):
    """Asks questions over the remembered sources."""

    TITLE = "Askance"
    CSS_PATH = "askance.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Quit", id="quit", priority=True),
        Binding("f1", "toggle_help", "Help", id="help", priority=True),
    ]

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

    def _use_theme(self) -> None:
        theme = self._config.text("interface.theme")
        if theme is None:
            return
        if theme not in self.available_themes:
            raise SettingWrong(
                f'There is no theme "{theme}".',
                remedy=f"Themes: {', '.join(sorted(self.available_themes))}.",
            )
        self.theme = theme

    def _use_keymap(self) -> None:
        keymap = self._config.values["interface.keymap"]
        if not isinstance(keymap, dict):
            return
        if unknown := sorted(set(keymap) - set(BINDING_IDS)):
            raise SettingWrong(
                f'"interface.keymap" has no action "{unknown[0]}".',
                remedy=f"Actions: {', '.join(BINDING_IDS)}.",
            )
        self.set_keymap(keymap)

    def on_mount(self) -> None:
        """Show the one screen there is."""
        self.push_screen(QuestionScreen(self._config, self._asker, self._memory))
        self.set_interval(IDLE_CHECK_SECONDS, self._asker.release_idle)

    async def action_quit(self) -> None:
        """Stop answering and leave."""
        self._asker.cancel()
        self.exit()

    def action_toggle_help(self) -> None:
        """Show or hide every key of what has the focus."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

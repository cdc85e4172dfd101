"""The terminal app: the chat, the screens above it, their theme and their keys."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from rich.text import Text
from textual import events, on
from textual.app import App
from textual.binding import BindingType
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import ModalScreen, Screen

from app.backend.messages import Changed, Drew, Engine, Happened
from app.desktop import clipboard
from app.errors import SettingWrong
from app.keys import (
    ACTIONS,
    EVERYWHERE,
    Action,
    actions_of,
    bindings,
    checked_keymap,
)
from app.screens.action_dispatch import PARTS, ActionDispatch
from app.screens.answers.base import ShowingScreen
from app.screens.chat.reply import Replied
from app.screens.chat.screen import ChatScreen
from app.screens.garbage import Tidying
from app.screens.lists.base import ListingScreen
from app.screens.messages import ConfigChanged
from app.screens.model_jobs import ModelJobs
from app.screens.page_pictures import PagePictures
from app.screens.palette import ActionProvider
from app.settings.config import Config
from app.settings.current import Current
from app.sources.last_reading import SourcesSeen
from app.themes import THEMES, filters_for, next_theme, theme_named
from app.widgets.answer.page import PageAsked
from app.widgets.input.prompt import Prompt

TIDY_SECONDS = 1.0
OPENING = frozenset(row.run for row in ACTIONS if row.scope == EVERYWHERE and row.id != "quit")
"""Actions that open another screen."""


class AskanceApp(App[None]):
    """Asks questions over the remembered sources."""

    TITLE = "Askance"
    CSS_PATH = "askance.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(EVERYWHERE)]
    COMMANDS: ClassVar = {ActionProvider}

    def _fatal_error(self) -> None:
        """End after a defect, with a traceback that shows no values.

        Textual prints local variables, and ours hold mail.
        """
        self.bell()
        lines = traceback.format_exc()
        self._exit_renderables.append(Text(lines))
        self._close_messages_no_wait()

    def __init__(
        self,
        config: Config,
        engine: Engine,
        *,
        commands: Sequence[tuple[str, str]] = (),
        first_run: bool = False,
    ) -> None:
        """Take the settings and the engine. Raises `SettingWrong`.

        Help lists `commands`, each with its summary. With `first_run`, the first steps open
        above the chat.
        """
        super().__init__()
        self._engine = engine
        self._commands = commands
        self._first_run = first_run
        self._theme_set: str | None = ""
        self.current = Current(config)
        self.seen = SourcesSeen()
        self.jobs = ModelJobs(self.tell)
        self._pages = PagePictures(engine)
        self.tidying = Tidying()
        self._action_dispatch = ActionDispatch(self, lambda: self.scope, self._to_chat)
        self._use_settings()

    @property
    def actions(self) -> list[Action]:
        """Every action that has a key, those of the chat among them."""
        from app.widgets.conversation.turn import TurnView  # no first picture waits for it

        parts = {**PARTS, "answers": TurnView}.items()
        of_widgets = [row for scope, kind in parts for row in actions_of(scope, kind)]
        return [*ACTIONS, *actions_of("chat", ChatScreen), *of_widgets]

    @property
    def scope(self) -> str:
        """The scope of the actions of the screen that is shown, below what asks for something."""
        shown = [one for one in self.screen_stack if not _asks(one)][-1]
        return shown.SCOPE if isinstance(shown, ListingScreen | ShowingScreen) else "chat"

    @property
    def keymap(self) -> dict[str, str]:
        """The keys that the settings give to actions. Raises `SettingWrong`."""
        keymap = self.current.config.values.keymap
        return checked_keymap(keymap, self.actions) if keymap else {}

    def get_line_filters(self) -> list[LineFilter]:
        """Return what changes drawn lines; one theme has no colours at all."""
        return [*super().get_line_filters(), *filters_for(self.theme)]

    def _use_settings(self) -> None:
        """Take theme and keys from the settings; a theme changed by key stays until it is set."""
        for theme in THEMES:
            self.register_theme(theme)
        wanted = self.current.config.values.interface.theme
        if wanted != self._theme_set:
            self.theme, self._theme_set = theme_named(wanted, colour=not self.no_color), wanted
        self.set_keymap(self.keymap)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let what asks for something be answered before another screen opens."""
        return action not in OPENING or not any(map(_asks, self.screen_stack[-1:]))

    def action_next_theme(self) -> None:
        """Change the colours until the program ends; the settings keep a theme."""
        if not self.no_color:
            self.theme = next_theme(self.theme)

    def settings_changed(self) -> None:
        """Draw by the settings as they are now, and tell every screen."""
        try:
            self._use_settings()
        except SettingWrong as error:
            self.notify(str(error), severity="error", markup=False)
        self.tell(lambda: ConfigChanged(self.current.config))

    def tell(self, make: Callable[[], Message]) -> None:
        """Post a message, made anew for each, to every screen that is open. From any thread."""
        for screen in self.screen_stack:
            screen.post_message(make())

    @on(Replied)
    def note_reading(self, replied: Replied) -> None:
        """Keep what was read for an answer, and what changed since, for the tree of sources."""
        from engine.events import Answered

        match replied.reply:
            case Happened(_, Answered(answer)):
                self.seen.note(answer.coverage)
            case Changed(path):
                self.seen.note_change(path)
            case Drew() as drew:
                self._pages.hand_on(drew)

    @on(PageAsked)
    def draw_page(self, asked: PageAsked) -> None:
        """Have a page drawn for a part of a screen."""
        self._pages.ask(asked, self.current.config.values.interface.pictures)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy a text, by the desktop's own program where there is one, and say which way."""
        self._clipboard = text  # what Textual pastes itself
        self.run_worker(self._copy(text))

    async def _copy(self, text: str) -> None:
        if program := await asyncio.to_thread(clipboard.copy, text):
            self.notify(f"Copied, by {program}.", markup=False)
        else:
            super().copy_to_clipboard(text)
            self.notify(
                "Handed to the terminal's clipboard (OSC 52), which some terminals refuse.",
                markup=False,
            )

    def on_mount(self) -> None:
        """Show the chat, and at the very first start the first steps above it."""
        self.chat = ChatScreen(self.current, self._engine, self.tidying)
        self.push_screen(self.chat)
        if self._first_run:
            self.action_first_run()

        self.set_interval(TIDY_SECONDS, self._tidy)

    def on_unmount(self) -> None:
        """Stop what is being done with models."""
        self.jobs.close()
        self.tidying.end()

    async def on_event(self, event: events.Event) -> None:
        """Note that somebody is there."""
        if isinstance(event, events.InputEvent):
            self.tidying.touch()
            if not self.screen_stack:
                return  # the program is ending, and no screen is left that a key could mean
        await super().on_event(event)

    def _tidy(self) -> None:
        self.tidying.tidy(busy=self.chat.busy)

    # Imports of screens wait until they are wanted: the first paint is not to wait for them.

    def action_sources(self) -> None:
        """Show what is read."""
        from app.screens.lists.sources import SourcesScreen

        self._show(SourcesScreen(self.current, self.seen, self.settings_changed))

    def action_history(self) -> None:
        """Show the kept conversations."""
        self._show(self.chat.history_screen())

    def action_models(self) -> None:
        """Show the models."""
        from app.screens.lists.models import ModelsScreen

        self._show(ModelsScreen(self.current, self.jobs, self.settings_changed))

    def action_settings(self) -> None:
        """Show the settings."""
        from app.screens.lists.settings import SettingsScreen

        self._show(SettingsScreen(self.current, self.settings_changed))

    def action_doctor(self) -> None:
        """Say what works here."""
        from app.screens.lists.doctor import DoctorScreen

        self._show(DoctorScreen())

    def action_first_run(self) -> None:
        """Go through the first steps."""
        from app.screens.lists.first_run import FirstRunScreen

        tell = self.settings_changed, self.action_sample, self.ask
        self._show(FirstRunScreen(self.current, self.jobs, *tell))

    def action_help(self) -> None:
        """Show every key, those of this screen first."""
        from app.screens.lists.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.action_back()
            return
        screen = HelpScreen(self.actions, self.keymap, self._commands, self.scope)
        self.push_screen(screen, lambda _: self.do(screen.chosen) if screen.chosen else None)

    def action_sample(self) -> None:
        """Read the sample files instead of the person's own, and put a question about them."""
        from app.sources.sample_files import sample_folder, sample_questions

        self.current.sample = sample_folder()
        self.settings_changed()
        self.propose(sample_questions()[1].text)

    def propose(self, question: str) -> None:
        """Put a question into the prompt, where Enter asks it."""
        self._to_chat()
        self.chat.query_one(Prompt).fill(question)

    def ask(self, question: str) -> None:
        """Ask a question as if it had been typed."""
        self.propose(question)
        self.chat.query_one(Prompt).action_send()

    def _show(self, screen: ListingScreen) -> None:
        """Go to a screen above the chat, or back from it when it is shown already."""
        shown = isinstance(self.screen, type(screen))
        self._to_chat()
        if not shown:
            self.push_screen(screen)

    def _to_chat(self) -> None:
        while isinstance(self.screen, ListingScreen | ShowingScreen):
            self.pop_screen()

    def do(self, action: Action) -> None:
        """Do what a key would do, on the screen where it does it."""
        self._action_dispatch.do(action)

    async def action_quit(self) -> None:
        """Leave; whoever runs the app ends the engine."""
        self.exit()


def _asks(screen: Screen[Any]) -> bool:
    """Say whether a screen waits for something to be entered or chosen."""
    return isinstance(screen, ModalScreen) and not isinstance(screen, ShowingScreen)

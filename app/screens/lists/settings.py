"""Settings: what each does, what it is, where that comes from; changed here and in the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from app.errors import SettingWrong
from app.keys import bindings
from app.local_models.loader import known_models
from app.output.plain import one_line
from app.screens.dialogs.choice import ChooseScreen
from app.screens.dialogs.entry import EntryScreen
from app.screens.lists.base import ListingScreen
from app.screens.messages import ConfigChanged
from app.setting_change import choices_of, parsed, save, take_default, value_text
from app.settings.config import Config
from app.settings.current import Current
from app.settings.schema import BY_NAME, SETTINGS, Setting
from app.widgets.row_list import ListRow, RowList

NAME_WIDTH = 22


class SettingsScreen(ListingScreen):
    """Every setting. What is typed is checked before it is written."""

    SCOPE = "settings"
    HEADING = "Settings"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("settings")]

    def __init__(self, current: Current, changed: Callable[[], object]) -> None:
        """Show the settings; `changed` is called after one was changed."""
        super().__init__()
        self._current = current
        self._changed = changed

    def begin(self) -> None:
        """Draw them."""
        self.draw()

    @on(ConfigChanged)
    def draw(self) -> None:
        """Draw the settings as they are now."""
        rows: list[ListRow] = []
        for setting in SETTINGS:
            section = setting.name.split(".")[0]
            if (rows and rows[-1].key.split(".")[0] != section) or not rows:
                rows.append(ListRow(f"{section}.", section.capitalize(), "heading"))
            rows.append(self._row(setting))
        self.draw_rows(rows)
        self.head(one_line(str(self._current.saved.path)))

    def _row(self, setting: Setting) -> ListRow:
        value = value_text(self._current.saved.values.of(setting.name)) or "(not set)"
        key = setting.name.split(".")[-1]
        is_default = self._current.saved.origins[setting.name] == "default"
        text = f"  {key:<{NAME_WIDTH}}{one_line(value)}"
        return ListRow(setting.name, text, "muted" if is_default else "plain")

    def detail_of(self, row: ListRow) -> str:
        """Say what it does, what it may be, and where its value comes from."""
        setting = BY_NAME.get(row.key)
        if setting is None:
            return ""
        origin = self._current.saved.origins[setting.name]
        default = value_text(setting.default) or "not set"
        return (
            f"{setting.name}: {setting.about}\n"
            f"Is {setting.kind.form.wanted}; by default {default}.\n"
            f"Comes from: {origin}. As a variable: {setting.variable}"
        )

    @property
    def _here(self) -> Setting | None:
        return BY_NAME.get(self.row_list.row.key) if self.row_list.row else None

    @on(RowList.RowSelected)
    def edit(self) -> None:
        """Change the setting under the cursor."""
        self.action_edit()

    def action_edit(self) -> None:
        """Ask for another value."""
        setting = self._here
        if setting is None or self._refused(setting):
            return
        now = value_text(self._current.saved.values.of(setting.name))
        asked = f"{setting.name}: {setting.about}\nWrite {setting.kind.form.wanted}:"
        choices = choices_of(setting)
        screen = (
            ChooseScreen(f"{setting.name}: {setting.about}", choices, now)
            if choices
            else EntryScreen(asked, now, lambda typed: _fault(setting, typed))
        )
        self.app.push_screen(
            screen, lambda typed: None if typed is None else self._save(setting, typed)
        )

    def _refused(self, setting: Setting) -> bool:
        """Say why a setting is not changed here; empty when it is."""
        origin = self._current.saved.origins[setting.name]
        why = ""
        if "." not in setting.name:
            why = f"[{setting.name}] is a table: write it in {self._current.saved.path}."
        elif origin not in ("default", "file"):
            why = f"{origin} is set, and beats the file. Unset it first."
        self.say(why)
        return bool(why)

    def _save(self, setting: Setting, typed: str) -> None:
        saved = self._current.saved

        def write() -> Config:
            catalogue, _ = known_models(os.environ)
            return save(setting, typed, saved, catalogue)

        self.work(write, lambda config: self._saved(config, f"{setting.name} is changed."))

    def action_unset(self) -> None:
        """Take the default again."""
        setting = self._here
        if setting is None or self._refused(setting):
            return
        saved = self._current.saved
        self.work(
            lambda: take_default(setting, saved),
            lambda config: self._saved(config, f"{setting.name} has its default again."),
        )

    def _saved(self, config: Config, said: str) -> None:
        self._current.saved = config
        self._changed()
        self.say(f"{said} Saved in {config.path}.")


def _fault(setting: Setting, typed: str) -> str:
    """Return what is wrong with what was typed."""
    try:
        parsed(setting, typed)
    except SettingWrong as error:
        return error.message
    return ""

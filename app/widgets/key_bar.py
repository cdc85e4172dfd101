"""The line of keys at the bottom: whole keys only, those that matter first."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Footer
from textual.widgets._footer import FooterKey

ALWAYS = ("help", "quit")
"""Actions whose keys are there however narrow it is: they lead to all others, and out."""
PALETTE = "-command-palette"
OPENS_PALETTE = "command_palette"

Keys = tuple[tuple[str, str, str, bool], ...]
"""Keys that hold: key, description, action, and whether the action is possible now."""


class KeyBar(Footer):
    """Leaves out what does not fit instead of cutting it; help and palette have every key."""

    def __init__(self, *, show_command_palette: bool = True) -> None:
        """Show the keys of what has the focus, then those of the screen."""
        super().__init__(show_command_palette=show_command_palette)
        self._drawn_for = 0
        self._drawn: Keys = ()

    def bindings_changed(self, screen: Screen[object]) -> None:
        """Choose anew where other keys hold; most moves of the focus change none."""
        if not self._bindings_ready or _keys_of(screen) != self._drawn:
            super().bindings_changed(screen)

    def compose(self) -> ComposeResult:
        """Lay out the keys that fit."""
        self._drawn = _keys_of(self.screen) if self._bindings_ready else ()
        keys = [one for one in super().compose() if isinstance(one, FooterKey)]
        if any(one.has_class(PALETTE) for one in keys):  # Textual adds a second one at the right
            keys = [one for one in keys if one.has_class(PALETTE) or _action(one) != OPENS_PALETTE]
        self._drawn_for = self.app.size.width
        room = self._drawn_for - sum(_width(one) for one in keys if _stays(one))
        fitting = []
        for key in keys:
            if not _stays(key):
                room -= _width(key)
                if room < 0:
                    break
                fitting.append(key)
        yield from fitting
        yield from filter(_stays, keys)

    def on_resize(self, event: events.Resize) -> None:
        """Choose anew where there is more room, or less."""
        if self._drawn_for not in (0, self.app.size.width):
            self._drawn_for = self.app.size.width
            self.call_after_refresh(self.recompose)


def _keys_of(screen: Screen[object]) -> Keys:
    held = screen.active_bindings.values()
    return tuple((b.key, b.description, b.action, on) for _, b, on, _ in held if b.show)


def _stays(key: FooterKey) -> bool:
    return _action(key) in ALWAYS or key.has_class(PALETTE)


def _width(key: FooterKey) -> int:
    """Return the columns of a key as Textual draws it, with the blanks around both words."""
    border = 2 if key.has_class(PALETTE) else 0
    return len(key.key_display) + len(key.description) + 3 + border


def _action(key: FooterKey) -> str:
    return key.action.removeprefix("app.")

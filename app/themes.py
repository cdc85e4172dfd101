"""The themes of the screen, and the absence of colour."""

from __future__ import annotations

from dataclasses import replace

from textual.filter import LineFilter, NoColor
from textual.theme import BUILTIN_THEMES, Theme

from app.errors import SettingWrong

DARK = Theme(
    name="dark",
    primary="#7aa2c8",
    secondary="#4d6a84",
    accent="#e0a458",
    warning="#e0a458",
    error="#e06c75",
    success="#8fbf7f",
    foreground="#dcdfe4",
    background="#16181d",
    surface="#1c1f26",
    panel="#272b34",
)
LIGHT = Theme(
    name="light",
    primary="#1f5f99",
    secondary="#56789a",
    accent="#8a4b00",
    warning="#8a4b00",
    error="#a8202f",
    success="#2b6b2b",
    foreground="#1b1d21",
    background="#f7f6f2",
    surface="#efede6",
    panel="#e2dfd5",
    dark=False,
)
HIGH_CONTRAST = Theme(
    name="high-contrast",
    primary="#ffffff",
    secondary="#ffff00",
    accent="#ffff00",
    warning="#ffff00",
    error="#ff8080",
    success="#80ff80",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#303030",
    text_alpha=1.0,
    variables={
        "text-muted": "#ffffff",
        "block-cursor-background": "#ffff00",
        "block-cursor-foreground": "#000000",
        "footer-key-foreground": "#ffff00",
    },
)
NO_COLOUR = replace(BUILTIN_THEMES["ansi-dark"], name="no-colour")
"""Its colours are taken out of what is drawn (`filters_for`); bold and reverse stay."""
THEMES = (DARK, LIGHT, HIGH_CONTRAST, NO_COLOUR)
"""Ours, in the order in which a key goes through them."""
DEFAULT = DARK.name


def known_themes() -> tuple[str, ...]:
    """Return the names of all themes, ours first."""
    return (*(theme.name for theme in THEMES), *sorted(BUILTIN_THEMES))


def theme_named(name: str | None, *, colour: bool) -> str:
    """Return the theme to use: without colour (`NO_COLOR`) there is only one.

    Raises `SettingWrong` for a theme that does not exist.
    """
    if name is not None and name not in known_themes():
        themes = ", ".join(known_themes())
        raise SettingWrong(f'There is no theme "{name}".', remedy=f"Themes: {themes}.")
    return (name or DEFAULT) if colour else NO_COLOUR.name


def next_theme(name: str) -> str:
    """Return the theme after this one."""
    names = [theme.name for theme in THEMES]
    return names[(names.index(name) + 1) % len(names)] if name in names else DEFAULT


def filters_for(name: str) -> list[LineFilter]:
    """Return what takes colours out of drawn lines: bold, reverse and underline stay."""
    return [NoColor()] if name == NO_COLOUR.name else []

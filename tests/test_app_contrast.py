"""How far text stands out from what lies behind it, in each theme that has colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.color import ColorTriplet
from rich.style import Style
from textual.filter import ANSIToTruecolor
from textual.theme import Theme

from app.screens.app import AskanceApp
from app.themes import DARK, HIGH_CONTRAST, LIGHT
from tests.support.screen_text import text_of, until
from tests.support.toy_chat import asked, chat, turn
from tests.test_app_screen_looks import scripted_app

SHAPES = frozenset("█▌▐▎▏▊▇▆▅▄▃▂▁━─│┃╭╮╰╯╸╺▔▕")
"""Bars, borders and scroll bars, which say nothing that words beside them do not."""


def light_of(colour: ColorTriplet) -> float:
    """Return the relative luminance of a colour (WCAG 2.2)."""

    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    return (
        0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue)
    )


def contrast(style: Style) -> float:
    """Return the contrast ratio (WCAG 2.2) of text in a style, 1 to 21."""
    assert style.color is not None
    assert style.bgcolor is not None
    lights = sorted(light_of(one.get_truecolor()) for one in (style.color, style.bgcolor))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


def drawn(app: AskanceApp) -> Iterator[tuple[float, str]]:
    """Yield the contrast of each run of text on the screen."""
    theme = ANSIToTruecolor(app.ansi_theme)
    for strip in app.screen._compositor.render_strips():
        for text, style, control in strip.apply_filter(theme, app.background_colors[0]):
            if (
                control is None
                and style is not None
                and text.strip()
                and set(text.strip()) - SHAPES
            ):
                yield contrast(style), text.strip()


@pytest.mark.parametrize(
    ("theme", "least"),
    [(DARK, 4.5), (LIGHT, 4.5), (HIGH_CONTRAST, 7.0)],
    ids=["dark", "light", "high-contrast"],
)
async def test_all_text_can_be_read(theme: Theme, least: float) -> None:
    app = scripted_app()
    found: dict[str, list[tuple[float, str]]] = {}
    async with app.run_test(size=(140, 40)) as pilot:
        app.theme = theme.name
        await pilot.pause()
        found["empty"] = list(drawn(app))
        await asked(pilot, "When does the lease end?")
        found["answer"] = list(drawn(app))
        turn(app).focus()
        await pilot.pause()
        found["focus"] = list(drawn(app))
        for key in ("w", "v", "t", "f1", "f2", "f3", "f4", "f5", "f7"):
            await pilot.press(key)
            await until(pilot, lambda: app.screen is not chat(app) and len(text_of(app)) > 200)
            found[key] = list(drawn(app))
            await pilot.press("escape")
            await until(pilot, lambda: app.screen is chat(app))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: "From: Kim" in text_of(app) and "Back" in text_of(app))
        found["source"] = list(drawn(app))
    weak = {
        (screen, text, round(ratio, 2))
        for screen, runs in found.items()
        for ratio, text in runs
        if ratio < least
    }
    assert all(len(runs) > 3 for runs in found.values())
    assert not weak

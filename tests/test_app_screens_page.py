"""A page as a picture beside an answer, and which terminals show any."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from textual.widget import Widget
from textual.widgets import Static
from textual_image.widget import SixelImage, TGPImage

from app.desktop import pictures
from app.desktop.pictures import protocol
from app.screens import page_pictures
from app.screens.app import AskanceApp
from app.widgets.answer.source import SourceView
from tests.support.screen_text import text_of
from tests.support.toy_chat import (
    app_over,
    asked,
    chat,
    config_over,
    reading_processes,
    running,
    source,
    until,
)

__all__ = ["reading_processes", "source"]

DOCUMENTS = Path(__file__).parents[1] / "app/sample/data/documents"
WARRANTY = "How long does the warranty of the water sampler last?"
REPLY = "The warranty lasts 36 months [1]."


def view(app: AskanceApp) -> SourceView:
    return chat(app).query_one(SourceView)


def pages(app: AskanceApp) -> list[Widget]:
    return [*view(app).query("Image")]  # what both kinds are called


@pytest.mark.parametrize(("way", "kind"), [("sixel", SixelImage), ("kitty", TGPImage)])
async def test_a_key_shows_the_page_of_a_source_and_its_text_again(
    fake_models, monkeypatch: pytest.MonkeyPatch, way: str, kind: type
) -> None:
    monkeypatch.setattr(page_pictures, "protocol", lambda setting: way)
    app = app_over(config_over(DOCUMENTS), fake_models(generator=[REPLY]))
    async with running(app, (140, 40)) as pilot:
        await asked(pilot, WARRANTY)
        await pilot.press("alt+s")
        assert "The warranty lasts 36 months." in text_of(app)
        await pilot.press("i")
        await until(pilot, lambda: bool(pages(app)))
        [page] = pages(app)
        assert isinstance(page, kind)
        await until(pilot, lambda: page.region.height > 20)
        assert not view(app).query_one("#from-quote", Static).display
        assert "Supply agreement" in str(view(app).query_one("#source-title", Static).visual)
        await pilot.press("i")
        await until(pilot, lambda: not pages(app))
        await until(pilot, lambda: "The warranty lasts 36 months." in text_of(app))
        await pilot.press("i")
        await until(pilot, lambda: bool(pages(app)))
        await pilot.press("escape", "ctrl+n")
        await until(pilot, lambda: not pages(app))


async def test_what_has_no_page_or_cannot_be_shown_says_so(
    fake_models, monkeypatch: pytest.MonkeyPatch, source: Path
) -> None:
    monkeypatch.setattr(page_pictures, "protocol", lambda setting: None)
    config = config_over(DOCUMENTS, source)
    app = app_over(config, fake_models(generator=[REPLY, "On 31 December 2026 [1]."]))
    async with running(app, (140, 40), toasts=True) as pilot:
        await asked(pilot, WARRANTY)
        await pilot.press("alt+s", "i")
        await until(pilot, lambda: "is not known to show pictures" in told(app))
        await asked(pilot, "When does the lease of the boathouse end?")
        await pilot.press("alt+s", "i")
        await until(pilot, lambda: "Only PDFs and pictures have pages" in told(app))


async def test_a_page_that_cannot_be_drawn_says_why(
    fake_models, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(page_pictures, "protocol", lambda setting: "sixel")
    there = tmp_path / "agreement.pdf"
    there.write_bytes((DOCUMENTS / "supply-agreement-nordvik.pdf").read_bytes())
    app = app_over(config_over(tmp_path), fake_models(generator=[REPLY]))
    async with running(app, (140, 40), toasts=True) as pilot:
        await asked(pilot, WARRANTY)
        there.unlink()
        await pilot.press("alt+s", "i")
        await until(pilot, lambda: "The page cannot be shown." in told(app))
        assert not pages(app)


async def test_a_page_that_takes_long_is_spoken_of(
    fake_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_pictures, "protocol", lambda setting: "sixel")
    monkeypatch.setattr("app.widgets.answer.source.PATIENCE", 0.05)
    app = app_over(config_over(DOCUMENTS), fake_models(generator=[REPLY]))
    async with running(app, (140, 40), toasts=True) as pilot:
        await asked(pilot, WARRANTY)
        drawn = threading.Event()
        session = app._engine._memory.session
        whole = session.drawn
        session.drawn = lambda *given: (drawn.wait(10), whole(*given))[1]
        await pilot.press("alt+s", "i")
        await until(pilot, lambda: "Drawing the page" in told(app))
        drawn.set()
        await until(pilot, lambda: bool(pages(app)))


def told(app: AskanceApp) -> str:
    return " ".join(one.message for one in app._notifications)


@pytest.mark.parametrize(
    ("environ", "shows"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        ({"TERM": "foot-extra"}, "sixel"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "sixel"),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "sixel"),
        ({"TERM": "xterm-256color", "KONSOLE_VERSION": "220401"}, "sixel"),
        ({"TERM": "mlterm", "MLTERM": "3.9.0"}, "sixel"),
        ({"TERM": "xterm-256color"}, None),
        ({"TERM": "tmux-256color", "TMUX": "/tmp/tmux,1,0", "TERM_PROGRAM": "WezTerm"}, None),
        ({"TERM": "screen.xterm", "STY": "1.x", "KONSOLE_VERSION": "220401"}, None),
        ({}, None),
    ],
    ids=str,
)
def test_a_terminal_is_known_by_what_it_sets(
    environ: dict[str, str], shows: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.__stdout__", Terminal())
    assert protocol("auto", environ) == shows
    assert protocol("sixel", environ) == "sixel"
    assert protocol("off", environ) is None
    monkeypatch.setattr(pictures, "find_spec", lambda name: None)
    assert protocol("kitty", environ) is None


def test_without_a_terminal_there_are_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.__stdout__", None)
    assert protocol("kitty", {"TERM": "xterm-kitty"}) is None


class Terminal:
    def isatty(self) -> bool:
        return True

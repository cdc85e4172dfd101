"""What an answer had no time for is read behind it, while the screen waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from app.backend import answerer
from app.backend.messages import ReadOn, Reply
from app.screens.app import AskanceApp
from tests.support.scanned import drawn, saved
from tests.support.toy_chat import (
    app_over,
    asked,
    chat,
    config_over,
    line,
    reading_processes,
    running,
    shown,
    source,
    until,
)

__all__ = ["reading_processes", "source"]

QUESTION = "When does the lease of the boathouse end?"
REPLY = "The lease ends on 31 December 2026 [1]."


@pytest.fixture
def scans(source: Path) -> Path:
    """Return a folder with a document and three scans."""
    for name in ("ferry", "bill", "ticket"):
        lines = [f"The {name} is in the red suitcase.", "Bring it to the harbour at seven."]
        page: Image.Image = drawn(lines)
        (source / f"{name}.png").write_bytes(saved([page], "PNG"))
    return source


def listening(app: AskanceApp) -> list[Reply]:
    """Return what the engine tells the screen from now on."""
    told: list[Reply] = []
    hear = chat(app)._hear
    app._engine._tell = lambda reply: (told.append(reply), hear(reply))
    return told


async def test_scans_are_read_behind_an_answer_and_the_screen_says_so(
    scans: Path, fake_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answerer, "PAUSE", 0.05)
    monkeypatch.setattr(answerer, "TOLD", 0.0)
    app = app_over(config_over(scans, ASKANCE_READING_SCANS="1e-9"), fake_models(generator=[REPLY]))
    async with running(app, (120, 36), toasts=True) as pilot:
        told, titles = listening(app), []
        draw_title = chat(app).draw_title
        monkeypatch.setattr(
            chat(app), "draw_title", lambda: (draw_title(), titles.append(line(app, "title")))
        )
        await asked(pilot, QUESTION)
        before = shown(app, "coverage")
        await until(pilot, lambda: any(isinstance(one, ReadOn) and one.is_over for one in told))
        last = [one for one in told if isinstance(one, ReadOn)][-1]
        assert last.is_all
        assert last.scans == 3
        await until(pilot, lambda: any("read now" in one.message for one in app._notifications))
        assert any("reading on: scans" in title for title in titles)
        assert "reading on" not in line(app, "title")
        await asked(pilot, QUESTION)
        assert "waits" not in shown(app, "coverage")
        assert before != shown(app, "coverage")


async def test_a_question_ends_what_is_read_behind_the_one_before(
    scans: Path, fake_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answerer, "PAUSE", 0.0)
    app = app_over(config_over(scans, ASKANCE_READING_SCANS="1e-9"), fake_models(generator=[REPLY]))
    async with running(app, (120, 36)) as pilot:
        told = listening(app)
        await asked(pilot, QUESTION)
        await until(pilot, lambda: any(isinstance(one, ReadOn) for one in told))
        await asked(pilot, QUESTION)
        assert shown(app, "answer").startswith("The lease ends")
        overs = [one for one in told if isinstance(one, ReadOn) and one.is_over]
        assert overs


async def test_nothing_is_read_behind_an_answer_where_the_settings_say_so(
    scans: Path, fake_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answerer, "PAUSE", 0.0)
    config = config_over(scans, ASKANCE_READING_SCANS="1e-9", ASKANCE_READING_BEHIND="false")
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (120, 36)) as pilot:
        told = listening(app)
        await asked(pilot, QUESTION)
        await pilot.pause(0.5)
        assert not any(isinstance(one, ReadOn) for one in told)


async def test_nothing_is_read_behind_an_answer_that_read_all(
    source: Path, fake_models, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answerer, "PAUSE", 0.0)
    app = app_over(config_over(source), fake_models(generator=[REPLY]))
    async with running(app, (120, 36)) as pilot:
        told = listening(app)
        await asked(pilot, QUESTION)
        await pilot.pause(0.3)
        assert not any(isinstance(one, ReadOn) for one in told)

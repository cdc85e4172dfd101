"""The table above the chat: its plan is edited by key, and the answer computed by it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from app.screens.answers.table import TableScreen, step_of
from app.screens.app import AskanceApp
from app.screens.dialogs.entry import EntryScreen
from tests.support.screen_text import text_of
from tests.support.toy_chat import (
    app_over,
    asked,
    chat,
    config_over,
    reading_processes,
    running,
    shown,
    turn,
    until,
)

__all__ = ["reading_processes"]

COUNTED = "How many mails did Kim write?"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "in.mbox").write_text(
        "".join(
            f"From - Tue Nov 17 10:00:00 2026\nFrom: {name} <{name}@x.example>\n"
            f"Date: {day} Nov 2026 10:00:00 +0000\nMessage-ID: <{day}@x>\nSubject: boat\n\n"
            "Hello.\n\n"
            for day, name in ((16, "kim"), (17, "kim"), (18, "bo"))
        )
    )
    return tmp_path


def table_of(app: AskanceApp) -> tuple[str, dict[str, str]]:
    """Return the plan of the last answer, and its rows."""
    table = turn(app).told.answer.table
    return table.plan, {row.label: row.value for row in table.rows}


@pytest.mark.parametrize("width", [50, 80, 140, 300])
@pytest.mark.parametrize("count", [2, 7, 20])
def test_labels_below_bars_stand_where_no_other_moves_them(count: int, width: int) -> None:
    """In whatever order they are drawn, which is another in each process."""
    labels = [f"2026-W{number:02}" for number in range(count)]
    positions = [round(number * width / count) for number in range(count)]
    shown = positions[:: step_of(labels, width)]
    assert all(after - before >= 12 for before, after in pairwise(shown))


async def opened(pilot: Pilot[None]) -> None:
    await asked(pilot, COUNTED)
    turn(pilot.app).focus()
    await pilot.press("t")
    await until(pilot, lambda: type(pilot.app.screen) is TableScreen)


async def edited(pilot: Pilot[None], plan: str) -> None:
    await pilot.press("e")
    await until(pilot, lambda: type(pilot.app.screen) is EntryScreen)
    pilot.app.screen.query_one(Input).value = plan
    await pilot.press("enter")


async def test_an_edited_plan_computes_the_answer_anew(source, fake_models):
    app = app_over(config_over(source, ASKANCE_ANSWER_STRATEGY="conditional"), fake_models())
    async with running(app) as pilot:
        await opened(pilot)
        assert table_of(app) == ("count mail from:Kim", {"2": "2"})
        await pilot.press("e")
        await until(pilot, lambda: type(app.screen) is EntryScreen)
        assert app.screen.query_one(Input).value == "count mail from:Kim"
        await pilot.press("escape")
        await edited(pilot, "count   mail by sender")
        await until(pilot, lambda: len(chat(app).query("TurnView")) == 2 and not chat(app).busy)
        assert table_of(app) == ("count mail by sender", {"kim": "2", "bo": "1"})
        assert turn(app).told.answer.strategy == "aggregate"
        assert shown(app, "asked").startswith(f"> {COUNTED}")
        assert "Computed by the plan: count mail by sender" in shown(app, "grounded")
        turn(app).focus()
        await pilot.press("r")
        await until(pilot, lambda: len(chat(app).query("TurnView")) == 3 and not chat(app).busy)
        assert table_of(app)[0] == "count mail by sender"


async def test_a_wrong_plan_is_refused_where_it_is_typed(source, fake_models):
    app = app_over(config_over(source, ASKANCE_ANSWER_STRATEGY="aggregate"), fake_models())
    async with running(app) as pilot:
        await opened(pilot)
        await edited(pilot, "count spoons")
        await until(pilot, lambda: "The plan is wrong at 'spoons'" in text_of(app))
        assert "Write it as: count mail" in text_of(app)
        assert app.screen.query_one(Input).value == "count spoons"
        await pilot.press("escape")
        await edited(pilot, "count mail from:Kim")  # as it is
        await until(pilot, lambda: type(app.screen) is TableScreen)
        assert len(chat(app).query("TurnView")) == 1


async def test_a_plan_without_rows_is_shown_and_edited(source, fake_models):
    app = app_over(config_over(source, ASKANCE_ANSWER_STRATEGY="aggregate"), fake_models())
    async with running(app) as pilot:
        await opened(pilot)
        await edited(pilot, "list title of mail from:nobody")
        await until(pilot, lambda: len(chat(app).query("TurnView")) == 2 and not chat(app).busy)
        turn(app).focus()
        await pilot.press("t")
        await until(pilot, lambda: "list title of mail from:nobody   No rows" in text_of(app))
        await edited(pilot, "count mail")
        await until(pilot, lambda: len(chat(app).query("TurnView")) == 3 and not chat(app).busy)
        assert table_of(app) == ("count mail", {"3": "3"})

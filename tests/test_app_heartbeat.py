"""The screen stays alive while a question is answered: a beat in its loop is never kept waiting.

How short the longest wait is, `tests/bench/screen.py beat` measures: where other programs run
beside it, what is due in a frame piles up, and a limit of a frame would fail for their sake. What
is held here is a screen that hangs: one whose loop reads, ranks or writes by itself, or waits for
a pipe.
"""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from app.backend.process import EngineProcess
from app.screens.app import AskanceApp
from app.widgets.input.composer import Composer
from tests.support.beats import ASKED, BEAT, COUNTED, MESSAGES, SCHEDULED, Beats, beating, mailbox
from tests.support.toy_chat import chat, config_over, shown, turn, typed, until

SMALL = "smollm2-135m-instruct-q4_1"
HANGS = 1.0
"""Seconds between two beats, of processor time or in which nothing was done; a busy machine takes
a tenth of it."""


def assert_alive(beats: Beats) -> None:
    assert beats.count > 50
    assert beats.longest < HANGS
    if SCHEDULED.exists():  # else nobody knows what the system ran meanwhile
        assert beats.longest_idle < HANGS


async def test_a_beat_that_waits_for_a_pipe_or_by_work_is_seen() -> None:
    async with beating() as beats:
        await asyncio.sleep(4 * BEAT)
        threading.Event().wait(0.1)
        await asyncio.sleep(4 * BEAT)
        assert beats.longest_idle > 0.05
        beats.begin()
        until_used = time.process_time() + 0.1
        while time.process_time() < until_used:
            pass
        await asyncio.sleep(4 * BEAT)
        assert beats.longest > 0.05


@pytest.mark.slow
async def test_no_beat_waits_while_a_mailbox_is_read_and_asked(tmp_path: Path) -> None:
    (tmp_path / "Inbox.mbox").write_text("".join(mailbox()))
    config = config_over(
        tmp_path,
        ASKANCE_MODELS_LOOKAHEAD=SMALL,
        ASKANCE_MODELS_GENERATOR=SMALL,
        ASKANCE_ANSWER_EFFORT="quick",
        ASKANCE_ANSWER_MAX_CONTEXT="1400",
        ASKANCE_ANSWER_STRATEGY="fb_rag",
    )
    with closing(EngineProcess()) as engine:
        app = AskanceApp(config, engine)
        async with app.run_test(size=(80, 24)) as pilot, beating() as beats:
            await until(pilot, lambda: chat(app).query_one(Composer).is_ready)
            beats.begin()
            await typed(pilot, ASKED)
            await until(pilot, lambda: not chat(app).busy, patience=300)
            assert shown(app, "coverage").startswith(f"Read {MESSAGES + 1:,} mails")
            assert_models_ran(app)
            cited = turn(app).citations.citations
            assert any("zeppelin lands" in one.passage.text for one in cited)
            assert_alive(beats)
            beats.begin()
            await typed(pilot, COUNTED)
            await until(pilot, lambda: not chat(app).busy, patience=300)
            assert turn(app).told.answer is not None
            assert_alive(beats)


def assert_models_ran(app: AskanceApp) -> None:
    """Both models read and wrote, and were loaded for it: else the beats say nothing."""
    told = turn(app).told
    assert told.answer is not None
    assert told.ended is not None
    assert told.ended.loadings
    for used in (told.answer.usage.lookahead, told.answer.usage.generator):
        assert used.prompt > 0
        assert used.generated > 0

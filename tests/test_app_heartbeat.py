"""The screen stays alive while a question is answered: a beat in its loop is never kept waiting.

Beats are held against the processor time of the screen's own process, all its threads together:
the most for which anything in it can have kept the loop waiting by work. What else runs is no
matter. What keeps it waiting without work, a full pipe or a lock, uses no processor: that is held
against the clock, less the time for which the loop was ready and the system ran something else.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.asking.process import EngineProcess
from app.screens.askance import AskanceApp
from app.widgets.composer import Composer
from tests.toy_chat import chat, config_over, shown, turn, typed, until

SMALL = "smollm2-135m-instruct-q4_1"
MESSAGES = 3_900
BEAT = 0.005
LONGEST = 0.05
"""Seconds of processor time between two beats."""
LONGEST_IDLE = 1.0
"""Seconds between two beats in which nothing was done; a disk may take some of it."""
SCHEDULED = Path("/proc/thread-self/schedstat")
WORDS = ("boat", "house", "lease", "roof", "oar", "river", "meeting", "invoice", "plan", "sail")


@dataclass(frozen=True)
class Moment:
    """Three clocks at one moment, in seconds."""

    passed: float
    used: float
    """Processor time of all threads of this process."""
    queued: float
    """For which this thread was ready to run and did not."""

    @classmethod
    def now(cls) -> Moment:
        queued = int(SCHEDULED.read_text().split()[1]) / 1e9 if SCHEDULED.exists() else 0.0
        return cls(time.monotonic(), time.process_time(), queued)

    def idle_since(self, then: Moment) -> float:
        """Return for how long nothing was done though something could have been."""
        done = (self.used - then.used) + (self.queued - then.queued)
        return self.passed - then.passed - done


class Beats:
    """What lies between beats of the loop it is made in."""

    def __init__(self) -> None:
        self.count = 0
        self.begin()

    def begin(self) -> None:
        self.longest = self.longest_idle = 0.0

    async def beat(self) -> None:
        last = Moment.now()
        while True:
            await asyncio.sleep(BEAT)
            now = Moment.now()
            self.longest = max(self.longest, now.used - last.used)
            self.longest_idle = max(self.longest_idle, now.idle_since(last))
            self.count += 1
            last = now

    def assert_alive(self) -> None:
        assert self.longest < LONGEST
        if SCHEDULED.exists():  # else nobody knows what the system ran meanwhile
            assert self.longest_idle < LONGEST_IDLE


@asynccontextmanager
async def beating():
    beats = Beats()
    task = asyncio.create_task(beats.beat())
    try:
        yield beats
    finally:
        task.cancel()


def mailbox() -> Iterator[str]:
    """Yield mails of a mailbox of about 14 MB."""
    draw = random.Random(11)
    for number in range(MESSAGES):
        body = "\n".join(" ".join(draw.choices(WORDS, k=18)) for _ in range(40))
        yield (
            f"From a@x.example Thu Sep 03 09:12:00 2026\nFrom: Ann {number % 40} <a@x.example>\n"
            f"To: me@x.example\nDate: Thu, 03 Sep 2026 09:12:00 +0000\n"
            f"Subject: {draw.choice(WORDS)} {number}\n"
            f"Message-ID: <{number}@x.example>\n\n{body}\n\n"
        )


async def test_a_beat_that_waits_for_a_pipe_or_by_work_is_seen() -> None:
    async with beating() as beats:
        await asyncio.sleep(4 * BEAT)
        threading.Event().wait(2 * LONGEST)
        await asyncio.sleep(4 * BEAT)
        assert beats.longest_idle > LONGEST
        beats.begin()
        until_used = time.process_time() + 2 * LONGEST
        while time.process_time() < until_used:
            pass
        await asyncio.sleep(4 * BEAT)
        assert beats.longest > LONGEST


@pytest.mark.slow
async def test_no_beat_waits_while_a_mailbox_is_read_and_asked(tmp_path: Path) -> None:
    whole = "".join(mailbox()) + (
        "From o@x.example Thu Sep 03 09:12:00 2026\nFrom: Orla <o@x.example>\n"
        "Date: Thu, 03 Sep 2026 09:12:00 +0000\nSubject: zeppelin\nMessage-ID: <o@x.example>\n\n"
        "The zeppelin lands on 4 May.\n"
    )
    (tmp_path / "Inbox.mbox").write_text(whole)
    config = config_over(
        tmp_path,
        ASKANCE_MODELS_LOOKAHEAD=SMALL,
        ASKANCE_MODELS_GENERATOR=SMALL,
        ASKANCE_ANSWER_EFFORT="quick",
        ASKANCE_ANSWER_STRATEGY="fb_rag",
    )
    with closing(EngineProcess()) as engine:
        app = AskanceApp(config, engine)
        async with app.run_test(size=(80, 24)) as pilot, beating() as beats:
            await until(pilot, lambda: chat(app).query_one(Composer).is_ready)
            beats.begin()
            await typed(pilot, "When does the zeppelin land?")
            await until(pilot, lambda: not chat(app).busy, patience=300)
            assert shown(app, "coverage").startswith(f"Read {MESSAGES + 1:,} mails")
            assert_models_ran(app)
            cited = turn(app).citations.citations
            assert any("zeppelin lands" in one.passage.text for one in cited)
            assert beats.count > 50
            beats.assert_alive()
            beats.begin()
            await typed(pilot, "How many mails did each person send?")
            await until(pilot, lambda: not chat(app).busy, patience=300)
            assert turn(app).told.answer is not None
            beats.assert_alive()


def assert_models_ran(app: AskanceApp) -> None:
    """Both models read and wrote, and were loaded for it: else the beats say nothing."""
    told = turn(app).told
    assert told.answer is not None
    assert told.ended is not None
    assert told.ended.loadings
    for used in (told.answer.usage.lookahead, told.answer.usage.generator):
        assert used.prompt > 0
        assert used.generated > 0

"""Beats in the loop of a screen, and a mailbox large enough to be busy with.

Beats are held against the processor time of the screen's own process, all its threads together:
the most for which anything in it can have kept the loop waiting by work. What keeps it waiting
without work, a full pipe or a lock, uses no processor: that is held against the clock, less the
time for which the loop was ready and the system ran something else.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

BEAT = 0.005
SCHEDULED = Path("/proc/thread-self/schedstat")
MESSAGES = 3_900
WORDS = ("boat", "house", "lease", "roof", "oar", "river", "meeting", "invoice", "plan", "sail")
LAST = """\
From o@x.example Thu Sep 03 09:12:00 2026
From: Orla <o@x.example>
Date: Thu, 03 Sep 2026 09:12:00 +0000
Subject: zeppelin
Message-ID: <o@x.example>

The zeppelin lands on 4 May.
"""
ASKED = "When does the zeppelin land?"
COUNTED = "How many mails did each person send?"


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
    """What lies between beats of the loop it is made in, in seconds."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.count = 0
        self.longest = self.longest_idle = self.longest_passed = 0.0

    async def beat(self) -> None:
        last = Moment.now()
        while True:
            await asyncio.sleep(BEAT)
            now = Moment.now()
            self.longest = max(self.longest, now.used - last.used)
            self.longest_idle = max(self.longest_idle, now.idle_since(last))
            self.longest_passed = max(self.longest_passed, now.passed - last.passed)
            self.count += 1
            last = now


@asynccontextmanager
async def beating() -> AsyncIterator[Beats]:
    beats = Beats()
    task = asyncio.create_task(beats.beat())
    try:
        yield beats
    finally:
        task.cancel()


def mailbox() -> Iterator[str]:
    """Yield mails of a mailbox of about 14 MB; the last is the one that `ASKED` asks for."""
    draw = random.Random(11)
    for number in range(MESSAGES):
        body = "\n".join(" ".join(draw.choices(WORDS, k=18)) for _ in range(40))
        yield (
            f"From a@x.example Thu Sep 03 09:12:00 2026\nFrom: Ann {number % 40} <a@x.example>\n"
            f"To: me@x.example\nDate: Thu, 03 Sep 2026 09:12:00 +0000\n"
            f"Subject: {draw.choice(WORDS)} {number}\n"
            f"Message-ID: <{number}@x.example>\n\n{body}\n\n"
        )
    yield LAST

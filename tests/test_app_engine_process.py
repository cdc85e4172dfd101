"""The engine in a process of its own: what comes through the pipes, and what outlasts its death."""

from __future__ import annotations

import io
import os
import queue
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from app.backend.messages import Cancel, Ended, Forget, Happened, Reply, Request, TextKept, Unlock
from app.backend.pipes import Sender, received
from app.backend.process import EngineProcess
from engine.events import Answered, Noted, Ranked
from engine.values import Passage
from ingest.item import Item, Kind, Locator, People
from tests.support.toy_chat import (
    QUESTION,
    config_over,
    settled,
    shown,
    source,
    turn,
    typed,
    until,
)
from tests.support.toy_engine import REPLY

__all__ = ["source"]

PROGRAM = (str(Path(__file__).parent / "support" / "toy_engine.py"),)
MORE_THAN_A_PIPE_HOLDS = "boat " * 100_000
READS_LATE = """
import sys, time
from pathlib import Path
from app.backend.pipes import Sender, pipes, received
from app.backend.messages import Ended

commands, replies = pipes()
for _ in range(1_000):
    if Path(sys.argv[1]).exists():
        break
    time.sleep(0.01)
else:
    sys.exit(9)
sender = Sender(replies)
for command in received(commands):
    sender.send(Ended(command.number, people=(command.question,)))
"""
"""Reads when a file is there, and gives up after ten seconds."""


class Listened:
    """Replies as they come."""

    def __init__(self, engine: EngineProcess) -> None:
        self.replies: queue.Queue[Reply] = queue.Queue()
        self.engine = engine
        engine.listen(self.replies.put)

    def ask(self, request: Request) -> list[Reply]:
        self.engine.send(request)
        return self.until_ended()

    def until_ended(self) -> list[Reply]:
        found: list[Reply] = []
        while not (found and isinstance(found[-1], Ended)):
            found.append(self.replies.get(timeout=60))
        return found


@pytest.fixture
def engine() -> Iterator[EngineProcess]:
    process = EngineProcess(PROGRAM)
    yield process
    process.close()


def test_an_item_is_sent_once_and_is_one_object_at_the_other_end() -> None:
    item = Item(Kind.DOCUMENT, "tree", None, People(), "alder " * 9, Locator(Path("/a")))
    other = replace(item, text="birch")
    stream = io.BytesIO()
    sender = Sender(stream)
    for one in (item, item, other):
        sender.send(Happened(1, Ranked("recall", [Passage(one, 0, 5)], [1.0])))
    stream.seek(0)
    found = [reply.event.passages[0].item for reply in received(stream)]
    assert found == [item, item, other]
    assert found[0] is found[1]
    assert stream.getvalue().count(item.text.encode()) == 1
    assert list(received(io.BytesIO(stream.getvalue()[:-3]))) != []


def test_questions_cancelling_dying_and_passwords(
    engine: EngineProcess, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.backend.process.PATIENCE", 120.0)
    listened = Listened(engine)
    first = Request(1, QUESTION, config=config_over(source))
    replies = listened.ask(first)
    happened = [reply.event for reply in replies if isinstance(reply, Happened)]
    assert isinstance(happened[-1], Answered)
    assert happened[-1].answer.text.startswith(REPLY[:20])
    assert isinstance(listened.replies.get(timeout=60), TextKept)

    engine.send(Request(2, "slowly"))
    while not isinstance(listened.replies.get(timeout=60), Happened):
        pass
    engine.send(Cancel(2))
    assert listened.until_ended()[-1] == replace(listened_end(2), cancelled=True)

    engine.send(Unlock("sesame"))
    before = engine.pid
    died = listened.ask(Request(3, "die"))[-1]
    assert isinstance(died, Ended)
    assert died.failure is not None
    assert "exit code 3" in died.failure.message
    noted = listened.ask(Request(4, "passwords"))
    assert Happened(4, Noted("sesame")) in noted
    assert engine.pid != before

    broke = listened.ask(Request(7, "defect"))[-1]
    assert isinstance(broke, Ended)
    assert broke.failure is not None
    assert "ValueError at" in broke.failure.message
    assert "the words of a mail" not in broke.failure.message

    engine.send(Request(5, "slowly"))
    while not isinstance(listened.replies.get(timeout=60), Happened):
        pass
    assert engine.pid is not None
    os.kill(engine.pid, signal.SIGKILL)
    killed = listened.until_ended()[-1]
    assert isinstance(killed, Ended)
    assert killed.failure is not None
    assert "perhaps for lack of memory" in killed.failure.message
    engine.send(Forget())
    assert Happened(6, Noted("")) in listened.ask(Request(6, "passwords"))


def test_who_sends_does_not_wait_for_a_process_that_does_not_read(tmp_path: Path) -> None:
    sign = tmp_path / "read"
    engine = EngineProcess(("-c", READS_LATE, str(sign)))
    try:
        listened = Listened(engine)
        for number in (1, 2):
            engine.send(Request(number, MORE_THAN_A_PIPE_HOLDS))
        sign.touch()
        for number in (1, 2):
            assert listened.until_ended() == [Ended(number, people=(MORE_THAN_A_PIPE_HOLDS,))]
    finally:
        engine.close()


def test_a_process_that_never_reads_is_ended(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("app.backend.process.CLOSING", 0.05)
    engine = EngineProcess(("-c", READS_LATE, str(tmp_path / "never")))
    listened = Listened(engine)
    engine.send(Request(1, MORE_THAN_A_PIPE_HOLDS))
    pid = engine.pid
    assert pid is not None
    engine.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert listened.replies.empty()


def listened_end(number: int) -> Ended:
    return Ended(number)


async def test_a_killed_engine_costs_the_question_and_not_the_conversation(source: Path) -> None:
    from app.screens.app import AskanceApp
    from tests.support.toy_chat import chat

    engine = EngineProcess(PROGRAM)
    app = AskanceApp(config_over(source), engine)
    try:
        async with app.run_test(size=(80, 24)) as pilot:
            await typed(pilot, QUESTION)
            await settled(pilot)
            await typed(pilot, "slowly")
            await until(pilot, lambda: turn(app).body.has_class("draft"))
            assert engine.pid is not None
            os.kill(engine.pid, signal.SIGKILL)
            await settled(pilot)
            assert "was ended by SIGKILL (Killed), perhaps for lack" in shown(app, "answer")
            assert "ask again: another process" in shown(app, "grounded")
            await typed(pilot, QUESTION)
            await settled(pilot)
            assert "31 December 2026. [1]" in shown(app, "answer")
            assert "31 December 2026. [1]" in shown(app, "answer", 0)
            assert len(chat(app).query("TurnView")) == 3
    finally:
        engine.close()

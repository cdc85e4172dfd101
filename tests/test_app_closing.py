"""The program may end at any moment, and a screen be left by keys that come together."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.await_complete import AwaitComplete

from app.backend.messages import Request
from app.local_models.jobs import Work
from app.screens.answers.comparison import CompareScreen
from app.screens.answers.preview import PreviewScreen
from app.screens.app import AskanceApp
from app.screens.dialogs.confirmation import ConfirmScreen
from app.screens.dialogs.find import FindScreen
from app.screens.model_jobs import ModelJob, ModelJobs
from app.screens.single_exit import LeftOnce
from app.widgets.conversation.turn import Told
from tests.support.screen_text import until
from tests.support.toy_chat import chat, config_over, running
from tests.support.toy_conversations import cited, conversation
from tests.support.toy_talk import Parrot, answer_to

MOMENTS = (0, 3, 10)
"""Turns of the loop between what is begun and the end of the program."""
ANSWER = answer_to("When?")
TOLD = Told(Request(1, "When?"), answer=ANSWER)
TALK = conversation(("Who?", "Kim [1].", [cited(1)]))

Begin = Callable[[AskanceApp], object]
BEGUN: dict[str, Begin] = {
    "a list": lambda app: app.action_settings(),
    "a preview": lambda app: app.push_screen(PreviewScreen(ANSWER.citations[0], None)),
    "two answers": lambda app: app.push_screen(CompareScreen(TOLD, TOLD, None)),
    "a question before a loss": lambda app: app.push_screen(ConfirmScreen("Sure?", "Yes")),
    "words to find": lambda app: app.push_screen(FindScreen(TALK)),
    "a question": lambda app: app.call_later(chat(app).ask, Request(0, "When?")),
    "a conversation": lambda app: app.call_later(chat(app).resume, TALK, 0),
    "help and back": lambda app: press(app, "f1", "escape"),
}


def app_here() -> AskanceApp:
    return AskanceApp(config_over(Path("/note.txt")), Parrot())


def press(app: AskanceApp, *keys: str) -> None:
    """Press keys without waiting between them."""
    for key in keys:
        app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.parametrize("what", BEGUN)
async def test_the_program_ends_without_a_word_whatever_was_begun(home: Path, what: str) -> None:
    for moment in MOMENTS:
        app = app_here()
        async with app.run_test(size=(80, 24)):  # raises what was raised in it
            BEGUN[what](app)
            for _ in range(moment):
                await asyncio.sleep(0)


@pytest.mark.parametrize("moment", MOMENTS)
async def test_to_cancel_and_leave_at_once_ends_without_a_word(home: Path, moment: int) -> None:
    app = app_here()
    app._engine.send = lambda command: None  # type: ignore[method-assign] - it never answers
    async with running(app) as pilot:
        await chat(app).ask(Request(0, "When?"))
        await until(pilot, lambda: chat(app).busy)
        chat(app).action_cancel()
        for _ in range(moment):
            await asyncio.sleep(0)
        app.exit()
    assert app.return_code == 0


class Shown:
    """A screen as Textual has it: to leave it takes away whatever is shown."""

    def __init__(self) -> None:
        self.is_active = True
        self.results: list[str] = []

    def dismiss(self, result: str) -> AwaitComplete:
        self.results.append(result)
        self.is_active = False
        return AwaitComplete()


class Once(LeftOnce, Shown):
    """Is left once."""


async def test_of_keys_that_come_together_the_second_leaves_nothing() -> None:
    screen = Once()
    for result in ("one", "two"):
        screen.dismiss(result)
    assert screen.results == ["one"]


def test_of_two_jobs_added_at_once_none_is_done_twice() -> None:
    """The second is added just when the first is over, and its thread about to end."""
    done: list[str] = []
    threads: list[threading.Thread] = []
    is_added, is_looked_at, over = (threading.Event() for _ in range(3))

    def first() -> Work:
        threads.append(threading.current_thread())
        yield "at it"
        done.append("first")
        return "done"

    def second() -> Work:
        yield "at it"
        is_looked_at.wait(60)
        done.append("second")
        return "done"

    def tell(make: Callable[[], object]) -> None:
        if done == ["first"] and not jobs.busy:
            jobs.add(ModelJob("b", "pulled", second))
            is_added.set()
        elif done[1:]:
            over.set()

    jobs = ModelJobs(tell)
    jobs.add(ModelJob("a", "pulled", first))
    assert is_added.wait(60)
    threads[0].join(5)
    is_looked_at.set()
    assert over.wait(60)
    threads[0].join()
    assert done == ["first", "second"]

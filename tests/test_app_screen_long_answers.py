"""Where the screen stands when an answer has come that is longer than it."""

from __future__ import annotations

from dataclasses import replace

from app.backend.messages import Command, Ended, Happened, Request
from app.screens.app import AskanceApp
from app.widgets.conversation.turns import Turns
from engine.events import Answered
from tests.support.toy_chat import asked, chat, config_over, running, turn, typed, until
from tests.support.toy_talk import NOTE, Parrot, answer_to

LONG = "\n\n".join(f"Line {number} [1]" for number in range(40))


class Patient(Parrot):
    """An engine that answers when it is told to."""

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command)

    def answer(self, text: str) -> None:
        number = self.asked[-1].number
        told = replace(answer_to("When?"), text=text)
        self._tell(Happened(number, Answered(told)))
        self._tell(Ended(number))


def app_and_engine() -> tuple[AskanceApp, Patient]:
    engine = Patient()
    return AskanceApp(config_over(NOTE.locator.path), engine), engine


def is_at_its_beginning(app: AskanceApp) -> bool:
    return turn(app).region.y == chat(app).query_one(Turns).content_region.y


async def test_an_answer_longer_than_the_screen_is_shown_from_its_question_on() -> None:
    app, engine = app_and_engine()
    async with running(app) as pilot:
        view = chat(app).query_one(Turns)
        for count in (1, 2):
            await typed(pilot, "When?")
            await until(pilot, lambda count=count: len(engine.asked) == count)
            engine.answer(LONG)
            await until(pilot, lambda: is_at_its_beginning(app))
        await typed(pilot, "And then?")
        await until(pilot, lambda: len(engine.asked) == 3)
        engine.answer("Soon [1]")
        await until(pilot, lambda: not chat(app).busy and view.is_vertical_scroll_end)
        await pilot.pause()
        assert turn(app).region.bottom <= view.region.bottom


async def test_who_scrolled_away_stays_there() -> None:
    app, engine = app_and_engine()
    async with running(app) as pilot:
        view = chat(app).query_one(Turns)
        await typed(pilot, "When?")
        await until(pilot, lambda: len(engine.asked) == 1)
        engine.answer(LONG)
        await until(pilot, lambda: is_at_its_beginning(app))
        await typed(pilot, "And then?")
        await until(pilot, lambda: len(engine.asked) == 2 and view.is_vertical_scroll_end)
        view.scroll_to(y=3, animate=False)
        await until(pilot, lambda: view.scroll_offset.y == 3)
        engine.answer(LONG)
        await until(pilot, lambda: not chat(app).busy)
        await until(pilot, lambda: turn(app).outer_size.height > view.size.height)
        await pilot.pause()
        assert view.scroll_offset.y == 3


async def test_an_answer_that_has_room_leaves_the_screen_at_its_end() -> None:
    app = AskanceApp(config_over(NOTE.locator.path), Parrot())
    async with running(app) as pilot:
        view = chat(app).query_one(Turns)
        for _ in range(5):
            await asked(pilot)
        await until(pilot, lambda: view.is_vertical_scroll_end)
        assert view.scroll_offset.y > 0

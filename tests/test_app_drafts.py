"""What is shown while an answer is written more than once."""

from __future__ import annotations

import io
from collections.abc import Generator

from textual.app import ComposeResult

from app.backend.messages import Request
from app.output.draft import DraftView
from app.output.progress import StatusLine, Watcher
from app.widgets.conversation.turn import Told, TurnView
from engine.events import Event, Stage, Token
from engine.stages import Timings, staged, unseen
from tests.support.keyed_app import KeyedApp

FIRST: tuple[Event, ...] = (
    Stage("write", "started"),
    Token("Not "),
    Token("found."),
    Stage("write", "done"),
    Stage("write", "started"),
)


class _Shown(KeyedApp):
    def compose(self) -> ComposeResult:
        yield TurnView(Told(Request(1, "When does it end?")), None, "config.toml")


async def test_an_answer_written_anew_stands_alone_on_the_screen():
    app = _Shown()
    async with app.run_test():
        turn = app.query_one(TurnView)
        for event in FIRST:
            turn.draw(event)
            await turn.flush()
        assert turn.body.text == "Not found."  # until there is something else to read
        for word in ("On ", "Monday."):
            turn.draw(Token(word))
            await turn.flush()
        assert turn.body.text == "On Monday."


def test_an_answer_written_anew_takes_the_place_of_the_one_before_on_the_terminal():
    screen = io.StringIO()
    draft = DraftView(screen, colour=False, columns=80, rows=24)
    watcher = Watcher(StatusLine(screen, enabled=False), draft)
    for event in (*FIRST, Token("On "), Token("Monday.")):
        watcher.show(event)
    watcher.finish()
    assert screen.getvalue() == "Not found.\r\x1b[JOn Monday.\r\x1b[J"


def test_what_is_written_on_the_way_is_not_shown():
    def asking() -> Generator[Event, None, str]:
        yield Token("Rewritten question: ")
        return "When does the lease end?"

    said: list[str] = []

    def passing_on() -> Generator[Event]:
        said.append((yield from unseen(staged("ask", Timings(), asking()))))

    assert [type(event) for event in passing_on()] == [Stage, Stage]
    assert said == ["When does the lease end?"]

"""Follow-ups in the chat: what they are understood as is seen, changed, taken back, asked again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

import pytest

from app.backend.composition import answers, settings_for
from app.backend.messages import Command, Ended, Happened, Request
from app.output.progress import status_of
from app.output.query.follow_up import scope_text, understood_lines
from app.plain_loop import PlainLoop, Terminal
from app.screens.app import AskanceApp
from app.settings.config import Config
from app.settings.current import Current
from app.widgets.conversation.past_turn import Past, PastTurn
from app.widgets.input.chips import ChipBar
from app.widgets.input.prompt import Prompt
from engine.conversation import Conversation, Standalone
from engine.events import Answered, Event, Noted, Rewritten, Steps
from engine.followups.standalone import standing_alone
from engine.retrieval.memory import Memory
from ingest.item import Kind
from models.roles import ModelSet
from tests.support.screen_text import text_of
from tests.support.toy_chat import (
    LEASE,
    app_over,
    asked,
    chat,
    config_over,
    line,
    running,
    settled,
    shown,
    turn,
    until,
)
from tests.support.toy_conversations import cited, conversation
from tests.support.toy_talk import Parrot, answer_to

OWNER = "Who owns the boats?"
POINTING = "When was that document written?"
FRAGMENT = "And the jetty?"
PUT = "Who owns the jetty?"
COUNTED = "Is the first document new?"
COUNTED_PUT = "Is this document new?"
ABOUT = "Narrowed to [1] note"
NARROWED = f"{ABOUT} (“that document” is [1] note)"
REMEDY = "; e changes it, x asks as typed."
NOTE = (cited(1, kind=Kind.DOCUMENT, title="note"),)
MEANT = {
    FRAGMENT: Standalone(PUT, (), "“the jetty” for “the boats”", changed=True),
    POINTING: Standalone(POINTING, NOTE, "“that document” is [1] note", changed=True),
    COUNTED: Standalone(COUNTED_PUT, NOTE, "“first document” is [1] note", changed=True),
}
"""What the rules of the engine make of follow-ups."""


NO_MODELS = cast("ModelSet", None)
"""For what the rules are sure of."""


def meant(request: Request) -> Steps[Standalone]:
    return standing_alone(request.question, request.conversation, request.scope, NO_MODELS)


class Listener(Parrot):
    """Puts follow-ups anew and answers at once; what is settled goes the way of the engine."""

    def send(self, command: Command) -> None:
        if isinstance(command, Request):
            self.asked.append(command)
            for event in self._events(command):
                self._tell(Happened(command.number, event))
            self._tell(Ended(command.number))

    def _events(self, request: Request) -> Iterator[Event]:
        if request.scope is None and request.question in MEANT:
            put = MEANT[request.question]
            yield Rewritten(request.question, put)
        else:
            put = yield from meant(request)
        told = answer_to(put.text)
        yield Answered(replace(told, query=replace(told.query, scope=put.scope)))


def app_with(config: Config) -> AskanceApp:
    return AskanceApp(config, Listener())


def requests(app: AskanceApp) -> list[Request]:
    return cast("Listener", app._engine).asked


def chips(app: AskanceApp) -> list[str]:
    return [chip.label for chip in chat(app).query_one(ChipBar).chips]


@pytest.fixture
def app(tmp_path) -> AskanceApp:
    return app_with(config_over(tmp_path))


async def test_it_is_seen_while_it_is_answered_and_afterwards(tmp_path):
    class Slow(Parrot):
        def send(self, command: Command) -> None:
            if isinstance(command, Request):
                self.asked.append(command)
                put = Standalone(PUT, (cited(2, title="Jetty"),), "“it” is the jetty", changed=True)
                self._tell(Happened(command.number, Rewritten(command.question, put)))

        def answer(self) -> None:
            number = self.asked[-1].number
            self._tell(Happened(number, Answered(answer_to(PUT))))
            self._tell(Ended(number))

    engine = Slow()
    app = AskanceApp(config_over(tmp_path), engine)
    async with running(app, (80, 24)) as pilot:
        chat(app).query_one(Prompt).fill("Who owns it?")
        await pilot.press("enter")
        await until(pilot, lambda: "Understood as" in text_of(app))
        assert chat(app).busy
        facts = shown(app, "facts")
        assert facts == f"Understood as: {PUT} (“it” is the jetty)\nNarrowed to [2] Jetty{REMEDY}"
        engine.answer()
        await settled(pilot)
        assert shown(app, "facts") == facts
        assert chips(app) == ["about [2] Jetty"]


async def test_what_it_was_understood_as_is_edited_and_asked_as_written(app):
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, OWNER)
        await asked(pilot, FRAGMENT)
        assert shown(app, "facts").startswith(f"Understood as: {PUT}")
        turn(app).focus()
        await pilot.press("e")
        assert chat(app).query_one(Prompt).text == PUT
        assert "as you write it" in line(app, "stages")
        chat(app).query_one(Prompt).fill("And that document?")
        await pilot.press("enter")
        await settled(pilot)
        assert shown(app, "asked").startswith("> And that document?\n2 of 2 asked here")
        assert shown(app, "facts") == ""
        assert requests(app)[-1].scope == ()
        await asked(pilot, FRAGMENT)
        assert requests(app)[-1].scope is None, "what is typed next is a follow-up again"


async def test_editing_keeps_what_it_is_about_until_that_is_removed(app):
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, OWNER)
        await asked(pilot, POINTING)
        assert shown(app, "facts") == NARROWED + REMEDY
        assert chips(app) == ["about [1] note"]
        turn(app).focus()
        await pilot.press("e")
        await until(pilot, lambda: chips(app) == ["about [1] note"])
        chat(app).query_one(Prompt).fill("What does it say?")
        await pilot.press("enter")
        await settled(pilot)
        assert requests(app)[-1].scope == NOTE
        assert shown(app, "facts") == ABOUT + REMEDY
        turn(app).focus()
        await pilot.press("e")
        await pilot.pause()
        chat(app).query_one(ChipBar).focus()
        await pilot.press("delete")
        await until(pilot, lambda: not chips(app))
        assert chat(app).query_one(Prompt).text == "What does it say?"
        await pilot.press("enter")
        await settled(pilot)
        assert requests(app)[-1].scope == ()
        assert shown(app, "facts") == ""


async def test_what_is_typed_instead_of_an_edit_is_a_follow_up(app):
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, OWNER)
        await asked(pilot, POINTING)
        turn(app).focus()
        await pilot.press("e", "ctrl+u")
        assert not chat(app).query_one(Prompt).text
        await asked(pilot, FRAGMENT)
        assert requests(app)[-1].scope is None
        assert shown(app, "facts").startswith(f"Understood as: {PUT}")


async def test_the_chip_of_an_answer_and_x_take_it_back(app):
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, OWNER)
        await asked(pilot, COUNTED)
        assert shown(app, "facts").startswith(f"Understood as: {COUNTED_PUT} (“first document”")
        chat(app).query_one(ChipBar).focus()
        await pilot.press("delete")
        await settled(pilot)
        assert (requests(app)[-1].question, requests(app)[-1].scope) == (COUNTED_PUT, ())
        turn(app, 1).focus()
        await pilot.press("x")
        await settled(pilot)
        assert (requests(app)[-1].question, requests(app)[-1].scope) == (COUNTED, ())
        assert not requests(app)[-1].infer
        assert shown(app, "facts") == ""
        assert not turn(app).offers("without")


async def test_each_asking_again_has_another_seed(app):
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, OWNER)
        for _ in range(2):
            turn(app, 0).focus()
            await pilot.press("r")
            await settled(pilot)
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert [request.again for request in requests(app)] == [0, 1, 2, 3]


def test_the_seed_of_asking_again_is_in_the_trail(tmp_path, fake_models):
    config = config_over(tmp_path, ASKANCE_ANSWER_SEED="7")
    request = Request(1, OWNER, config=config, again=2)
    assert settings_for(request).seed == 9
    first = next(answers(request, fake_models(), Memory(1)))
    assert first == Noted("asked again: the seed is 9")


async def test_only_what_it_is_about_is_read_when_it_is_edited(tmp_path, fake_models):
    (tmp_path / "lease.txt").write_text(LEASE)
    (tmp_path / "jetty.txt").write_text("The repair of the jetty is 400 euros.\n")
    config = config_over(tmp_path, ASKANCE_ANSWER_STRATEGY="vanilla")
    app = app_over(config, fake_models(generator=["The lease ends on 31 December 2026 [1]."]))
    async with running(app, (80, 24)) as pilot:
        await asked(pilot, "When does the lease of the boathouse end?")
        await asked(pilot, "Who wrote that document?")
        assert "Narrowed to [1] lease" in shown(app, "facts")
        turn(app).focus()
        await pilot.press("e")
        await asked(pilot, "When does the lease end?")
        assert shown(app, "coverage").startswith("Read 1 document")
        turn(app).focus()
        await pilot.press("x")
        await settled(pilot)
        assert shown(app, "coverage").startswith("Read 2 documents")


def kept(question: str, *scope) -> Past:
    """Return the second turn of a kept conversation, as it was answered."""
    talk = conversation((OWNER, "Kim [1].", [cited(1)]), (FRAGMENT, "Dana [1].", [cited(1)]))
    second = replace(talk.turns[1], question=question, scope=scope)
    whole = replace(talk, turns=(talk.turns[0], second))
    return Past.kept(whole, second, None)


def test_of_a_kept_question_it_is_seen_and_edited_too():
    past = kept(PUT, cited(1))
    said = str(PastTurn(past).render()).splitlines()
    assert said[:3] == [f"> {FRAGMENT}", f"Understood as: {PUT}", "Narrowed to [1] Lease"]
    assert (past.request.question, past.request.scope) == (FRAGMENT, None)
    assert (past.understood.question, past.understood.scope) == (PUT, (cited(1),))
    assert kept(FRAGMENT, cited(1)).request.scope == (cited(1),), "it was asked as written"
    plain = kept(FRAGMENT)
    assert plain.understood is plain.request
    assert plain.request.scope is None


@pytest.mark.parametrize(
    ("put", "lines"),
    [
        (Standalone("And May?"), []),
        (Standalone("And May?", reason="no source"), ["Asked as typed: no source"]),
        (Standalone("In May?", reason="a", sure=False), ["Understood as: In May? (a; not sure)"]),
        (
            Standalone("And May?", (cited(1),), "as before", sure=False),
            ["Narrowed to [1] Lease (as before; not sure)"],
        ),
        (
            Standalone("In May?", tuple(cited(n) for n in range(1, 6))),
            [
                "Understood as: In May?",
                "Narrowed to [1] Lease, [2] Lease, [3] Lease and 2 more",
            ],
        ),
    ],
)
def test_the_lines_and_the_status_line(put: Standalone, lines: list[str]):
    assert understood_lines(put, " And May? ") == lines
    assert status_of(Rewritten("And May?", put)) == ("; ".join(lines) or None)


def test_a_title_stays_on_its_line():
    assert scope_text([cited(1, title="a\n\x1b[2J" + "b" * 99)]).endswith("b…")
    assert "\n" not in scope_text([cited(1, title="a\nb")])
    assert scope_text([cited(1, title="")]) == "[1] Inbox"


def in_lines(config: Config, *lines: str) -> tuple[list[str], list[Request]]:
    """Return what the loop says, and what it asks."""
    said: list[str] = []
    terminal = Terminal(said.append, lambda prompt: "", lambda words: 0)
    listener = Listener()
    PlainLoop(listener, Current(config), terminal).run(iter(lines))
    return said, listener.asked


def test_lines_for_screen_readers_say_it(tmp_path):
    said, _ = in_lines(config_over(tmp_path), OWNER, FRAGMENT, POINTING)
    assert sum(one.startswith(f"Understood as: {PUT}") for one in said) == 1
    assert sum(one == NARROWED for one in said) == 1


def test_in_lines_it_is_changed_and_taken_back(tmp_path):
    lines = ("/typed", "/edit When?", OWNER, COUNTED, "/edit When?", "/typed", FRAGMENT)
    said, asked = in_lines(config_over(tmp_path), *lines)
    assert said.count("Nothing is answered yet.") == 2
    assert [(one.question, one.infer) for one in asked[2:4]] == [("When?", True), ("When?", False)]
    assert [one.scope for one in asked] == [None, None, NOTE, (), None]
    followed = [[turn.asked for turn in one.conversation.path] for one in asked if one.conversation]
    assert followed == [[], [OWNER], [OWNER], [OWNER], [OWNER, "When?"]]


def test_a_first_question_and_one_without_inference_are_asked_as_typed():
    said = conversation((OWNER, "Kim [1].", [cited(1)]))

    def put(request: Request) -> Standalone:
        events = meant(request)
        try:
            while True:
                next(events)
        except StopIteration as end:
            return cast("Standalone", end.value)

    assert put(Request(1, FRAGMENT, conversation=Conversation())).text == FRAGMENT
    assert put(Request(1, FRAGMENT, conversation=said)).text == PUT
    assert put(Request(1, FRAGMENT, conversation=said, scope=())).text == FRAGMENT

"""Bad input in the chat: a message in place with the next step, and the conversation goes on."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator

from textual import events

from app.backend.composition import answers
from app.backend.messages import Request
from app.screens.answers.evidence import EvidenceScreen
from app.widgets.conversation.turn import TurnView
from app.widgets.input.prompt import Prompt
from engine.events import Event, Stage, Token
from engine.retrieval.memory import Memory
from models.errors import RuntimeFailed
from models.protocols import Generator
from models.roles import ModelSet
from tests.support.screen_text import text_of
from tests.support.toy_chat import (
    LEASE,
    QUESTION,
    REPLY,
    app_over,
    asked,
    chat,
    config_over,
    reading_processes,
    running,
    settled,
    shown,
    source,
    turn,
    typed,
    until,
)

__all__ = ["reading_processes", "source"]

NAMES = ("\u05e9\u05dc\u05d5\u05dd.txt", "日本語の手紙.txt", "cafe\u0301.txt")


async def test_a_question_without_any_source_says_what_to_do(fake_models):
    app = app_over(config_over(), fake_models())
    async with running(app, toasts=True) as pilot:
        await typed(pilot, QUESTION)
        await until(pilot, lambda: text_of(app).count("Press f3 to choose what is read") == 2)
        assert chat(app).query_one(Prompt).text == QUESTION
        assert not chat(app).query(TurnView)


async def test_a_source_that_vanishes_while_it_is_read_costs_no_conversation(source, fake_models):
    vanishing = [False, True]

    def told(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        gone = vanishing.pop() if vanishing else False
        for event in answers(request, models, memory):
            if gone and event == Stage("read", "started"):
                shutil.rmtree(source)
            yield event

    app = app_over(config_over(source), fake_models(generator=[REPLY]), told)
    async with running(app, (100, 30)) as pilot:
        await asked(pilot)
        assert "files: " in text_of(app) or "missing" in text_of(app)
        said = " ".join(text_of(app).split())
        assert "missing" in said or "does not exist" in said
        source.mkdir()
        (source / "lease.txt").write_text(LEASE)
        await asked(pilot)
        assert "31 December 2026. [1]" in shown(app, "answer")
        assert len(chat(app).query(TurnView)) == 2


async def test_a_model_that_fails_to_load_is_told_and_asked_again(source, fake_generator):
    broken = [True]
    fakes = {
        "small": fake_generator("small", ["Reason. Answer."]),
        "large": fake_generator("large", [REPLY]),
    }

    def opened(model_id: str) -> Generator:
        if broken and broken.pop():
            raise RuntimeFailed("The model small cannot be loaded.", remedy="Choose a smaller one.")
        return fakes[model_id]

    app = app_over(config_over(source), ModelSet("small", "large", opened))
    async with running(app) as pilot:
        await asked(pilot)
        assert shown(app, "answer") == "The model small cannot be loaded."
        assert shown(app, "grounded") == "Choose a smaller one."
        await pilot.press("ctrl+g")
        await settled(pilot)
        assert "31 December 2026. [1]" in shown(app, "answer")
        assert shown(app, "answer", 0) == "The model small cannot be loaded."


async def test_the_window_may_change_while_an_answer_is_written(source, fake_models):
    written, waits = threading.Event(), threading.Event()

    def told(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
        for number in range(40):
            yield Token(f"word{number} ")
        written.set()
        waits.wait(120)
        yield Token("the end.")

    app = app_over(config_over(source), fake_models(), told)
    async with running(app, (100, 30)) as pilot:
        await typed(pilot, QUESTION)
        await until(pilot, lambda: written.is_set() and "word39" in shown(app, "answer"))
        for size in ((40, 10), (60, 14), (140, 40)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            if size == (40, 10):
                assert "40x10 is too small" in " ".join(text_of(app).split())
            else:
                assert "word39" in text_of(app)
                assert "word0 word1" in shown(app, "answer")
        waits.set()
        await settled(pilot)
        assert shown(app, "answer").endswith("word39 the end.")


async def test_a_paste_of_100_kb_and_names_of_all_scripts(source, fake_models):
    for name in NAMES:
        (source / name).write_text(f"{name} says that the lease of the boathouse ends.\n")
    config = config_over(source, ASKANCE_ANSWER_STRATEGY="fb_rag")
    app = app_over(config, fake_models(generator=[REPLY]))
    async with running(app, (100, 30)) as pilot:
        prompt = chat(app).query_one(Prompt)
        prompt.post_message(events.Paste("lease of the boathouse " * 4_500))
        await until(pilot, lambda: len(prompt.text) > 100_000)
        assert prompt.size.height == 8
        prompt.fill("")
        await asked(pilot)
        cited = turn(app).citations.citations[0].passage.item.locator.path.name
        assert f'Document "{cited}"' in text_of(app)
        await pilot.press("ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, EvidenceScreen))
        for name in NAMES:
            assert [line for line in text_of(app).splitlines() if line.endswith(f"document {name}")]

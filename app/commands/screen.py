"""Bare `askance`: the terminal screen, or one clear refusal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from app.errors import NoTerminal
from app.exits import ExitCode
from app.local_models.serving import server_address
from app.settings.config import Config, load_config

if TYPE_CHECKING:
    from app.asking.answering import Answerer
    from app.asking.talk import Request
    from engine.conversation import Standalone
    from engine.events import Event
    from engine.memory import Memory
    from engine.settings import Settings
    from models.roles import ModelSet

CHOOSING = ("models.", "server.")
"""Settings that decide which models answer, and with what."""


def start_screen() -> int:
    """Open the screen. Raises `NoTerminal` where one of its two ends is no terminal.

    Textual draws on stderr: redirected, mail would be written into a log.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NoTerminal(
            "The screen needs a terminal for its input and for stderr, on which it draws.",
            remedy='To ask without a screen: askance ask "QUESTION" [PATH]...',
        )
    config = load_config(os.environ)
    server_address(config)  # what is wrong with it is said before the screen opens
    from app.asking.process import EngineProcess
    from app.screens.askance import AskanceApp

    with closing(EngineProcess()) as engine:
        newcomer = not (config.path.exists() or config.remembered)
        app = AskanceApp(config, engine, first_run=newcomer)
        app.run()
    return app.return_code or ExitCode.ANSWERED


def start_plain() -> int:
    """Talk in lines, for screen readers: no boxes, nothing drawn over."""
    import getpass

    import click

    from app.cli import main
    from app.plain_loop import PlainLoop, Terminal, typed_lines
    from app.settings.current import Current

    os.environ["TERM"] = "dumb"  # nothing is taken back by any command either
    config = load_config(os.environ)
    server_address(config)
    terminal = Terminal(click.echo, getpass.getpass, main)
    with closing(make_engine()) as engine:
        PlainLoop(engine, Current(config), terminal).run(typed_lines("Question: "))
    return ExitCode.ANSWERED


def make_engine() -> Answerer:
    """Return what answers the screen's questions, with the settings as they are at each."""
    from app.asking.answering import Answerer
    from app.commands.options import memory_of

    return Answerer(ModelsInUse().open, answers, memory_of(load_config(os.environ)))


class ModelsInUse:
    """The models that the settings choose; others when the settings have changed."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._models: ModelSet | None = None
        self._chosen: object = None

    def open(self, request: Request, show: Callable[[str], object]) -> ModelSet:
        """Check and return the models. Raises as `app.local_models.loading.model_set` does."""
        from app.local_models.loading import model_set

        config = request.config or load_config(os.environ)
        chosen = {key: value for key, value in config.values.items() if key.startswith(CHOOSING)}
        chosen["answer.max_context"] = config.values["answer.max_context"]
        if self._models is not None and chosen == self._chosen:
            return self._models

        def progress(done: int, total: int) -> None:
            show(f"Checking a model: {100 * done // max(total, 1)} %")

        context = config.number("answer.max_context")
        opened = model_set(config, max_context=context, progress=progress, say=show)
        if self._models is not None:
            self._models.close()
        self._models, self._chosen = opened, chosen
        return opened


def answers(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
    """Answer a request over the sources of its settings."""
    from app.commands.options import sources_of
    from engine.answer import answer
    from engine.events import Noted

    config = request.config or load_config(os.environ)
    settings = settings_for(config, request)
    sources = sources_of(config, ())
    if request.again:
        yield Noted(f"asked again: the seed is {settings.seed}")
    meant = yield from stands_alone(request, models, settings)
    yield from answer(meant.text, sources, models, settings, memory=memory, scope=meant.scope)


def stands_alone(
    request: Request, models: ModelSet, settings: Settings
) -> Generator[Event, None, Standalone]:
    """Return what a question means after what was said before it, or as a person settled it."""
    from engine.conversation import Standalone
    from engine.events import Rewritten
    from engine.following.standalone import follow_up

    if request.scope is not None:
        settled = Standalone(request.question, request.scope, changed=bool(request.scope))
        yield Rewritten(request.question, settled)
        return settled
    if request.conversation is None or request.conversation.last is None:
        return Standalone(request.question)
    for event in follow_up(request.question, request.conversation, models, settings.today):
        yield event
        if isinstance(event, Rewritten):
            return event.standalone
    raise RuntimeError("A follow-up ended without a question.")


def settings_for(config: Config, request: Request) -> Settings:
    """Return the settings, with what the request wants instead."""
    from dataclasses import replace

    from app.commands.options import settings_of
    from app.sources.sample_files import SAMPLE_DAY, sample_folder

    wanted = settings_of(
        config, strategy=request.strategy, effort=request.effort, plan=request.plan
    )
    return replace(
        wanted,
        infer=wanted.infer and request.infer,
        seed=wanted.seed + request.again,
        now=SAMPLE_DAY if config.sources == (sample_folder(),) else wanted.now,
        time_budget=None if request.whole else wanted.time_budget,
    )

"""Bare `askance`: the terminal screen, or one clear refusal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from app.config import Config, load_config
from app.errors import NoTerminal
from app.exits import ExitCode
from app.serving import server_address

if TYPE_CHECKING:
    from app.screens.asking import Asker
    from engine.events import Event
    from engine.memory import Memory
    from models.roles import ModelSet


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
    from app.options import memory_of
    from app.screens.askance import AskanceApp

    # The app waits for its thread before `run` returns, so the models are free by then.
    memory = memory_of(config)
    with memory, closing(make_asker(config, memory)) as asker:
        app = AskanceApp(config, asker, memory)
        app.run()
    return app.return_code or ExitCode.ANSWERED


def make_asker(config: Config, memory: Memory) -> Asker:
    """Return what answers the screen's questions over the remembered sources."""
    from app.loading import model_set
    from app.options import settings_of, sources_of
    from app.screens.asking import Asker
    from engine.answer import answer

    def open_models(show: Callable[[str], object]) -> ModelSet:
        def progress(done: int, total: int) -> None:
            show(f"Checking a model: {100 * done // max(total, 1)} %")

        asked = settings_of(config).max_context
        return model_set(config, max_context=asked, progress=progress, say=show)

    def answers(question: str, models: ModelSet, infer: bool) -> Iterator[Event]:
        settings = settings_of(config, infer=None if infer else False)
        return answer(question, sources_of(config, ()), models, settings, memory=memory)

    return Asker(open_models, answers)

"""Where settings, models and the engine come together, whoever asks.

`answers` takes a request through follow-up, reading and answering. The command line, the screen,
`--plain` and `demo` all come here, through `app.backend.process`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from app.backend.answerer import Answerer
from app.backend.engine_values import memory_of, settings_of, sources_of
from app.backend.messages import Request
from app.local_models.loader import model_set
from app.settings.config import Config, load_config
from app.settings.schema import BY_NAME
from app.sources.sample_files import SAMPLE_DAY, sample_folder
from engine.answer import answer, refuse_unanswerable, search
from engine.events import Event, Noted
from engine.retrieval.memory import Memory
from engine.settings import Settings
from models.roles import ModelSet

CHOOSING = ("models.", "server.")
"""Settings that decide which models answer, and with what."""

COMPUTING = ("auto", "conditional", "aggregate", "key_value")
"""Strategies that answer some questions without a model."""


def make_engine(*, watch: bool = False) -> Answerer:
    """Return what answers questions, each with the settings that it brings.

    With `watch` it tells of files that change after they were read.
    """
    kept = memory_of(load_config(os.environ))
    return Answerer(ModelsInUse().open, answers, kept, watch=watch)


class ModelsInUse:
    """The models that a request chooses; others when the choice has changed."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._models: ModelSet | None = None
        self._chosen: object = None

    def open(self, request: Request, show: Callable[[str], object]) -> ModelSet:
        """Check and return the models.

        What is wrong with the question is said first. Raises as `refuse_unanswerable` and
        `app.local_models.loader.model_set` do.
        """
        config, settings = _config_of(request), settings_for(request)
        if request.conversation is None:
            refuse_unanswerable(request.question, request.filters, settings)
        chosen: dict[str, object] = {
            key: config.values.of(key) for key in BY_NAME if key.startswith(CHOOSING)
        }
        chosen |= {
            "max_context": settings.max_context,
            "lookahead": request.lookahead,
            "generator": request.generator,
        }
        named = bool(request.lookahead or request.generator)
        if self._models is not None and chosen == self._chosen:
            return self._models

        def progress(done: int, total: int) -> None:
            show(f"Checking a model: {100 * done // max(total, 1)} %")

        opened = model_set(
            config,
            lookahead=request.lookahead,
            generator=request.generator,
            max_context=settings.max_context,
            needed=settings.strategy not in COMPUTING or named,
            progress=progress,
            say=show,
        )
        if self._models is not None:
            self._models.close()
        self._models, self._chosen = opened, chosen
        return opened


def answers(request: Request, models: ModelSet | None, memory: Memory) -> Iterator[Event]:
    """Answer a request: follow-up, reading, answering. The last event is `Answered`.

    Without models it ranks passages, and the last event is `Found`.
    """
    settings = settings_for(request)
    if request.memory is not None:
        memory.session.memory = request.memory
    if models is None:
        sources = _sources_for(request)
        yield from search(request.question, sources, settings, request.filters, memory)
        return
    if request.again:
        yield Noted(f"asked again: the seed is {settings.seed}")
    yield from answer(
        request.question,
        _sources_for(request),
        models,
        settings,
        request.filters,
        memory,
        request.scope,
        request.conversation,
    )


def _config_of(request: Request) -> Config:
    return request.config or load_config(os.environ)


def _sources_for(request: Request) -> list[Path]:
    if request.sources is not None:
        return list(request.sources)
    return sources_of(_config_of(request), ())


def settings_for(request: Request) -> Settings:
    """Return the engine's settings: those of the request, else what it chooses by its config."""
    if request.settings is not None:
        return request.settings
    config = _config_of(request)
    wanted = settings_of(
        config, strategy=request.strategy, effort=request.effort, plan=request.plan, estimate=True
    )
    return replace(
        wanted,
        infer=wanted.infer and request.infer,
        seed=wanted.seed + request.again,
        now=SAMPLE_DAY if config.sources == (sample_folder(),) else wanted.now,
        time_budget=None if request.whole else wanted.time_budget,
        attachments=math.inf if request.whole else wanted.attachments,
        scans=math.inf if request.whole and wanted.scans else wanted.scans,
    )

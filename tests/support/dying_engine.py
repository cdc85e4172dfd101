"""The engine's process with scripted models, which dies where it is told.

DIE_AT names a stage, DIE_BY a signal; a question that holds "safely" is answered. Without DIE_AT
every question is. With WAIT_AT it writes a file named in READY at that stage, and then waits.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import app.backend.composition
from app.backend.answerer import Answerer
from app.backend.composition import ModelsInUse, answers
from app.backend.messages import Request
from app.backend.pipes import pipes
from app.backend.process_main import serve
from engine.events import Event, Stage, Token
from engine.retrieval.memory import Memory
from models.roles import ModelSet
from tests.support.toy_engine import toy_models


def told(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
    spared = "safely" in request.question
    for event in answers(request, models, memory):
        yield event
        if isinstance(event, Stage) and event.state == "started" and not spared:
            if event.name == os.environ.get("DIE_AT"):
                signal.raise_signal(signal.Signals[os.environ["DIE_BY"]])
                time.sleep(60)  # a SIGKILL takes a moment
            if event.name == os.environ.get("WAIT_AT"):
                yield Token("The lease")
                yield from _waiting()


def _waiting() -> Iterator[Event]:
    Path(os.environ["READY"]).touch()
    while True:
        time.sleep(0.02)
        yield Token(" and")


def main() -> None:
    commands, replies = pipes()
    models = toy_models()
    app.backend.composition.model_set = lambda config, **chosen: models  # type: ignore[assignment]
    opened = ModelsInUse().open
    serve(Answerer(opened, told, Memory(1), watch=False), commands, replies)


if __name__ == "__main__":
    main()

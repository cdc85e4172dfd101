"""The engine's process with scripted models: what `EngineProcess` runs in tests.

A question that holds "slowly" writes words until it is cancelled; "die" ends the process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from app.backend.answerer import Answerer
from app.backend.composition import answers
from app.backend.messages import Request
from app.backend.pipes import pipes
from app.backend.process_main import serve
from engine.events import Event, Noted, Token
from engine.retrieval.memory import Memory
from models.roles import ModelSet
from tests.conftest import FakeGenerator

REPLY = "The lease ends on 31 December 2026 [1]."


def told(request: Request, models: ModelSet, memory: Memory) -> Iterator[Event]:
    if "die" in request.question:
        os._exit(3)
    if "defect" in request.question:
        raise ValueError("the words of a mail")
    if "passwords" in request.question:
        yield Noted(" ".join(memory.session.passwords))
        return
    if "slowly" in request.question:
        while True:
            yield Token("word ")
            time.sleep(0.01)
    yield from answers(request, models, memory)


def toy_models() -> ModelSet:
    fakes = {
        "small": FakeGenerator("small", ["Reason. Answer."]),
        "large": FakeGenerator("large", [REPLY]),
    }
    return ModelSet("small", "large", fakes.__getitem__)


if __name__ == "__main__":
    commands, replies = pipes()
    models = toy_models()
    serve(Answerer(lambda request, show: models, told, Memory(1)), commands, replies)

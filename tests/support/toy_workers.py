"""Models that another process can open: fakes whose reply depends on the prompt alone."""

from __future__ import annotations

import signal

from models.roles import ModelSet
from tests.conftest import FakeGenerator


def reply(prompt: str, index: int) -> str:
    """Return a reply that tells prompts and sequences apart."""
    return f"{len(prompt)} {index} [1]"


def open_models() -> ModelSet:
    """Return a set of fakes."""
    fakes = {name: FakeGenerator(name, reply) for name in ("small", "large")}
    return ModelSet("small", "large", fakes.__getitem__)


FATAL = "perilous"
"""A word of a prompt at which a model's native code dies."""


def dying_reply(prompt: str, index: int) -> str:
    """Reply, or end the process as a segmentation fault does."""
    if FATAL in prompt:
        signal.raise_signal(signal.SIGSEGV)
    return reply(prompt, index)


def open_dying_models() -> ModelSet:
    """Return a set of fakes that die of one question."""
    fakes = {name: FakeGenerator(name, dying_reply) for name in ("small", "large")}
    return ModelSet("small", "large", fakes.__getitem__)

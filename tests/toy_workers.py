"""Models that another process can open: fakes whose reply depends on the prompt alone."""

from __future__ import annotations

from models.roles import ModelSet
from tests.conftest import FakeGenerator


def reply(prompt: str, index: int) -> str:
    """Return a reply that tells prompts and sequences apart."""
    return f"{len(prompt)} {index} [1]"


def open_models() -> ModelSet:
    """Return a set of fakes."""
    fakes = {name: FakeGenerator(name, reply) for name in ("small", "large")}
    return ModelSet("small", "large", fakes.__getitem__)

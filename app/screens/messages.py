"""What happened beside a screen, told to every screen that is open."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from app.settings.config import Config
from models.errors import AskanceError


@dataclass
class ConfigChanged(Message):
    """The settings are others now."""

    config: Config


@dataclass
class WorkAdvanced(Message):
    """A pull, a check or a measurement of a model went on."""

    model_id: str
    text: str


@dataclass
class WorkEnded(Message):
    """A pull, a check or a measurement of a model is over."""

    model_id: str
    text: str
    """What came of it; empty when it failed or was stopped."""
    error: AskanceError | None = None
    stopped: bool = False

"""What the engine says, as a message to the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from app.backend.messages import Reply


@dataclass
class Replied(Message):
    """The engine told something; it came from another thread."""

    reply: Reply

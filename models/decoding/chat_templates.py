"""A model's chat template: from messages to the prompt it was trained on.

llama.cpp knows the common templates and is asked first. Others are rendered by jinja2 in a child
process (`template_main`), once for each order of roles, with placeholders for the messages. So the
template never sees a message, and costs the program seconds at most.
"""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol

from models.decoding.text_stream import CLOSE
from models.errors import RuntimeFailed
from models.protocols import Message

TEMPLATE_MAIN = Path(__file__).with_name("template_main.py")
PATIENCE_SECONDS = 15.0
"""Seconds for a child that other programs hold up; its own computing is limited to 2 seconds."""
MAX_SOURCE = 64 << 10
"""Characters of a template; the longest in use have about 20,000."""
MAX_RENDERED = 256 << 10
"""Characters around the messages; only tools and examples that nobody asked for exceed them."""
SWITCH = "enable_thinking"
"""The value that makes templates of reasoning models leave thoughts out; llama.cpp passes none."""


class TemplateRefused(RuntimeFailed):
    """A chat template that cannot be used for these messages."""

    kind = "template"


class Templated(Protocol):
    """What a chat template needs of a loaded model."""

    chat_template: bytes | None
    adds_bos: bool

    def apply_template(self, turns: Sequence[tuple[str, str]]) -> str | None:
        """Return the prompt, None where llama.cpp does not know the template."""

    def control_texts(self) -> list[str]:
        """Return the written forms of all control tokens, longest first."""

    def first_and_last_texts(self) -> tuple[str, str]:
        """Return what a template calls `bos_token` and `eos_token`."""


class ChatTemplate:
    """The template of one model, with the renderings made so far."""

    def __init__(self, model: Templated, model_id: str) -> None:
        """Read it; nothing is rendered yet."""
        self._model = model
        self._id = model_id
        self._source = (model.chat_template or b"").decode("utf-8", "replace")
        self._shapes: dict[tuple[str, ...], list[str]] = {}

    @property
    def thinks(self) -> bool:
        """Whether replies may begin with thoughts."""
        return CLOSE in self._source and SWITCH not in self._source

    @cached_property
    def _control_texts(self) -> list[str]:
        return [text for text in self._model.control_texts() if len(text) > 1]

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt, opened for the reply. Raises `TemplateRefused`."""
        turns = [(message.role, self._defused(message.content)) for message in messages]
        if SWITCH not in self._source:
            known = self._model.apply_template(turns)
            if known is not None:
                return known
        try:
            return self._filled(turns)
        except TemplateRefused:
            if len(turns) < 2 or turns[0][0] != "system":
                raise
        return self._filled(_without_system(turns))

    def _defused(self, content: str) -> str:
        """Break template markers apart, so that a quoted one cannot end the turn that quotes it."""
        for text in self._control_texts:
            if text in content:
                content = content.replace(text, f"{text[0]} {text[1:]}")
        return content

    def _filled(self, turns: Sequence[tuple[str, str]]) -> str:
        roles = tuple(role for role, _ in turns)
        if roles not in self._shapes:
            self._shapes[roles] = self._shape(roles)
        parts = self._shapes[roles]
        contents = [content.strip() for _, content in turns]
        return parts[0] + "".join(f"{c}{p}" for c, p in zip(contents, parts[1:], strict=True))

    def _shape(self, roles: tuple[str, ...]) -> list[str]:
        """Return what the template writes before, between and behind messages of these roles."""
        marks = [f"{role}-{secrets.token_hex(8)}" for role in roles]
        bos, eos = self._model.first_and_last_texts()
        values = {
            "messages": [{"role": r, "content": m} for r, m in zip(roles, marks, strict=True)],
            "add_generation_prompt": True,
            "bos_token": "" if self._model.adds_bos else bos,
            "eos_token": eos,
            SWITCH: False,
        }
        rest = self._rendered(values)
        parts = []
        for mark in marks:
            before, found, rest = rest.partition(mark)
            if not found or mark in rest:
                raise self._refusal("it does not write every message once")
            parts.append(before)
        return [*parts, rest]

    def _rendered(self, values: dict[str, object]) -> str:
        if not self._source or len(self._source) > MAX_SOURCE:
            raise self._refusal(f"it has {len(self._source)} characters")
        asked = json.dumps({"source": self._source, "values": values})
        try:
            child = subprocess.run(  # noqa: S603 -- our own interpreter and script
                [sys.executable, "-P", str(TEMPLATE_MAIN)],
                input=asked.encode(),
                capture_output=True,
                timeout=PATIENCE_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise self._refusal("it does not come to an end") from None
        if child.returncode != 0:
            raise self._refusal("it takes more time or memory than a template needs")
        said = json.loads(child.stdout)
        if "error" in said:
            raise self._refusal(str(said["error"])[:200])
        text = str(said["text"])
        if len(text) > MAX_RENDERED:
            raise self._refusal(f"it writes {len(text)} characters around the messages")
        return text

    def _refusal(self, reason: str) -> TemplateRefused:
        return TemplateRefused(
            f"The chat template of {self._id} cannot be used: {reason.rstrip('.')}.",
            remedy="Choose another model with `askance models use`.",
        )


def _without_system(turns: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Put the system message in front of the first question: some templates know no such role."""
    (_, instructions), (role, question), *rest = turns
    return [(role, f"{instructions}\n\n{question}"), *rest]

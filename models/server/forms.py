"""Replies in a form: by a grammar, a JSON schema, else by words and a check.

A reply that is out of form twice comes as it is; who asked for the form sees that it is none.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from models.protocols import (
    Beginnings,
    Choices,
    Constraint,
    GenerationRequest,
    Grammar,
    OtherBeginnings,
    Piece,
    Stopped,
)
from models.server.errors import ServerFailed
from models.server.prompts import parts_of, prompt_of

GRAMMARS = ("llama-server", "vLLM", "llama-cpp-python")
"""Kinds of servers that hold a reply to a grammar."""
Named = Choices | Beginnings
"""A form that names texts."""
LIKELY = 0.9
"""Probability of what a server without log-probabilities replies, where that is wanted."""
FRAME_TOKENS = 32
"""What JSON adds to a reply."""


def form_of(kind: str, version: tuple[int, ...], constraint: Constraint) -> dict[str, Any]:
    """Return the values that hold a reply to a form: a grammar, else a JSON schema.

    Raises `ValueError` for a form that no server holds to.
    """
    if isinstance(constraint, OtherBeginnings):
        raise ValueError("a server cannot keep a reply from beginning with a text")
    if kind not in GRAMMARS:
        return {} if isinstance(constraint, Grammar) else _schema(constraint)
    if kind != "vLLM":
        return {"grammar": _gbnf(constraint)}
    if isinstance(constraint, Choices):
        name, value = "choice", list(constraint.texts)
    elif isinstance(constraint, Beginnings):
        beginnings = "|".join(re.escape(text) for text in constraint.texts)
        return _vllm_form(version, "regex", f"({beginnings})[\\s\\S]*")
    else:
        return _vllm_form(version, "grammar", constraint.gbnf)
    return _vllm_form(version, name, value)


def _vllm_form(version: tuple[int, ...], name: str, value: object) -> dict[str, Any]:
    """Name a form as this version of vLLM does: 0.12 dropped the old names."""
    if version >= (0, 11):
        return {"structured_outputs": {name: value}}
    return {f"guided_{name}": value}


def _gbnf(constraint: Constraint) -> str:
    if isinstance(constraint, Grammar):
        return constraint.gbnf
    texts = " | ".join(json.dumps(text, ensure_ascii=False) for text in constraint.texts)
    free = " [^\\x00]*" if isinstance(constraint, Beginnings) else ""
    return f"root ::= ({texts}){free}\n"


def _schema(form: Named) -> dict[str, Any]:
    """Return OpenAI's `response_format` for a form."""
    properties: dict[str, Any] = {"begin": {"type": "string", "enum": list(form.texts)}}
    if isinstance(form, Beginnings):
        properties["text"] = {"type": "string"}
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    named = {"name": "reply", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


@dataclass
class HeldReplies:
    """Replies in a form from a server without grammars."""

    write: Callable[[str, Named | None, GenerationRequest, int], str]
    """Returns one whole reply to a prompt: held to a schema or free, as a request samples it, of
    this index."""
    probe: str
    """A prompt that yes or no answers."""

    def replies(self, request: GenerationRequest, form: Named) -> Iterator[Piece]:
        """Yield each reply in one piece."""
        for number, prompt in enumerate(request.prompts):
            for index in range(request.n):
                text = self._reply(prompt, form, request, index)
                for stop in request.stop:
                    text = text.partition(stop)[0] or text
                yield Piece(number * request.n + index, text, "stop")

    def likelihoods(
        self, prompt: str, choices: Sequence[str], stopped: Stopped | None
    ) -> list[float]:
        """Return log-probabilities from a reply alone: what it is is likely, others are not.

        All are alike where it is none of them.
        """
        request = GenerationRequest((prompt,), max_tokens=FRAME_TOKENS, stopped=stopped)
        said = self._reply(prompt, Choices(tuple(choices)), request, 0)
        if said not in choices:
            return [math.log(1 / len(choices))] * len(choices)
        rest = (1 - LIKELY) / max(1, len(choices) - 1)
        return [math.log(LIKELY if one == said else rest) for one in choices]

    def _reply(self, prompt: str, form: Named, request: GenerationRequest, index: int) -> str:
        """Return a reply in form; what does not keep to it when asked twice comes as it is."""
        asked, reply = asked_in_words(prompt, form), ""
        for _ in range(2):
            reply = self.write(asked, form if self._by_schema else None, request, index)
            found = in_form(form, reply)
            if found is not None:
                return found
            asked = asked_again(asked, reply, form)
        return reply

    @cached_property
    def _by_schema(self) -> bool:
        """Whether the server holds a reply to a JSON schema: asked once, by a small request."""
        form = Choices(("yes", "no"))
        request = GenerationRequest((self.probe,), max_tokens=FRAME_TOKENS)
        try:
            reply = self.write(self.probe, form, request, 0)
        except ServerFailed:
            return False
        return reply.lstrip().startswith("{") and in_form(form, reply) is not None


def asked_in_words(prompt: str, form: Named) -> str:
    """Return a prompt that says the form in words, and shows what the reply begins with."""
    parts = parts_of(prompt)
    if parts is None:
        return prompt
    turns, primed = parts
    so_far = f"\n\nYour reply so far:\n{primed}\n\nGo on with it." if primed else ""
    last = turns[-1]
    said = f"{last['content']}{so_far}\n\n{_in_words(form)}"
    return prompt_of([*turns[:-1], {**last, "content": said}])


def asked_again(prompt: str, reply: str, form: Named) -> str:
    """Return the prompt behind a reply that is out of form."""
    parts = parts_of(prompt)
    if parts is None:
        return prompt
    replied = {"role": "assistant", "content": reply}
    again = {"role": "user", "content": f"That is not the form. {_in_words(form)}"}
    return prompt_of([*parts[0], replied, again])


def _in_words(form: Named) -> str:
    texts = "\n".join(text.strip() for text in form.texts)
    if isinstance(form, Beginnings):
        return f"Begin your reply with one of these, word for word:\n{texts}"
    return f"Reply with one of these, word for word, and nothing else:\n{texts}"


def in_form(form: Named, reply: str) -> str | None:
    """Return a reply as the form writes it; None where it is out of form."""
    said = _from_json(reply)
    if said is not None:
        begin, text = str(said.get("begin", "")), str(said.get("text", "")).strip()
        if begin not in form.texts:
            return None
        return begin + text if isinstance(form, Beginnings) else begin
    bare = reply.strip().strip("\"'`*.")
    for text in sorted(form.texts, key=len, reverse=True):
        wanted = text.strip()
        if isinstance(form, Beginnings) and bare.casefold().startswith(wanted.casefold()):
            return text + bare[len(wanted) :].strip(" *")
        if isinstance(form, Choices) and bare.casefold() == wanted.casefold():
            return text
    if isinstance(form, Beginnings):
        return None
    named = [text for text in form.texts if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", bare)]
    return named[0] if len(named) == 1 else None


def _from_json(reply: str) -> dict[str, Any] | None:
    text = reply.strip().removeprefix("```json").strip("`\n ")
    try:
        said = json.loads(text)
    except ValueError:
        return None
    return said if isinstance(said, dict) else None

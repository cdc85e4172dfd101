"""Kinds of servers: what they offer, and how one request is written for each.

llama-server renders a chat template without answering (`/apply-template`), so a prompt is its
text and the reply can be begun for it. The others take messages; vLLM goes on with a last message
of the assistant's. What a server is and can is asked for, never assumed: Ollama by `/api/version`
and `/api/ps` (its docs/api.md), LM Studio by `/api/v0/models` (its REST API v0).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.decoding.generator import THOUGHT_TOKENS
from models.decoding.text_stream import CLOSE
from models.protocols import GenerationRequest, Message
from models.server.errors import ServerFailed
from models.server.forms import GRAMMARS, form_of
from models.server.link import Link
from models.server.prompts import Turns, estimated_tokens, parts_of, prompt_of, turns_of

Kind = Literal[
    "llama-server", "vLLM", "llama-cpp-python", "Ollama", "LM Studio", "OpenAI-compatible"
]

CONTEXT_KEYS = ("max_model_len", "context_length", "context_window", "max_context_length")
"""What servers call a model's context in their lists."""
SLOTS = 16
"""Requests sent at once to a server that does not say how many it answers at once."""
TOP = 20
"""Likeliest tokens that are asked for; vLLM gives no more unless told to at its start."""


@dataclass(frozen=True, slots=True)
class Served:
    """A model at a server, and what the server says of itself."""

    kind: Kind
    model: str
    context: int | None
    """Tokens of prompt and reply together; None where the server does not say."""
    version: tuple[int, ...] = ()
    thinks: bool = False
    """Whether replies may begin with thoughts."""
    slots: int = SLOTS
    """How many requests are sent at once; a server that has fewer lets the others wait."""

    @property
    def renders(self) -> bool:
        """Whether the server applies its chat template without answering."""
        return self.kind == "llama-server"

    @property
    def hides_refusals(self) -> bool:
        """Whether it breaks off a stream where it would refuse to answer in one piece."""
        return self.kind == "llama-cpp-python"

    @property
    def tokenizes(self) -> bool:
        """Whether the server counts tokens."""
        return self.grammars

    @property
    def grammars(self) -> bool:
        """Whether it holds replies to a grammar. The others take a JSON schema at best."""
        return self.kind in GRAMMARS

    @property
    def cuts(self) -> bool:
        """Whether it may cut a prompt that is too long, where the others refuse it."""
        return not self.grammars


def served_by(link: Link, model: str | None, context: int | None) -> Served:
    """Ask a server what it is, and for the model of this name, or its only one.

    Raises `ServerFailed` and `ModelUnknown`.
    """
    # First, because it wants the key where the server has one, and answers 401 without.
    listed = _listed(link)
    kind, loaded = _of_loading_servers(link)
    name = _chosen(link, model, listed, [*loaded])
    if kind is not None:
        if name not in loaded:
            _load(link, name)
            loaded = _of_loading_servers(link)[1]
        thinks = kind == "Ollama" and _thinks_on_ollama(link, name)
        return Served(kind, name, context or loaded.get(name), (), thinks)
    row = listed.get(name, {})
    props = link.probe("/props") or {}
    if "default_generation_settings" in props:
        settings = props["default_generation_settings"] or {}
        template = str(props.get("chat_template", ""))
        thinks = CLOSE in template and "enable_thinking" not in template
        size, slots = context or _size(settings.get("n_ctx")), _size(props.get("total_slots"))
        return Served("llama-server", name, size, (), thinks, slots or SLOTS)
    said = link.probe("/version") or {}
    if "version" in said and "max_model_len" in row:
        numbers = tuple(int(part) for part in re.findall(r"\d+", str(said["version"])))
        return Served("vLLM", name, context or _size(row.get("max_model_len")), numbers[:3])
    counted = link.probe("/extras/tokenize/count", {"model": name, "input": "one"}) or {}
    if isinstance(counted.get("count"), int):
        return Served("llama-cpp-python", name, context, slots=1)  # it drops one for the next
    said_of_context = (row.get(key) for key in CONTEXT_KEYS)
    return Served("OpenAI-compatible", name, context or next(filter(_size, said_of_context), None))


def _of_loading_servers(link: Link) -> tuple[Kind | None, dict[str, int | None]]:
    """Return which of the servers that load models when asked this is, and contexts by model.

    Only the context of a loaded model is known; Ollama's is often far below what the model can.
    """
    if "version" in (link.probe("/api/version") or {}):
        rows = _rows(link.probe("/api/ps"), "models")
        return "Ollama", {str(row.get("model")): _size(row.get("context_length")) for row in rows}
    rows = _rows(link.probe("/api/v0/models"), "data")
    if any("state" in row for row in rows):
        loaded = [row for row in rows if row.get("state") == "loaded" and _writes(row)]
        return "LM Studio", {
            str(row.get("id")): _size(row.get("loaded_context_length")) for row in loaded
        }
    return None, {}


def _thinks_on_ollama(link: Link, name: str) -> bool:
    """Say whether a model of Ollama's thinks unless told not to (docs/api.md, "Show Model")."""
    told = (link.probe("/api/show", {"model": name}) or {}).get("capabilities")
    return isinstance(told, list) and "thinking" in told


def _rows(said: dict[str, Any] | None, key: str) -> list[dict[str, Any]]:
    rows = (said or {}).get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _writes(row: dict[str, Any]) -> bool:
    return row.get("type") != "embeddings"


def _load(link: Link, name: str) -> None:
    """Have a model loaded by the smallest request there is."""
    turns = [{"role": "user", "content": "Say yes."}]
    link.ask("/v1/chat/completions", {"model": name, "messages": turns, "max_tokens": 1})


def _listed(link: Link) -> dict[str, dict[str, Any]]:
    said = link.ask("/v1/models") or {}
    rows = said.get("data")
    if not isinstance(rows, list):
        return {}
    return {str(row["id"]): row for row in rows if isinstance(row, dict) and row.get("id")}


def _chosen(
    link: Link, model: str | None, listed: dict[str, Any], loaded: Sequence[str] = ()
) -> str:
    """Return the model of this name, else the only one, else the only one that is loaded."""
    there = ", ".join(sorted(listed)) or "none"
    if model and (model in listed or not listed):
        return model
    if model is None and len(listed) == 1:
        return next(iter(listed))
    if model is None and len(loaded) == 1:
        return loaded[0]
    if model and f"{model}:latest" in listed:
        return f"{model}:latest"
    said = f'has no model "{model}"' if model else "does not have just one model"
    raise ServerFailed(
        f"The server at {link.address.url} {said}; it lists: {there}.",
        remedy="Name one of its models as `model` under [server] in the settings.",
    )


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def rendered(link: Link, served: Served, messages: Sequence[Message], primed: str) -> str:
    """Return a prompt. Template markers inside a message are broken apart."""
    turns = turns_of(messages)
    if not served.renders:
        return prompt_of(turns, primed)
    body = {"messages": turns, "chat_template_kwargs": {"enable_thinking": False}}
    said = link.ask("/apply-template", body) or {}
    if not isinstance(said.get("prompt"), str):
        raise ServerFailed(
            f"The server at {link.address.url} does not apply its chat template.",
            remedy="Use a newer llama-server, one that offers /apply-template.",
        )
    return f"{said['prompt']}{primed}"


def primed_by_request(served: Served, prompt: str) -> str:
    """Return the words that a server is asked to begin with, where it cannot continue them."""
    parts = parts_of(prompt)
    return parts[1] if parts and served.kind != "vLLM" else ""


def counted_tokens(link: Link, served: Served, text: str) -> int:
    """Return the tokens of a text as the server counts them. Only where it `tokenizes`."""
    if served.kind == "llama-server":
        said = link.ask("/tokenize", {"content": text, "parse_special": True}) or {}
        count: object = len(said.get("tokens", []))
    elif served.kind == "vLLM":
        body = {"model": served.model, "prompt": text, "add_special_tokens": False}
        count = (link.ask("/tokenize", body) or {}).get("count")
    else:
        body = {"model": served.model, "input": text}
        count = (link.ask("/extras/tokenize/count", body) or {}).get("count")
    # A server that stops counting is no reason to send it too much.
    return count if isinstance(count, int) and (count or not text) else estimated_tokens(text)


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request as this server is sent it."""

    wanted: GenerationRequest
    """With what the server is to do itself; stop strings that are looked for here are left out."""
    salt: str
    """New whenever what was kept of earlier prompts must not be used."""
    fresh: bool
    """Whether nothing that was kept may be used."""
    stream: bool = True
    thinks: bool = False
    """Whether thoughts may come first, for which there must be room."""
    silent: bool = False
    """Whether the model is asked not to think."""

    @property
    def top(self) -> bool:
        """Whether log-probabilities are wanted."""
        return bool(self.wanted.watch) or self.wanted.logprobs


def path_and_body(
    served: Served, number: int, sent: WireRequest, *, n: int, first: int
) -> tuple[str, dict[str, Any]]:
    """Return what is sent for `n` replies to prompt `number`; they draw from `seed + first` on."""
    wanted, drawn = sent.wanted, sent.wanted.sampling
    body: dict[str, Any] = {
        "model": served.model,
        "n": n,
        "max_tokens": wanted.max_tokens + (THOUGHT_TOKENS if sent.thinks else 0),
        "temperature": drawn.temperature,
        "top_p": drawn.top_p,
        "seed": (drawn.seed + first) % (1 << 31),
        "stream": sent.stream,
        **_own_values(served, sent),
    }
    if sent.silent:
        body["reasoning_effort"] = "none"
    if sent.stream:
        body["stream_options"] = {"include_usage": True}
    if wanted.stop:
        body["stop"] = list(wanted.stop)
    if wanted.constraint is not None:
        body |= form_of(served.kind, served.version, wanted.constraint)
    prompt = wanted.prompts[number]
    parts = parts_of(prompt)
    if parts is None:
        body |= {"prompt": prompt} | ({"logprobs": TOP} if sent.top else {})
        if served.kind == "llama-server" and sent.top:
            body["n_probs"] = TOP
        return "/v1/completions", body
    body |= {"messages": _with_primed(served, *parts)}
    body |= {"logprobs": True, "top_logprobs": TOP} if sent.top else {}
    if served.kind == "vLLM":
        goes_on = bool(parts[1])
        body |= {"add_generation_prompt": not goes_on, "continue_final_message": goes_on}
        body["chat_template_kwargs"] = {"enable_thinking": False}
    return "/v1/chat/completions", body


def _own_values(served: Served, sent: WireRequest) -> dict[str, Any]:
    """Return values beyond OpenAI's interface, which an unknown server might refuse."""
    drawn = sent.wanted.sampling
    if not served.grammars:
        return {}
    shared = {"top_k": drawn.top_k, "min_p": drawn.min_p}
    if served.kind == "vLLM":
        return {**shared, "repetition_penalty": 1.0, "cache_salt": sent.salt}
    if served.kind == "llama-server":
        return {**shared, "repeat_penalty": 1.0, "cache_prompt": not sent.fresh}
    return {**shared, "repeat_penalty": 1.0}


def _with_primed(served: Served, turns: Turns, primed: str) -> Turns:
    """Put the first words of the reply where the server goes on from, or ask for them."""
    if not primed:
        return turns
    if served.kind == "vLLM":
        return [*turns, {"role": "assistant", "content": primed}]
    *before, last = turns
    begun = f"{last['content']}\n\nBegin your reply with: {primed}"
    return [*before, {**last, "content": begun}]

"""Kinds of servers: what they offer, and how one request is written for each.

llama-server renders a chat template without answering (`/apply-template`), so a prompt is its
text and the reply can be begun for it. The others take messages; vLLM goes on with a last message
of the assistant's. What a server does not offer is refused, never imitated.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.decoding.text_stream import CLOSE
from models.protocols import Beginnings, Choices, Constraint, GenerationRequest, Grammar, Message
from models.server.errors import ServerFailed
from models.server.link import Link

Kind = Literal["llama-server", "vLLM", "llama-cpp-python", "OpenAI-compatible"]

TOP = 20
"""Likeliest tokens that are asked for; vLLM gives no more unless told to at its start."""
CHAT = "\x1achat\x1a"
"""Begins a prompt that is messages: as JSON in one line, then the words the reply begins with."""
MESSAGE_TOKENS = 8
"""Tokens that a chat template writes around a message, at most."""
MARKER = re.compile(
    r"<[|\uff5c][^<>|\uff5c\s]{1,40}[|\uff5c]>|</?s>|<(?:bos|eos|pad|unk)>|<(?:start|end)_of_turn>"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>"
    r"|</?(?:think|tool_call|tool_response)>"
)
"""What control tokens of the common models look like. Servers do not give their own list."""
PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]|[^\x00-\x7f]|[^\sA-Za-z0-9]|\n+")


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

    @property
    def renders(self) -> bool:
        """Whether the server applies its chat template without answering."""
        return self.kind == "llama-server"

    @property
    def parallel(self) -> int:
        """How many requests it takes at once; llama-cpp-python drops one for the next."""
        return 1 if self.kind == "llama-cpp-python" else 16

    @property
    def hides_refusals(self) -> bool:
        """Whether it breaks off a stream where it would refuse to answer in one piece."""
        return self.kind == "llama-cpp-python"

    @property
    def tokenizes(self) -> bool:
        """Whether the server counts tokens."""
        return self.kind != "OpenAI-compatible"


def served_by(link: Link, model: str | None, context: int | None) -> Served:
    """Ask a server what it is, and for the model of this name, or its only one.

    Raises `ServerFailed` and `ModelUnknown`.
    """
    # First, because it wants the key where the server has one, and answers 401 without.
    listed = _listed(link)
    name = _chosen(link, model, listed)
    row = listed.get(name, {})
    props = link.probe("/props") or {}
    if "default_generation_settings" in props:
        settings = props["default_generation_settings"] or {}
        template = str(props.get("chat_template", ""))
        thinks = CLOSE in template and "enable_thinking" not in template
        return Served("llama-server", name, context or _size(settings.get("n_ctx")), (), thinks)
    said = link.probe("/version") or {}
    if "version" in said and "max_model_len" in row:
        numbers = tuple(int(part) for part in re.findall(r"\d+", str(said["version"])))
        return Served("vLLM", name, context or _size(row.get("max_model_len")), numbers[:3])
    counted = link.probe("/extras/tokenize/count", {"model": name, "input": "one"}) or {}
    if isinstance(counted.get("count"), int):
        return Served("llama-cpp-python", name, context)
    return Served("OpenAI-compatible", name, context)


def _listed(link: Link) -> dict[str, dict[str, Any]]:
    said = link.ask("/v1/models") or {}
    rows = said.get("data")
    if not isinstance(rows, list):
        return {}
    return {str(row["id"]): row for row in rows if isinstance(row, dict) and row.get("id")}


def _chosen(link: Link, model: str | None, listed: dict[str, Any]) -> str:
    there = ", ".join(sorted(listed)) or "none"
    if model and (model in listed or not listed):
        return model
    if model is None and len(listed) == 1:
        return next(iter(listed))
    said = f'has no model "{model}"' if model else "does not have just one model"
    raise ServerFailed(
        f"The server at {link.address.url} {said}; it lists: {there}.",
        remedy="Name one of its models as `model` under [server] in the settings.",
    )


def _size(value: object) -> int | None:
    return value if isinstance(value, int) and value > 0 else None


def rendered(link: Link, served: Served, messages: Sequence[Message], primed: str) -> str:
    """Return a prompt. Template markers inside a message are broken apart."""
    turns = [{"role": one.role, "content": _defused(one.content)} for one in messages]
    if not served.renders:
        return f"{CHAT}{json.dumps(turns, ensure_ascii=False)}\n{primed}"
    body = {"messages": turns, "chat_template_kwargs": {"enable_thinking": False}}
    said = link.ask("/apply-template", body) or {}
    if not isinstance(said.get("prompt"), str):
        raise ServerFailed(
            f"The server at {link.address.url} does not apply its chat template.",
            remedy="Use a newer llama-server, one that offers /apply-template.",
        )
    return f"{said['prompt']}{primed}"


def _defused(content: str) -> str:
    return MARKER.sub(lambda found: f"{found[0][0]} {found[0][1:]}", content)


def parts_of(prompt: str) -> tuple[list[dict[str, str]], str] | None:
    """Return messages and first words of a prompt that `rendered` made; None for a text."""
    if not prompt.startswith(CHAT):
        return None
    turns, _, primed = prompt.removeprefix(CHAT).partition("\n")
    return json.loads(turns), primed


def primed_by_request(served: Served, prompt: str) -> str:
    """Return the words that a server is asked to begin with, where it cannot continue them."""
    parts = parts_of(prompt)
    return parts[1] if parts and served.kind != "vLLM" else ""


def estimated_tokens(prompt: str) -> int:
    """Return about how many tokens a text or a prompt has, rather too many than too few.

    Measured with SmolLM2's and Qwen's tokenizers: 6 to 23 % too many for English prose, half as
    many again for German and Portuguese, several times as many for Chinese.
    """
    parts = parts_of(prompt)
    if parts:
        turns, primed = parts
        texts = [turn["content"] for turn in turns]
        return sum(map(estimated_tokens, [*texts, primed])) + MESSAGE_TOKENS * len(turns)
    return sum(_piece_tokens(piece) for piece in PIECE.findall(prompt))


def _piece_tokens(piece: str) -> int:
    if not piece.isascii():
        return min(3, len(piece.encode("utf-8", "replace")))
    return len(piece) if piece.isupper() else 1 + (len(piece) - 1) // 4


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
        "max_tokens": wanted.max_tokens,
        "temperature": drawn.temperature,
        "top_p": drawn.top_p,
        "seed": (drawn.seed + first) % (1 << 31),
        "stream": sent.stream,
        **_own_values(served, sent),
    }
    if sent.stream:
        body["stream_options"] = {"include_usage": True}
    if wanted.stop:
        body["stop"] = list(wanted.stop)
    if wanted.constraint is not None:
        body |= form_of(served, wanted.constraint)
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
    if served.kind == "OpenAI-compatible":
        return {}
    shared = {"top_k": drawn.top_k, "min_p": drawn.min_p}
    if served.kind == "vLLM":
        return {**shared, "repetition_penalty": 1.0, "cache_salt": sent.salt}
    if served.kind == "llama-server":
        return {**shared, "repeat_penalty": 1.0, "cache_prompt": not sent.fresh}
    return {**shared, "repeat_penalty": 1.0}


def _with_primed(served: Served, turns: list[dict[str, str]], primed: str) -> list[dict[str, str]]:
    """Put the first words of the reply where the server goes on from, or ask for them."""
    if not primed:
        return turns
    if served.kind == "vLLM":
        return [*turns, {"role": "assistant", "content": primed}]
    *before, last = turns
    begun = f"{last['content']}\n\nBegin your reply with: {primed}"
    return [*before, {**last, "content": begun}]


def form_of(served: Served, constraint: Constraint) -> dict[str, Any]:
    """Return the values that hold a reply to a form; empty where the server offers none."""
    if served.kind in ("llama-server", "llama-cpp-python"):
        return {"grammar": _gbnf(constraint)}
    if served.kind != "vLLM":
        return {}
    if isinstance(constraint, Choices):
        name, value = "choice", list(constraint.texts)
    elif isinstance(constraint, Beginnings):
        beginnings = "|".join(re.escape(text) for text in constraint.texts)
        return _vllm_form(served, "regex", f"({beginnings})[\\s\\S]*")
    else:
        return _vllm_form(served, "grammar", constraint.gbnf)
    return _vllm_form(served, name, value)


def _vllm_form(served: Served, name: str, value: object) -> dict[str, Any]:
    """Name a form as this version of vLLM does: 0.12 dropped the old names."""
    if served.version >= (0, 11):
        return {"structured_outputs": {name: value}}
    return {f"guided_{name}": value}


def _gbnf(constraint: Constraint) -> str:
    if isinstance(constraint, Grammar):
        return constraint.gbnf
    texts = " | ".join(json.dumps(text, ensure_ascii=False) for text in constraint.texts)
    free = " [^\\x00]*" if isinstance(constraint, Beginnings) else ""
    return f"root ::= ({texts}){free}\n"

"""A server on loopback that speaks like one of those known or like a stranger, and misbehaves.

Its tokens are words. It says the same to everybody, except to who comes with a constraint.
"""

from __future__ import annotations

import contextlib
import json
import math
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MODEL = "toy-7b"
CONTEXT = 4096


@dataclass
class ToyServer:
    """What it is, what it says, how it fails, and what it was asked."""

    kind: str = "vLLM"
    version: str = "0.11.2"
    says: str = "Ann met Bob in Oslo ."
    top: dict[str, float] = field(default_factory=lambda: {"Ann": 0.5, "N": 0.2, "No": 0.1})
    """What might have come first, with probabilities; empty: it gives no log-probabilities."""
    models: tuple[str, ...] = (MODEL,)
    loaded: dict[str, int | None] = field(default_factory=dict)
    """Contexts of models in memory; Ollama and LM Studio load others with `loads_with`."""
    loads_with: int = 2048
    took: int | None = None
    """Tokens of a prompt that it says it read; None: 100."""
    schema: bool = True
    """Whether a stranger, Ollama or LM Studio holds a reply to a JSON schema."""
    in_json: dict[str, str] = field(default_factory=lambda: {"begin": "yes", "text": ""})
    """What it says in JSON; a choice that is not offered is the first that is."""
    thoughts: int = 0
    """Tokens of thought before each reply, in a member of their own; none where it is told so."""
    knows_effort: str = "obeys"
    """"obeys", "ignores" or "refuses" to be told not to think."""
    replied_by: list[str] = field(default_factory=list)
    """What it calls the model of each reply, the last one for all further ones; empty: nothing."""
    offers_n: str = "yes"
    """"no": it gives one reply whatever it is asked for; "refused": it answers 400."""
    obeys_stop: bool = True
    key: str = ""
    answers: list[tuple[int, dict[str, str], Any]] = field(default_factory=list)
    """Status, headers and body of the next answers to questions for text."""
    fault: str = ""
    """"cut", "hang", "done", "error event", "garbage", "html", "whole": what befalls a stream."""
    asked: list[tuple[str, Any, dict[str, str]]] = field(default_factory=list)
    """Path, body and headers."""
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when a client has left a hanging stream."""
    url: str = ""

    @property
    def bodies(self) -> list[Any]:
        """Return what was asked of it in questions for text."""
        return [body for path, body, _ in self.asked if path.endswith("completions")]

    def paths(self, path: str) -> int:
        """Return how often a path was asked for."""
        return sum(one == path for one, *_ in self.asked)


@contextlib.contextmanager
def serving(toy: ToyServer, certificate: Path | None = None) -> Iterator[ToyServer]:
    """Run it."""

    class Handler(_Handler):
        pass

    Handler.toy = toy
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    host = "https://localhost" if certificate else "http://127.0.0.1"
    toy.url = f"{host}:{server.server_address[1]}"
    try:
        yield toy
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    toy: ToyServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        toy = self.toy
        self.note(None)
        rows = [{"id": name} | self.length() for name in toy.models]
        props = {"default_generation_settings": {"n_ctx": CONTEXT}, "chat_template": "{{x}}"}
        found = {"/v1/models": {"data": rows}}
        if toy.kind == "llama-server":
            found["/props"] = props  # type: ignore[assignment]
        if toy.kind == "vLLM":
            found["/version"] = {"version": toy.version}  # type: ignore[dict-item]
        if toy.kind == "Ollama":  # docs/api.md: "Version", "List Running Models"
            ps = [{"model": name, "context_length": size} for name, size in toy.loaded.items()]
            found |= {"/api/version": {"version": "0.13.5"}, "/api/ps": {"models": ps}}  # type: ignore[dict-item]
        if toy.kind == "LM Studio":  # REST API v0, "GET /api/v0/models"
            found["/api/v0/models"] = {"object": "list", "data": [*map(self.in_studio, toy.models)]}
        if not self.may():
            return
        if self.path in found:
            self.reply(200, found[self.path])
        else:
            self.reply(404, {"detail": "Not Found"})

    def in_studio(self, name: str) -> dict[str, Any]:
        row = {"id": name, "type": "llm", "state": "not-loaded", "max_context_length": 32768}
        if name in self.toy.loaded:
            row |= {"state": "loaded", "loaded_context_length": self.toy.loaded[name]}
        return row

    def length(self) -> dict[str, int]:
        return {"max_model_len": CONTEXT} if self.toy.kind == "vLLM" else {}

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.note(body)
        if not self.may():
            return
        if self.path.endswith("completions"):
            self.complete(body)
        elif self.path == "/apply-template" and self.toy.kind == "llama-server":
            turns = "".join(f"<|{m['role']}|>{m['content']}" for m in body["messages"])
            self.reply(200, {"prompt": f"{turns}<|assistant|>"})
        elif self.path == "/tokenize" and self.toy.kind == "llama-server":
            self.reply(200, {"tokens": list(range(len(body["content"].split())))})
        elif self.path == "/api/show" and self.toy.kind == "Ollama":  # docs/api.md, "Show Model"
            can = ["completion", *(["thinking"] if self.toy.thoughts else [])]
            self.reply(200, {"capabilities": can})
        elif self.path == "/tokenize" and self.toy.kind == "vLLM":
            self.reply(200, {"count": len(body["prompt"].split())})
        else:
            self.reply(404, {"detail": "Not Found"})

    def note(self, body: Any) -> None:
        headers = {name.lower(): text for name, text in self.headers.items()}
        self.toy.asked.append((self.path, body, headers))

    def may(self) -> bool:
        right = f"Bearer {self.toy.key}"
        if self.toy.key and self.headers.get("Authorization") != right:
            self.reply(401, {"error": {"message": f"Wrong key: {self.headers['Authorization']}"}})
            return False
        return True

    def reply(self, status: int, said: Any, headers: dict[str, str] | None = None) -> None:
        data = said if isinstance(said, bytes) else json.dumps(said).encode()
        self.send_response(status)
        base = {"Content-Type": "application/json", "Content-Length": str(len(data))}
        for name, value in {**base, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)

    def complete(self, body: dict[str, Any]) -> None:
        toy = self.toy
        if toy.answers:
            status, headers, said = toy.answers.pop(0)
            self.reply(status, said, headers)
            return
        if toy.kind in ("Ollama", "LM Studio"):
            toy.loaded.setdefault(body["model"], toy.loads_with)
        if not body.get("stream"):
            self.reply(200, {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]})
            return
        if "reasoning_effort" in body and toy.knows_effort == "refuses":
            self.reply(400, {"error": {"message": "unknown field reasoning_effort"}})
            return
        n = body.get("n", 1)
        if n > 1 and toy.offers_n == "refused":
            self.reply(400, {"error": {"message": "Only one completion choice is allowed"}})
            return
        self.send_response(200)
        self.send_header(
            "Content-Type", "text/html" if toy.fault == "html" else "text/event-stream"
        )
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(ConnectionError, BrokenPipeError):
            for event in self.events(body, n if toy.offers_n == "yes" else 1):
                self.wfile.write(b"data: " + json.dumps(event).encode() + b"\n\n")
                self.wfile.flush()
            if toy.fault not in ("cut", "hang"):
                self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def events(self, body: dict[str, Any], n: int) -> Iterator[dict[str, Any]]:
        toy = self.toy
        chat = "messages" in body
        if toy.fault in ("garbage", "html"):
            self.wfile.write(b"data: {not json\n\n")
            return
        if chat:
            yield {"choices": [{"index": i, "delta": {"role": "assistant"}} for i in range(n)]}
        words, reason = self.words(body), "stop"
        if toy.schema and "response_format" in body:
            words = [self.by_schema(body["response_format"]["json_schema"]["schema"])]
        if toy.replied_by:
            name = toy.replied_by.pop(0) if len(toy.replied_by) > 1 else toy.replied_by[0]
            yield {"model": name, "choices": []}
        told = body.get("reasoning_effort") == "none" and toy.knows_effort == "obeys"
        thoughts = 0 if told else min(toy.thoughts, body["max_tokens"])
        for at in range(thoughts):
            thought = {"delta": {"reasoning": "Hm "}, "logprobs": self.logprobs(body, "Hm", at)}
            yield {"choices": [{"index": i, **thought} for i in range(n)]}
        if len(words) > body["max_tokens"] - thoughts:
            words, reason = words[: body["max_tokens"] - thoughts], "length"
        for at, word in enumerate(words):
            choices = [choice(i, word, chat, self.logprobs(body, word, at)) for i in range(n)]
            yield {"choices": choices}
            if toy.fault == "error event":
                yield {"error": {"message": "CUDA error", "code": 500}}
            if toy.fault == "cut" and at == 2:
                return
            if toy.fault == "hang" and at == 2:
                self.wait_for_the_client_to_leave()
                return
        if toy.fault != "done":
            yield {"choices": [choice(i, "", chat, None, reason) for i in range(n)]}
        usage = {"prompt_tokens": toy.took or 100, "completion_tokens": n * len(words)}
        yield {"choices": [], "usage": {**usage, "prompt_tokens_details": {"cached_tokens": 60}}}

    def by_schema(self, schema: dict[str, Any]) -> str:
        said, offered = dict(self.toy.in_json), schema["properties"]["begin"]["enum"]
        if said["begin"] not in offered:
            said["begin"] = offered[0]
        return json.dumps({key: said[key] for key in schema["properties"]})

    def words(self, body: dict[str, Any]) -> list[str]:
        says = self.toy.says
        if self.toy.obeys_stop:
            for stop in body.get("stop", ()):
                says = says.partition(stop)[0]
        return [f"{' ' if at else ''}{word}" for at, word in enumerate(says.split(" "))]

    def logprobs(self, body: dict[str, Any], word: str, at: int) -> Any:
        if not body.get("logprobs") or not self.toy.top:
            return None
        top = self.toy.top if at == 0 else {word: 0.9}
        listed = [{"token": token, "logprob": math.log(p)} for token, p in top.items()]
        drawn = {"token": word, "logprob": math.log(top.get(word, 0.01))}
        if "messages" in body or self.toy.kind == "llama-server":
            return {"content": [{**drawn, "top_logprobs": listed}]}
        tops = {one["token"]: one["logprob"] for one in listed}
        return {"token_logprobs": [drawn["logprob"]], "top_logprobs": [tops]}

    def wait_for_the_client_to_leave(self) -> None:
        with contextlib.suppress(ConnectionError):
            self.connection.settimeout(30)
            if not self.connection.recv(1):
                self.toy.gone.set()
        self.toy.gone.set()


def choice(
    index: int, text: str, chat: bool, logprobs: Any, reason: str | None = None
) -> dict[str, Any]:
    said: dict[str, Any] = {"delta": {"content": text}} if chat else {"text": text}
    return {"index": index, **said, "logprobs": logprobs, "finish_reason": reason}

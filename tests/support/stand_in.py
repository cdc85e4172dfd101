"""A real server that speaks like another kind: it hides what that kind does not offer.

Ollama (docs/api.md, docs/openai.md) takes a JSON schema, says its context in `/api/ps`, and cuts a
prompt that is too long. LM Studio (REST API v0; OpenAI compatibility) takes a schema, gives no
log-probabilities, says its context in `/api/v0/models`. "bare" has nothing but `/v1`.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

NAME = "toy:latest"
WITHOUT_LOGPROBS = ("LM Studio", "bare")
LLAMAS_OWN = ("grammar", "n_probs", "cache_prompt", "repeat_penalty", "top_k", "min_p")


@contextlib.contextmanager
def standing_in(kind: str, real: str, context: int) -> Iterator[tuple[str, list[Any]]]:
    """Run before the server at `real`; its address, and what it was asked so far."""

    class Handler(_Handler):
        pass

    Handler.kind, Handler.real, Handler.context, Handler.asked = kind, real, context, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", Handler.asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    kind: str
    real: str
    context: int
    asked: list[Any]
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        loaded = {"model": NAME, "context_length": self.context}
        known: dict[str, Any] = {"/v1/models": {"object": "list", "data": [{"id": NAME}]}}
        if self.kind == "Ollama":
            known |= {"/api/version": {"version": "0.13.5"}, "/api/ps": {"models": [loaded]}}
        if self.kind == "LM Studio":
            row = {"id": NAME, "state": "loaded", "loaded_context_length": self.context}
            known["/api/v0/models"] = {"object": "list", "data": [row]}
        found = known.get(self.path)
        self.whole(404 if found is None else 200, found or {"error": "not found"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.whole(404, {"error": "not found"})
            return
        self.asked.append(body["messages"])
        assert not set(LLAMAS_OWN) & set(body), "only OpenAI's own members"
        if self.kind in WITHOUT_LOGPROBS:
            body.pop("logprobs", None)
            body.pop("top_logprobs", None)
        if self.kind == "bare":
            body.pop("response_format", None)
        if self.kind == "Ollama":
            last = body["messages"][-1]
            last["content"] = " ".join(last["content"].split(" ")[: self.context - 200])
        asked = Request(
            f"{self.real}/v1/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urlopen(asked) as reply:
                self.send_response(200)
                self.send_header("Content-Type", reply.headers["Content-Type"])
                self.send_header("Connection", "close")
                self.end_headers()
                with contextlib.suppress(ConnectionError):
                    while block := reply.read1(4096):
                        self.wfile.write(block)
                        self.wfile.flush()
            self.close_connection = True
        except HTTPError as error:
            self.whole(error.code, json.loads(error.read()))

    def whole(self, status: int, said: Any) -> None:
        data = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data)

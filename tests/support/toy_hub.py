"""A hub on loopback: the endpoints that a download uses, and a server of files behind it.

It redirects to the second server, as the hub does for large files, and misbehaves on request.
"""

from __future__ import annotations

import contextlib
import hashlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.toy_models import sha256

COMMIT = "c" * 40
REPO = "ada/toy-GGUF"
TOKEN = "hf_right"


@dataclass
class Request:
    """What a server was asked."""

    method: str
    path: str
    headers: dict[str, str]

    @property
    def range(self) -> str | None:
        return self.headers.get("range")


@dataclass
class ToyHub:
    """What the servers hold, how they are to misbehave, and what they were asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    """Files of `REPO` at `COMMIT`. A `.gguf` or `.safetensors` is large: it is redirected."""
    faults: list[str] = field(default_factory=list)
    """What befalls the next requests for bytes, one each; "" is nothing."""
    answers: list[int] = field(default_factory=list)
    """Statuses of the next requests for metadata; 200 is the right answer."""
    gated: bool = False
    announced: dict[str, str] = field(default_factory=dict)
    """SHA-256 that are announced instead of the right ones."""
    plain: set[str] = field(default_factory=set)
    """Files of which it states no hash."""
    commit: str = COMMIT
    retry_after: str = "0"
    asked: list[Request] = field(default_factory=list)
    """Of the hub itself."""
    fetched: list[Request] = field(default_factory=list)
    """Of the server with the bytes."""
    held: threading.Event = field(default_factory=threading.Event)
    """Set it, and a server that stalls goes on."""
    url: str = ""
    storage: str = ""


@contextlib.contextmanager
def serving(hub: ToyHub) -> Iterator[ToyHub]:
    """Run both servers."""
    servers = [
        ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub, kind)) for kind in (_Hub, _Storage)
    ]
    for server in servers:
        server.daemon_threads = True
    threads = [threading.Thread(target=one.serve_forever, args=(0.02,)) for one in servers]
    for thread in threads:
        thread.start()
    hub.url, hub.storage = (f"http://127.0.0.1:{one.server_address[1]}" for one in servers)
    try:
        yield hub
    finally:
        hub.held.set()
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: ToyHub
    protocol_version = "HTTP/1.1"

    def reply(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            with contextlib.suppress(ConnectionError):
                self.wfile.write(body)

    def noted(self) -> Request:
        return Request(
            self.command, self.path, {name.lower(): text for name, text in self.headers.items()}
        )

    def log_message(self, *_: object) -> None:
        pass


class _Hub(_Handler):
    def do_HEAD(self) -> None:
        self.hub.asked.append(self.noted())
        status = self.hub.answers.pop(0) if self.hub.answers else 200
        if status != 200:
            self.reply(status, {"Retry-After": self.hub.retry_after})
            return
        self.resolve()

    def do_GET(self) -> None:
        self.hub.asked.append(self.noted())
        self.resolve()

    def resolve(self) -> None:
        hub = self.hub
        name = self.path.partition("/resolve/")[2].partition("/")[2]
        if hub.gated and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.reply(401, {"X-Error-Code": "GatedRepo", "X-Error-Message": "gated"})
            return
        if not self.path.startswith(f"/{REPO}/resolve/") or name not in hub.files:
            self.reply(404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": hub.commit})
            return
        data = hub.files[name]
        headers = {"X-Repo-Commit": hub.commit}
        if name in hub.plain or not name.endswith((".gguf", ".safetensors")):
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()  # git's
            headers["ETag"] = f'"{"none" if name in hub.plain else hub.announced.get(name, blob)}"'
            self.reply(200, {**headers, "Content-Length": str(len(data))}, data)
            return
        headers |= {
            "X-Linked-Etag": f'"{hub.announced.get(name, sha256(data))}"',
            "X-Linked-Size": str(len(data)),
            "Location": f"{hub.storage}/{name}",
        }
        self.reply(302, headers)


class _Storage(_Handler):
    def do_GET(self) -> None:
        hub = self.hub
        hub.fetched.append(self.noted())
        data = hub.files[self.path.removeprefix("/")]
        fault = hub.faults.pop(0) if hub.faults else ""
        begin = int((self.headers.get("Range") or "bytes=0-")[6:].rstrip("-"))
        if fault.isdecimal():
            self.reply(int(fault), {"Retry-After": hub.retry_after})
        elif fault == "whole" or not self.headers.get("Range"):
            self.send_bytes(200, data, fault)
        elif fault == "elsewhere":
            self.send_bytes(206, data[10:], "", f"bytes 10-{len(data) - 1}/{len(data)}")
        else:
            told = f"bytes {begin}-{len(data) - 1}/{len(data)}"
            self.send_bytes(206, data[begin:], fault, told)

    def send_bytes(self, status: int, data: bytes, fault: str, told: str = "") -> None:
        if fault == "wrong":
            data = data[:-1] + bytes([data[-1] ^ 1])
        if fault == "more":
            data += b"more"
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        if told:
            self.send_header("Content-Range", told)
        self.end_headers()
        half = len(data) // 2 if fault in ("cut", "stall") else len(data)
        with contextlib.suppress(ConnectionError):
            self.wfile.write(data[:half])
            self.wfile.flush()
            if fault == "stall":
                self.hub.held.wait(60)
                self.wfile.write(data[half:])
        if fault == "cut":
            self.close_connection = True


def _handler(hub: ToyHub, kind: type[_Handler]) -> type[_Handler]:
    return type(kind.__name__, (kind,), {"hub": hub})

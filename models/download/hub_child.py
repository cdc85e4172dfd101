"""The process that fetches from the hub, and what its failures mean."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from models.errors import PullFailed

HUB_MAIN = Path(__file__).with_name("hub_main.py")
COMMAND = (sys.executable, "-P", str(HUB_MAIN))
PAUSE_SECONDS = 1.0
"""Seconds after the first failure; twice as long after each further one."""
SHA256 = re.compile(r"[0-9a-f]{64}")
BLOB = re.compile(r"[0-9a-f]{40}")
WITHOUT = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
"""Variables that forbid the network; only this process does not get them."""
QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",  # a token comes from the keyring, when it is needed
    "HF_HUB_DISABLE_XET": "1",  # its chunks cannot be resumed by another process
}


class TokenNeeded(PullFailed):
    """The hub gives the file to some people only."""


@dataclass(frozen=True, slots=True)
class Announced:
    """What the hub says of a file before a byte of it is sent."""

    size: int
    sha256: str
    """Empty for small files."""
    commit: str
    blob: str = ""
    """SHA-1 by which git names a small file; empty for large ones."""


@dataclass(frozen=True, slots=True)
class Moved:
    """The download is at `done` bytes."""

    done: int
    note: str = ""
    again: bool = False
    """The server sends the file from its start again."""


class HubChild:
    """One file under way; a context, at whose end the process is gone."""

    def __init__(self, repo: str, revision: str, file: str, token: str = "") -> None:
        """Start the process, which asks for the file's metadata."""
        self._repo, self._file = repo, file
        self._token = token
        self._target = Path()
        self._job = {"repo": repo, "revision": revision, "file": file, "token": token}
        environ = {name: value for name, value in os.environ.items() if name not in WITHOUT}
        self._process = subprocess.Popen(  # noqa: S603 -- our own interpreter and script
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environ | QUIET,
            encoding="utf-8",
        )

    def __enter__(self) -> HubChild:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, whatever it is doing."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()

    def ask(self, target: Path, *, resume: bool) -> Announced:
        """Return what the hub says of the file, to be written to `target` by `fetch`.

        Raises `PullFailed`, and `TokenNeeded` when the hub wants a token.
        """
        self._target = target
        self._tell(
            json.dumps(
                {**self._job, "target": str(target), "resume": resume, "pause": PAUSE_SECONDS}
            )
        )
        for event in self._events():
            if event["event"] == "file":
                etag = str(event["etag"])
                sha256 = etag if SHA256.fullmatch(etag) else ""
                blob = etag if BLOB.fullmatch(etag) else ""
                return Announced(int(event["size"]), sha256, str(event["commit"]), blob)
        raise self._ended()

    def fetch(self) -> Generator[Moved, None, None]:
        """Download, after `ask`. Raises `PullFailed`, and `OSError` when the disk refuses."""
        self._tell("go")
        done = 0
        for event in self._events():
            kind = event["event"]
            if kind == "end":
                return
            if kind == "at":
                done = int(event["done"])
                yield Moved(done)
            elif kind == "again":
                done = 0
                yield Moved(0, str(event["why"]), again=True)
            else:
                yield Moved(done, f"waiting {event['seconds']:.0f} s: {event['why']}")
        raise self._ended()

    def _tell(self, line: str) -> None:
        if self._process.stdin is None:
            return
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError as error:
            raise self._ended() from error

    def _events(self) -> Iterator[dict[str, Any]]:
        for line in self._process.stdout or ():
            event: dict[str, Any] = json.loads(line)
            if event["event"] == "error":
                raise self._failure(event)
            yield event

    def _ended(self) -> PullFailed:
        status = self._process.wait()
        return PullFailed(
            f"The process that fetches from the hub ended with status {status}.",
            remedy="Install huggingface_hub again, or report this; what was fetched is kept.",
        )

    def _failure(self, event: dict[str, Any]) -> PullFailed | OSError:
        kind, detail = event["kind"], str(event["detail"]).strip().rstrip(".")
        if kind == "disk":
            return OSError(event.get("errno"), detail)
        what = f"{self._file} of {self._repo} on the hub"
        if kind == "token":
            shown = "with your token" if self._token else "without a token"
            return TokenNeeded(
                f"The hub does not give {what} {shown} ({detail}): it is gated, private, or "
                "does not exist.",
                remedy="",
            )
        message, remedy = WORDS[kind]
        return PullFailed(message.format(what=what, detail=detail), remedy=remedy)


KEPT = "What was fetched is kept; pull again"
WORDS = {
    "missing": (
        "There is no {what} at the revision that the catalogue names ({detail}).",
        "Its catalogue row is wrong, or the file was withdrawn; choose another model.",
    ),
    "rate": (
        "The hub answers too many requests from here: {what} was refused with {detail}.",
        f"{KEPT} later. A token in the keyring raises the limit.",
    ),
    "server": ("The hub cannot give {what} now: {detail}.", f"{KEPT} later."),
    "network": (
        "The connection for {what} failed: {detail}.",
        f"Check the network and the proxy settings (HTTPS_PROXY). {KEPT} then.",
    ),
    "proxy": (
        "The proxy does not let {what} through: {detail}.",
        f"Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY. {KEPT} then.",
    ),
    "certificate": (
        "The server that claims to have {what} has a certificate that cannot be trusted: "
        "{detail}. Nothing was fetched from it.",
        "If a proxy of your own opens TLS, name its certificate in SSL_CERT_FILE. There is no "
        "way to switch the check off.",
    ),
    "answer": (
        "The server's answer for {what} makes no sense: {detail}.",
        f"Look at HF_ENDPOINT, if it is set. {KEPT} then.",
    ),
}

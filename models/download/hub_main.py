"""One file of the hub, fetched through huggingface_hub in a process of its own.

Run as a script, never imported. Only this process runs without `HF_HUB_OFFLINE`. It speaks with
its parent in lines of JSON: the job comes in; `file` (size, hash, commit) goes out; "go" comes
in; `at`, `wait` and `again` go out, then `end` or `error`. Standard input closes when the parent
ends, in whatever way, and then this process ends too.

huggingface_hub asks for the file's metadata, and gives the session with its proxies,
certificates and redirects. Its own download starts afresh in every process. So the bytes are
fetched here, from the end of the kept ones on, and only if the server's answer begins there.
"""

from __future__ import annotations

import fcntl
import json
import os
import queue
import re
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO, Any, NoReturn, TypeVar

import httpx2
from huggingface_hub import get_hf_file_metadata, get_session, hf_hub_url
from huggingface_hub.constants import HF_HUB_DOWNLOAD_TIMEOUT
from huggingface_hub.errors import HfHubHTTPError, HFValidationError
from huggingface_hub.utils._headers import build_hf_headers

TRIES = 5
"""Failures in a row, without a byte between them, before giving up."""
LONGEST_PAUSE = 60.0
"""Seconds; a server that asks for more is an error, which says how long."""
TELL_SECONDS = 0.2
RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")
TRANSIENT = (408, 425, 429, 500, 502, 503, 504)

Result = TypeVar("Result")


class Fatal(Exception):
    """Trying again does not help. Carries the parts of the parent's message."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


class Pause(Exception):
    """Trying again may help, after `seconds` if the server said so."""

    def __init__(self, kind: str, detail: str, seconds: float | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.seconds = seconds


def say(event: str, **members: object) -> None:
    """Send the parent a line."""
    os.write(1, json.dumps({"event": event, **members}).encode() + b"\n")


class Patience:
    """Counts failures; every byte that arrives starts the count again."""

    def __init__(self, first_pause: float) -> None:
        self._first = first_pause
        self.failures = 0

    def wait(self, pause: Pause) -> None:
        """Sleep before the next try. Raises `Fatal` when there is none."""
        self.failures += 1
        seconds = pause.seconds
        if seconds is None:
            seconds = self._first * 2 ** (self.failures - 1)
        if self.failures >= TRIES or seconds > LONGEST_PAUSE:
            raise Fatal(pause.kind, pause.detail)
        say("wait", seconds=seconds, why=pause.detail)
        time.sleep(seconds)

    def call(self, attempt: Callable[[], Result]) -> Result:
        """Return what `attempt` returns once it does. Raises `Fatal`."""
        while True:
            try:
                return attempt()
            except Pause as pause:
                self.wait(pause)


def translated(error: Exception) -> Fatal | Pause:
    """Say what an error of the connection means."""
    if isinstance(error, HfHubHTTPError) and error.response is not None:
        return refusal(error.response)
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Fatal("certificate", cause.verify_message or str(cause))
        cause = cause.__cause__ or cause.__context__
    detail = str(error) or type(error).__name__
    if isinstance(error, httpx2.ProxyError):
        return Fatal("proxy", detail)
    if isinstance(error, (httpx2.TransportError, OSError)):
        return Pause("network", detail)
    return Fatal("answer", detail)


def refusal(response: httpx2.Response) -> Fatal | Pause:
    """Raise what a status other than success means."""
    status = response.status_code
    detail = f"status {status}"
    if status in TRANSIENT:
        seconds = response.headers.get("Retry-After", "")
        if status == 429:
            detail += f", to be asked again after {seconds} s" if seconds.isdecimal() else ""
        return Pause(
            "rate" if status == 429 else "server",
            detail,
            float(seconds) if seconds.isdecimal() else None,
        )
    if status in (401, 403):
        return Fatal("token", detail)
    return Fatal("missing" if status == 404 else "answer", detail)


def metadata(job: dict[str, Any]) -> Any:
    """Ask the hub what the file is. Raises `Fatal` and `Pause`."""
    url = hf_hub_url(job["repo"], job["file"], revision=job["revision"] or "main")
    try:
        return url, get_hf_file_metadata(
            url, token=job["token"] or False, timeout=HF_HUB_DOWNLOAD_TIMEOUT
        )
    except (HfHubHTTPError, httpx2.HTTPError, HFValidationError, OSError) as error:
        raise translated(error) from error


class Download:
    """The bytes of one file, appended to what an earlier process left of it."""

    def __init__(self, job: dict[str, Any], url: str, size: int, file: IO[bytes]) -> None:
        self._url = url
        self._token = job["token"] or False
        self._size = size
        self._file = file
        self._patience = Patience(job["pause"])
        self._done = file.seek(0, os.SEEK_END) if job["resume"] else 0
        if self._done > size:
            self._done = 0
        file.truncate(self._done)

    def run(self) -> None:
        """Fetch what is missing. Raises `Fatal`."""
        say("at", done=self._done)
        threading.Thread(target=self._tell, daemon=True).start()
        while self._done < self._size:
            self._patience.call(self._attempt)
        self._file.flush()
        os.fsync(self._file.fileno())
        say("at", done=self._done)

    def _tell(self) -> None:
        """Report progress even while nothing arrives, since the parent may want to stop."""
        while True:
            time.sleep(TELL_SECONDS)
            say("at", done=self._done)

    def _attempt(self) -> None:
        headers = build_hf_headers(token=self._token)
        headers["Accept-Encoding"] = "identity"  # a range counts uncompressed bytes
        if self._done:
            headers["Range"] = f"bytes={self._done}-"
        try:
            with get_session().stream(
                *("GET", self._url),
                headers=headers,
                follow_redirects=True,  # httpx2 keeps the token from other hosts
                timeout=HF_HUB_DOWNLOAD_TIMEOUT,
            ) as response:
                self._begin(response)
                self._take(response.iter_bytes())  # as they arrive, so that a buffer loses nothing
        except httpx2.HTTPError as error:
            raise translated(error) from error
        if self._done < self._size:
            raise Pause("network", f"the connection ended {self._size - self._done} bytes early")

    def _begin(self, response: httpx2.Response) -> None:
        """Move to where the server's answer begins. Raises `Fatal` and `Pause`."""
        status = response.status_code
        if status == 206 and self._done:
            found = RANGE.fullmatch(response.headers.get("Content-Range", ""))
            if found and int(found[1]) == self._done and found[2] in ("*", str(self._size)):
                return
            self._again("the server resumed at another place than it was asked to")
        elif status == 416 and self._done:
            self._again("the server cannot resume here")
        elif status == 200:
            if self._done:
                say("again", why="the server began from the start, though asked to resume")
                self._restart()
        else:
            raise refusal(response)

    def _again(self, why: str) -> NoReturn:
        """Drop what is there and ask for the whole. Raises `Pause`."""
        self._restart()
        say("again", why=why)
        raise Pause("answer", why)

    def _restart(self) -> None:
        self._done = 0
        self._file.truncate(0)

    def _take(self, blocks: Iterator[bytes]) -> None:
        self._file.seek(self._done)
        for block in blocks:
            if self._done + len(block) > self._size:
                raise Fatal("answer", f"the server sent more than the {self._size} bytes it named")
            self._file.write(block)
            self._done += len(block)
            self._patience.failures = 0


def work(lines: queue.SimpleQueue[bytes]) -> None:
    """Do the job that the first line describes. Raises `Fatal` and `OSError`."""
    job = json.loads(lines.get())
    url, meta = Patience(job["pause"]).call(lambda: metadata(job))
    if meta.size is None or not meta.commit_hash:
        raise Fatal("answer", "the server does not speak like the hub: no size or no commit")
    say("file", size=meta.size, etag=meta.etag or "", commit=meta.commit_hash)
    lines.get()
    url = hf_hub_url(job["repo"], job["file"], revision=meta.commit_hash)
    descriptor = os.open(job["target"], os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # a killed pull's process may be at its last block
        Download(job, url, meta.size, file).run()
    say("end")


def listen(lines: queue.SimpleQueue[bytes]) -> None:
    """Pass on what the parent says, and end with it."""
    with os.fdopen(0, "rb") as parent:
        for line in parent:
            lines.put(line)
        os._exit(1)


def main() -> None:
    """Answer for one job, then end at once, whatever the threads do."""
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=listen, args=(lines,), daemon=True).start()
    try:
        work(lines)
    except Fatal as fatal:
        say("error", kind=fatal.kind, detail=fatal.detail)
    except OSError as error:
        say("error", kind="disk", detail=str(error), errno=error.errno)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

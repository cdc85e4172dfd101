"""The connection to a server: requests, streams of events, and what their failures mean.

Requests run in an event loop in a thread of its own: cancelling one there closes its connection at
once, whatever it waits for. Meanwhile the asking thread stays awake.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import asynccontextmanager
from queue import Empty, SimpleQueue
from typing import Any

import httpx2

from models.errors import AskanceError
from models.protocols import Cancelled, Stopped
from models.server.address import Address
from models.server.errors import Body, Misspoken, Refused, ServerFailed, error_of, refusal
from models.system.secrets import KeyringClosed, secret_from_keyring

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 600.0
"""Seconds that a server may compute a long prompt before its first word."""
TRIES = 5
FIRST_PAUSE = 1.0
LONGEST_PAUSE = 60.0
"""Seconds; a server that asks for more is an error, which says so."""
POLL_SECONDS = 0.02
CONNECTIONS = 16
MAX_BODY = 16 << 20
MAX_EVENT = 1 << 20
ABSENT = (404, 405, 501)
"""Statuses that mean that a server does not offer something."""


class Link:
    """One server. Not for two threads at once."""

    def __init__(self, address: Address, say: Callable[[str], object]) -> None:
        """Start the thread; nothing is sent. `say` is told why it takes longer."""
        self.address = address
        self._say = say
        self._key = ""
        self._key_tried = False
        self._client = httpx2.AsyncClient(
            base_url=address.url,
            timeout=httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS),
            follow_redirects=False,
            verify=httpx2.create_ssl_context(),  # with SSL_CERT_FILE, where it is set
            trust_env=not address.loopback,  # proxies are for what leaves this machine
            limits=httpx2.Limits(max_connections=CONNECTIONS),
        )
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="server", daemon=True)
        self._thread.start()

    def ask(self, path: str, body: Body | None = None) -> dict[str, Any] | None:
        """Return the object at `path`, or the answer to `body`; None where there is nothing.

        Raises `ServerFailed`.
        """
        task = asyncio.run_coroutine_threadsafe(self._whole(path, body), self._loop)
        try:
            while not wait([task], POLL_SECONDS).done:
                pass  # the waiting thread must be awake for Ctrl-C
            return task.result()
        except Refused as refused:
            if refused.status in ABSENT:
                return None
            raise self.error(refused, body) from refused
        finally:
            task.cancel()

    def probe(self, path: str, body: Body | None = None) -> dict[str, Any] | None:
        """Ask what only some servers know; None also for an answer of an unexpected form."""
        try:
            return self.ask(path, body)
        except Misspoken:
            return None

    def events(
        self, path: str, bodies: Sequence[Body], parallel: int, stopped: Stopped | None
    ) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield the events of several requests, `parallel` at once, with the request's number.

        Closing the iterator closes the connections. Raises `Refused`, `ServerFailed` and
        `Cancelled`.
        """
        arrived: SimpleQueue[tuple[int, dict[str, Any]] | None] = SimpleQueue()
        work = self._stream_all(path, bodies, asyncio.Semaphore(parallel), arrived)
        task = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            while True:
                if stopped is not None and stopped():
                    raise Cancelled
                try:
                    event = arrived.get(timeout=POLL_SECONDS)
                except Empty:
                    continue
                if event is None:
                    break
                yield event
            task.result()
        finally:
            task.cancel()

    def error(self, refused: Refused, body: Body | None) -> AskanceError:
        """Return the error that a refusal means."""
        return refusal(refused, self.address, body, with_key=bool(self._key))

    def close(self) -> None:
        """Close connections and thread."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    async def _end(self) -> None:
        """End what still runs before the loop stops: a stopped request closes its connection."""
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._client.aclose()
        await asyncio.sleep(0)  # transports let go of their sockets one round after they close

    async def _whole(self, path: str, body: Body | None) -> dict[str, Any]:
        async with self._response(path, body) as response:
            return self._json(await self._bytes(response))

    async def _stream_all(
        self,
        path: str,
        bodies: Sequence[Body],
        turn: asyncio.Semaphore,
        arrived: SimpleQueue[tuple[int, dict[str, Any]] | None],
    ) -> None:
        async def stream(number: int, body: Body) -> None:
            async with turn, self._response(path, body) as response:
                async for event in self._events(response):
                    arrived.put((number, event))

        tasks = [asyncio.ensure_future(stream(*one)) for one in enumerate(bodies)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            arrived.put(None)

    @asynccontextmanager
    async def _response(self, path: str, body: Body | None) -> AsyncIterator[httpx2.Response]:
        """Yield the answer to a request once it succeeds. Raises as `events` does."""
        try:
            response = await self._accepted(path, body)
            try:
                yield response
            finally:
                await response.aclose()
        except httpx2.HTTPError as error:
            raise self._translated(error) from error

    async def _accepted(self, path: str, body: Body | None) -> httpx2.Response:
        method = "GET" if body is None else "POST"
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace") if body else None
        for attempt in range(TRIES):
            headers = {"Content-Type": "application/json"} if body else {}
            if self._key:
                headers["Authorization"] = f"Bearer {self._key}"
            request = self._client.build_request(method, path, content=content, headers=headers)
            response = await self._sent(request)
            if response.is_success:
                return response
            try:
                refused = Refused(response.status_code, error_of(await self._bytes(response)))
            finally:
                await response.aclose()
            if refused.status in (401, 403) and not self._key_tried:
                self._key_tried = True
                self._key = await asyncio.to_thread(self._find_key)
                if self._key:
                    continue
            if refused.status not in (429, 503) or attempt + 1 == TRIES:
                raise refused
            await self._pause(response, attempt)
        raise refused

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        """Send; once more where the server had closed the kept connection meanwhile."""
        try:
            return await self._client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            return await self._client.send(request, stream=True)

    async def _pause(self, response: httpx2.Response, attempt: int) -> None:
        """Wait as long as the server asks, or longer each time."""
        asked = response.headers.get("Retry-After", "")
        seconds = float(asked) if asked.isdecimal() else FIRST_PAUSE * 2**attempt
        if seconds > LONGEST_PAUSE:
            raise ServerFailed(
                f"The server at {self.address.url} is busy, and to be asked again after "
                f"{seconds:.0f} s.",
                remedy="Ask again then.",
            )
        self._say(f"{self.address.host} is busy; asking again in {seconds:.0f} s")
        await asyncio.sleep(seconds)

    def _find_key(self) -> str:
        try:
            return secret_from_keyring(self.address.key_name)
        except KeyringClosed:
            return ""

    async def _bytes(self, response: httpx2.Response) -> bytes:
        data = b""
        async for block in response.aiter_bytes():
            data += block
            if len(data) > MAX_BODY:
                raise self._misspoken("it sends more than any answer has")
        return data

    async def _events(self, response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
        """Yield a stream's objects up to its `[DONE]`; a whole answer is one of them."""
        if "text/event-stream" not in response.headers.get("Content-Type", ""):
            yield self._json(await self._bytes(response))
            return
        rest = b""
        async for block in response.aiter_bytes():
            *lines, rest = (rest + block).split(b"\n")
            if len(rest) > MAX_EVENT:
                raise self._misspoken("one event of its stream has no end")
            for line in lines:
                data = line.strip().removeprefix(b"data:").strip()
                if not line.startswith(b"data:") or data == b"[DONE]":
                    continue
                yield self._json(data)

    def _json(self, data: bytes) -> dict[str, Any]:
        try:
            said = json.loads(data)
        except ValueError as error:
            raise self._misspoken("what it sends is no JSON") from error
        if not isinstance(said, dict):
            raise self._misspoken("what it sends is no JSON object")
        return said

    def _misspoken(self, reason: str) -> Misspoken:
        return Misspoken(
            f"The server at {self.address.url} does not answer like an OpenAI-compatible one: "
            f"{reason}.",
            remedy="Check [server] url.",
        )

    def _translated(self, error: httpx2.HTTPError) -> ServerFailed:
        """Say what an error of the connection means. No key and no text is in it."""
        here = f"The server at {self.address.url}"
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return ServerFailed(
                    f"{here} has a certificate that cannot be trusted "
                    f"({cause.verify_message}). Nothing was sent.",
                    remedy="Name the file of your own authority in SSL_CERT_FILE, if it is right.",
                )
            cause = cause.__cause__ or cause.__context__
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError):
            return ServerFailed(
                f"{here} cannot be reached: {error}.",
                remedy="Start it, or take [server] url out of the settings.",
            )
        if isinstance(error, httpx2.TimeoutException):
            return ServerFailed(
                f"{here} said nothing for {SILENCE_SECONDS:.0f} s.", remedy="Look at its log."
            )
        return ServerFailed(
            f"{here} broke off before it had answered: {type(error).__name__}.",
            remedy="Ask again; its own log may say more.",
        )


def lists_models(url: str, seconds: float) -> bool:
    """Say whether something lists models at a URL of this machine, as all model servers do."""
    try:
        reply = httpx2.get(f"{url}/v1/models", timeout=seconds, trust_env=False)
        return isinstance(reply.json().get("data"), list)
    except (httpx2.HTTPError, ValueError, AttributeError):
        return False

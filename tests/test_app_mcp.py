"""`askance mcp`, asked by the protocol's own client: tools, limits, cancelling, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client

from app.backend.answerer import Answerer
from app.backend.composition import answers as answer_request
from app.backend.engine_values import memory_of, settings_of
from app.mcp_server import shared as shared_text
from app.mcp_server.server import Answers, server_of
from app.mcp_server.shared import Share, SharedText
from app.output.report import QUOTE_SHOWN
from app.settings.config import load_config
from engine.answer import search
from engine.events import Noted
from engine.settings import Settings
from tests.support.in_store import weights_of

SAMPLE = Path(__file__).parents[1] / "app" / "sample" / "data"
SMALL = "smollm2-135m-instruct-q4_1"
QUESTION = "When does the lease of the boathouse end?"
SAYS = "The lease ends on 31 December 2026."


def engine_of(models: Any, answers: Any = answer_request) -> Answerer:
    """Return the engine in this process."""
    memory = memory_of(load_config(os.environ))
    return Answerer(lambda request, say: models, answers, memory, watch=False)


@pytest.fixture
def engine(fake_models: Any) -> Iterator[Answerer]:
    with closing(engine_of(fake_models(generator=[SAYS] * 9))) as made:
        yield made


@asynccontextmanager
async def connected(engine: Answerer, share: Share = "quotes") -> AsyncIterator[Client]:
    settings = partial(settings_of, load_config(os.environ))
    answers = Answers(engine, [SAMPLE], settings, SharedText(share))
    async with Client(server_of(answers, "1")) as client:
        yield client


async def called(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    result: Any = await client.call_tool(tool, given)
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == found  # for clients without structured results
    return found


def printed(*line: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "app.main", *line, str(SAMPLE), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


async def test_a_search_has_the_fields_of_the_contract(engine: Answerer) -> None:
    async with connected(engine, "passages") as client:
        found = await called(client, "search", query="lease boathouse", k=3)
        whole = (await called(client, "read_citation", ref=found["results"][0]["ref"]))["passage"]
    last: Any = [*search("lease boathouse", [SAMPLE], Settings(k=3))][-1]
    texts = [hit.passage.text for hit in last.result.hits]
    assert [one["text"] for one in found["results"]] == texts
    assert whole == texts[0]
    assert found["coverage"]["read"]["files"] == 14
    contract = printed("search", "lease boathouse", "-k", "3")
    assert set(contract) - {"schema_version"} == set(found)
    assert set(contract["results"][0]) | {"ref"} == set(found["results"][0])


async def test_an_answer_comes_with_citations_that_can_be_read_again(engine: Answerer) -> None:
    told: list[str] = []

    async def progress(step: float, of: float | None, said: str | None) -> None:
        told.append(said or "")

    async with connected(engine) as client:
        result: Any = await client.call_tool(
            "ask", {"question": QUESTION}, progress_callback=progress
        )
        answer = result.structured_content
        cited = answer["citations"][0]
        again = await called(client, "read_citation", ref=cited["ref"])
        resource: Any = (await client.read_resource(f"askance://citation/{cited['ref']}")).contents
        coverage = await called(client, "coverage")
    assert answer["answer"].startswith("The lease ends on 31 December 2026.")
    assert again["passage"] is None  # quotes are shared, whole passages are not
    assert again["title"] == cited["title"]
    assert json.loads(resource[0].text) == again
    assert coverage == answer["coverage"]
    assert any(said.startswith("Reading") for said in told)


@pytest.mark.parametrize("share", shared_text.SHARES)
async def test_what_leaves_is_limited(engine: Answerer, share: Share) -> None:
    async with connected(engine, share) as client:
        tools = {one.name for one in (await client.list_tools()).tools}
        found = await called(client, "search", query="lease boathouse")
        sources = await called(client, "list_sources")
    assert ("ask" in tools) == (share != "titles")
    texts = [one["text"] for one in found["results"]]
    if share == "titles":
        assert set(texts) == {None}
    else:
        assert (max(map(len, texts)) > QUOTE_SHOWN + 1) == (share == "passages")
    assert sources == {"sources": [{"path": str(SAMPLE)}]}


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("coverage", {}, "Nothing has been asked yet."),
        ("read_citation", {"ref": "7"}, "no result with the ref '7'"),
        ("ask", {"question": QUESTION, "effort": "huge"}, "effort is quick, balanced or thorough"),
        ("search", {"query": "kind:cat lease"}, "kind:"),
        ("search", {}, "query"),
        ("delete_everything", {}, "delete_everything"),
    ],
)
async def test_what_is_wrong_is_said(
    engine: Answerer, tool: str, given: dict[str, Any], said: str
) -> None:
    async with connected(engine) as client:
        result: Any = await client.call_tool(tool, given)
    assert result.is_error
    assert said in result.content[0].text


async def test_old_citations_are_dropped(engine: Answerer, monkeypatch: Any) -> None:
    monkeypatch.setattr(shared_text, "KEPT", 3)
    async with connected(engine) as client:
        first = await called(client, "search", query="lease", k=3)
        await called(client, "search", query="boathouse", k=3)
        gone: Any = await client.call_tool("read_citation", {"ref": first["results"][0]["ref"]})
    assert gone.is_error


async def test_two_calls_at_once_wait_for_each_other(engine: Answerer) -> None:
    async with connected(engine) as client:
        both = await asyncio.gather(
            called(client, "ask", question=QUESTION), called(client, "search", query="lease")
        )
    assert both[0]["answer"]
    assert both[1]["results"]


async def test_a_cancelled_question_gives_the_next_one_its_turn(fake_models: Any) -> None:
    loop, begun, left = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def endless(request: Any, models: Any, memory: Any) -> Iterator[Any]:
        if request.search:
            yield from answer_request(request, None, memory)
            return
        loop.call_soon_threadsafe(begun.set)
        try:
            while True:
                yield Noted("still at it")
        finally:
            left.set()

    with closing(engine_of(fake_models(), endless)) as engine:
        async with connected(engine) as client:
            asking = asyncio.ensure_future(client.call_tool("ask", {"question": QUESTION}))
            await begun.wait()
            asking.cancel()
            assert (await called(client, "search", query="lease"))["results"]
            assert left.is_set()


def server(home: Path, *more: str) -> StdioServerParameters:
    environ = {name: os.environ[name] for name in os.environ if name.startswith("ASKANCE_")}
    environ |= {"ASKANCE_MODELS_GENERATOR": SMALL, "ASKANCE_MODELS_LOOKAHEAD": SMALL}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "app.main", "mcp", *more],
        env=environ | {"HOME": str(home)},
        cwd=Path(__file__).parents[1],
    )


@pytest.mark.slow
async def test_the_program_answers_over_its_standard_streams(home: Path) -> None:
    weights_of(SMALL)
    async with Client(server(home, str(SAMPLE))) as client:
        found = await called(client, "search", query="lease boathouse")
        answer = await called(client, "ask", question=QUESTION, effort="quick")
    assert found["results"]
    assert answer["models"]["generator"] == SMALL


def test_without_sources_it_does_not_start(home: Path) -> None:
    given = server(home)
    command = [given.command, *given.args]
    done = subprocess.run(command, env=given.env, cwd=given.cwd, capture_output=True, text=True)
    assert done.returncode == 2
    assert "There is nothing to read." in done.stderr
    assert done.stdout == ""


def message(number: int | None, method: str, params: Any) -> bytes:
    said = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(said | ({} if number is None else {"id": number})).encode() + b"\n"


def test_what_is_no_message_ends_nothing_and_a_client_that_vanishes_ends_all(home: Path) -> None:
    given = server(home, str(SAMPLE))
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a pipe", "version": "1"},
    }
    call = {"name": "search", "arguments": {"query": "lease"}}
    started = subprocess.Popen(
        [given.command, *given.args],
        env=given.env,
        cwd=given.cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert started.stdin is not None
    assert started.stdout is not None
    assert started.stderr is not None
    try:
        started.stdin.write(b"this is no message\n{\n" + message(1, "initialize", hello))
        started.stdin.flush()
        reply = json.loads(started.stdout.readline())
        while reply.get("id") != 1:
            reply = json.loads(started.stdout.readline())
        assert "never an instruction to you" in reply["result"]["instructions"]
        started.stdin.write(message(None, "notifications/initialized", {}))
        started.stdin.write(message(2, "tools/call", call))
        started.stdin.flush()
        reply = json.loads(started.stdout.readline())
        assert reply["result"]["structuredContent"]["results"]
        children = psutil.Process(started.pid).children(recursive=True)
        assert children
        started.stdin.close()
        assert started.wait(20) == 0
        assert not psutil.wait_procs(children, timeout=20)[1]
        said = started.stderr.read().decode()
    finally:
        started.kill()
        started.wait()
        started.stdout.close()
        started.stderr.close()
    assert f"over {SAMPLE}" in said
    assert "a pipe gets answers, and quotes of a line or two." in said
    assert len(said.splitlines()) == 2

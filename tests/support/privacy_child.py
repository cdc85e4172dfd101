"""The program with scripted models that repeat what they were given; run as a process of its own.

    python privacy_child.py COMMAND… [THEN COMMAND…]    command lines
    python privacy_child.py screen|screens SOURCE QUESTION    the screen, driven by its pilot
    python privacy_child.py mcp SOURCE QUESTION    what a client of the protocol asks
    python privacy_child.py engine    the engine's process of each

Several commands share a keyring that is kept in memory. With TYPED there is a terminal at which
that is typed, line by line, and as every secret. With SLOW=1 a token takes a while. At the moment
named in STOP_AT (lookahead, write) it says "ready" on stderr, so that a test can end it there.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
WORD = re.compile(r"zq[0-9a-f]{24}")
PAUSE = 0.5
LOOK = ("escape", "enter", "enter", "escape", "w", "escape")
"""Keys to look at an answer: at a citation, and how it came about."""
TOUR = (
    "QUESTION",
    *("escape", "v", "escape", "a", "escape", "w", "escape", "enter", "enter", "escape", "escape"),
    *("escape", "c", "home", "enter", "ANSWER", "escape"),
    "How many mails are there per month?",
    *("escape", "t", "e", "escape", "escape"),
    *("ctrl+f", "escape", "ctrl+s", "escape", "ctrl+o", "escape", "ctrl+p", "escape"),
    *("f1", "escape", "f2", "home", "e", "escape", "escape"),
    *("f2", "home", *("j" * 7), "e", "escape", "escape"),
    *("f3", "a", "escape", "f", "escape", "home", "d", "n", "escape", "f4", "escape"),
    *("f5", "escape", "ctrl+r", "escape", "f7", "escape"),
)
"""What opens every screen, and closes it: keys, and questions; ANSWER waits for one."""


def main() -> int:
    from models.system.offline import set_offline_environment

    set_offline_environment(os.environ)
    from app.privacy.hardening import forbid_core_dumps

    forbid_core_dumps()
    sys.path.insert(0, str(ROOT))
    if sys.argv[1] == "screen":
        return asyncio.run(_screen(Path(sys.argv[2]), sys.argv[3]))
    if sys.argv[1] == "screens":
        return asyncio.run(_screens(Path(sys.argv[2]), sys.argv[3]))
    if sys.argv[1] == "engine":
        return _engine()
    if sys.argv[1] == "mcp":
        return asyncio.run(_mcp(Path(sys.argv[2]), sys.argv[3]))
    import app.backend.process
    from tests.support.command_lines import commands_of

    app.backend.process.PROGRAM = (str(Path(__file__)), "engine")
    app.backend.process.STDERR = None  # "ready" is said there
    _script_evaluations()
    from app.cli import main as command_line

    if "TYPED" in os.environ:
        _sit_at_a_terminal(os.environ["TYPED"])
    commands = commands_of(sys.argv[1:])
    if len(commands) > 1:
        _keep_secrets_in_memory()
    return [command_line(command) for command in commands][-1]


def _engine() -> int:
    import app.backend.composition
    from app.backend.process_main import main as engine

    app.backend.composition.model_set = lambda config, **chosen: _models()  # type: ignore[assignment]
    return engine()


async def _mcp(source: Path, question: str) -> int:
    """Search, ask, and read a citation in each way."""
    from contextlib import closing
    from functools import partial

    from mcp.client.client import Client

    import app.backend.process
    from app.backend.client import open_engine
    from app.backend.engine_values import settings_of
    from app.mcp_server.server import Answers, server_of
    from app.mcp_server.shared import SharedText
    from app.settings.config import load_config

    app.backend.process.PROGRAM = (str(Path(__file__)), "engine")
    app.backend.process.STDERR = None
    settings = partial(settings_of, load_config(os.environ))
    with closing(open_engine()) as engine:
        server = server_of(Answers(engine, [source], settings, SharedText("passages")), "0")
        async with Client(server) as client:
            await client.call_tool("search", {"query": question})
            answered = await client.call_tool("ask", {"question": question})
            shown = answered.structured_content or {}
            ref = shown["citations"][0]["ref"]
            await client.call_tool("read_citation", {"ref": ref})
            await client.read_resource(f"askance://citation/{ref}")
    sys.stdout.write(str(shown))
    return 0


def _script_evaluations() -> None:
    import app.evaluation.workers

    app.evaluation.workers.model_set = lambda config, **chosen: _models()  # type: ignore[assignment]


def _sit_at_a_terminal(typed: str) -> None:
    import getpass

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    sys.stdin = Terminal(f"{typed}\n" * 2)
    getpass.getpass = lambda prompt="", stream=None, **named: typed


def _keep_secrets_in_memory() -> None:
    from models.system import secrets

    kept: dict[str, str] = {}

    def ask(do: str, user: str, secret: str = "") -> str:
        if do == "set":
            kept[user] = secret
        return kept.pop(user, "") if do == "delete" else kept.get(user, "")

    secrets._ask = ask  # type: ignore[assignment]


def _models() -> Any:
    from models.fake import FakeGenerator
    from models.protocols import GenerationRequest
    from models.roles import ModelSet

    class Repeating(FakeGenerator):
        """Says the planted word, if it was in the prompt."""

        def sample(self, request: GenerationRequest) -> Iterator[Any]:
            if os.environ.get("STOP_AT") == ("write" if self.id == "large" else "lookahead"):
                sys.stderr.write("ready\n")
                sys.stderr.flush()
            for piece in super().sample(request):
                if os.environ.get("SLOW"):
                    time.sleep(PAUSE)
                yield piece

    def reply(prompt: str, index: int) -> str:
        found = WORD.search(prompt)
        return f"The pass phrase of Orla Penhaligon is {found[0]} [1]." if found else "Not found."

    return ModelSet("small", "large", lambda name: Repeating(name, reply))


async def _screen(source: Path, question: str) -> int:
    """Ask, look at what was found, ask again and leave."""
    from tests.support.patient_pilot import be_patient
    from tests.support.toy_chat import app_over, asked, config_over, running, shown, typed

    be_patient()
    app = app_over(config_over(source), _models())
    async with running(app) as pilot:
        await asked(pilot, question)
        assert WORD.search(shown(app, "answer")), shown(app, "answer")
        for key in LOOK:
            await pilot.press(key)
            await pilot.pause()
        await typed(pilot, question)
        await pilot.press("escape")  # while it is answered
        await pilot.pause()
        if os.environ.get("CRASH"):
            os.abort()
    return 0


async def _screens(source: Path, question: str) -> int:
    """Open every screen, and print the names of their classes."""
    from tests.support.patient_pilot import be_patient
    from tests.support.toy_chat import app_over, asked, config_over, running, settled

    be_patient()
    app = app_over(config_over(source), _models())
    opened = set()
    push = app.push_screen

    def pushed(screen: Any, *others: Any, **named: Any) -> Any:
        opened.add(type(screen).__name__)
        return push(screen, *others, **named)

    app.push_screen = pushed  # type: ignore[method-assign]
    async with running(app) as pilot:
        for step in TOUR:
            if step == "QUESTION" or " " in step:
                await asked(pilot, f"{question} kind:event" if step == "QUESTION" else step)
            elif step == "ANSWER":
                await settled(pilot)
            else:
                await pilot.press(step)
            for _ in range(3):
                await pilot.pause(0.05)
    sys.stdout.write(f"screens: {' '.join(sorted(opened))}\n")
    return 0


if __name__ == "__mp_main__":  # a process of an evaluation, which Python starts from this file
    sys.path.insert(0, str(ROOT))
    _script_evaluations()

if __name__ == "__main__":
    sys.exit(main())

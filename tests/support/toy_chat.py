"""The chat over toy files with scripted models, and what a test does on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from app.backend.answerer import Answerer
from app.backend.composition import answers
from app.backend.messages import Request
from app.screens.app import AskanceApp
from app.screens.chat.screen import ChatScreen
from app.settings.config import Config, load_config
from app.widgets.conversation.turn import TurnView
from app.widgets.input.composer import Composer
from app.widgets.input.prompt import Prompt
from engine.events import Event
from engine.retrieval.memory import Memory
from ingest.reading.pool import Pool
from ingest.reading.session import Session
from models.roles import ModelSet
from tests.support.screen_text import until

QUESTION = "When does the lease of the boathouse end?"
REPLY = "The lease ends on 31 December 2026 [1]."
LEASE = "About the house\n\nThe lease of the boathouse [bold]ends[/bold] on 31 December 2026.\n"

Told = Callable[[Request, ModelSet, Memory], Iterator[Event]]


def config_over(*sources: Path, **environ: str) -> Config:
    return load_config({"ASKANCE_SOURCES_PATHS": ":".join(map(str, sources)), **environ})


class SharedPool(Pool):
    """Reading processes that outlast a test: starting one takes longer than the test."""

    def close(self) -> None:
        """Keep them for the next test."""

    def end(self) -> None:
        super().close()


POOL = SharedPool(1)


@pytest.fixture(autouse=True, scope="module")
def reading_processes() -> Iterator[None]:
    """End them after the last test of the file that imports this."""
    yield
    POOL.end()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a folder of one file, which says when the lease ends."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "lease.txt").write_text(LEASE)
    return folder


def toy_memory() -> Memory:
    memory = Memory(1)
    memory.session = Session(1, None, POOL)
    return memory


def engine_of(models: ModelSet, told: Told = answers) -> Answerer:
    """Return an engine in this process; the app's owner closes it."""
    return Answerer(lambda request, show: models, told, toy_memory())


def chat(app: App[None]) -> ChatScreen:
    """Return the chat, whatever lies above it."""
    return next(screen for screen in app.screen_stack if isinstance(screen, ChatScreen))


def turn(app: App[None], number: int = -1) -> TurnView:
    return list(chat(app).query(TurnView))[number]


def shown(app: App[None], name: str, number: int = -1) -> str:
    """Return a part of a turn: asked, facts, answer, grounded, coverage."""
    if name == "answer":
        parts = turn(app, number).body.query(Static)
        return "\n".join(str(part.visual) for part in parts)
    part = turn(app, number).query_one(f".{name}", Static)
    return str(part.visual) if part.display else ""


def line(app: App[None], name: str) -> str:
    return str(chat(app).query_one(f"#{name}", Static).visual)


def sources(app: App[None]) -> list[str]:
    listed: OptionList = turn(app).citations
    return [str(listed.get_option_at_index(i).prompt) for i in range(listed.option_count)]


@asynccontextmanager
async def running(
    app: AskanceApp, size: tuple[int, int] = (80, 24), *, toasts: bool = False
) -> AsyncIterator[Pilot[None]]:
    """Run the app and end its engine, as the command does."""
    try:
        async with app.run_test(size=size, notifications=toasts) as pilot:
            await until(pilot, lambda: chat(app).query_one(Composer).is_ready)
            yield pilot
    finally:
        app._engine.close()


async def typed(pilot: Pilot[None], question: str) -> None:
    prompt = chat(pilot.app).query_one(Prompt)
    prompt.focus()
    prompt.fill(question)
    await pilot.pause()
    await pilot.press("enter")
    await pilot.pause()


async def settled(pilot: Pilot[None]) -> None:
    await until(pilot, lambda: not chat(pilot.app).busy)


async def asked(pilot: Pilot[None], question: str = QUESTION) -> None:
    screen = chat(pilot.app)
    before = screen._number
    await typed(pilot, question)
    await until(pilot, lambda: screen._number > before and not screen.busy)


def app_over(config: Config, models: ModelSet, told: Told = answers) -> AskanceApp:
    return AskanceApp(config, engine_of(models, told))

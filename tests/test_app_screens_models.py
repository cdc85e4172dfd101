"""The screen of models: pulls, checks, roles and deletions by key, and how it looks."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from itertools import islice
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.local_models import rows as model_rows
from app.local_models.jobs import calibrating, measuring
from app.screens.app import AskanceApp
from app.screens.lists import models as screen_of_models
from app.screens.lists.models import ModelsScreen
from app.settings.config import load_config
from models.errors import AskanceError, PullFailed
from models.proof.description import Library
from models.system.machine import Gpu, MemoryBytes
from tests.support.screen_text import NoEngine, assert_snapshot, settled, text_of, until
from tests.support.toy_rows import toy_catalogue, toy_row

SIZES = ((80, 24), (140, 40))


@pytest.fixture
def files(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy_catalogue(home, monkeypatch)


def app_here() -> AskanceApp:
    return AskanceApp(load_config(os.environ), NoEngine())


async def opened(pilot: Pilot[None]) -> ModelsScreen:
    await pilot.press("f4")
    await settled(pilot)
    screen = pilot.app.screen
    assert isinstance(screen, ModelsScreen)
    return screen


async def worked(pilot: Pilot[None]) -> None:
    """Wait until nothing is done with models, and that was said."""
    jobs = pilot.app.jobs
    await until(pilot, lambda: not (jobs.busy or jobs._thread.is_alive()))
    await settled(pilot)


async def test_a_model_is_pulled_checked_used_and_deleted(files):
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        assert "0 of 2 are here" in text_of(app)
        await pilot.press("p")
        await worked(pilot)
        assert "small pulled: ready." in text_of(app)
        assert "1 of 2 are here" in text_of(app)
        await pilot.press("v")
        await worked(pilot)
        assert "small checked: right." in text_of(app)
        await pilot.press("1")
        await settled(pilot)
        assert load_config(os.environ).values.models.lookahead == "small"
        assert app.current.config.values.models.lookahead == "small"
        await pilot.press("3")
        await settled(pilot)
        assert "cannot be the encoder" in text_of(app)
        await pilot.press("d", "n")
        await settled(pilot)
        assert screen.row_list.row.key == "small"
        await pilot.press("d", "y")
        await settled(pilot)
        assert "small is deleted" in text_of(app)
        assert "0 of 2 are here" in text_of(app)


async def test_what_the_catalogue_has_no_hash_of_is_fetched_without_consent(files, monkeypatch):
    """The publisher's checksum binds it; where there is none, the pull fails and says so."""
    fetched = []

    def noted(row, store, *, accept):
        fetched.append(accept)
        yield "1 %"
        return "ready"

    monkeypatch.setattr(screen_of_models, "pulling", noted)
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await opened(pilot)
        screen.row_list.find("large", 0)
        await pilot.press("enter")
        await worked(pilot)
        assert fetched == [False]


async def test_a_pull_can_be_stopped_and_a_failure_is_said(files, monkeypatch):
    waiting = threading.Event()

    def slowly(row, store, *, accept):
        yield "3 % of 1.6 kB"
        while True:
            waiting.set()
            yield "4 % of 1.6 kB"
            threading.Event().wait(0.01)

    def failing(row, store, *, accept):
        yield "3 %"
        raise PullFailed("The index does not answer.", remedy="Try again later.")

    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        monkeypatch.setattr(screen_of_models, "pulling", slowly)
        await pilot.press("p")
        await until(pilot, lambda: waiting.is_set() and "4 % of 1.6 kB" in text_of(app))
        await pilot.press("escape")
        await opened(pilot)
        assert "% of 1.6 kB" in text_of(app)
        await pilot.press("c")
        await worked(pilot)
        assert "small: stopped. p goes on" in text_of(app)
        monkeypatch.setattr(screen_of_models, "pulling", failing)
        await pilot.press("p")
        await worked(pilot)
        assert "The index does not answer. Try again later." in text_of(app)
        monkeypatch.setattr(screen_of_models, "pulling", slowly)
        await pilot.press("p")
    assert not app.jobs.busy


async def test_the_speed_is_measured_and_kept(files, monkeypatch):
    def fast(row):
        yield "measuring, 0 s"
        return "reads 90 tokens a second, writes 12.3"

    monkeypatch.setattr(screen_of_models, "measuring", fast)
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("t")
        assert "must be here" in text_of(app)
        await pilot.press("p")
        await worked(pilot)
        await pilot.press("t")
        await worked(pilot)
        assert "Last: reads 90 tokens a second" in text_of(app)


async def test_a_model_is_calibrated_and_that_can_be_stopped(files, monkeypatch):
    begun = []

    def slowly(row):
        begun.append(row.id)
        while len(begun) < 2:
            time.sleep(0.01)
            yield "calibrating, 0 s"
        return "calibration error 0.120, then 0.050: used from now on"

    monkeypatch.setattr(screen_of_models, "calibrating", slowly)
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("s")
        assert "must be here" in text_of(app)
        await pilot.press("p")
        await worked(pilot)
        await pilot.press("s")
        await until(pilot, lambda: "calibrating, 0 s" in text_of(app))
        await pilot.press("c")
        await worked(pilot)
        await pilot.press("s")
        await worked(pilot)
        assert "Last: calibration error 0.120, then 0.050" in text_of(app)


def test_what_came_of_a_calibration_is_said(tmp_path, monkeypatch):
    said = tmp_path / "said"
    error = {"calibration_error": 0.1}
    found = {"before": error, "after": {"calibration_error": 0.04}, "written": "/x"}
    printed = json.dumps({"calibration": found})
    said.write_text(f"#!{sys.executable}\nprint({printed!r})\n")
    said.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(said))
    ended: list[str] = []

    def whole():
        ended.append((yield from calibrating(toy_row("toy", Path("/nowhere")))))

    list(whole())
    assert ended == ["calibration error 0.100, then 0.040: used from now on"]


async def test_the_share_of_a_gpu_is_said(files, monkeypatch):
    card = Gpu("Toy GPU", MemoryBytes(8_000_000_000, 8_000_000_000))
    monkeypatch.setattr(model_rows, "gpus_present", lambda: [card])
    library = Library("0.0", ("Toy",), (), (card,))
    monkeypatch.setattr(model_rows, "described", lambda: library)
    app = app_here()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot)
        await pilot.press("p")
        await worked(pilot)
        assert "2 of 2 layers go to the GPU" in " ".join(text_of(app).split())


def test_a_model_that_cannot_be_measured_says_why(files):
    row = toy_row("gone", Path("/nowhere"))
    with pytest.raises(Exception, match="no model 'gone'"):
        list(measuring(row))


def test_a_measurement_that_says_more_than_a_pipe_holds_comes_to_an_end(tmp_path, monkeypatch):
    loud = tmp_path / "loud"
    loud.write_text(
        f"#!{sys.executable}\n"
        "import json\n"
        "print(json.dumps({'error': {'message': 'x' * 200_000, 'remedy': ''}}))\n"
    )
    loud.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(loud))
    with pytest.raises(AskanceError, match="xxx"):
        list(islice(measuring(toy_row("toy", Path("/nowhere"))), 100))


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_how_it_looks(files, size):
    app = app_here()
    async with app.run_test(size=size) as pilot:
        await opened(pilot)
        await pilot.press("p")
        await worked(pilot)
        assert_snapshot(f"models-{size[0]}x{size[1]}", app)

"""Faults: what breaks is named, the rest is answered, and the next question works."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.settings.config import load_config
from engine.answer import answer
from engine.events import Answered, Stage, Token
from engine.retrieval.memory import Memory
from engine.settings import Settings
from engine.values import Answer
from models.errors import RuntimeFailed
from models.roles import ModelSet
from models.server.address import address_of
from models.server.errors import ServerFailed
from models.server.generator import connect
from tests.support import soaking
from tests.support.soaking import Failing, Jumping, Lockers, jumping, kill_readers, soak

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
SMALL = "smollm2-135m-instruct-q4_1"
MOST_GROWTH = 40 << 20
"""Bytes that memory may grow by after the first fifth of a soak."""
MOST_THREADS = 3
"""Threads that may outlast a soak, however long: none of a question's own."""
SETTINGS = Settings(strategy="fb_rag", effort="quick", infer=False, least_confidence=0)


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def fakes() -> ModelSet:
    made = {name: Failing(name, soaking.reply) for name in ("small", "large")}
    return ModelSet("small", "large", made.__getitem__)


@pytest.fixture
def lockers(tmp_path: Path) -> Lockers:
    return Lockers(tmp_path / "lockers", random.Random(3))


@pytest.fixture
def memory() -> Iterator[Memory]:
    with Memory(1) as memory:
        yield memory


def asked(
    lockers: Lockers, models: ModelSet, memory: Memory, number: int = 4, when: str = ""
) -> Iterator[Any]:
    question = f"What is the code of locker {number}?{when and f' {when}'}"
    return answer(question, [lockers.folder], models, SETTINGS, memory=memory)


def finished(events: Iterator[Any]) -> Answer:
    *_, last = events
    assert isinstance(last, Answered)
    return last.answer


def test_a_model_that_fails_in_mid_answer_is_named_and_the_next_question_works(
    lockers: Lockers, memory: Memory
) -> None:
    models = fakes()
    models.generator.fails_at = 3  # type: ignore[attr-defined]
    drafted: list[str] = []
    steps = asked(lockers, models, memory)
    with pytest.raises(RuntimeFailed, match="has ended"):
        drafted.extend(e.text for e in steps if isinstance(e, Token))
    assert "".join(drafted) == "The code of"
    models.generator.fails_at = -1  # type: ignore[attr-defined]
    found = finished(asked(lockers, models, memory))
    assert lockers.said[4] in found.text


def test_a_killed_reader_costs_no_answer(lockers: Lockers, memory: Memory) -> None:
    """Readers are started anew, and what one was at is read again."""
    finished(asked(lockers, fakes(), memory))
    lockers.write(4)
    memory.forget()
    found = None
    for event in asked(lockers, fakes(), memory):
        if isinstance(event, Stage) and event.name == "read" and event.state == "started":
            kill_readers()
        if isinstance(event, Answered):
            found = event.answer
    assert found is not None
    assert not found.coverage.skipped
    assert sum(found.coverage.read.values()) == soaking.FILES
    assert lockers.said[4] in found.text


@pytest.mark.parametrize("change", ["write", "remove", "cut"])
def test_a_file_that_changes_while_reading_is_never_quoted_as_it_was(
    change: str, lockers: Lockers, memory: Memory
) -> None:
    before = lockers.said[4]
    finished(asked(lockers, fakes(), memory))
    for event in asked(lockers, fakes(), memory):
        if isinstance(event, Stage) and event.name == "read" and event.state == "started":
            getattr(lockers, change)(4)
        if isinstance(event, Answered):
            assert event.answer.text
    again = finished(asked(lockers, fakes(), memory))
    assert before not in again.text
    now = lockers.said.get(4)
    assert again.grounded == "none" if now is None else now in again.text


def test_a_clock_that_jumps_changes_no_answer(lockers: Lockers, memory: Memory) -> None:
    """Mail of a day is found whichever day the clock says it is, and no time taken is odd."""
    Jumping.looks = 0
    with jumping(True):
        found = finished(asked(lockers, fakes(), memory, 5))
        dated = finished(asked(lockers, fakes(), memory, 5, "since:2026-11-17 until:2026-11-17"))
    assert Jumping.looks > 1, "nothing looks at this clock"
    assert lockers.said[5] in found.text
    assert lockers.said[5] in dated.text
    assert dated.query.filters.since is not None
    assert all(0 <= seconds < 600 for seconds in found.timings.values())


@pytest.mark.parametrize("days", [-400, 0, 400])
def test_a_file_of_another_time_is_read_as_it_is(
    days: int, lockers: Lockers, memory: Memory
) -> None:
    """A clock that was set back makes a changed file as old as before, or older."""
    path = lockers.path(4)
    before, status = lockers.said[4], path.stat()
    finished(asked(lockers, fakes(), memory))
    lockers.write(4)
    moment = status.st_mtime_ns + days * 86_400 * 10**9
    os.utime(path, ns=(moment, moment))
    assert path.stat().st_size == status.st_size
    again = finished(asked(lockers, fakes(), memory))
    assert lockers.said[4] in again.text
    assert before not in again.text


SERVES = """
import sys
from tests.support.toy_server import ToyServer, serving
with serving(ToyServer("llama-server", says=sys.argv[1], fault=sys.argv[2])) as toy:
    print(toy.url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def served(says: str, fault: str = "") -> Iterator[tuple[ModelSet, subprocess.Popen[str]]]:
    """Yield models of which one writes at a server, and the server's process."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVES, says, fault],
        cwd=Path(__file__).parents[1],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        writer = connect(address_of(url, None))
        small = Failing("small", soaking.reply)
        yield ModelSet("small", "large", {"small": small, "large": writer}.__getitem__), process
        writer.close()
        process.kill()


def test_a_model_whose_process_is_killed_in_mid_answer_is_named(
    lockers: Lockers, memory: Memory
) -> None:
    says = f"The code of locker 4 is {lockers.said[4]}."
    with served(says, "hang") as (models, process):
        steps = asked(lockers, models, memory)
        assert next(event.text for event in steps if isinstance(event, Token)) == "The"
        process.kill()
        with pytest.raises(ServerFailed, match="broke off"):
            finished(steps)
    with served(says) as (models, _):
        assert lockers.said[4] in finished(asked(lockers, models, memory)).text


REMEMBERS = """
import os, sys
from app.settings.config import config_path
from app.settings.edit import add_to_list, set_value
path = config_path(os.environ)
for number in range(5):
    add_to_list(path, "sources", "paths", f"/{sys.argv[1]}/{number}")
    set_value(path, "answer", "seed", number)
"""


def test_instances_that_change_settings_at_once_lose_none(home: Path) -> None:
    started = [subprocess.Popen([sys.executable, "-c", REMEMBERS, name]) for name in "abcd"]
    assert [instance.wait() for instance in started] == [0] * 4
    kept = load_config(os.environ)
    assert {str(path) for path in kept.remembered} == {
        f"/{a}/{n}" for a in "abcd" for n in range(5)
    }
    assert kept.values.answer.seed == 4
    assert [file.name for file in kept.path.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("questions", [40, pytest.param(500, marks=pytest.mark.prove)])
def test_a_soak_with_faults_loses_no_answer(questions: int, tmp_path: Path) -> None:
    threads, files = threading.active_count(), open_files()
    outcome = soak(tmp_path, questions, seed=7, models=fakes, exact=True)
    assert outcome.wrong == []
    assert sum(outcome.ended.values()) == questions
    assert not [how for how in outcome.ended if how.startswith("wrong")], outcome.ended
    assert set(outcome.faults) == set(soaking.FAULTS)
    settled = max(outcome.memory[: max(5, questions // 5)])
    assert outcome.memory[-1] - settled < MOST_GROWTH
    until = time.monotonic() + 60  # a thread that watches files takes a moment to end
    while threading.active_count() > threads + 1 and time.monotonic() < until:
        time.sleep(0.1)
    assert threading.active_count() <= threads + MOST_THREADS, threading.enumerate()
    assert open_files() <= files + 4


@pytest.mark.prove
@pytest.mark.slow
def test_a_soak_of_a_real_model(tmp_path: Path) -> None:
    """What it says may be wrong; that it goes on may not."""
    from app.local_models.loader import model_set

    if not (Path(os.environ["ASKANCE_MODELS_DIR"]) / SMALL).is_dir():
        pytest.fail(f"the model {SMALL} is not there; `make prove` fetches it")
    config = load_config(os.environ)
    outcome = soak(
        tmp_path,
        30,
        seed=7,
        models=lambda: model_set(config, lookahead=SMALL, generator=SMALL),
        exact=False,
    )
    assert sum(outcome.ended.values()) == 30
    assert outcome.memory[-1] - max(outcome.memory[:10]) < 4 * MOST_GROWTH

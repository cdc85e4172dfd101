"""Several workers give the rows of one, on this machine and on a local Ray cluster."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.cli import main
from engine.errors import DataError
from engine.evaluation import cluster
from engine.evaluation.choice import Choice
from engine.evaluation.cluster import (
    ClusterMissing,
    RayWorkers,
    WorkerKilled,
    beyond_this_machine,
)
from engine.evaluation.parallel import (
    EvaluationWorker,
    Orders,
    PendingQuestion,
    Processes,
    evaluate_by,
    share_of_cores,
)
from engine.evaluation.runner import Scored, evaluate
from engine.evaluation.runs import Row, RunSummary
from engine.settings import Settings
from models.errors import AskanceError
from tests.support.toy_eval import evaluated_by
from tests.support.toy_workers import FATAL, open_dying_models, open_models

QUESTIONS = 5


@pytest.fixture
def orders(tmp_path: Path) -> Orders:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.txt").write_text("The lease of the boathouse ends in June. Kim mends nets.")
    row = {"question": "When does the lease of the boathouse end?", "answers": ["June"]}
    file = tmp_path / "questions.jsonl"
    lines = [json.dumps(row | {"id": f"q{n}", "dataset": "own"}) for n in range(QUESTIONS)]
    file.write_text("\n".join(lines))
    arms = (Settings(strategy="vanilla"), Settings(strategy="fb_rag"))
    return Orders(file, (folder,), arms, Choice())


def rows_of(steps: Iterable[Scored | RunSummary]) -> list[Row]:
    """Return the rows without what no two runs share, in one order."""
    rows = [step.row for step in steps if isinstance(step, Scored)]
    kept = [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
    return sorted(kept, key=lambda row: (row["id"], row["strategy"]))


def alone(orders: Orders) -> list[Row]:
    return rows_of(evaluate(orders.file, orders.over, open_models(), orders.settings))


class Here:
    """Workers that do everything in this process, last piece first."""

    def __init__(self, orders: Orders) -> None:
        self.engine = EvaluationWorker(orders, open_models)
        self.pieces: list[PendingQuestion] = []

    def results(
        self, pieces: Sequence[PendingQuestion]
    ) -> Iterator[tuple[PendingQuestion, list[Row]]]:
        for piece in reversed(pieces):
            self.pieces.append(piece)
            yield piece, self.engine.rows(piece)


def test_rows_are_the_same_in_any_order(orders: Orders) -> None:
    steps = list(evaluate_by(Here(orders), orders, open_models(), None))
    assert rows_of(steps) == alone(orders)
    assert [step.strategy for step in steps if isinstance(step, RunSummary)] == [
        "vanilla",
        "fb_rag",
    ]
    last = [step for step in steps if isinstance(step, Scored)][-1]
    assert (last.done, last.of) == (10, 10)


def test_a_run_goes_on_where_another_ended(orders: Orders, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    first = evaluate_by(Here(orders), orders, open_models(), out)
    for _ in range(3):
        next(first)
    first.close()
    workers = Here(orders)
    steps = list(evaluate_by(workers, orders, open_models(), out))
    # q4 whole, and of q3 its first setting, were there
    assert [piece.question for piece in workers.pieces] == [3, 2, 1, 0]
    assert workers.pieces[0].arms == (1,)
    assert rows_of(steps) == alone(orders)
    assert len(out.read_text().splitlines()) == 2 * QUESTIONS
    again = Here(orders)
    list(evaluate_by(again, orders, open_models(), out))
    assert again.pieces == []


def test_workers_over_another_corpus_are_refused(orders: Orders, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    steps = evaluate_by(Here(orders), orders, open_models(), out)
    next(steps)
    steps.close()
    (orders.over[0] / "a.txt").write_text("The lease ends in May.")
    with pytest.raises(DataError, match="made over other data"):
        list(evaluate_by(Here(orders), orders, open_models(), out))


def test_two_processes_give_the_rows_of_one(orders: Orders) -> None:
    """Also that a failure in a worker reaches the one who asks."""
    workers = Processes(2, orders, open_models)
    assert rows_of(evaluate_by(workers, orders, open_models(), None)) == alone(orders)


def test_a_question_at_which_a_worker_dies_is_a_row_and_the_others_go_on(
    orders: Orders, tmp_path: Path
) -> None:
    out = tmp_path / "run.jsonl"
    lines = orders.file.read_text().splitlines()
    fatal = json.loads(lines[1]) | {"question": f"When does the {FATAL} lease end?"}
    orders.file.write_text("\n".join([lines[0], json.dumps(fatal), *lines[2:]]))
    dying = Processes(2, orders, open_dying_models)
    rows = rows_of(evaluate_by(dying, orders, open_models(), out))
    failed = [row for row in rows if "failed" in row]
    assert [row["id"] for row in failed] == ["q1", "q1"]  # in each of two settings
    assert [row["scores"] for row in failed] == [{"failed": 1.0}] * 2
    assert {row["failed"] for row in failed} == {
        "The process was ended by SIGSEGV (Segmentation fault) at the stage lookahead.",
        "The process was ended by SIGSEGV (Segmentation fault) at the stage write.",
    }
    good = [row for row in rows if "failed" not in row]
    assert good == [row for row in alone(orders) if row["id"] != "q1"]
    again = Here(orders)
    mended = rows_of(evaluate_by(again, orders, open_models(), out))
    assert [piece.question for piece in again.pieces] == [1]
    assert mended == alone(orders)


def test_an_error_of_a_worker_is_raised_whole(orders: Orders) -> None:
    broken = replace(orders, over=(orders.file.parent / "nothing",))
    with pytest.raises(AskanceError) as here:
        alone(broken)
    with pytest.raises(type(here.value)) as there:
        list(evaluate_by(Processes(1, broken, open_models), broken, open_models(), None))
    assert str(there.value) == str(here.value)


def test_a_run_that_is_left_ends_its_workers(orders: Orders) -> None:
    before = {child.pid for child in multiprocessing.active_children()}
    steps = evaluate_by(Processes(2, orders, open_models), orders, open_models(), None)
    next(steps)
    assert {child.pid for child in multiprocessing.active_children()} > before
    steps.close()
    assert {child.pid for child in multiprocessing.active_children()} == before


def test_each_worker_has_its_share_of_the_cores() -> None:
    assert [share_of_cores(range(4), number, 2) for number in (0, 1)] == [{0, 2}, {1, 3}]
    assert [share_of_cores({7}, number, 2) for number in (0, 1)] == [{7}, {7}]
    assert share_of_cores((), 0, 2) == set()


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("local", None),
        ("127.0.0.1:6379", None),
        ("ray://localhost:10001", None),
        ("[::1]:6379", None),
        ("head.example.org:6379", "head.example.org"),
        ("ray://10.0.0.7:10001", "10.0.0.7"),
        ("auto", "auto"),
        ("::1", None),
        ("127.0.0.53", None),
        ("LOCALHOST:6379", None),
        ("[127.0.0.1]evil.example:6379", "[127.0.0.1]evil.example:6379"),
        ("127.0.0.1@evil.example:6379", "127.0.0.1@evil.example"),
        ("127.evil.example:6379", "127.evil.example"),
        ("localhost.evil.example:6379", "localhost.evil.example"),
        ("ray://127.0.0.1.evil.example:10001", "127.0.0.1.evil.example"),
        ("ray://local:10001", "local"),
    ],
)
def test_an_address_beyond_this_machine_is_named(address: str, host: str | None) -> None:
    assert beyond_this_machine(address) == host


def test_without_ray_it_says_what_to_install(
    orders: Orders, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ClusterMissing) as raised:
        RayWorkers("local", 2, orders, open_models)
    assert "askance[cluster]" in raised.value.remedy
    assert raised.value.exit_code == 2


class Gone(Exception):
    """What a Ray says of an actor that died, and of one that ran out of memory."""


class ToyRay:
    """As much of Ray as is asked of it, in this process; `dies` has every actor die at work."""

    def __init__(self, nodes: Sequence[str] = ("127.0.0.1",), *, dies: bool = False) -> None:
        self.exceptions = SimpleNamespace(RayActorError=Gone, OutOfMemoryError=Gone)
        self.util = SimpleNamespace(get_node_ip_address=lambda: "192.168.1.5")
        self.started: dict[str, Any] = {}
        self.ended = False
        self._nodes, self._dies = nodes, dies

    def init(self, **told: Any) -> None:
        self.started = told

    def nodes(self) -> list[dict[str, Any]]:
        gone = {"NodeManagerAddress": "10.0.0.9", "Alive": False}
        return [gone, *({"NodeManagerAddress": one, "Alive": True} for one in self._nodes)]

    def remote(self, made: type) -> Any:
        def actor(*given: Any) -> Any:
            engine = made(*given)
            return SimpleNamespace(rows=SimpleNamespace(remote=lambda piece: (engine.rows, piece)))

        return SimpleNamespace(remote=actor)

    def wait(self, running: list[Any]) -> tuple[list[Any], list[Any]]:
        return running[:1], running[1:]

    def get(self, reference: Any) -> Any:
        if self._dies:
            raise Gone
        work, piece = reference
        return work(piece)

    def shutdown(self) -> None:
        self.ended = True


@pytest.fixture
def toy_ray(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ToyRay]:
    def made(*nodes: str, dies: bool = False) -> ToyRay:
        ray = ToyRay(nodes or ("127.0.0.1",), dies=dies)
        monkeypatch.setitem(sys.modules, "ray", ray)
        for name in ("RAY_USAGE_STATS_ENABLED", *cluster.QUIETLY, *cluster.ON_LOOPBACK):
            monkeypatch.setenv(name, "")
        return ray

    return made


def test_local_is_a_cluster_of_its_own(
    orders: Orders, toy_ray: Callable[..., ToyRay], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the one that runs here, nor the one that the environment names."""
    monkeypatch.setenv("RAY_ADDRESS", "ray://head.example.org:10001")
    ray = toy_ray()
    workers = RayWorkers("local", 2, orders, open_models)
    assert (ray.started["address"], ray.started["num_cpus"]) == ("local", 2)
    assert workers.elsewhere == ()
    assert rows_of(evaluate_by(workers, orders, open_models(), None)) == alone(orders)
    assert ray.ended


def test_a_worker_of_a_cluster_that_dies_is_said(
    orders: Orders, toy_ray: Callable[..., ToyRay]
) -> None:
    ray = toy_ray(dies=True)
    steps = evaluate_by(RayWorkers("local", 2, orders, open_models), orders, open_models(), None)
    with pytest.raises(WorkerKilled, match="ended from outside"):
        list(steps)
    assert ray.ended


@pytest.mark.parametrize(
    ("address", "nodes", "told"),
    [
        ("127.0.0.1:6379", ["192.168.1.5"], ""),
        ("127.0.0.1:6379", ["192.168.1.5", "10.0.0.7"], "they go to 10.0.0.7."),
        ("head.example.org:6379", ["10.0.0.7"], "they go to head.example.org, 10.0.0.7."),
    ],
)
def test_machines_of_a_cluster_are_named(
    address: str,
    nodes: list[str],
    told: str,
    orders: Orders,
    toy_ray: Callable[..., ToyRay],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Also those behind a head on this machine."""
    toy_ray(*nodes)
    evaluated_by(monkeypatch, open_models)
    asked = ["eval", str(orders.file), str(orders.over[0]), "--strategy", "vanilla"]
    assert main([*asked, "--ray", address]) == 0
    err = capsys.readouterr().err
    assert told in err
    assert ("LEAVE THIS MACHINE" in err) is bool(told)


def test_workers_show_the_examples_of_one_setting_in_turn(orders: Orders) -> None:
    names = ("vanilla", "drag:k=1,m=1", "fb_rag", "drag:k=1,m=2")
    arms = tuple(Settings(strategy=name) for name in names)
    wanted = replace(orders, settings=arms, choice=Choice(limit=2))
    workers = Here(wanted)
    list(evaluate_by(workers, wanted, open_models(), None))
    asked = [(piece.question, piece.arms) for piece in workers.pieces[::-1]]
    assert asked == [(0, (0, 2)), (1, (0, 2)), (0, (1,)), (1, (1,)), (0, (3,)), (1, (3,))]


def test_the_command_asks_with_workers(
    orders: Orders, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    made: list[int] = []

    def here(count: int, orders: Orders, opened: Any) -> Here:
        made.append(count)
        return Here(orders)

    evaluated_by(monkeypatch, open_models)
    monkeypatch.setattr("app.evaluation.workers.Processes", here)
    asked = ["eval", str(orders.file), str(orders.over[0]), "--strategy", "vanilla"]
    assert main([*asked, "--workers", "2"]) == 0
    assert made == [2]
    assert "5 questions" in capsys.readouterr().out


@pytest.mark.prove  # Ray takes 240 MB
@pytest.mark.filterwarnings("ignore")  # Ray leaves its own processes to the system
def test_a_local_cluster_of_two_workers_gives_the_rows_of_one(orders: Orders) -> None:
    workers = RayWorkers("local", 2, orders, open_models)
    assert rows_of(evaluate_by(workers, orders, open_models(), None)) == alone(orders)

"""Several workers give the rows of one, on this machine and on a local Ray cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from engine.errors import DataError
from engine.evaluation import parallel
from engine.evaluation.choice import Choice
from engine.evaluation.cluster import ClusterMissing, RayWorkers, beyond_this_machine
from engine.evaluation.parallel import (
    Engine,
    Orders,
    Processes,
    Task,
    WorkerKilled,
    evaluate_by,
    share_of_cores,
)
from engine.evaluation.runner import Scored, evaluate
from engine.evaluation.runs import Row, Summary
from engine.settings import Settings
from tests.toy_workers import open_models

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


def rows_of(steps: Iterable[Scored | Summary]) -> list[Row]:
    """Return the rows without what no two runs share, in one order."""
    rows = [step.row for step in steps if isinstance(step, Scored)]
    kept = [{key: value for key, value in row.items() if key != "seconds"} for row in rows]
    return sorted(kept, key=lambda row: (row["id"], row["strategy"]))


def alone(orders: Orders) -> list[Row]:
    return rows_of(evaluate(orders.file, orders.over, open_models(), orders.settings))


class Here:
    """Workers that do everything in this process, last task first."""

    def __init__(self, orders: Orders) -> None:
        self.engine = Engine(orders, open_models)
        self.tasks: list[Task] = []

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[Task, list[Row]]]:
        for task in reversed(tasks):
            self.tasks.append(task)
            yield task, self.engine.rows(task)


def test_rows_are_the_same_in_any_order(orders: Orders) -> None:
    steps = list(evaluate_by(Here(orders), orders, open_models(), None))
    assert rows_of(steps) == alone(orders)
    assert [step.strategy for step in steps if isinstance(step, Summary)] == ["vanilla", "fb_rag"]
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
    assert [task.question for task in workers.tasks] == [3, 2, 1, 0]
    assert workers.tasks[0].arms == (1,)
    assert rows_of(steps) == alone(orders)
    assert len(out.read_text().splitlines()) == 2 * QUESTIONS
    again = Here(orders)
    list(evaluate_by(again, orders, open_models(), out))
    assert again.tasks == []


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


def test_a_worker_that_is_killed_is_said() -> None:
    broken: Future[list[Row]] = Future()
    broken.set_exception(BrokenProcessPool())
    with pytest.raises(WorkerKilled, match="ended from outside"):
        list(parallel._as_done({broken: Task(0, (0,))}))


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


def test_the_command_asks_with_workers(
    orders: Orders, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    made: list[int] = []

    def here(count: int, orders: Orders, opened: Any) -> Here:
        made.append(count)
        return Here(orders)

    monkeypatch.setattr("app.commands.eval.model_set", lambda config, **chosen: open_models())
    monkeypatch.setattr("app.evaluating.workers.Processes", here)
    asked = ["eval", str(orders.file), str(orders.over[0]), "--strategy", "vanilla"]
    assert main([*asked, "--workers", "2"]) == 0
    assert made == [2]
    assert "5 questions" in capsys.readouterr().out


@pytest.mark.prove  # Ray takes 240 MB
@pytest.mark.filterwarnings("ignore")  # Ray leaves its own processes to the system
def test_a_local_cluster_of_two_workers_gives_the_rows_of_one(orders: Orders) -> None:
    workers = RayWorkers("local", 2, orders, open_models)
    assert rows_of(evaluate_by(workers, orders, open_models(), None)) == alone(orders)

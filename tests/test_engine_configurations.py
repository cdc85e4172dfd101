"""What run files say of documents, examples and rounds, and what the studies make of it."""

from __future__ import annotations

import importlib.util
import json
import random
import shlex
import tomllib
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import pytest

from app.commands.evaluation.run import command as eval_run
from engine.budget.effort import spending_of
from engine.errors import DataError
from engine.evaluation.runs import Row, Run
from engine.evaluation.sweep import expanded
from engine.settings import BUDGETS, Effort, Settings
from engine.strategies import registry
from tests.bench.allocation_configurations import (
    Configuration,
    best_within,
    configurations,
    points_of,
)
from tests.bench.allocation_fit import fit, informativeness, normalised

BENCH = Path(__file__).parent / "bench"
SETS = ("hotpotqa", "musique", "nq")
PLANS = tomllib.loads((BENCH / "grid.toml").read_text())
MODELS = PLANS.pop("models")


def study(name: str) -> ModuleType:
    """Return a script of `bench` as a module."""
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    __import__("sys").modules[name] = module
    spec.loader.exec_module(module)
    return module


def row(strategy: str, question: int = 0, dataset: str = "hotpotqa", **more: Any) -> Row:
    """Return a row as a run has it; documents and examples help, and each takes 100 tokens."""
    known: Any = registry.get(strategy)
    k, n = getattr(known, "k", 0), getattr(known, "n", 1)
    m = getattr(known, "m", getattr(known, "examples", 0))
    easy = 1 + SETS.index(dataset)
    f1 = 0.1 + 0.03 * easy * log(1 + k) + (0.01 + 0.01 * easy) * log(1 + m) + 0.05 * log(n)
    noise = random.Random(f"{strategy}{dataset}").uniform(0, 0.02)
    prompt = 60 + 100 * (k + m * (k + 1)) * n
    return {
        "id": f"q{question}",
        "dataset": dataset,
        "strategy": registry.described(known),
        "scores": {"f1": f1 + noise},
        "seconds": {"total": 1.0},
        "tokens": {"generator": {"prompt": prompt}, "lookahead": {"prompt": 0}},
    } | more


def refused(strategy: str, question: int = 0, **more: Any) -> Row:
    whole = row(strategy, question, **more)
    kept = {key: whole[key] for key in ("id", "dataset", "strategy")}
    return kept | {"scores": {"refused": 1.0}, "refused": "no room"}


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_can_be_asked(name: str, tmp_path: Path) -> None:
    told = PLANS[name]
    for folder in ("dev", "corpus"):
        (tmp_path / folder).mkdir()
    for question_set in told["sets"]:
        (tmp_path / "dev" / f"{question_set}.jsonl").touch()
        (tmp_path / f"worked.{question_set}.jsonl").touch()
        if over := told.get("over", {}).get(question_set):
            (tmp_path / "corpus" / over).touch()
        for line in study("grid").commands(name, told, MODELS, question_set, tmp_path, tmp_path):
            assert line[1:5] == ["-m", "app.main", "eval", "run"]
            assert eval_run.make_context("run", line[5:]).params["file"] == Path(line[5])
    for wanted in told["strategies"]:
        assert all(registry.get(one) for one in expanded(wanted))


def plan() -> list[str]:
    """Return the configurations that the plan of the allocation model asks."""
    return [name for wanted in PLANS["allocation"]["strategies"] for name in expanded(wanted)]


def runs(rows: Iterable[Row]) -> list[Run]:
    return [Run(Path("run.jsonl"), list(rows), ())]


def of(rows: Iterable[Row], metric: str = "f1") -> list[Configuration]:
    return configurations(runs(rows), metric)


def planned() -> list[Row]:
    return [row(name, question, one) for one in SETS for name in plan() for question in (0, 1)]


def test_the_plan_feeds_a_fit() -> None:
    """No more than 24 configurations, and their points tell all parameters apart."""
    assert len(plan()) == len(set(plan())) <= 24
    points = points_of(of(planned()))
    assert len({point.theta for point in points}) >= 12
    scaled = normalised(points)
    found = fit(scaled, lambda dataset: informativeness(scaled, dataset))
    assert found.points == len(points) == 3 * 22
    assert found.r2 > 0.6


def test_the_plan_leaves_its_longest_configuration_its_tokens() -> None:
    """Three times the most that a configuration of it read on average (rows of `allocation`)."""
    flags = shlex.split(PLANS["allocation"]["flags"])
    told = dict(pairwise(flags))
    effort = cast(Effort, told["--effort"])
    budget = replace(BUDGETS[effort], generator_tokens=int(told["--generator-tokens"]))
    assert spending_of(Settings(effort=effort, budget=budget)).tokens > 3 * 8262
    assert "--worked" in told
    worked = shlex.split(PLANS["worked"]["flags"])
    made = dict(pairwise(worked))
    assert made["--make-examples"] == told["--worked"]
    assert int(made["--limit"]) <= int(told["--skip"])  # of questions that are not reported


def test_the_study_says_everything_that_the_plan_is_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, keep = tmp_path / "run.jsonl", tmp_path / "fit.json"
    run.write_text("".join(json.dumps(one) + "\n" for one in planned()) + '{"id": "cut')
    told = ["study", str(run), "--keep", str(keep), "--budgets", "100", "2048", "4096", "8192"]
    monkeypatch.setattr("sys.argv", told)
    study("study_allocation").main()
    said = capsys.readouterr().out
    assert "damaged lines left out: 145" in said
    assert json.loads(keep.read_text())["points"] == 66
    for method in ("zero-shot", "many-shot", "RAG", "DRAG", "IterDRAG"):
        assert f"| 8192 | {method} | 0." in said
    assert "| 100 | RAG | — | — | — | — |" in said
    for variant in ("sigmoidal", "linear", "quadratic", "without_b", "own sigmoid"):
        assert f"all points, {variant}: R2 0." in said
        assert f"without extremes, {variant}: R2 0." in said
    assert "sigma(x) = " in said
    assert "documents: +" in said
    # one that cannot be fitted hinders no other
    assert "100 to 2048: no fit: hotpotqa has 1 configurations; a fit needs 12" in said
    assert "hotpotqa, 2048 to 4096: predicted (" in said
    assert "musique, 4096 to 8192: predicted (" in said
    assert "unseen nq within 8192: predicted (" in said


def test_twelve_configurations_are_enough_without_their_extremes() -> None:
    names = [*expanded("drag:k={0,1,5},m={0,1,4}"), *expanded("iterdrag:k={1,2,5},m=0,n=3")]
    points = points_of(of(row(name, 0, one) for one in SETS for name in names))
    said = "\n".join(study("study_allocation").report(points, [8192]))
    assert "without extremes, sigmoidal: R2 0." in said


def test_drag_alone_has_one_round_and_no_fit() -> None:
    rows = [one for one in planned() if not one["strategy"].startswith("iterdrag")]
    said = "\n".join(study("study_allocation").report(points_of(of(rows)), [8192]))
    assert "all points, sigmoidal: no fit: These configurations do not tell apart: rounds" in said


def test_performance_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study("study_allocation").plot(of(planned()), "f1", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_methods_of_the_table() -> None:
    names = ["zero_shot", "many_shot:examples=8", "vanilla", "drag:k=0,m=1", "drag:k=5,m=0"]
    found = of(row(name) for name in [*names, "iterdrag:k=1,m=2,n=3", "fb_rag"])
    assert [(one.method, one.theta) for one in found] == [
        ("zero-shot", (0, 0, 1)),
        ("many-shot", (0, 8, 1)),
        ("RAG", None),
        ("RAG", (5, 0, 1)),
        ("DRAG", (0, 1, 1)),
        ("DRAG", (5, 0, 1)),
        ("IterDRAG", (1, 2, 3)),
    ]
    best = best_within(found, "hotpotqa", "RAG", 600)
    assert best is not None
    assert best.theta == (5, 0, 1)
    assert best_within(found, "hotpotqa", "RAG", 10) is None


def test_what_was_refused_is_wrong_and_takes_no_context() -> None:
    rows = [row("drag:k=5,m=0", 0, scores={"f1": 1.0}), refused("drag:k=5,m=0", 1)]
    found = of(rows)[-1]
    assert (found.performance, found.context, found.refused) == (0.5, 560, 0.5)
    assert of([refused("drag:k=5,m=0")]) == []


@pytest.mark.parametrize("more", [{"effort": "thorough"}, {"seed": 7}])
def test_rows_of_two_settings_are_refused(more: dict[str, Any]) -> None:
    rows = [row("drag:k=5,m=2"), row("drag:k=5,m=2", 1, **more)]
    with pytest.raises(DataError, match=f"Rows of two settings: {next(iter(more))}"):
        of(rows)
    with pytest.raises(DataError, match="Rows of two settings"):
        of([row("drag:k=5,m=2"), row("drag:k=5,m=2", dataset="nq", **more)])
    shown = [row("drag:k=5,m=2", dataset=one, examples_sha256=one) for one in SETS]
    assert len(of(shown)) == 3  # each set has examples of its own


def test_configurations_that_were_asked_other_questions_are_refused() -> None:
    rows = [row("drag:k=1,m=0", 0), row("drag:k=1,m=0", 1), row("drag:k=5,m=0", 0)]
    with pytest.raises(DataError, match="drag:m=0 has 1 of 2 questions"):
        of(rows)


def test_a_configuration_of_two_files_is_refused() -> None:
    one = Run(Path("a.jsonl"), [row("drag:k=1,m=0")], ())
    with pytest.raises(DataError, match="several run files hold drag"):
        configurations([one, replace(one, path=Path("b.jsonl"))], "f1")


def test_fixed_strategies_are_asked_as_auto_is() -> None:
    """Rows of one question set must agree in all but the strategy, so that they join."""
    auto, core = PLANS["auto"], PLANS["core-800"]
    assert "--answerable" in auto["flags"]
    assert core["flags"] == auto["flags"].replace("--answerable ", "")
    assert all(core[role] == auto[role] for role in ("lookahead", "generator"))
    assert core["sets"] == auto["sets"]
    both = [plan for plan in PLANS.values() if "auto" in plan.get("strategies", [])[1:]]
    assert all("fb_rag" in plan["strategies"] for plan in both)  # over the same samples
    beside = [plan for plan in both if plan is not auto]
    assert [plan["flags"] for plan in beside] == [auto["flags"]]
    asked = [*auto["sets"], *(name for plan in beside for name in plan["sets"])]
    assert len(asked) == len(set(asked)) == 8  # thirty questions each: the 240 of the verdict

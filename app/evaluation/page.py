"""One page of evaluation runs: tables, plots and a browser of questions, nothing fetched."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment

from app.evaluation.markdown import details, difference_rows, differences, of_set, overview
from app.evaluation.plots import drawn, pareto, scaling, svg
from engine.evaluation.arms import Arm, datasets_of
from engine.evaluation.questions import Question
from engine.evaluation.runs import Row, Run
from engine.evaluation.tables import main_score

TEMPLATE = Path(__file__).with_name("page.html")


def page(
    runs: Sequence[Run],
    arms: Sequence[Arm],
    questions: Sequence[Question],
    baseline: str | None = None,
    prices: tuple[float, float] | None = None,
) -> str:
    """Return the page. `questions` adds what rows do not hold: their text and gold answers.

    It is added to rows of the same set and id, unless they were made when the question was another.
    Raises `DataDiffers`.
    """
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(TEMPLATE.read_text("utf-8"))
    return template.render(
        runs=runs,
        rows=sum(len(arm.rows) for arm in arms),
        machines=_said(arms, "machine"),
        models=_models(arms),
        overview=overview(arms),
        sets=[_set(of_set(arms, d), baseline, prices) for d in datasets_of(arms)],
        data=_embedded(arms, questions),
    )


def _said(arms: Sequence[Arm], key: str) -> list[str]:
    return sorted({str(row[key]) for arm in arms for row in arm.rows.values() if row.get(key)})


def _models(arms: Sequence[Arm]) -> list[str]:
    pairs = {tuple((arm.setting["models"] or {}).items()) for arm in arms}
    return sorted(", ".join(f"{role} {name}" for role, name in pair if name) for pair in pairs)


def _set(
    arms: Sequence[Arm], baseline: str | None, prices: tuple[float, float] | None
) -> dict[str, Any]:
    name = arms[0].dataset
    score, shown = drawn(arms)
    grown = scaling(shown, score)
    return {
        "name": name,
        "score": score,
        "details": details(arms, prices),
        "differences": [(t, difference_rows(found)) for t, found in differences(arms, baseline)],
        "pareto": svg(pareto(shown, score), f"{name}: {score} against price") if shown else "",
        "scaling": svg(grown, f"{name}: {score} as the context grows") if grown else "",
    }


def _embedded(arms: Sequence[Arm], questions: Sequence[Question]) -> str:
    """Return what the browser of questions shows, as JSON that cannot end its script."""
    known = {(question.dataset, question.id): question for question in questions}
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for number, arm in enumerate(arms):
        for i, row in arm.rows.items():
            key = arm.dataset, i
            one = found.setdefault(key, {"id": i, "set": arm.dataset, "answers": []})
            one |= _asked(row, known.get(key))
            one["answers"].append(_answer(number, row))
    scores = {d: main_score(of_set(arms, d)) for d in datasets_of(arms)}
    whole = {"arms": [a.label for a in arms], "scores": scores, "questions": [*found.values()]}
    return json.dumps(whole, ensure_ascii=False).replace("<", "\\u003c")


def _asked(row: Row, question: Question | None) -> dict[str, Any]:
    """Return what a row's question says; nothing where it is not the one that was asked."""
    if question is None or row.get("data", {}).get("question") not in (None, question.sha256):
        return {}
    return {"text": question.text, "gold": question.answers}


def _answer(number: int, row: Row) -> dict[str, Any]:
    kept = ("scores", "answer", "raw", "refused", "grounded", "confidence", "agreement")
    shown = {key: row[key] for key in kept if row.get(key) not in (None, "")}
    if "tokens" in row:
        shown["tokens"] = row["tokens"]
        shown["seconds"] = row["seconds"]
    return {"arm": number, "evidence": row.get("evidence", {}), **shown}

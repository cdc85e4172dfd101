"""Evaluation runs as Markdown tables, for a README or a results page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.evaluation.arms import Arm, datasets_of
from engine.evaluation.tables import (
    ArmDifference,
    against_baseline,
    between_runs,
    cell_of,
    main_score,
)

SCORES = (
    "em",
    "f1",
    "acc",
    "substring",
    "rouge_l",
    "choice",
    "list_precision",
    "list_recall",
    "list_f1",
    "citation_precision",
    "citation_recall",
    "wrongly_abstained",
    "rightly_abstained",
)
RANKINGS = ("recall@2", "recall@5", "recall@10", "ndcg@10", "mrr")


def markdown(
    arms: Sequence[Arm], baseline: str | None = None, prices: tuple[float, float] | None = None
) -> str:
    """Return the whole report as Markdown. Raises `DataDiffers`."""
    lines = ["## Strategies and sets", "", *table(*overview(arms))]
    for dataset in datasets_of(arms):
        own = of_set(arms, dataset)
        lines += ["", f"## {dataset}", "", *table(*details(own, prices))]
        for title, found in differences(own, baseline):
            lines += ["", f"{title}:", "", *table(*difference_rows(found))]
    return "\n".join([*lines, ""])


def of_set(arms: Sequence[Arm], dataset: str) -> list[Arm]:
    """Return the arms of one set."""
    return [arm for arm in arms if arm.dataset == dataset]


Rows = list[list[str]]


def overview(arms: Sequence[Arm]) -> tuple[list[str], Rows]:
    """Return head and rows: strategies by sets, each set by its main score with its interval."""
    sets = {dataset: of_set(arms, dataset) for dataset in datasets_of(arms)}
    judged = {dataset: main_score(own) for dataset, own in sets.items()}
    asked = {dataset: _asked(own) for dataset, own in sets.items()}
    rows = []
    for label in dict.fromkeys(arm.label for arm in arms):
        row = [label]
        for dataset, own in sets.items():
            arm = next((arm for arm in own if arm.label == label), None)
            row.append(cell_of(arm, judged[dataset], asked[dataset]).text)
        rows.append(row)
    head = [f"{dataset} ({judged[dataset]}, {asked[dataset]} questions)" for dataset in sets]
    return ["strategy", *head], rows


def _asked(arms: Sequence[Arm]) -> int:
    return len({i for arm in arms for i in arm.rows})


def details(
    arms: Sequence[Arm], prices: tuple[float, float] | None = None
) -> tuple[list[str], Rows]:
    """Return head and rows of one set: every score that occurs, tokens, seconds by stage, cost.

    Scores are means over what was answered; a share of refusals stands beside them.
    """
    scores = [s for s in SCORES if any(arm.mean(s) is not None for arm in arms)]
    rankings = [r for r in RANKINGS if any(_ranking(arm, r) is not None for arm in arms)]
    stages = list(dict.fromkeys(stage for arm in arms for stage in arm.stages if stage != "total"))
    stages.append("total")
    refusals = ["refused"] if any(arm.refused for arm in arms) else []
    head = ["strategy", "questions", *scores, *refusals, *rankings]
    head += ["effective context", "computed", "written"]
    head += [f"{stage} s" for stage in stages] + (["cost"] if prices else [])
    rows = []
    for arm in arms:
        row = [arm.label, str(len(arm.rows))]
        row += [_three(arm.mean(score)) for score in scores]
        row += [_three(arm.refused) for _ in refusals]
        row += [_three(_ranking(arm, ranking)) for ranking in rankings]
        row += [f"{value:,.0f}" for value in (arm.context, arm.computed, arm.generated)]
        row += [f"{arm.stages[s]:.2f}" if s in arm.stages else "" for s in stages]
        row += [f"{arm.cost(*prices):.4f}"] if prices else []
        rows.append(row)
    return head, rows


def _ranking(arm: Arm, name: str) -> float | None:
    """Return a score of the ranking that was read from: the selection, else the recall."""
    return next(
        (v for stage in ("select", "recall") if (v := arm.mean(f"{stage}_{name}")) is not None),
        None,
    )


def _three(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def differences(
    arms: Sequence[Arm], baseline: str | None
) -> Iterator[tuple[str, list[ArmDifference]]]:
    """Yield titles and differences of one set: to its baseline, and between run files."""
    score = main_score(arms)
    found = against_baseline(arms, score, baseline)
    if found:
        yield f"{score} less that of {found[0].base.label}", found
    runs = list(between_runs(arms, score))
    if runs:
        yield f"{score} of the later run less that of the first", runs


def difference_rows(found: Sequence[ArmDifference]) -> tuple[list[str], Rows]:
    """Return head and rows of paired differences."""
    rows = [[one.arm.label, one.text, str(one.questions)] for one in found]
    return ["strategy", "difference, 95 % interval, p", "questions"], rows


def table(head: Sequence[str], rows: Rows) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in one)} |" for one in lines]

"""The arms of run files: one for each setting over each set, with a name that distinguishes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.evaluation.metrics import cost
from engine.evaluation.provenance import refuse_to_compare
from engine.evaluation.runs import Row, Run

SETTINGS = (
    "strategy",
    "effort",
    "budget",
    "max_context",
    "seed",
    "least_confidence",
    "infer",
    "stemming",
    "allocation",
    "models",
    "original",
    "candidates",
    "task",
    "examples",
    "worked",
    "examples_sha256",
)
"""Keys of a row that hold its settings."""
BOUGHT = {"generator_tokens": "Y", "lookahead_tokens": "X", "samples": "K"}
"""FB-RAG's letters for parts of a budget."""


@dataclass(frozen=True)
class Arm:
    """One setting over one set."""

    dataset: str
    setting: dict[str, Any]
    run: str
    """Name of the run file."""
    rows: dict[str, Row]
    """By question id; the later of two lines of one question."""
    label: str = ""
    """The strategy, and what else distinguishes this arm."""

    @property
    def family(self) -> str:
        """The strategy without its parameters."""
        return str(self.setting["strategy"]).partition(":")[0]

    def values(self, score: str) -> dict[str, float]:
        """Return a score by question; only questions that have it."""
        found = {i: row["scores"].get(score) for i, row in self.rows.items()}
        return {i: float(value) for i, value in found.items() if value is not None}

    def mean(self, score: str) -> float | None:
        """Return the mean of a score; None where no question has it."""
        return _mean(self.values(score).values())

    @property
    def context(self) -> float:
        """Mean effective context length, in tokens (Inference scaling section 3.1)."""
        return _mean(map(_context, self.answered)) or 0.0

    @property
    def computed(self) -> float:
        """Mean input tokens that were not in a cache."""
        return _mean(_tokens(row, "computed") for row in self.answered) or 0.0

    @property
    def generated(self) -> float:
        """Mean tokens written."""
        return _mean(_tokens(row, "generated") for row in self.answered) or 0.0

    @property
    def seconds(self) -> float:
        """Mean wall seconds of a question."""
        return self.stages.get("total", 0.0)

    @property
    def stages(self) -> dict[str, float]:
        """Mean wall seconds by stage; a question without a stage counts as 0."""
        names = dict.fromkeys(name for row in self.answered for name in row["seconds"])
        count = max(1, len(self.answered))
        return {n: sum(row["seconds"].get(n, 0.0) for row in self.answered) / count for n in names}

    @property
    def answered(self) -> list[Row]:
        """The rows that are not refusals."""
        return [row for row in self.rows.values() if "tokens" in row]

    @property
    def refused(self) -> float:
        """Share of the questions that did not fit."""
        return 1 - len(self.answered) / max(1, len(self.rows))

    def cost(self, price_in: float, price_out: float) -> float:
        """Return what these questions cost at prices for a million tokens (TTRAG section A.9)."""
        most = max((row["tokens"]["generator"]["generated"] for row in self.answered), default=0)
        return cost(len(self.answered), self.context, most, price_in, price_out)


def _mean(values: Iterable[float]) -> float | None:
    found = list(values)
    return sum(found) / len(found) if found else None


def _tokens(row: Row, what: str) -> float:
    return float(sum(row["tokens"][role][what] for role in ("lookahead", "generator")))


def _context(row: Row) -> float:
    return float(row.get("effective_context", _tokens(row, "prompt")))


def arms_of(runs: Sequence[Run]) -> list[Arm]:
    """Return the arms of run files, labelled. Raises `DataDiffers` where two sets share a name.

    Rows of one setting in several files are one arm, unless files answer the same questions:
    then each file has an arm of its own, so that the files can be compared.
    """
    found: dict[tuple[str, str], dict[str, Arm]] = {}
    for run in runs:
        for row in run.rows:
            if "scores" not in row:
                continue
            setting = {key: row.get(key) for key in SETTINGS}
            key = (row["dataset"], json.dumps(setting, sort_keys=True))
            arms = found.setdefault(key, {})
            arm = arms.setdefault(str(run.path), Arm(row["dataset"], setting, run.path.name, {}))
            arm.rows[row["id"]] = row
    _refuse_two_in_one(found.values())
    joined = [arm for by_run in found.values() for arm in _joined(list(by_run.values()))]
    return _labelled(joined)


def _refuse_two_in_one(found: Iterable[dict[str, Arm]]) -> None:
    """Refuse files that hold different data under one name. Raises `DataDiffers`."""
    by_set: dict[str, dict[str, dict[str, Row]]] = {}
    for arms in found:
        for path, arm in arms.items():
            by_set.setdefault(arm.dataset, {}).setdefault(path, {}).update(arm.rows)
    for files in by_set.values():
        paths = list(files)
        for i, one in enumerate(paths):
            for other in paths[i + 1 :]:
                if files[one].keys() & files[other].keys():
                    pair = list(files[one].values()), list(files[other].values())
                    refuse_to_compare(*pair, (one, other))


def _joined(arms: list[Arm]) -> list[Arm]:
    """Return one arm for files that share no question, else all of them."""
    shared = [a.rows.keys() & b.rows.keys() for i, a in enumerate(arms) for b in arms[i + 1 :]]
    if any(shared):
        return arms
    first = arms[0]
    rows = {i: row for arm in arms for i, row in arm.rows.items()}
    return [Arm(first.dataset, first.setting, ", ".join(a.run for a in arms), rows)]


def _labelled(arms: list[Arm]) -> list[Arm]:
    """Name every arm by its strategy and by the settings that are not the same everywhere.

    Names of one set that are still equal get the run file, then numbers.
    """
    varying = [
        key
        for key in SETTINGS[1:]
        if len({json.dumps(arm.setting[key], sort_keys=True) for arm in arms}) > 1
    ]
    bought = _varying([arm.setting["budget"] for arm in arms if arm.setting["budget"]])
    named = [replace(arm, label=_label(arm, varying, bought)) for arm in arms]
    if _names_of(named).total() > len(_names_of(named)):
        named = [replace(arm, label=f"{arm.label} ({arm.run})") for arm in named]
    return _numbered(named)


def _names_of(arms: Sequence[Arm]) -> Counter[tuple[str, str]]:
    return Counter((arm.dataset, arm.label) for arm in arms)


def _numbered(arms: Sequence[Arm]) -> list[Arm]:
    """Return the arms, those of one set and name with a number behind it."""
    count, seen, named = _names_of(arms), Counter[tuple[str, str]](), []
    for arm in arms:
        key = arm.dataset, arm.label
        seen[key] += 1
        named.append(replace(arm, label=f"{arm.label} #{seen[key]}") if count[key] > 1 else arm)
    return named


def _varying(budgets: Sequence[dict[str, Any]]) -> list[str]:
    """Return the parts of budgets that are not the same in all, behind the generator's tokens."""
    names = dict.fromkeys(name for one in budgets for name in one)
    varying = [name for name in names if len({one.get(name) for one in budgets}) > 1]
    return list(dict.fromkeys(["generator_tokens", *varying]))


def _label(arm: Arm, varying: Sequence[str], bought: Sequence[str]) -> str:
    said = [str(arm.setting["strategy"])]
    for key in varying:
        value = arm.setting[key]
        if key == "budget":
            said += [f"{BOUGHT.get(n, n)}={value.get(n)}" for n in bought] if value else []
        elif key == "models":
            said.append(" + ".join(str(value[role]) for role in ("lookahead", "generator")))
        elif key == "examples_sha256":
            said.append(f"examples {value[:6]}" if value else "no examples")
        elif value is True:
            said.append(key)
        elif value not in (None, False):
            said.append(f"{key}={value}")
    return ", ".join(part for part in said if part)


def datasets_of(arms: Sequence[Arm]) -> list[str]:
    """Return the sets in the order in which they occur."""
    return list(dict.fromkeys(arm.dataset for arm in arms))

"""Asks the questions of the plans in grid.toml: what docs/results.md reports, one command a table.

    python tests/bench/grid.py PLAN... --data DATA --out FOLDER [--sets NAME,...] [--limit N]
        [--models small=ID,half=ID,large=ID] [--dry]
    python tests/bench/grid_table.py table FOLDER/PLAN.*.jsonl

DATA holds `dev/SET.jsonl` and `corpus/`. Each set of a plan has a run file of its own in FOLDER,
with answers in it: outside the project. Asked again, a plan goes on where it was; rows that a
release attaches, copied to FOLDER under the name that `--dry` prints, are gone on from as well.
`--models` puts other models in the places of those named: how the plans are run on a graphics
processor. In flags `{out}` and `{set}` stand for FOLDER and SET; `more` has further flags of single
sets, and the last of two counts. A plan that makes examples has no run file.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PLANS = Path(__file__).with_name("grid.toml")


def commands(
    name: str,
    plan: dict[str, Any],
    models: dict[str, str],
    question_set: str,
    data: Path,
    out: Path,
) -> Iterator[list[str]]:
    """Give the commands that ask one set, one for each of the plan's flags."""
    strategies = [part for name in plan["strategies"] for part in ("--strategy", name)]
    roles = [
        part for role in ("lookahead", "generator") for part in (f"--{role}", models[plan[role]])
    ]
    file = data / "dev" / f"{question_set}.jsonl"
    over = plan.get("over", {}).get(question_set)
    paths = [str(file), *([str(data / "corpus" / over)] if over else [])]
    program = [sys.executable, "-m", "app.main", "eval", "run", *paths]
    flags = plan["flags"]
    for some in [flags] if isinstance(flags, str) else flags:
        told = [
            part.replace("{out}", str(out)).replace("{set}", question_set)
            for part in shlex.split(f"{some} {plan.get('more', {}).get(question_set, '')}")
        ]
        if "--make-examples" not in told:
            told += ["--out", str(out / f"{name}.{question_set}.jsonl")]
        yield [*program, *strategies, *roles, *told]


def main() -> int:
    """Ask plan after plan, set after set; the first that fails ends it with its code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plans", nargs="+", metavar="PLAN")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--sets", type=lambda text: text.split(","))
    parser.add_argument("--limit", type=int)
    parser.add_argument("--models", type=lambda text: dict(x.split("=") for x in text.split(",")))
    parser.add_argument("--dry", action="store_true", help="print the commands alone")
    given = parser.parse_args()
    known = tomllib.loads(PLANS.read_text())
    models = known.pop("models") | (given.models or {})
    unknown = [name for name in given.plans if name not in known]
    if unknown:
        parser.error(f"no plan {', '.join(unknown)}; there are {', '.join(known)}")
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.plans:
        plan = known[name]
        for question_set in given.sets or plan["sets"]:
            for asked in commands(name, plan, models, question_set, given.data, given.out):
                if given.limit is not None:  # the last one counts
                    asked += ["--limit", str(given.limit)]
                print(f"# {name}: {plan['about']}\n{shlex.join(asked[1:])}", flush=True)
                if not given.dry and (code := subprocess.run(asked, check=False).returncode):
                    return code
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Exact BM25 without an index, beside four engines: seconds and memory on the same passages.

    python tests/bench/recall.py DATA [--samples RUN] [--rounds 3] [--queries 40] [--limit N]
    python tests/bench/recall.py DATA --scale [--words 1 3 10 30 100]
    python tests/bench/recall.py DATA --haystack [--records 350000]

DATA holds `dev` and `corpus`; RUN has a row a question: its id, and samples, each a rationale and
an answer. Every measurement is a process of its own. Times are seconds, the best of the rounds with
the median in brackets; ratios compare medians; CPU seconds are those of build and first query.
`--scale` grows the texts to so many million words. `--haystack` asks for keys among random
records. Prints figures only.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from recall_child import Job
from recall_engines import ENGINES
from recall_texts import Queries, keys, queries, random_objects, real_passages

from engine.retrieval.passages import split
from engine.retrieval.recall import Recall, best_first

EXACT = 1e-9
Run = dict[str, Any]


def run(job: Job) -> Run:
    """Return what a process of its own measures."""
    child = Path(__file__).with_name("recall_child.py")
    done = subprocess.run(
        [sys.executable, child], input=pickle.dumps(job), stdout=subprocess.PIPE, check=True
    )
    result: Run = json.loads(done.stdout)
    return result


def load(data: Path, limit: int | None) -> list[str]:
    """Return the real passages, saying what they are."""
    texts: list[str] = []
    for name, found in real_passages(data):
        texts += found
        print(f"read {name}: {len(found)} passages", file=sys.stderr, flush=True)
        if limit is not None and len(texts) >= limit:
            break
    texts = texts[:limit]
    size = sum(len(text.encode()) for text in texts) / 1e6
    words = sum(len(text.split()) for text in texts) / 1e6
    print(f"{len(texts):,} passages, {words:.2f} M words, {size:.1f} MB")
    return texts


def compare(args: argparse.Namespace) -> None:
    """Print all engines side by side, for rare terms and for questions."""
    texts = load(args.data, args.limit)
    asked = queries(args.data, args.samples, texts, args.queries)
    plain = run(Job("read", texts))
    speed = plain["bytes"] / plain["seconds"] / 1e9
    print(f"plain read of the folded texts: {1000 * plain['seconds']:.1f} ms, {speed:.1f} GB/s")
    check(texts, asked)
    kinds = {"rare terms": Job("measure", texts, asked.rare)}
    kinds["questions"] = Job("measure", texts, asked.questions, sampled=asked.sampled)
    for kind, job in kinds.items():
        runs: dict[str, list[Run]] = {name: [] for name in args.engines}
        for number in range(args.rounds):
            for name in args.engines:
                runs[name].append(run(Job(**vars(job) | {"engine": name})))
                latest = {key: value for key, value in runs[name][-1].items() if key != "best"}
                print(f"{kind}, round {number + 1}, {name}: {latest}", file=sys.stderr, flush=True)
        print(f"\n{kind.capitalize()}: {len(job.queries)} queries\n")
        table(runs)
        later = typical(runs["ours"], "later")
        print(f"\nA plain read takes {plain['seconds'] / later:.3f} of one of our later queries.")
        if job.sampled:
            print(f"\nFive samples and one question, {len(job.sampled)} of each\n")
            samples_table(runs)


def check(texts: list[str], asked: Queries) -> None:
    """Compare our scores with the libraries', and stop when they differ."""
    every = [*asked.rare, *asked.questions, *(text for _, five in asked.sampled for text in five)]
    worst = run(Job("verify", texts, every))
    print(f"largest difference over {len(every)} queries: {worst}", flush=True)
    if max(worst.values()) > EXACT:
        sys.exit("Our scores are not those of rank_bm25 and bm25s.")


def typical(runs: Sequence[Run], *names: str) -> float:
    """Return the median over rounds of a sum of times."""
    return float(median(sum(one[name] for name in names) for one in runs))


def shown(runs: Sequence[Run], *names: str, digits: int = 3) -> str:
    """Return best and median of a sum of times."""
    best = min(sum(one[name] for name in names) for one in runs)
    return f"{best:.{digits}f} ({typical(runs, *names):.{digits}f})"


def table(runs: dict[str, list[Run]]) -> None:
    """Print the engines' times in seconds, the ratios to ours, and memory."""
    line(
        "engine", "our terms", "build", "first query", "build + first", "times ours",
        "with terms", "CPU", "later query", "peak MB",
        "of the ten best",
    )  # fmt: skip
    print("|---" * 11 + "|")
    ours = typical(runs["ours"], "build", "first")
    plain = runs.get("ours, every word", runs["ours"])[0]["best"]  # neither stems nor stop words
    for name, rows in runs.items():
        tokens = typical(rows, "tokenise") > 0.001
        line(
            name,
            shown(rows, "tokenise") if tokens else "",
            shown(rows, "build"),
            shown(rows, "first", digits=4),
            shown(rows, "build", "first"),
            f"{typical(rows, 'build', 'first') / ours:.1f}",
            f"{typical(rows, 'tokenise', 'build', 'first') / ours:.1f}" if tokens else "",
            f"{typical(rows, 'cpu'):.2f}",
            shown(rows, "later", digits=4),
            f"{typical(rows, 'peak'):.0f}",
            f"{agreement(rows[0]['best'], plain):.2f}",
        )


def samples_table(runs: dict[str, list[Run]]) -> None:
    """Print what five samples cost beside one question."""
    line("engine", "one question", "five samples", "five / one")
    print("|---" * 4 + "|")
    for name, rows in runs.items():
        ratio = typical(rows, "five") / typical(rows, "one")
        one, five = shown(rows, "one", digits=4), shown(rows, "five", digits=4)
        line(name, one, five, f"{ratio:.2f}")


def agreement(found: Sequence[Sequence[int]], ours: Sequence[Sequence[int]]) -> float:
    """Return the mean share of our best texts that are among theirs."""
    pairs = list(zip(found, ours, strict=True))
    return sum(len({*a} & {*b}) / max(1, len({*b})) for a, b in pairs) / len(pairs)


def line(*cells: str) -> None:
    """Print a line of a table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def scale(args: argparse.Namespace) -> None:
    """Print our times and memory over growing texts."""
    texts = load(args.data, args.limit)
    asked = queries(args.data, None, texts, 20).questions
    line(
        "M words", "M distinct", "passages", "build", "first query", "later query", "peak MB",
        "build s/M words", "later ms/M words", "MB/M words",
    )  # fmt: skip
    print("|---" * 10 + "|")
    for millions in args.words:
        row = run(Job("grow", texts, asked, words=int(millions * 1e6)))
        made = row["words"] / 1e6
        line(
            f"{made:.1f}",
            f"{row['distinct'] / 1e6:.2f}",
            f"{row['passages']:,}",
            f"{row['build']:.2f}",
            f"{row['first']:.3f}",
            f"{row['later']:.3f}",
            f"{row['peak']:.0f}",
            f"{row['build'] / made:.3f}",
            f"{1000 * row['later'] / made:.1f}",
            f"{row['peak'] / made:.1f}",
        )


def haystack(args: argparse.Namespace) -> None:
    """Print how often the first passage is the record that was asked for."""
    began = time.perf_counter()
    asked, objects = keys(args.data)
    found = split([*objects, *random_objects(args.records)])
    print(f"{len(found):,} records, {time.perf_counter() - began:.1f} s to make", flush=True)
    began = time.perf_counter()
    recall = Recall([passage.searched for passage in found])
    recall.scores([""])  # waits for the folding
    print(f"build {time.perf_counter() - began:.2f} s", flush=True)
    right, seconds = 0, []
    for key in asked:
        began = time.perf_counter()
        (scores,) = recall.scores([key.question])
        best = found[int(best_first(scores)[0])]
        seconds.append(time.perf_counter() - began)
        right += key.is_answered_by(best)
    rest = f"first query {seconds[0]:.3f} s, later {median(seconds[1:]):.3f} s (median)"
    print(f"{right} right of {len(asked)}; {rest}, all {sum(seconds):.1f} s")


def main() -> None:
    """Run one of the three measurements."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--limit", type=int, help="passages, for a trial")
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--scale", action="store_true")
    parser.add_argument("--words", nargs="+", type=float, default=[1, 3, 10, 30, 100])
    parser.add_argument("--haystack", action="store_true")
    parser.add_argument("--records", type=int, default=350_000)
    args = parser.parse_args()
    task: Callable[[argparse.Namespace], None] = compare
    if args.scale:
        task = scale
    elif args.haystack:
        task = haystack
    task(args)


if __name__ == "__main__":
    main()

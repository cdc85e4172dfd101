"""Checks and measures everything on a machine with a GPU: `gpu.py OUT [--data DATA] [--minutes 9]`.

In steps: compile llama.cpp for the GPU, prove both runtimes by the CPU's replies, measure how fast
they read and write, ask the core grid with the largest generator that fits, and the default beside
the plain arm. OUT keeps what is done; when the minutes are over it ends with code 75, and the same
command goes on. It needs no network where pip finds its wheels, and where the models are in the
store. OUT/gpu.md has the tables. `--device cpu` is a dry run; DATA has the sets of questions.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.local_models.loader import known_models
from models.proof.description import described
from models.protocols import GenerationRequest, Message, Sampling
from models.store.catalogue import ModelRow
from models.store.estimate import CONTEXT, estimate_row
from models.store.placement import FreeMemory, place
from models.system.machine import memory

HERE = Path(__file__).parent
BENCH = HERE.parent / "tests" / "bench"
GO_ON = 75
"""The exit code that asks for the same command again."""
PROMPTS = (
    "Ann met Bob in room 7 about the lease. Where did Ann meet Bob?",
    "List three days of the week.",
    "The deposit is 395 euros. How much is the deposit?",
)
TOKENS = 24
NEAR = 0.25
"""Most that the log-probability of a first token may differ: the GPU adds in another order."""
SETS = ("hotpotqa", "nq", "locomo", "qasper", "enron_annotated")


class OutOfTime(Exception):
    """The minutes are over."""


@dataclass
class Run:
    """What was asked for, and what is done."""

    out: Path
    device: str
    data: Path | None
    models: list[str]
    limit: int
    quick: bool
    until: float
    done: dict[str, list[str]] = field(default_factory=dict)

    @property
    def kept(self) -> Path:
        """The file of what is done."""
        return self.out / "steps.json"

    def call(self, *command: str, environ: dict[str, str] | None = None) -> str:
        """Run a command and return what it prints. Raises OutOfTime, CalledProcessError."""
        left = self.until - time.monotonic()
        if left <= 0:
            raise OutOfTime
        try:
            done = subprocess.run(  # noqa: S603 - this project's own scripts, and pip
                command,
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                timeout=left,
                env=os.environ | {"PYTHONPATH": str(HERE.parent)} | (environ or {}),
            )
        except subprocess.TimeoutExpired as error:
            raise OutOfTime from error
        return done.stdout

    def write(self) -> None:
        """Keep what is done, and write the page."""
        self.kept.write_text(json.dumps(self.done, indent=1))
        parts = [f"## {name}\n\n" + "\n".join(lines) for name, lines in self.done.items()]
        (self.out / "gpu.md").write_text("# On a GPU\n\n" + "\n\n".join(parts) + "\n")


def compiled(run: Run) -> list[str]:
    """Have a llama.cpp that computes on the GPU; a build that was cut off goes on."""
    library = described()
    if run.device == "cpu" or library.backends:
        return [f"llama-cpp-python {library.version}, backends {', '.join(library.backends)}"]
    wheels = run.out / "wheels"
    name = f"llama-cpp-python=={library.version}"
    build = ("-C", f"build-dir={run.out / 'build'}", "--no-deps", "--no-binary", ":all:")
    flags = {"CMAKE_ARGS": "-DGGML_CUDA=on"}
    pip = (sys.executable, "-m", "pip")
    run.call(*pip, "wheel", "-q", *build, "-w", str(wheels), name, environ=flags)
    [wheel] = wheels.glob("llama_cpp_python-*.whl")
    run.call(*pip, "install", "-q", "--no-deps", "--force-reinstall", str(wheel))
    return [f"{name} was compiled: {wheel.name}"]


def machine(run: Run) -> list[str]:
    """Name the GPU, its memory and the models that are measured."""
    cards = [f"{gpu.name}, {gpu.memory.total / 1e9:.0f} GB" for gpu in described().gpus]
    return [
        f"{time.strftime('%Y-%m-%d')} · {', '.join(cards) or 'no GPU'} · {', '.join(run.models)}"
    ]


def proving(runtime: str, row: ModelRow) -> Callable[[Run], list[str]]:
    """Return the step that compares a runtime's replies on the GPU with those on the CPU."""

    def step(run: Run) -> list[str]:
        hidden = {
            "CUDA_VISIBLE_DEVICES": "",
            "HIP_VISIBLE_DEVICES": "",
            "GGML_VK_VISIBLE_DEVICES": "",
        }
        command = (sys.executable, str(HERE / "gpu.py"), "--replies", runtime, row.id)
        there = json.loads(run.call(*command, "--device", run.device))
        here = json.loads(run.call(*command, "--device", "cpu", environ=hidden))
        lines = [
            "| prompt | words alike before the first that differs | first log-probability apart |"
        ]
        lines.append("|---|---|---|")
        for number, (one, other) in enumerate(zip(there, here, strict=True), 1):
            words, others = one["text"].split(), other["text"].split()
            alike = next(
                (i for i, (a, b) in enumerate(zip(words, others, strict=False)) if a != b),
                len(others),
            )
            apart = abs(one["first"] - other["first"])
            lines.append(f"| {number} | {alike} of {len(others)} words | {apart:.4f} |")
            if apart > NEAR or not (alike or words == others):
                lines.append(f"FAILED: prompt {number} is answered otherwise than on the CPU.")
        return lines

    return step


def replies(runtime: str, model_id: str, device: str) -> None:
    """Print replies to the prompts, each with the log-probability of its first token."""
    catalogue, store = known_models(os.environ)
    row = catalogue.row(model_id)
    if runtime == "llama":
        from models.llama.generator import load_llama

        layers = 0 if device == "cpu" else -1
        model: Any = load_llama(store.open(row), row.id, context=1024, gpu_layers=layers)
    else:
        from models.torch.generator import load_generator

        model = load_generator(store.open(row), row.id, context=1024)
    said = []
    for prompt in PROMPTS:
        asked = model.render([Message("user", prompt)])
        request = GenerationRequest(
            (asked,), max_tokens=TOKENS, sampling=Sampling(0.0), logprobs=True
        )
        pieces = list(model.sample(request))
        first = next(one.logprobs[0] for one in pieces if one.logprobs)
        said.append({"text": "".join(one.text for one in pieces), "first": first})
    model.close()
    sys.stdout.write(json.dumps(said))


def speed(row: ModelRow, path: Path) -> Callable[[Run], list[str]]:
    """Return the step that measures reading and writing, of both runtimes."""

    def step(run: Run) -> list[str]:
        few = ("--runs", "1", "--prompt", "100", "--new", "4") if run.quick else ("--runs", "3")
        shown = run.call(sys.executable, str(BENCH / "bench_models.py"), str(path), *few)
        return [row.id, "```", *shown.splitlines(), "```"]

    return step


def grid(run: Run) -> list[str]:
    """Ask the core grid with the largest generator; it goes on where it was cut off."""
    rows, largest = run.out / "grid", run.models[-1]
    roles = f"small={run.models[0]},half={run.models[0]},large={largest}"
    asked = (str(BENCH / "grid.py"), "core", "--data", str(run.data), "--out", str(rows))
    run.call(sys.executable, *asked, "--models", roles, "--limit", str(run.limit))
    files = sorted(map(str, rows.glob("core.*.jsonl")))
    table = run.call(sys.executable, str(BENCH / "grid_table.py"), "table", *files)
    return [f"generator {largest}, {run.limit} questions a set", *table.splitlines()]


def default(run: Run) -> list[str]:
    """Ask the default beside the plain arm, likewise."""
    rows, study = run.out / "default.jsonl", str(BENCH / "study_default.py")
    asked = (study, "record", str(run.data), str(rows), "--sets", *SETS, "--limit", str(run.limit))
    run.call(sys.executable, *asked, "--generator", run.models[-1])
    table = run.call(sys.executable, study, "table", str(rows))
    return ["```", *table.splitlines(), "```"]


def steps(run: Run) -> Iterator[tuple[str, Callable[[Run], list[str]]]]:
    """Yield each step with its name."""
    catalogue, store = known_models(os.environ)
    rows = [catalogue.row(model_id) for model_id in run.models]
    yield "llama.cpp for the GPU", compiled
    yield "machine", machine
    for row in rows:
        for runtime in ("llama", "transformers"):
            yield f"{runtime} proved by the CPU: {row.id}", proving(runtime, row)
    for row in rows:
        yield f"speed: {row.id}", speed(row, store.file(row))
    if run.data is not None:
        yield "the core grid", grid
        yield "the default beside the plain arm", default


def fitting(device: str) -> list[str]:
    """Return the smallest generator that is here, and the largest that the GPU takes whole."""
    catalogue, store = known_models(os.environ)
    on_gpu = sum(gpu.memory.free for gpu in described().gpus) if device != "cpu" else 0
    free = FreeMemory(memory().free, on_gpu)
    sizes = []
    for row in catalogue.able("generator"):
        found = estimate_row(row, store, CONTEXT) if store.state(row) == "present" else None
        there = place(found, free) if found else None
        if found and there and (there.whole or device == "cpu"):
            sizes.append((found.needed, row.id))
    return (
        [model_id for _, model_id in (min(sizes), max(sizes))][: len(set(sizes))] if sizes else []
    )


def main() -> int:
    """Do step after step, as far as the time goes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", default=Path("dist/gpu"))
    parser.add_argument("--data", type=Path)
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--models", nargs="+", metavar="ID")
    parser.add_argument("--limit", type=int, default=60, help="questions of a set")
    parser.add_argument("--only", nargs="+", default=[""], help="steps with one of these words")
    parser.add_argument("--quick", action="store_true", help="measure shortly, for a dry run")
    parser.add_argument("--replies", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.replies:
        replies(*given.replies, given.device)
        return 0
    chosen = given.models or fitting(given.device)
    if not chosen:
        parser.error("no generator is here that fits; `askance models pull --starter` fetches two")
    given.out.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * given.minutes
    run = Run(given.out, given.device, given.data, chosen, given.limit, given.quick, until)
    if run.kept.exists():
        run.done = json.loads(run.kept.read_text())
    for name, step in steps(run):
        if name in run.done or not any(word in name for word in given.only):
            continue
        print(name, flush=True)
        try:
            if time.monotonic() > run.until:
                raise OutOfTime
            run.done[name] = step(run)
        except OutOfTime:
            print("The minutes are over; the same command goes on.")
            return GO_ON
        except subprocess.CalledProcessError as error:
            run.done[name] = [f"FAILED: {Path(error.cmd[1]).name} ended with {error.returncode}."]
        run.write()
    failed = [name for name, lines in run.done.items() if any("FAILED" in one for one in lines)]
    print(f"{given.out / 'gpu.md'} has all of it." + (f" Failed: {failed}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

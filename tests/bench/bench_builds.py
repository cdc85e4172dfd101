"""Tokens a second of several builds of llama.cpp, in turn: what a build for every processor costs.

    python tests/bench/bench_builds.py MODEL.gguf NAME=FOLDER NAME=FOLDER… [--runs 5]
        [--prompt 1500] [--new 64]

FOLDER is where a build has its libraries, `llama_cpp/lib` of an unpacked wheel. Every build runs in
a process of its own, which keeps the model and waits while the others run. Each round asks all of
them once; medians are printed with their ratio to the first build, the median of the rounds' own
ratios beside it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

from bench_parts import ours, row, story

PARTS = ("reading", "writing")


def measure(model_path: Path, prompt: int, new: int) -> None:
    """Answer each line of standard input with tokens a second, of reading and of writing."""
    from models.llama.generator import load_llama
    from models.llama.library import instruction_sets

    model = load_llama(model_path, model_path.stem, context=4096)
    model._model.is_end = lambda token: False  # type: ignore[method-assign]  # all go on as long
    text = story(model, prompt)
    tokens = len(model._model.tokenize(text, special=True))
    ours(model, text, new)
    print(" ".join(instruction_sets()), flush=True)
    for _ in sys.stdin:
        reading, writing = ours(model, text, new)
        print(tokens / reading, new / writing, flush=True)


class Build:
    """A process with one build."""

    def __init__(self, name: str, folder: str, arguments: list[str]) -> None:
        self.name = name
        self.speeds: list[tuple[float, float]] = []
        self._process = subprocess.Popen(
            [sys.executable, __file__, *arguments, "--child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"LLAMA_CPP_LIB_PATH": str(Path(folder).resolve())},
        )
        row(name, "uses", self._line())

    def run(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        reading, writing = map(float, self._line().split())
        self.speeds.append((reading, writing))

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} died: exit {self._process.wait()}")
        return line.strip()

    def close(self) -> None:
        self._process.communicate()


def compare(builds: list[Build], runs: int) -> None:
    for round_ in range(runs):
        # The other way round every second time: who comes first finds other caches.
        for build in builds[:: -1 if round_ % 2 else 1]:
            build.run()
    for part, name in enumerate(PARTS):
        first = [speeds[part] for speeds in builds[0].speeds]
        for build in builds:
            each = [speeds[part] for speeds in build.speeds]
            ratios = sorted(mine / other for mine, other in zip(each, first, strict=True))
            spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}"
            note = f"{statistics.median(ratios):.2f} of {builds[0].name} ({spread})"
            row(f"{name}, {build.name}", f"{statistics.median(each):.1f} t/s", note)


def main() -> None:
    """Print all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("builds", nargs="*", metavar="NAME=FOLDER")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=1500)
    parser.add_argument("--new", type=int, default=64)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        measure(args.model, args.prompt, args.new)
        return
    print(f"{args.model.stem}: prompt of {args.prompt} tokens, {args.new} generated")
    options = [str(args.model), f"--prompt={args.prompt}", f"--new={args.new}"]
    builds = [Build(*text.partition("=")[::2], options) for text in args.builds]
    compare(builds, args.runs)
    for build in builds:
        build.close()


if __name__ == "__main__":
    main()

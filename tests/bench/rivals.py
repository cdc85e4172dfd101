"""What a user would pick instead, on the same data, passages and generator file.

    python tests/bench/rivals.py build SCRATCH
    python tests/bench/rivals.py run SCRATCH --data DATA --size 100 --generator GGUF --encoder DIR
    python tests/bench/rivals.py table SCRATCH

`build` makes an environment below SCRATCH for each rival. `run` measures what SCRATCH/rows.jsonl
does not hold yet. Everyone gets the passages that Askance's reader cuts, and its reading time is
added to theirs: a rival's own converters are slower. Ranked passages go to one bare llama.cpp with
one prompt, the first that fit 1,200 tokens. Askance runs as a user has it: reading, ranking and
answering in one process, by its own prompt with its own check of citations.

Each time is taken twice: wall seconds, and processor seconds, which hold on a busy machine
(`table --clock cpu`). Of a rival's two settings the one with the higher recall counts, then the
quicker. Mail: one mbox of SIZE real messages, questions of enron_annotated. Documents: SIZE text
files, questions of hotpotqa. haiku.rag needs Python 3.12 or newer, as `python3.13` or such on the
path, and is left out where there is none.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rivals_corpora import CORPORA, Row, dump, lay_out, questions_of, recall_of
from rivals_measures import answers_of, ours, ripgrep, rival_row
from rivals_table import table

PINS = Path(__file__).parents[2] / "constraints.txt"
ENVIRONMENTS = {
    "chroma": ["chromadb", "sentence-transformers"],
    "leann": ["leann-core", "leann-backend-hnsw", "sentence-transformers"],
    "tantivy": ["tantivy"],
    "haiku": ["haiku.rag-slim"],
}
NEWER = ("python3.12", "python3.13", "python3.14")
SETTINGS = {
    "fts5": ("unicode61", "porter"),
    "tantivy": ("default", "en_stem"),
    "chroma": ("l2", "cosine"),
    "leann": ("recompute", "stored"),
    "haiku": ("hybrid", "vector"),
}


def build(scratch: Path) -> None:
    """Make the environments that are not there."""
    pins = scratch / "pins.txt"
    scratch.mkdir(parents=True, exist_ok=True)
    kept = ("torch", "transformers", "tokenizers", "numpy", "huggingface_hub", "tantivy")
    lines = [x for x in PINS.read_text().splitlines() if x.partition("==")[0] in kept]
    pins.write_text("\n".join(lines) + "\n")
    for name, packages in ENVIRONMENTS.items():
        place = scratch / "venvs" / name
        if not (place / "complete").exists():
            python = python_for(name)
            if python is None:
                print(f"{name} is left out: it needs one of {', '.join(NEWER)}", flush=True)
                continue
            subprocess.run([python, "-m", "venv", "--clear", place], check=True)
            pip = [place / "bin" / "pip", "install", "-q", "-c", pins]
            subprocess.run([*pip, *packages], check=True)
            (place / "complete").touch()


def python_for(name: str) -> str | None:
    """Return the Python that a rival runs on, None where there is none for it."""
    if name != "haiku" or sys.version_info >= (3, 12):
        return sys.executable
    return next(filter(_runs, NEWER), None)


def _runs(python: str) -> bool:
    """Return whether it is there: a version manager keeps names of versions that are not."""
    found = shutil.which(python)
    return bool(found) and not subprocess.run([python, "-V"], capture_output=True).returncode


def run(args: argparse.Namespace) -> None:
    """Measure every row that is missing."""
    rows = args.scratch / "rows.jsonl"
    known = [json.loads(line) for line in rows.read_text().splitlines()] if rows.exists() else []
    done = {(r["corpus"], r["size"], r["rival"], r["setting"]) for r in known}
    for corpus in args.corpus:
        asked = questions_of(corpus, args.data, args.questions)
        folder = args.scratch / "folders" / f"{corpus}_{args.size}"
        lay_out(corpus, args.size, args.data, asked, folder)
        files = args.scratch / "work" / f"{corpus}_{args.size}"
        files.mkdir(parents=True, exist_ok=True)
        facts = _alone("dump", corpus, args, folder, files)
        for rival, setting in _arms(args):
            if (corpus, args.size, rival, setting) in done:
                continue
            print(corpus, args.size, rival, setting, flush=True)
            row = _measured(rival, setting, corpus, args, asked, folder, files, facts)
            key = {"corpus": corpus, "size": args.size, "rival": rival, "setting": setting}
            row = key | {k: facts[k] for k in ("items", "passages", "read", "read_cpu")} | row
            with rows.open("a") as stream:
                stream.write(json.dumps(row) + "\n")


def _arms(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Yield who is measured in which setting: those that are installed and not left out."""
    for rival, setting in _installed(args):
        if not args.only or {rival, f"{rival}:{setting}"} & set(args.only):
            yield rival, setting


def _installed(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for strategy in args.strategy:
        yield "askance", strategy
    if shutil.which("rg"):
        yield "ripgrep", ""
    else:
        print("ripgrep is left out: rg is not installed (apt install ripgrep)", flush=True)
    for rival, settings in SETTINGS.items():
        built = rival == "fts5" or (args.scratch / "venvs" / rival / "complete").exists()
        for setting in settings if built else ():
            yield rival, setting


def _measured(
    rival: str,
    setting: str,
    corpus: str,
    args: argparse.Namespace,
    asked: Sequence[Any],
    folder: Path,
    files: Path,
    facts: Row,
) -> Row:
    if rival == "ripgrep":
        return ripgrep(folder, asked, args.scratch)
    if rival == "askance":
        return _alone("ours", corpus, args, folder, files, "--strategy", setting)
    row = rival_row(rival, setting, args.scratch, files, args.encoder)
    if "failed" in row:
        return row
    row["first"] += facts["read"]
    row["first_cpu"] += facts["read_cpu"]
    row["recall"] = recall_of(row["ranked"], facts["gold"])
    row |= answers_of(row, asked, files, args.generator, args.answers)
    del row["ranked"]
    return row


def _alone(
    part: str, corpus: str, args: argparse.Namespace, folder: Path, files: Path, *more: str
) -> Row:
    """Run a part in a process of its own and return what it says."""
    command = [sys.executable, __file__, part, args.scratch, "--data", args.data]
    command += ["--folder", folder, "--files", files, "--corpus", corpus, "--model", args.model]
    command += ["--questions", str(args.questions), "--answers", str(args.answers), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:]}
    row: Row = json.loads(done.stdout.strip().splitlines()[-1])
    return row


def main() -> None:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["build", "run", "table", "dump", "ours"])
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--corpus", nargs="+", default=list(CORPORA), choices=list(CORPORA))
    parser.add_argument("--questions", type=int, default=20, help="ranked")
    parser.add_argument("--answers", type=int, default=5, help="answered, of those ranked")
    parser.add_argument("--generator", type=Path, help="GGUF file for the rivals")
    parser.add_argument("--model", default="qwen2.5-coder-0.5b-instruct-q4_k_m", help="the same")
    parser.add_argument("--strategy", nargs="+", default=["vanilla"])
    parser.add_argument("--encoder", type=Path, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--only", nargs="+", metavar="RIVAL[:SETTING]", help="leave out the others")
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--folder", type=Path, help="of one corpus; with --files for the parts")
    parser.add_argument("--files", type=Path, help="that run starts by itself")
    args = parser.parse_args()
    if args.part == "build":
        build(args.scratch)
    elif args.part == "run":
        run(args)
    elif args.part == "table":
        table(args.scratch, args.clock)
    else:
        [corpus] = args.corpus
        asked = questions_of(corpus, args.data, args.questions)
        if args.part == "dump":
            said = dump(corpus, args.folder, asked, args.files)
        else:
            said = ours(args.folder, asked, corpus, args.model, args.strategy[0], args.answers)
        print(json.dumps(said))


if __name__ == "__main__":
    main()

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
import mailbox
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rivals_child import Watch, mean, peak_of, seconds_of

CHILD = Path(__file__).with_name("rivals_child.py")
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
CORPORA = {"mail": "enron_annotated", "documents": "hotpotqa"}
PROMPT = (
    "Answer the question from the passages, as briefly as possible.\n\n{passages}\n\n"
    "Question: {question}\nAnswer:"
)
PROMPT_TOKENS = 1200
ANSWER_TOKENS = 48
Row = dict[str, Any]


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


def questions_of(corpus: str, data: Path, count: int) -> list[Any]:
    """Return the first answerable questions with gold evidence."""
    from engine.evaluation.data import load_questions

    everything = load_questions(data / "dev" / f"{CORPORA[corpus]}.jsonl")
    fit = (q for q in everything if q.support and q.mode == "any" and not q.unanswerable)
    return [question for question, _ in zip(fit, range(count), strict=False)]


def lay_out(corpus: str, size: int, data: Path, asked: Sequence[Any], folder: Path) -> None:
    """Write the folder that is asked: all gold evidence, then others up to `size` items."""
    if folder.exists():
        return
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    if corpus == "mail":
        box = mailbox.mbox(part / "mail.mbox")
        for message in _messages(data / "corpus", size):
            box.add(message)
        box.close()
    else:
        lines = (data / "corpus" / "hotpotqa.jsonl").read_text().splitlines()
        own = dict.fromkeys(line for question in asked for line in question.candidates)
        chosen = [*own, *(n for n in range(len(lines)) if n not in own)][:size]
        for number in chosen:
            record = json.loads(lines[number])
            (part / f"{number:05}.txt").write_text(f"{record['title']}\n\n{record['text']}\n")
    part.rename(folder)


def _messages(corpus: Path, size: int) -> Iterator[mailbox.mboxMessage]:
    boxes = ("enron.mbox", "mail_spamassassin_ham.mbox", "mail_spamassassin_hardham.mbox")
    left = size
    for name in boxes:
        for message in mailbox.mbox(corpus / name, create=False):
            if not left:
                return
            left -= 1
            yield message


def dump(corpus: str, folder: Path, asked: Sequence[Any], files: Path) -> Row:
    """Read the folder in this process, which began for it; write passages and queries.

    Returns what is gold, and the seconds until the passages were written: index-first programs
    wait for such a reader too.
    """
    watch = Watch()
    from engine.evaluation.reading import read_all
    from engine.settings import Settings

    read = read_all([folder], Settings())
    with (files / "passages.jsonl").open("w") as stream:
        for passage in read.passages:
            stream.write(json.dumps({"text": passage.searched}) + "\n")
    seconds, cpu = watch.now()
    (files / "queries.json").write_text(json.dumps([question.text for question in asked]))
    gold = [gold_places(corpus, question, read.passages) for question in asked]
    items = len({id(passage.item) for passage in read.passages})
    facts = {"items": items, "passages": len(read.passages), "read": seconds, "read_cpu": cpu}
    return facts | {"gold": gold}


def gold_places(corpus: str, question: Any, passages: Sequence[Any]) -> list[list[int]]:
    """Return, for each piece of evidence, the places of the passages that hold it."""
    return [
        [place for place, p in enumerate(passages) if _holds(corpus, support, p)]
        for support in question.support
    ]


def _holds(corpus: str, support: Any, passage: Any) -> bool:
    if corpus == "mail":
        return bool(support.held_by(passage))
    return int(passage.item.locator.path.stem) in support.lines


def recall_of(ranked: Sequence[Sequence[int]], gold: Sequence[Sequence[Sequence[int]]]) -> float:
    """Return the mean share of gold evidence among the first ten passages."""
    return mean(
        [
            mean([any(place in found for place in places) for places in pieces])
            for found, pieces in zip(ranked, gold, strict=True)
        ]
    )


def disk_of(store: Path, texts: Sequence[str]) -> tuple[int, float]:
    """Return the bytes written, and the share of 20 passages whose words stand there plainly."""
    files = [file for file in store.rglob("*") if file.is_file()]
    whole = b"".join(file.read_bytes() for file in files)
    probes = [text[len(text) // 2 :][:24].encode() for text in texts[:: max(1, len(texts) // 20)]]
    probes = [probe for probe in probes if b"\n" not in probe and len(probe) >= 16]
    seen = sum(probe in whole for probe in probes)
    return sum(file.stat().st_size for file in files), seen / max(1, len(probes))


def rival_row(name: str, setting: str, scratch: Path, files: Path, encoder: Path) -> Row:
    """Run one setting of a rival from nothing."""
    store = files / f"store_{name}_{setting}"
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir()
    place = scratch / "venvs" / name / "bin" / "python"
    python = place if place.exists() else Path(sys.executable)
    known = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "0"}
    arguments = [name, setting, files / "passages.jsonl", files / "queries.json", store, encoder]
    done = subprocess.run(
        [python, CHILD, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | known,
        cwd=store,
    )
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:] or ["no message"]}
    said: Row = json.loads(done.stdout.strip().splitlines()[-1])
    lines = (files / "passages.jsonl").read_text().splitlines()
    said["disk"], said["readable"] = disk_of(store, [json.loads(x)["text"] for x in lines])
    shutil.rmtree(store)
    return said


def answers_of(row: Row, asked: Sequence[Any], files: Path, model: Path, count: int) -> Row:
    """Have bare llama.cpp answer from what was ranked; scores, seconds to load and to answer."""
    from llama_cpp import Llama

    if not count:
        return {}
    watch = Watch()
    llama, loading = seconds_of(watch, lambda: Llama(str(model), n_ctx=4096, verbose=False))
    texts = [json.loads(x)["text"] for x in (files / "passages.jsonl").read_text().splitlines()]
    said, spent = [], []
    for question, ranked in list(zip(asked, row["ranked"], strict=True))[:count]:
        passages = [texts[place] for place in ranked]
        reply, took = seconds_of(watch, partial(_reply, llama, question.text, passages))
        said.append(reply)
        spent.append(took)
    llama.close()
    return _answered(asked, said, spent, (row["first"] + loading[0], row["first_cpu"] + loading[1]))


def _answered(
    asked: Sequence[Any],
    said: Sequence[str],
    spent: Sequence[tuple[float, float]],
    before: tuple[float, float],
) -> Row:
    """Return scores and seconds of answers; `before` is what passed until the first was begun."""
    from engine.evaluation import metrics

    pairs = list(zip(said, asked, strict=False))
    return {
        "first_answer": before[0] + spent[0][0],
        "first_answer_cpu": before[1] + spent[0][1],
        "answer": mean([wall for wall, _ in spent[1:]]),
        "answer_cpu": mean([cpu for _, cpu in spent[1:]]),
        "f1": mean([metrics.token_f1(text, q.answers) for text, q in pairs]),
        "substring": mean([metrics.substring_match(text, q.answers) for text, q in pairs]),
        "answered": len(said),
    }


def _reply(llama: Any, question: str, passages: Sequence[str]) -> str:
    turn = llama.create_chat_completion(
        messages=[{"role": "user", "content": prompt_of(llama, question, passages)}],
        temperature=0.0,
        max_tokens=ANSWER_TOKENS,
    )
    return str(turn["choices"][0]["message"]["content"] or "")


def prompt_of(llama: Any, question: str, passages: Sequence[str]) -> str:
    """Return the prompt with the first passages that fit."""
    kept: list[str] = []
    used = 0
    for passage in passages:
        used += len(llama.tokenize(passage.encode(), add_bos=False))
        if used > PROMPT_TOKENS and kept:
            break
        kept.append(passage)
    return PROMPT.format(passages="\n\n".join(kept), question=question)


def ours(folder: Path, asked: Sequence[Any], corpus: str, model: str, strategy: str, n: int) -> Row:
    """Askance in this process, which began for it: reads, ranks and answers, then does again."""
    from app.local_models.loading import model_set
    from app.settings.config import load_config
    from engine.answer import answer, search
    from engine.events import Answered, Found
    from engine.memory import Memory
    from engine.settings import Settings

    watch = Watch()
    settings = Settings(strategy=strategy, infer=False)

    def ranked(question: Any) -> list[Any]:
        words = question.text.replace('"', "")  # `search` would take a quotation for a condition
        steps = search(words, [folder], Settings(), memory=memory)
        found = next(e.result for e in steps if isinstance(e, Found))
        return [hit.passage for hit in found.hits]

    def answered(question: Any) -> str:
        events = answer(question.text, [folder], models, settings, memory=memory)
        final = next(e.answer for e in events if isinstance(e, Answered))
        return final.raw or final.text

    with Memory() as memory:
        best = [ranked(asked[0])]
        first, first_cpu = watch.now()
        spent = []
        for question in asked[1:]:
            passages, took = seconds_of(watch, partial(ranked, question))
            best.append(passages)
            spent.append(took)
        row: Row = {
            "first": first,
            "first_cpu": first_cpu,
            "second": mean([wall for wall, _ in spent]),
            "second_cpu": mean([cpu for _, cpu in spent]),
            "recall": mean([_found(corpus, *one) for one in zip(best, asked, strict=True)]),
            "disk": 0,
            "readable": 0.0,
        }
        if n:
            models = model_set(load_config(os.environ), generator=model, lookahead=model)
            replies = [seconds_of(watch, partial(answered, one)) for one in asked[:n]]
            models.close()
            said, taken = zip(*replies, strict=True)
            row |= _answered(asked, said, taken, (first, first_cpu))
        return row | {"memory": peak_of(os.getpid())}


def _found(corpus: str, passages: Sequence[Any], question: Any) -> float:
    """Return the share of gold evidence that passages hold."""
    return mean([any(_holds(corpus, s, p) for p in passages) for s in question.support])


def ripgrep(folder: Path, asked: Sequence[Any], scratch: Path) -> Row:
    """ripgrep with converters: seconds until the first line of a hit, and until the last."""
    convert = scratch / "convert.sh"
    convert.write_text(
        '#!/bin/sh\ncase "$1" in\n*.pdf) exec pdftotext "$1" - ;;\n'
        '*.docx|*.pptx|*.odt|*.epub) exec unzip -p "$1" ;;\n*) exec cat ;;\nesac\n'
    )
    convert.chmod(0o755)
    spent = []
    for question in asked:
        words = [word.strip('?.,"') for word in question.text.split()]
        patterns = [flag for word in words if len(word) > 4 for flag in ("-e", word)]
        globs = [flag for end in ("pdf", "docx", "pptx", "odt", "epub") for flag in _glob(end)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        with subprocess.Popen(
            ["rg", "-i", "-F", "--pre", convert, *globs, *patterns, folder],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            first = time.perf_counter() - began
            for _ in process.stdout:
                pass
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        spent.append((first, cpu))
    seconds, cpus = mean([wall for wall, _ in spent]), mean([cpu for _, cpu in spent])
    return {"first": seconds, "second": seconds, "first_cpu": cpus, "second_cpu": cpus, "disk": 0}


def _glob(end: str) -> tuple[str, str]:
    return "--pre-glob", f"*.{end}"


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
    """Yield who is measured in which setting: those that are installed."""
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


TIMES = ("first", "first_answer", "second", "answer")
COLUMNS = {
    "first": "first sources, s",
    "first_answer": "first answer, s",
    "second": "second sources, s",
    "answer": "second answer, s",
    "disk": "disk, MB",
    "memory": "memory, MB",
    "recall": "recall@10",
    "f1": "F1",
    "substring": "substring",
}


def table(scratch: Path, clock: str) -> None:
    """Print one table a corpus and size: each rival's better setting, with ratios to Askance."""
    rows = [json.loads(line) for line in (scratch / "rows.jsonl").read_text().splitlines()]
    for corpus, size in dict.fromkeys((row["corpus"], row["size"]) for row in rows):
        own = [r for r in rows if (r["corpus"], r["size"]) == (corpus, size)]
        items = own[0]["items"]
        print(f"\n**{corpus}**, {items:,} items, {own[0]['passages']:,} passages\n")
        print(f"| | {' | '.join(COLUMNS.values())} | text readable |")
        print("|---" * (len(COLUMNS) + 2) + "|")
        best = [_best([r for r in own if r["rival"] == n]) for n in dict.fromkeys(_names(own))]
        base = next(r for r in best if r["rival"] == "askance")
        for row in best:
            print(_line(row, base, clock))


def _names(rows: Sequence[Row]) -> list[str]:
    return [row["rival"] for row in rows]


def _best(rows: Sequence[Row]) -> Row:
    """Return the setting with the higher recall, then the quicker one; a failed one last."""
    return max(rows, key=lambda r: ("failed" not in r, r.get("recall", 0), -r.get("first", 1e9)))


def _line(row: Row, base: Row, clock: str) -> str:
    name = f"{row['rival']} {row['setting']}".strip()
    if "failed" in row:
        return f"| {name} | failed: {' '.join(row['failed'])[:120]} |"
    cells = []
    for column in COLUMNS:
        is_time = column in TIMES
        key = f"{column}_cpu" if is_time and clock == "cpu" else column
        value, over = row.get(key), base.get(key)
        if value is None:
            cells.append("")
            continue
        value = value / 1e6 if column in ("disk", "memory") else value
        text = f"{value:.3f}" if value < 10 else f"{value:.1f}"
        shown = is_time and over and row is not base
        cells.append(f"{text} ({row[key] / over:.1f} x)" if shown else text)
    readable = row.get("readable")
    cells.append("" if readable is None else "yes" if readable > 0.5 else "no")
    return f"| {name} | {' | '.join(cells)} |"


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

"""One row of the rivals' table: a rival in its own environment, Askance, ripgrep."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from rivals_corpora import Row, found_of
from rivals_watch import Watch, mean, peak_of, seconds_of

CHILD = Path(__file__).with_name("rivals_child.py")
PROMPT = (
    "Answer the question from the passages, as briefly as possible.\n\n{passages}\n\n"
    "Question: {question}\nAnswer:"
)
PROMPT_TOKENS = 1200
ANSWER_TOKENS = 48


def rival_row(name: str, setting: str, scratch: Path, files: Path, encoder: Path) -> Row:
    """Run one setting of a rival from nothing."""
    store = files / f"store_{name}_{setting}"
    shutil.rmtree(store, ignore_errors=True)
    store.mkdir()
    place = scratch / "venvs" / name / "bin" / "python"
    python = place if place.exists() else Path(sys.executable)
    known = {"HF_HUB_OFFLINE": "1", "ANONYMIZED_TELEMETRY": "False", "TOKENIZERS_PARALLELISM": "0"}
    arguments = [name, setting, files / "passages.jsonl", files / "queries.json", store, encoder]
    code, out, errors = _alone([python, CHILD, *arguments], os.environ | known, store)
    if code:
        return {"failed": errors.strip().splitlines()[-3:] or ["no message"]}
    said: Row = json.loads(out.strip().splitlines()[-1])
    lines = (files / "passages.jsonl").read_text().splitlines()
    said["disk"], said["readable"] = disk_of(store, [json.loads(x)["text"] for x in lines])
    shutil.rmtree(store)
    return said


def _alone(command: list[Any], env: dict[str, str], place: Path) -> tuple[int, str, str]:
    """Run a command and end what it leaves behind: LEANN's server outlives it, and keeps pipes."""
    with TemporaryFile("w+") as out, TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            command, stdout=out, stderr=errors, env=env, cwd=place, process_group=0
        )
        code = child.wait()
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        out.seek(0)
        errors.seek(0)
        return code, out.read(), errors.read()


def answers_of(row: Row, asked: Sequence[Any], files: Path, model: Path, count: int) -> Row:
    """Have bare llama.cpp answer from what was ranked; scores, seconds to load and to answer."""
    from llama_cpp import Llama

    if not count:
        return {}
    watch = Watch()
    cores = len(os.sched_getaffinity(0))  # as Askance's
    load = partial(Llama, str(model), n_ctx=4096, n_threads=cores, n_threads_batch=cores)
    llama, loading = seconds_of(watch, partial(load, verbose=False))
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
    """Askance in this process, which began for it: reads, ranks and answers, then does again.

    What it shows is scored, without markers; where it abstains, nothing.
    """
    from app.local_models.loader import model_set
    from app.settings.config import load_config
    from engine.answer import answer, search
    from engine.checking.citation_check import MARKER
    from engine.events import Answered, Found
    from engine.retrieval.memory import Memory
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
        return "" if final.grounded == "none" else MARKER.sub("", final.text)

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
            "recall": mean([found_of(corpus, *one) for one in zip(best, asked, strict=True)]),
            "disk": 0,
            "readable": 0.0,
        }
        if n:
            models = model_set(load_config(os.environ), generator=model, lookahead=model)
            replies = [seconds_of(watch, partial(answered, one)) for one in asked[:n]]
            models.close()
            said, taken = zip(*replies, strict=True)
            row |= _answered(asked, said, taken, (first, first_cpu))
            row["abstained"] = said.count("")
        return row | {"memory": peak_of(os.getpid())}


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


def disk_of(store: Path, texts: Sequence[str]) -> tuple[int, float]:
    """Return the bytes written, and the share of 20 passages whose words stand there plainly."""
    files = [file for file in store.rglob("*") if file.is_file()]
    whole = b"".join(file.read_bytes() for file in files)
    probes = [text[len(text) // 2 :][:24].encode() for text in texts[:: max(1, len(texts) // 20)]]
    probes = [probe for probe in probes if b"\n" not in probe and len(probe) >= 16]
    seen = sum(probe in whole for probe in probes)
    return sum(file.stat().st_size for file in files), seen / max(1, len(probes))

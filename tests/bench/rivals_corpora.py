"""The folders that every rival is asked over, what is gold in them, and what is found of it."""

from __future__ import annotations

import json
import mailbox
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rivals_watch import Watch, mean

CORPORA = {"mail": "enron_annotated", "documents": "hotpotqa"}
Row = dict[str, Any]


def questions_of(corpus: str, data: Path, count: int) -> list[Any]:
    """Return the first answerable questions with gold evidence."""
    from engine.evaluation.questions import load_questions

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
    from engine.evaluation.corpora import read_all
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
        [place for place, p in enumerate(passages) if holds(corpus, support, p)]
        for support in question.support
    ]


def holds(corpus: str, support: Any, passage: Any) -> bool:
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


def found_of(corpus: str, passages: Sequence[Any], question: Any) -> float:
    """Return the share of gold evidence that passages hold."""
    return mean([any(holds(corpus, s, p) for p in passages) for s in question.support])

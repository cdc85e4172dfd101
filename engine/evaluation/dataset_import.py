"""Writes a public set's original files as questions and a corpus in the documented format."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path
from typing import Any

from engine.errors import DataError
from ingest.datasets.values import SetDocument, SetQuestion

CHARACTERS_A_TOKEN = 4
"""Characters of a token, about that of English prose."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import wrote."""

    questions: Path
    corpus: Path | None
    """None for a set without documents."""
    count: int
    documents: int
    tokens: int
    """About the tokens of the corpus."""


def import_set(
    name: str,
    entries: Iterable[SetQuestion],
    folder: Path,
    limit: int | None = None,
    tokens: int | None = None,
    seed: int = 0,
) -> Imported:
    """Write `dev/NAME.jsonl` and `corpus/NAME.jsonl` below `folder`.

    The documents of all questions are one corpus, each once; a question names its own as
    `candidates` and `scope`, and those with its answer as `support`. `limit` questions are asked.

    With `tokens`, the corpus is TTRAG's (section 4.1): the documents of the questions asked, then
    those of other questions, drawn by `seed`, up to so many tokens, all shuffled. Raises
    `DataError` when the set has too few documents, or was imported there before.
    """
    files = {part: folder / part / f"{name}.jsonl" for part in ("dev", "corpus")}
    for file in files.values():
        if file.exists():
            raise DataError(f"{file} is there already.", remedy="Name another --out.", path=file)
    read = list(entries)
    asked = read if limit is None else read[:limit]
    if not asked:
        raise DataError(f"{name}: the files hold no question.", remedy="Name the set's own files.")
    documents = list(dict.fromkeys(one for entry in asked for one in entry.documents))
    if tokens is not None:
        documents = _filled(name, documents, read, tokens, seed)
    place_of = {document: place for place, document in enumerate(documents)}
    corpus = f"{name}.jsonl" if documents else None
    ids = _told_apart(f"{name}-{entry.id}" for entry in asked)
    rows = [
        {"id": i} | _row(name, entry, place_of, corpus) for i, entry in zip(ids, asked, strict=True)
    ]
    questions_file = _write(files["dev"], rows)
    lines = [{"title": one.title, "text": one.text} for one in documents]
    corpus_file = _write(files["corpus"], lines) if corpus else None
    return Imported(questions_file, corpus_file, len(rows), len(documents), _tokens(documents))


def _told_apart(ids: Iterable[str]) -> list[str]:
    """Return ids, with a number after each repeated one: two files may both count from 1."""
    taken: dict[str, None] = {}
    for i in ids:
        numbered = (f"{i}-{n}" for n in count(2))
        taken[next(one for one in chain([i], numbered) if one not in taken)] = None
    return list(taken)


def _filled(
    name: str, documents: list[SetDocument], read: list[SetQuestion], tokens: int, seed: int
) -> list[SetDocument]:
    """Return the documents with others of the set, shuffled, at least `tokens` together."""
    draw = random.Random(seed)  # noqa: S311
    known = set(documents)
    others = list(dict.fromkeys(d for entry in read for d in entry.documents if d not in known))
    draw.shuffle(others)
    filled, size = list(documents), _tokens(documents)
    while size < tokens and others:
        filled.append(others.pop())
        size += _tokens(filled[-1:])
    if size < tokens:
        raise DataError(
            f"{name}: all documents of the files are about {size:,} tokens, fewer than {tokens:,}.",
            remedy="Name more of the set's files (its training part), or fewer tokens.",
        )
    draw.shuffle(filled)
    return filled


def _tokens(documents: Iterable[SetDocument]) -> int:
    return sum(len(one.title) + len(one.text) for one in documents) // CHARACTERS_A_TOKEN


def _row(
    name: str, entry: SetQuestion, place_of: dict[SetDocument, int], corpus: str | None
) -> dict[str, Any]:
    own = entry.documents
    support: list[dict[str, Any]] = [
        {"title": own[place].title, "line": place_of[own[place]]} for place in entry.gold
    ]
    support += [{"title": own[place].title, "turn": turn} for place, turn in entry.turns]
    row: dict[str, Any] = {
        "dataset": f"{name}-{entry.part}" if entry.part else name,
        "question": entry.question,
        "answers": list(entry.answers),
        "answers_mode": entry.mode,
    }
    if corpus is None:
        row["context"] = []
    else:
        row["corpus"] = corpus
        row["candidates"] = list(dict.fromkeys(place_of[document] for document in own))
        row["scope"] = list(dict.fromkeys(document.title for document in own))
    if support:
        row["support"] = support
    if entry.options:
        row |= {"options": list(entry.options), "answer_index": entry.answer_index}
    if entry.unanswerable:
        row["unanswerable"] = True
    return row


def _write(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return file

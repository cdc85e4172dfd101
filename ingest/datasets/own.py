"""A person's own questions, from a small YAML file.

    - question: When does the lease end?
      answer: 30 June 2027
      source: lease.pdf

`answer` may be a list, any of which is right (`all: true`: every one); without it the files are
not expected to say. `source` is part of a file's name, a title or a Message-ID, or a list of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ingest.datasets.values import NotAsDocumented

FIELDS = ("question", "answer", "source", "all")
LARGEST = 1 << 20
"""Bytes of a file that is read."""


def own_rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line on which each entry begins, and the entry as a row of the JSONL format.

    Every value is taken as it is typed: `yes` is a word, 2027-06-30 no date object. Raises
    `NotAsDocumented` with line and field, and `OSError`.
    """
    with file.open("rb") as stream:
        data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise NotAsDocumented(f"{file} is larger than {LARGEST >> 20} MB")
    try:
        root = yaml.compose(data.decode("utf-8-sig"), Loader=yaml.BaseLoader)
    except UnicodeDecodeError as error:
        raise NotAsDocumented(f"{file} is not UTF-8 ({error})") from error
    except RecursionError as error:
        raise NotAsDocumented(f"{file} has brackets within brackets without end") from error
    except yaml.YAMLError as error:
        raise NotAsDocumented(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(root, yaml.SequenceNode):
        raise NotAsDocumented(f"{file}: a list of questions is expected (- question: …)")
    for number, node in enumerate(root.value, start=1):
        line = node.start_mark.line + 1
        yield line, _row(_fields(node, file), number, f"{file}, line {line}")


def _fields(node: Any, file: Path) -> dict[str, list[str] | str]:
    """Return an entry's fields, each a text or a list of texts."""
    where = f"{file}, line {node.start_mark.line + 1}"
    if not isinstance(node, yaml.MappingNode):
        raise NotAsDocumented(f'{where}: "question: …" is expected')
    found: dict[str, list[str] | str] = {}
    for key, value in node.value:
        place = f"{file}, line {key.start_mark.line + 1}"
        if key.value in found:
            raise NotAsDocumented(f'{place}: "{key.value}" is there twice')
        if key.value not in FIELDS:
            known = ", ".join(FIELDS)
            raise NotAsDocumented(f'{place}: "{key.value}" is unknown; there are {known}')
        parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not all(isinstance(part, yaml.ScalarNode) for part in parts):
            raise NotAsDocumented(f'{place}: "{key.value}" is neither a text nor a list of texts')
        texts = [part.value.strip() for part in parts]
        found[key.value] = texts if isinstance(value, yaml.SequenceNode) else texts[0]
    return found


def _row(fields: dict[str, list[str] | str], number: int, where: str) -> dict[str, Any]:
    question = fields.get("question")
    if not isinstance(question, str) or not question:
        raise NotAsDocumented(f'{where}: "question" is missing')
    every = fields.get("all", "false")
    if every not in ("true", "false"):
        raise NotAsDocumented(f'{where}: "all" is neither true nor false')
    answers = _texts(fields.get("answer"))
    return {
        "id": f"{number}",
        "question": question,
        "answers": answers,
        "answers_mode": "all" if every == "true" else "any",
        "unanswerable": not answers,
        "support": [{"source": source} for source in _texts(fields.get("source"))],
    }


def _texts(value: list[str] | str | None) -> list[str]:
    parts = value if isinstance(value, list) else [value or ""]
    return [part for part in parts if part not in ("", "~", "null")]

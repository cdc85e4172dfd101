"""Which sets there are, and how each is read."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ingest.datasets import long, multihop, single
from ingest.datasets.opening import Form, rows
from ingest.datasets.values import NotAsDocumented, SetQuestion


@dataclass(frozen=True, slots=True)
class Dataset:
    """A set's file and its reader."""

    name: str
    files: str
    """What the authors call the files."""
    form: Form
    read: Callable[[str, Any], SetQuestion | Iterator[SetQuestion]]
    """From a row and its key (its number where it has none) to its questions."""
    is_tried: bool = False
    """Whether it was tried on the authors' file itself, and not only on its description."""


def _plain(read: Callable[[Any], SetQuestion]) -> Callable[[str, Any], SetQuestion]:
    return lambda _key, row: read(row)


DATASETS = {
    one.name: one
    for one in (
        Dataset("hotpotqa", "hotpot_dev_distractor_v1.json", "rows", _plain(multihop.hotpotqa)),
        Dataset("2wikimultihopqa", "dev.json", "rows", _plain(multihop.hotpotqa)),
        Dataset("musique", "musique_ans_v1.0_dev.jsonl", "rows", _plain(multihop.musique)),
        Dataset("nq", "simplified JSON lines, or NQ-open.dev.jsonl", "rows", _plain(single.nq)),
        Dataset("qasper", "qasper-dev-v0.3.json", "members", long.qasper),
        Dataset("quality", "QuALITY.v1.0.1.dev", "rows", lambda _key, row: long.quality(row)),
        Dataset("qmsum", "test.jsonl", "rows", lambda key, row: long.qmsum(int(key), row), True),
        Dataset("pubmedqa", "ori_pqal.json", "members", single.pubmedqa, True),
        Dataset("strategyqa", "train.json", "rows", _plain(multihop.strategyqa), True),
        Dataset(
            "triviaqa", "web-dev.json and the folder evidence", "data", _plain(single.triviaqa)
        ),
        Dataset("popqa", "popQA.tsv", "cells", _plain(single.popqa)),
        Dataset("crag", "crag_task_1_and_2_dev_v4.jsonl.bz2", "rows", _plain(single.crag), True),
        Dataset("longbench", "hotpotqa.jsonl etc.", "rows", _plain(long.longbench)),
        Dataset(
            "infinitebench",
            "longbook_qa_eng.jsonl and the like",
            "rows",
            _plain(long.infinitebench),
        ),
        Dataset("locomo", "locomo10.json", "rows", lambda key, row: long.locomo(int(key), row)),
        Dataset(
            "bamboogle", "Bamboogle Prerelease - Sheet1.csv", "cells", _plain(multihop.bamboogle)
        ),
    )
}


def entries(name: str, files: Sequence[Path]) -> Iterator[SetQuestion]:
    """Yield the questions of a set's original files, in order.

    For TriviaQA one of the paths may be the folder of its texts. Raises `NotAsDocumented` with
    file, place and field, and `OSError`.
    """
    dataset = DATASETS[name]
    folder = next((path for path in files if path.is_dir()), None)
    read = dataset.read
    if name == "triviaqa":
        read = lambda _key, row: single.triviaqa(row, folder)  # noqa: E731
    for file in files:
        if file is not folder:
            part = file.name.partition(".")[0] if name == "infinitebench" else None
            yield from _of_file(file, dataset.form, read, part)


def _of_part(entry: SetQuestion, part: str) -> SetQuestion:
    """Return a question of a suite: the name of its file says which set it is from."""
    return replace(entry, part=part, mode="summary" if "_sum_" in part else entry.mode)


def _of_file(
    file: Path,
    form: Form,
    read: Callable[[str, Any], SetQuestion | Iterator[SetQuestion]],
    part: str | None,
) -> Iterator[SetQuestion]:
    where = "the file"
    try:
        for place, key, row in rows(file, form):
            where = place
            found = read(key, row)
            for one in (found,) if isinstance(found, SetQuestion) else found:
                yield one if part is None else _of_part(one, part)
    except (NotAsDocumented, KeyError, TypeError, AttributeError, IndexError) as error:
        raise NotAsDocumented(f"{file}, {where}: {_said(error)}") from error
    except (UnicodeDecodeError, zipfile.BadZipFile, EOFError, zlib.error) as error:
        raise NotAsDocumented(f"{file} could not be read: {error}") from error
    except OSError as error:
        if error.filename is not None:
            raise
        raise NotAsDocumented(f"{file} could not be unpacked: {error}") from error


def _said(error: Exception) -> str:
    if isinstance(error, NotAsDocumented):
        return str(error)
    return f"{error} is missing" if isinstance(error, KeyError) else f"not as documented ({error})"

"""The data behind a row, so that runs over different data are never mixed or compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.errors import DataError
from engine.evaluation.runs import Row
from engine.retrieval.corpus import Corpus

SHOWN = 12
"""Characters of a hash that a message shows."""


class DataDiffers(DataError):
    """Two runs, or the two halves of one, were made over different data."""

    kind = "data_differs"


def corpus_sha256(corpus: Corpus) -> str:
    """Return a hash of all items: kind, title and text, in any order and wherever they lie."""
    items = {id(passage.item): passage.item for passage in corpus.passages}.values()
    each = sorted(
        hashlib.sha256(
            f"{item.kind}\0{item.title}\0{item.text}".encode("utf-8", "replace")
        ).digest()
        for item in items
    )
    return hashlib.sha256(b"".join(each)).hexdigest()


def refuse_other_question(row: Row, now: str, out: Path | None) -> None:
    """Refuse to resume a run file in which the question had other words. Raises `DataDiffers`.

    Rows of older versions say nothing.
    """
    before = row.get("data", {}).get("question")
    if before is not None and before != now:
        raise _differs(f"the question {row['id']}", before, now, out)


def refuse_other_corpus(rows: Iterable[Row], now: str, out: Path | None) -> None:
    """Refuse to resume a run file that was made over another corpus. Raises `DataDiffers`."""
    for row in rows:
        before = row.get("data", {}).get("corpus")
        if before is not None and before != now:
            raise _differs(f"the corpus of {row['id']}", before, now, out)


def _differs(what: str, before: str, now: str, out: Path | None) -> DataDiffers:
    return DataDiffers(
        f"{out or 'This run'} was made over other data: {what} was {before[:SHOWN]} and is "
        f"{now[:SHOWN]} now.",
        remedy="Give another --out, or ask over the data of then.",
        path=out,
    )


def refuse_to_compare(ones: Sequence[Row], others: Sequence[Row], names: tuple[str, str]) -> None:
    """Raise `DataDiffers`, with the difference named, unless both were asked the same.

    Only questions in both runs are compared: their text and corpus must be the same.
    """
    known = {row["id"]: row for row in ones}
    shared = [(known[row["id"]], row) for row in others if row["id"] in known]
    if not shared:
        raise DataDiffers(
            f"{names[0]} and {names[1]} have no question in common: "
            f"the one has {_some(ones)}, the other {_some(others)}.",
            remedy="Compare runs of the same questions.",
        )
    for one, other in shared:
        for part in ("question", "corpus"):
            left, right = (row.get("data", {}).get(part) for row in (one, other))
            if left is not None and right is not None and left != right:
                raise DataDiffers(
                    f"{names[0]} and {names[1]} were made over different data: the {part} of "
                    f"{one['id']} is {left[:SHOWN]} in the one and {right[:SHOWN]} in the other.",
                    remedy="Compare runs over the same questions and corpus.",
                )


def _some(rows: Sequence[Row]) -> str:
    ids = sorted({row["id"] for row in rows})
    return f"{', '.join(ids[:3])} …" if len(ids) > 3 else ", ".join(ids) or "none"

"""What a question is asked over: paths, the corpus that its file names, or its own context."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine import answer as path_of_a_question
from engine.errors import DataError, NoSources
from engine.evaluation.provenance import corpus_sha256
from engine.evaluation.questions import Question
from engine.retrieval.corpus import Corpus, corpus_of, only
from engine.retrieval.memory import Memory
from engine.retrieval.passages import split_item
from engine.settings import Settings
from engine.stages import Timings
from engine.values import Query
from ingest.documents.records import line_items
from ingest.item import Filters, Item, Locator, People
from ingest.origin import Origin
from ingest.sieve import Scope


@dataclass(frozen=True, slots=True)
class Read:
    """A corpus and its hash."""

    corpus: Corpus
    sha256: str


class CorpusReader:
    """Reads the corpora of questions, each corpus once for successive questions over it."""

    def __init__(
        self,
        file: Path,
        over: Sequence[Path],
        settings: Settings,
        told: Sequence[Path | None] = (),
    ) -> None:
        """Read for the questions of `file` over `over`, or over what each names.

        `file` and `told` hold answers, so they are never evidence, wherever they are.
        """
        self._file = file.absolute()
        self._over = over
        self._told = {path.resolve() for path in (file, *told) if path is not None}
        self._settings = settings
        self._last: tuple[tuple[Path, ...], Read] | None = None

    def corpus_for(self, question: Question) -> Read:
        """Return what a question is asked over. Raises `NoSources`."""
        if question.context is not None and not self._over:
            corpus = _from_context(question, self._file, self._settings)
            return Read(corpus, corpus_sha256(corpus))
        sources = sources_of(question, self._file, self._over)
        if self._last is None or self._last[0] != sources:
            corpus = self._untold(read_all(sources, self._settings), sources)
            self._last = sources, Read(corpus, corpus_sha256(corpus))
        return self._last[1]

    def _untold(self, corpus: Corpus, sources: Sequence[Path]) -> Corpus:
        """Return a corpus without the files that hold answers. Raises `DataError`."""
        paths = {passage.item.locator.path for passage in corpus.passages}
        told = {path for path in paths if path.resolve() in self._told}
        if not told:
            return corpus
        items = [p.item for p in corpus.passages if p.item.locator.path not in told]
        if not items:
            raise _unread("Nothing was read but the questions", sources)
        return only(corpus, items)


def sources_of(question: Question, file: Path, over: Sequence[Path]) -> tuple[Path, ...]:
    """Return the paths a question is asked over. Raises `NoSources`."""
    if over:
        return tuple(over)
    if question.corpus is None:
        raise NoSources(f"{question.id} names no corpus.", remedy="Give the paths to ask over.")
    places = (file.parent.parent / "corpus" / question.corpus, file.parent / question.corpus)
    for place in places:
        if place.exists() and not place.samefile(file):  # the answers are no corpus
            return (place,)
    raise NoSources(
        f"The corpus {question.corpus} of {question.id} is not there.",
        remedy="Give the paths to ask over.",
        path=places[0],
    )


def read_all(sources: Sequence[Path], settings: Settings) -> Corpus:
    """Read sources to their end.

    Raises `DataError` where that failed: figures over half a corpus look like those over all of it.
    Files that cannot be read at all are no error, as no strategy can read them.
    """
    for source in sources:
        if not source.exists():
            raise DataError(f"{source} is not there.", remedy="Check the path.", path=source)
    whole = replace(settings, attachments=math.inf, scans=0)  # the same corpus at every run
    with Memory() as memory:
        corpus: Corpus = result_of(
            path_of_a_question.read_now(Query("evaluation"), sources, whole, Timings(), memory)
        )
    left = corpus.coverage.unread
    if corpus.passages and not left:
        return corpus
    why = "".join(f" ({skipped.reason})" for skipped in corpus.coverage.skipped[:1])
    raise _unread(
        f"{left} files were not read to their end{why}" if left else f"Nothing was read{why}",
        sources,
    )


def _unread(what: str, sources: Sequence[Path]) -> DataError:
    return DataError(
        f"{what}.",
        remedy="An evaluation needs its whole corpus: `askance search` says what hinders.",
        path=sources[0],
    )


def _from_context(question: Question, file: Path, settings: Settings) -> Corpus:
    """Return the corpus in the question's own line; an empty one for a closed book."""
    lines = "\n".join(question.context or ()).encode()
    if not lines:
        return corpus_of([], stemming=settings.stemming)
    origin = Origin(question.id, None, People(), Locator(file))
    found = line_items(lines, origin, Scope(Filters(), UTC, datetime.now(UTC)))
    items = [item for item in found if isinstance(item, Item)]
    passages = [passage for item in items for passage in split_item(item)]
    return corpus_of(passages, stemming=settings.stemming)


def result_of(steps: Any) -> Any:
    """Run steps to their end and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value

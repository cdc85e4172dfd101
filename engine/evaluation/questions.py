"""Questions with known answers, from the documented JSONL format (docs/evaluation.md).

One object a line: `id`, `question`, `answers`, and optionally `dataset`, `answers_mode` ("any",
"all", "summary"), `question_original`, `corpus` or `context`, `scope`, `support`, `candidates`,
`options` with `answer_index`, `unanswerable`. Unknown keys are passed over; a missing or wrong
one is a `DataError` with its line and field.
"""

from __future__ import annotations

import hashlib
import json
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from engine.errors import DataError
from engine.values import Passage
from ingest.datasets.own import own_rows
from ingest.datasets.values import NotAsDocumented
from ingest.item import Item

MODES = ("any", "all", "summary")


@dataclass(frozen=True, slots=True)
class Support:
    """One piece of gold evidence, in any of five shapes: line, lines, turn, Message-ID, source."""

    title: str = ""
    lines: tuple[int, ...] = ()
    """0-based lines of the corpus file; any one of them is enough."""
    turn: str = ""
    message_id: str = ""
    source: str = ""
    """Part of a file's name, a title or a Message-ID, in any case, as a person writes it."""

    def held_by(self, passage: Passage) -> bool:
        """Say whether a passage is from this evidence (or holds its turn)."""
        item = passage.item
        if self.source:
            known = (item.title, item.locator.path.name, item.locator.message_id or "")
            return any(self.source.casefold() in name.casefold() for name in known)
        if self.message_id:
            return item.locator.message_id == self.message_id
        if item.locator.message_id:
            return item.locator.message_id in self.title
        if self.turn:
            # the whole mark: turn D1:3 is not in "[D1:30]"
            mark = rf"(?!\B\w){re.escape(self.turn)}(?<!\w\B)"
            return item.title == self.title and re.search(mark, passage.text) is not None
        if self.lines and item.locator.line is not None:
            return item.locator.line - 1 in self.lines
        return item.title == self.title


@dataclass(frozen=True, slots=True)
class Question:
    """One line of an evaluation file."""

    id: str
    dataset: str
    text: str
    original: str
    """The question without its context sentence; `text` when the file has none."""
    answers: tuple[str, ...]
    mode: str
    unanswerable: bool
    corpus: str | None
    scope: tuple[str, ...]
    support: tuple[Support, ...]
    candidates: tuple[int, ...] = ()
    """0-based lines of the corpus file that are the question's own set, distractors included."""
    context: tuple[str, ...] | None = None
    """JSON lines `{"title", "text"}` that are the question's own corpus; None: it names one."""
    options: tuple[str, ...] = ()
    """The options to choose from; empty for a free answer."""
    answer_index: int | None = None
    """0-based place of the right option."""
    sha256: str = ""
    """Hash of the question's whole line: equal lines are the same question."""

    @property
    def with_options(self) -> str:
        """The question with its options below it, each with its letter."""
        shown = zip(ascii_uppercase, self.options, strict=False)
        return "\n".join([self.text, *(f"{letter}. {option}" for letter, option in shown)])

    def is_candidate(self, item: Item) -> bool:
        """Say whether an item is one of `candidates`."""
        return item.locator.line is not None and item.locator.line - 1 in self.candidates

    def in_scope(self, item: Item) -> bool:
        """Say whether an item is one the question is about."""
        message_id = item.locator.message_id
        return item.title in self.scope or (
            message_id is not None and any(message_id in title for title in self.scope)
        )


def load_questions(file: Path) -> Iterator[Question]:
    """Yield the questions of a file in order: JSONL, or a person's own as YAML.

    Raises `DataError` naming file, line and field; also for an id that occurs twice, as rows of a
    run are found by it.
    """
    line_of: dict[str, int] = {}
    for number, row in _rows(file):
        question = question_of(row, file, f"line {number}")
        before = line_of.setdefault(question.id, number)
        if before != number:
            raise DataError(
                f'{file}, line {number}: the "id" {question.id} is that of line {before}.',
                remedy="Give every question an id of its own.",
                path=file,
            )
        yield question


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the line on which each question begins, and its row."""
    try:
        if file.suffix.lower() in (".yaml", ".yml"):
            yield from own_rows(file)
            return
        with file.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                text = line.removeprefix(BOM_UTF8 if number == 1 else b"")
                if text.strip():
                    yield number, _object(text, file, number)
    except NotAsDocumented as error:
        raise DataError(f"{error}.", remedy="See docs/evaluation.md.", path=file) from error
    except OSError as error:
        raise DataError(
            f"{file} could not be read: {error}.", remedy="Give a JSONL or YAML file.", path=file
        ) from error


def question_of(row: dict[str, Any], file: Path, where: str) -> Question:
    """Return the question a row describes. Raises `DataError` naming `where` and the field."""
    known = _RowFields(row, file, where)
    text = known.take("question", _words)
    options = known.take("options", _texts, ())
    index = known.take("answer_index", _whole, None)
    if len(options) > len(ascii_uppercase):
        raise known.wrong("options", f"has {len(options)} of them, more than there are letters")
    if options and index is None:
        raise known.wrong("answer_index", "is missing, and there are options")
    if index is not None and index >= len(options):
        raise known.wrong("answer_index", f"is {index}, and there are {len(options)} options")
    return Question(
        id=known.take("id", _words),
        dataset=known.take("dataset", _text, file.stem),
        text=text,
        original=known.take("question_original", _text, text),
        answers=known.take("answers", _texts),
        mode=known.take("answers_mode", _mode, "any"),
        unanswerable=known.take("unanswerable", _truth, False),
        corpus=known.take("corpus", _text, None),
        scope=known.take("scope", _texts, ()),
        support=known.take("support", _supports, ()),
        candidates=known.take("candidates", _numbers, ()),
        context=known.take("context", _context, None),
        options=options,
        answer_index=index,
        sha256=hashlib.sha256(json.dumps(row, sort_keys=True).encode()).hexdigest(),
    )


_REQUIRED = object()


@dataclass(frozen=True, slots=True)
class _RowFields:
    """One row, and the place that its errors name."""

    row: dict[str, Any]
    file: Path
    where: str

    def take(self, name: str, read: Callable[[Any], Any], default: Any = _REQUIRED) -> Any:
        """Return a field through `read`; null counts as missing."""
        value = self.row.get(name)
        if value is None:
            if default is _REQUIRED:
                raise self.wrong(name, "is missing")
            return default
        try:
            return read(value)
        except (TypeError, KeyError, ValueError) as error:
            raise self.wrong(name, f"is not as documented ({error})") from error

    def wrong(self, name: str, what: str) -> DataError:
        return DataError(
            f'{self.file}, {self.where}: "{name}" {what}.',
            remedy="Each line needs id, question and answers; docs/evaluation.md has the rest.",
            path=self.file,
        )


def _object(line: bytes, file: Path, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError) as error:  # also a number of thousands of digits
        raise DataError(
            f"{file}, line {number}: not JSON in UTF-8 ({error}).",
            remedy="Correct the line.",
            path=file,
        ) from error
    if not isinstance(row, dict):
        raise DataError(
            f"{file}, line {number}: not a JSON object.", remedy="Correct the line.", path=file
        )
    return row


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text is expected")
    value.encode()  # half a surrogate pair could not be written to a run file
    return value


def _words(value: Any) -> str:
    if not _text(value).strip():
        raise ValueError("it is empty")
    return str(value)


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of texts is expected")
    return tuple(_text(one) for one in value)


def _mode(value: Any) -> str:
    if value not in MODES:
        raise ValueError(f"one of {', '.join(MODES)} is expected")
    return str(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false is expected")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError("a whole number from 0 on is expected")
    return value


def _numbers(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of line numbers is expected")
    return tuple(_whole(one) for one in value)


def _context(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError('a list of {"title", "text"} is expected')
    kept = [{"title": _text(one["title"]), "text": _text(one["text"])} for one in value]
    return tuple(json.dumps(one) for one in kept)


def _supports(value: Any) -> tuple[Support, ...]:
    if not isinstance(value, list):
        raise TypeError("a list of evidence is expected")
    return tuple(_support(one) for one in value)


def _support(one: Any) -> Support:
    if isinstance(one, str):
        return Support(message_id=_words(one))
    if "source" in one:
        return Support(source=_words(one["source"]))
    lines = one["lines"] if "lines" in one else [one["line"]] if "line" in one else []
    return Support(_text(one["title"]), _numbers(lines), _text(one.get("turn", "")))

"""The evidence trail of `--explain`: what each stage ranked, sampled and voted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TypeVar

from app.output.certainty import certainty_line, reason_lines
from app.output.plain import one_line
from app.output.report import shortened
from app.output.stages import expected_text, loading_text
from engine.events import (
    Compressed,
    Decided,
    Drafted,
    Event,
    Expected,
    FollowedUp,
    Noted,
    Ranked,
    Sampled,
    Selected,
    Voted,
)
from engine.values import Answer, Passage
from ingest.item import Locator
from models.roles import Loading

PASSAGES_SHOWN = 10
TITLE_SHOWN = 60

Explaining = (
    Ranked
    | Selected
    | Compressed
    | Sampled
    | Drafted
    | Voted
    | FollowedUp
    | Decided
    | Expected
    | Noted
)
"""The events that say how an answer came about."""
Kept = TypeVar("Kept", bound=Explaining)


class PassageNumbers:
    """Names passages p1, p2, … in the order in which they are first shown."""

    def __init__(self) -> None:
        """Start with none."""
        self._known: dict[tuple[Locator, int, int], int] = {}

    def of(self, passage: Passage) -> str:
        """Return a passage's name; one that was cut keeps it."""
        place = (passage.item.locator, passage.start, passage.end)
        return f"p{self._known.setdefault(place, len(self._known) + 1)}"

    def knows(self, passage: Passage) -> bool:
        """Say whether it was shown before."""
        return (passage.item.locator, passage.start, passage.end) in self._known

    def beside(self, kept: Sequence[Passage]) -> list[str]:
        """Return the names shown so far that are none of these."""
        names = {self.of(passage) for passage in kept}
        return [name for number in self._known.values() if (name := f"p{number}") not in names]


class Trail:
    """Keeps the events that explain an answer."""

    def __init__(self) -> None:
        """Start empty."""
        self.events: list[Explaining] = []
        self.loadings: Sequence[Loading] = ()
        """Models that were loaded for it, and what made room."""

    def note(self, event: Event) -> None:
        """Keep the event if it explains something."""
        if isinstance(event, Explaining):
            self.events.append(event)

    def text(self, answer: Answer, *, spoken: bool = False) -> str:
        """Return the trail for people; `spoken`: for those who hear it."""
        shown = ["", f"How this answer came about ({answer.strategy}):"]
        numbers = PassageNumbers()
        for event in self.events:
            shown.extend(event_lines(event, numbers))
        shown.extend(outcome_lines(answer, self.loadings, spoken=spoken))
        return "\n".join(shown)

    def budget_object(self, answer: Answer) -> dict[str, object]:
        """Return the `budget` member of `--json`: what it might take, was thought to, and took."""
        first = next(self._all(Expected), None)
        seconds = first.seconds if first else None
        return {
            "tokens": first.budget if first else None,
            "effective_context": answer.usage.effective_context,
            "expected_ms": None if seconds is None else round(seconds * 1000, 1),
        }

    def object(self, answer: Answer) -> dict[str, object]:
        """Return the trail as the `explain` member of `--json`."""
        return {
            "loadings": [asdict(loading) for loading in self.loadings],
            "ranked": [_ranked_object(one) for one in self._all(Ranked)],
            "selected": [_selected_object(one) for one in self._all(Selected)],
            "compressed": [_compressed_object(one) for one in self._all(Compressed)],
            "samples": [_sample_object(one) for one in sorted(self._all(Sampled), key=_index)],
            "readings": [_reading_object(one) for one in sorted(self._all(Drafted), key=_index)],
            "votes": [_vote_object(one) for one in self._all(Voted)],
            "follow_ups": [
                {"question": one.question, "answer": one.answer} for one in self._all(FollowedUp)
            ],
            "decisions": [
                {"stage": one.stage, "ran": one.taken, "why": one.why} for one in self._all(Decided)
            ],
            "expected": [
                {"tokens": one.tokens, "seconds": one.seconds} for one in self._all(Expected)
            ],
            "notes": [one.text for one in self._all(Noted)],
            "confidence": answer.confidence,
            "effective_context": answer.usage.effective_context,
            "tokens": asdict(answer.usage),
            "raw": answer.raw,
        }

    def _all(self, kind: type[Kept]) -> Iterator[Kept]:
        return (event for event in self.events if isinstance(event, kind))


def outcome_lines(
    answer: Answer, loadings: Sequence[Loading], *, spoken: bool = False
) -> Iterator[str]:
    """Yield how sure the answer is and why, what models took part, and what they handled."""
    yield f"  certainty: {certainty_line(answer)}"
    yield from (f"    {reason}" for reason in reason_lines(answer, spoken=spoken))
    for role, model, used in (
        ("look-ahead", answer.models.lookahead, answer.usage.lookahead),
        ("generator", answer.models.generator, answer.usage.generator),
    ):
        if model:
            tokens = f"{used.prompt:,} read ({used.computed:,} computed)"
            yield (
                f"  {role} {model}: tokens {tokens}, {used.generated:,} written, "
                f"{used.calls:,} prompts"
            )
    yield from (f"  {loading_text(loading)}" for loading in loadings)
    yield f"  effective context: {answer.usage.effective_context:,} tokens"


def event_lines(event: Explaining, numbers: PassageNumbers) -> list[str]:
    """Return what one event says to people, passages by their names."""
    match event:
        case Sampled():
            said = f"{event.rationale} -> {event.answer}"
            return [f"  look-ahead sample {event.index + 1}: {shortened(said)}"]
        case Drafted():
            read = " ".join(map(numbers.of, event.passages))
            return [f"  reading {event.index + 1}, of {read}: {shortened(event.text)}"]
        case Voted():
            return _vote_lines(event)
        case FollowedUp():
            number, question = event.index + 1, shortened(event.question)
            if not event.answer:
                return [f"  rewritten question {number}: {question}"]
            return [f"  follow-up {number}: {question} -> {shortened(event.answer)}"]
        case Decided():
            did = "ran" if event.taken else "did not run"
            return [f"  {event.stage} {did}: {shortened(event.why)}"]
        case Expected():
            return [f"  still to come: {expected_text(event)}"]
        case Noted():
            return [f"  {shortened(event.text)}"]
        case Selected():
            return _kept_lines(event, numbers)
        case Ranked():
            return _ranked_lines(event, numbers)
        case Compressed():
            return _compressed_lines(event)


def _vote_lines(event: Voted) -> list[str]:
    rows = [
        f"{' '.join(f'{value:.2f}' for value in row)}  sum {sum(row):.2f}" for row in event.matrix
    ]
    said = [
        f"  votes: {event.votes} of {event.of} readings agree with reading {event.winner + 1}; "
        "how alike they are:",
        *(f"    {number}: {row}" for number, row in enumerate(rows, start=1)),
    ]
    if event.tokens_saved is not None:
        whole = f"{event.of} whole answers"
        said.append(f"    tokens saved against {whole}: {event.tokens_saved:,}")
    return said


def _kept_lines(event: Selected, numbers: PassageNumbers) -> list[str]:
    """Say what was kept and, of what was shown before, what was not; titles of what is new."""
    new = [passage for passage in event.kept if not numbers.knows(passage)]
    dropped = numbers.beside(event.kept)[:PASSAGES_SHOWN]
    kept = " ".join(map(numbers.of, event.kept))
    rest = f"; dropped: {' '.join(dropped)}" if dropped else ""
    count = f"{len(event.kept):,} of {event.of:,} passages"
    return [
        f"  kept by {event.stage}: {count}{': ' if kept else ''}{kept}{rest}",
        *(f"    {numbers.of(passage):>4} {_titled(passage)}" for passage in new),
    ]


def _titled(passage: Passage) -> str:
    return f"{passage.item.kind.value} {one_line(passage.item.title)[:TITLE_SHOWN]}"


def _ranked_lines(event: Ranked, numbers: PassageNumbers) -> list[str]:
    parts = "".join(f", {name}" for name in event.parts)
    shown = [f"  ranked by {event.stage} (score{parts}):"]
    for rank, (passage, score) in enumerate(
        zip(event.passages[:PASSAGES_SHOWN], event.scores, strict=False)
    ):
        values = "".join(f" {part[rank]:8.3f}" for part in event.parts.values())
        shown.append(f"    {numbers.of(passage):>4} {score:8.3f}{values}  {_titled(passage)}")
    return shown


def _compressed_lines(event: Compressed) -> list[str]:
    of = f"{sum(event.kept):,} of {len(event.kept):,} sentences"
    by = {"query": "attention", "bm25": "BM25"}.get(event.by, event.by)
    shown = [f"  kept by {by}: {of} (score, + for kept):"]
    order = sorted(range(len(event.scores)), key=lambda i: -event.scores[i])
    for i in order[:PASSAGES_SHOWN]:
        sentence = one_line(event.sentences[i].text)[:TITLE_SHOWN]
        shown.append(f"    {event.scores[i]:8.3f} {'+' if event.kept[i] else ' '} {sentence}")
    return shown


def _compressed_object(event: Compressed) -> dict[str, object]:
    rows = zip(event.sentences, event.scores, event.kept, strict=True)
    return {
        "by": event.by,
        "sentences": [
            {"score": score, "kept": kept, **_place(sentence)} for sentence, score, kept in rows
        ],
    }


def _ranked_object(event: Ranked) -> dict[str, object]:
    rows = []
    for rank, (passage, score) in enumerate(zip(event.passages, event.scores, strict=True)):
        parts = {name: part[rank] for name, part in event.parts.items()}
        rows.append({"score": score, **parts, **_place(passage)})
    return {"stage": event.stage, "passages": rows}


def _selected_object(event: Selected) -> dict[str, object]:
    return {"stage": event.stage, "of": event.of, "passages": list(map(_place, event.kept))}


def _sample_object(event: Sampled) -> dict[str, object]:
    return {"index": event.index, "rationale": event.rationale, "answer": event.answer}


def _reading_object(event: Drafted) -> dict[str, object]:
    return {
        "index": event.index,
        "text": event.text,
        "passages": list(map(_place, event.passages)),
    }


def _vote_object(event: Voted) -> dict[str, object]:
    return {
        "votes": event.votes,
        "of": event.of,
        "matrix": event.matrix,
        "winner": event.winner,
        "tokens_saved": event.tokens_saved,
    }


def _index(event: Sampled | Drafted) -> int:
    return event.index


def _place(passage: Passage) -> dict[str, object]:
    return {
        "kind": passage.item.kind.value,
        "title": passage.item.title,
        "path": str(passage.item.locator.path),
        "start": passage.start,
        "end": passage.end,
    }

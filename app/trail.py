"""The evidence trail of `--explain`: what each stage ranked, sampled and voted."""

from __future__ import annotations

from app.plain import one_line
from app.report import shortened
from engine.events import Event, Ranked, Sampled, Voted
from engine.values import Answer

PASSAGES_SHOWN = 10
TITLE_SHOWN = 60


class Trail:
    """Keeps the events that explain an answer."""

    def __init__(self) -> None:
        """Start empty."""
        self.events: list[Ranked | Sampled | Voted] = []

    def note(self, event: Event) -> None:
        """Keep the event if it explains something."""
        if isinstance(event, Ranked | Sampled | Voted):
            self.events.append(event)

    def text(self, answer: Answer) -> str:
        """Return the trail for people."""
        shown = ["", f"How this answer came about ({answer.strategy}):"]
        for event in self.events:
            shown.extend(_event_lines(event))
        if answer.confidence is not None:
            shown.append(f"  confidence that the evidence holds it: {answer.confidence:.2f}")
        for role, model, used in (
            ("look-ahead", answer.models.lookahead, answer.usage.lookahead),
            ("generator", answer.models.generator, answer.usage.generator),
        ):
            if model:
                tokens = f"{used.prompt:,} read ({used.computed:,} computed)"
                shown.append(f"  {role} {model}: tokens {tokens}, {used.generated:,} written")
        return "\n".join(shown)

    def object(self, answer: Answer) -> dict[str, object]:
        """Return the trail as the `explain` member of `--json`."""
        return {
            "ranked": [_ranked_object(one) for one in self.events if isinstance(one, Ranked)],
            "samples": [
                {"rationale": one.rationale, "answer": one.answer}
                for one in self.events
                if isinstance(one, Sampled)
            ],
            "votes": [
                {"votes": one.votes, "of": one.of} for one in self.events if isinstance(one, Voted)
            ],
            "confidence": answer.confidence,
            "raw": answer.raw,
        }


def _event_lines(event: Ranked | Sampled | Voted) -> list[str]:
    if isinstance(event, Sampled):
        said = f"{event.rationale} -> {event.answer}"
        return [f"  look-ahead sample {event.index + 1}: {shortened(said)}"]
    if isinstance(event, Voted):
        return [f"  votes: {event.votes} of {event.of} readings agree"]
    shown = [f"  ranked by {event.stage}:"]
    rows = zip(event.passages, event.scores, strict=True)
    for rank, (passage, score) in enumerate(rows, start=1):
        if rank > PASSAGES_SHOWN:
            break
        title = one_line(passage.item.title)[:TITLE_SHOWN]
        shown.append(f"    {rank:>2}. {score:8.3f}  {passage.item.kind.value} {title}")
    return shown


def _ranked_object(event: Ranked) -> dict[str, object]:
    rows = zip(event.passages, event.scores, strict=True)
    return {
        "stage": event.stage,
        "passages": [
            {
                "score": score,
                "kind": passage.item.kind.value,
                "title": passage.item.title,
                "path": str(passage.item.locator.path),
                "start": passage.start,
                "end": passage.end,
            }
            for passage, score in rows
        ],
    }

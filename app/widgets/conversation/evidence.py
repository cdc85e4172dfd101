"""What was found for a question, a card a source, while its answer forms."""

from __future__ import annotations

from datetime import datetime, tzinfo

from textual.content import Content, Span
from textual.widgets import Static

from app.output.evidence import EvidenceCard, evidence_cards
from engine.events import Ranked, Reading
from engine.values import Passage

CARDS = 5
"""At most; each takes three lines."""
BESIDE = 12
"""Lines of the screen that the cards leave to the rest of it."""
HEADING = "Found by words alone:"
SO_FAR = "Found so far, by words alone:"


class Evidence(Static):
    """Shows what recall ranks first, until there is an answer."""

    DEFAULT_CSS = """
    Evidence { text-wrap: nowrap; text-overflow: ellipsis; margin-top: 1; }
    """

    def __init__(self) -> None:
        """Start without any."""
        super().__init__("", classes="best")
        self.display = False
        self._is_whole = False
        self.best: Passage | None = None
        """What is ranked first so far."""

    def note(self, event: Reading | Ranked, question: str, zone: tzinfo | None) -> None:
        """Show the best passage so far, and once all is read the best sources."""
        if self._is_whole:
            return
        if isinstance(event, Ranked):
            self._is_whole = event.stage == "recall" and bool(event.passages)
            if self._is_whole:
                self.best = event.passages[0]
                self._draw(HEADING, event, question, zone)
        elif event.best is not None and event.best is not self.best:
            self.best = event.best
            self._draw(SO_FAR, Ranked("recall", [event.best], []), question, zone)

    def _draw(self, heading: str, ranked: Ranked, question: str, zone: tzinfo | None) -> None:
        room = max(2, (self.app.size.height - BESIDE) // 3)
        now = datetime.now(zone).astimezone(zone)
        cards = evidence_cards(ranked, question, zone, now, min(CARDS, room))
        parts = [Content.styled(heading, "$text-muted"), *map(_drawn, cards)]
        self.update(Content("\n").join(parts))
        self.display = True


def _drawn(card: EvidenceCard) -> Content:
    lit = [Span(begin, end, "bold $accent") for begin, end in card.lit]
    return Content("\n").join(
        [
            Content.styled(card.title, "bold"),
            Content.styled(f"  {card.about}", "$text-muted"),
            Content("  ") + Content(card.line, spans=lit),
        ]
    )

"""What was found for a question, a card a source, while its answer forms."""

from __future__ import annotations

from datetime import datetime, tzinfo

from textual.content import Content, Span
from textual.widgets import Static

from app.output.evidence import EvidenceCard, evidence_cards
from engine.events import Ranked

CARDS = 5
"""At most; each takes three lines."""
BESIDE = 12
"""Lines of the screen that the cards leave to the rest of it."""
HEADING = "Found by words alone:"


class Evidence(Static):
    """Shows what recall ranks first, until there is an answer."""

    DEFAULT_CSS = """
    Evidence { text-wrap: nowrap; text-overflow: ellipsis; margin-top: 1; }
    """

    def __init__(self) -> None:
        """Start without any."""
        super().__init__("", classes="best")
        self.display = False

    def show(self, ranked: Ranked, question: str, zone: tzinfo | None) -> None:
        """Show the best of what was ranked; the first time counts."""
        if self.display or not ranked.passages:
            return
        room = max(2, (self.app.size.height - BESIDE) // 3)
        now = datetime.now(zone).astimezone(zone)
        cards = evidence_cards(ranked, question, zone, now, min(CARDS, room))
        parts = [Content.styled(HEADING, "$text-muted"), *map(_drawn, cards)]
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

"""Pages that are drawn by the engine, handed to the part of a screen that asked for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.backend.messages import Draw, Drew, Engine
from app.desktop.pictures import Protocol, installed, protocol

if TYPE_CHECKING:
    from app.widgets.answer.page import PageAsked

UNKNOWN = (
    "This terminal is not known to show pictures; `interface.pictures` names its protocol. "
    "{open_source} opens the page in its own program."
)
NOT_INSTALLED = "Pictures need the extra `pictures`: pip install 'askance[pictures]'."


class PagePictures:
    """Knows who waits for which page."""

    def __init__(self, engine: Engine) -> None:
        """Ask this engine."""
        self._engine = engine
        self._number = 0
        self._waiting: dict[int, tuple[PageAsked, Protocol]] = {}

    def ask(self, asked: PageAsked, setting: str) -> None:
        """Have a page drawn with the quote of its citation marked, where it can be shown."""
        way = protocol(setting)
        if way is None:
            asked.refused(UNKNOWN if installed() else NOT_INSTALLED)
            return
        self._number += 1
        self._waiting[self._number] = asked, way
        item = asked.citation.passage.item
        quote = item.text[asked.citation.start : asked.citation.end]
        self._engine.send(Draw(self._number, item.locator, asked.number, quote))

    def hand_on(self, drew: Drew) -> None:
        """Give a page to who asked for it."""
        waiting = self._waiting.pop(drew.number, None)
        if waiting is None:
            return
        asked, way = waiting
        if drew.page is None:
            asked.refused(drew.why)
        else:
            asked.came(drew.page, way)

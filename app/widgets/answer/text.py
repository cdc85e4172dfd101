"""An answer as it is written, and as it was checked: blocks, of which only the last one changes."""

from __future__ import annotations

import asyncio

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from app.widgets.answer.markdown import cut, styled
from app.widgets.growth import Growing

AT_ONCE = 4
"""Blocks that are added before they are laid out: 10 ms for each 200 lines."""
FRAME = 1 / 60
"""Seconds until Textual lays out what was added; without a pause it would be all at once."""


class AnswerText(Growing, Vertical):
    """Markdown, however long it is."""

    DEFAULT_CSS = """
    AnswerText { height: auto; }
    AnswerText Static { height: auto; }
    AnswerText.draft { color: $text-muted; }
    """

    def __init__(self) -> None:
        """Start empty."""
        super().__init__()
        self._blocks: list[str] = []
        self._drawing = asyncio.Lock()
        self.text = ""
        """As written; what is copied."""

    async def show(self, text: str) -> None:
        """Put this in place of everything."""
        async with self._drawing:
            self.text = text
            wanted = cut(text.strip("\n"))
            await asyncio.sleep(0)
            for place in range(0, len(wanted), AT_ONCE):
                await self._replace(place, wanted[place : place + AT_ONCE])
                if place + AT_ONCE < len(wanted):
                    await asyncio.sleep(FRAME)
            await self.remove_children(list(self.query_children(Static))[len(wanted) :])
            self._blocks = wanted

    async def append(self, text: str) -> None:
        """Write on."""
        async with self._drawing:
            self.text += text
            tail = (self._blocks.pop() if self._blocks else "") + text
            first = len(self._blocks)
            blocks = cut(tail)
            for place in range(0, len(blocks), AT_ONCE):
                await self._replace(first + place, blocks[place : place + AT_ONCE])
            self._blocks += blocks

    async def _replace(self, first: int, blocks: list[str]) -> None:
        """Show blocks from the number `first` on."""
        there = list(self.query_children(Static))[first : first + AT_ONCE]
        new = []
        for place, block in enumerate(blocks):
            drawn = _drawn(block)
            if place < len(there):
                there[place].update(drawn)
            else:
                new.append(Static(drawn))
            await asyncio.sleep(0)
        if new:
            await self.mount_all(new)


def _drawn(block: str) -> Content:
    content = styled(block)
    return content if content.plain else Content(" ")

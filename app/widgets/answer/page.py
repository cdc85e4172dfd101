"""A page of a source as a picture, in terminals that show pictures."""

from __future__ import annotations

import fcntl
import io
import os
import struct
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from textual.widget import Widget

    from app.desktop.pictures import Protocol
    from engine.values import Citation
    from ingest.sieve import DrawnPage


@dataclass
class PageAsked(Message):
    """A page is wanted as a picture."""

    citation: Citation
    number: int
    came: Callable[[DrawnPage, Protocol], object]
    """Called with it, and how the terminal shows it."""
    refused: Callable[[str], object]
    """Called with the reason where there is none."""


def page_of(citation: Citation) -> int | None:
    """Return the page to show of a source, counted from 1; None: it is no PDF and no picture."""
    from ingest.scans.pages import RECOGNISED

    item = citation.passage.item
    return citation.page or (1 if item.pages or RECOGNISED in item.flags else None)


def widget_of(page: DrawnPage, protocol: Protocol) -> Widget:
    """Return a page as a widget as wide as what it stands in."""
    from PIL import Image

    _learn_cells()
    # The library asks the terminal when it is imported, and Textual would take the reply.
    stdout, sys.__stdout__ = sys.__stdout__, io.StringIO()  # type: ignore[assignment,misc]
    try:
        from textual_image.widget import SixelImage, TGPImage
    finally:
        sys.__stdout__ = stdout  # type: ignore[misc]
    picture = Image.frombytes("RGB", (page.width, page.height), page.dots)
    shown: Widget = (TGPImage if protocol == "kitty" else SixelImage)(picture)
    shown.styles.width, shown.styles.height = "100%", "auto"
    return shown


def _learn_cells() -> None:
    """Tell the library how many dots a cell of the terminal has, as the system says."""
    with suppress(OSError):
        said = fcntl.ioctl(sys.__stderr__ or 2, termios.TIOCGWINSZ, bytes(8))
        rows, columns, width, height = struct.unpack("HHHH", said)
        if rows and columns and width and height:
            os.environ["TEXTUAL_CELL_WIDTH"] = str(width // columns)
            os.environ["TEXTUAL_CELL_HEIGHT"] = str(height // rows)

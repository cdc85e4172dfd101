"""Joins the lines that a mail program broke for the width of a window (RFC 3676)."""

from __future__ import annotations

import re

_QUOTES = re.compile(r">*")


def unflowed(text: str, *, drops_space: bool) -> str:
    """Return `text` with its paragraphs joined; `drops_space` is the mail's DelSp."""
    if " \n" not in text and "\n " not in text:
        return text
    lines: list[str] = []
    pieces: list[str] = []
    depth = 0
    for line in text.split("\n"):
        quotes = _QUOTES.match(line)
        level = quotes.end() if quotes else 0
        if pieces and level != depth:
            lines.append(_joined(pieces, depth))
            pieces = []
        depth = level
        words = line[level:].removeprefix(" ")
        # The line before a signature ends in a space, but is not joined.
        flows = words.endswith(" ") and words != "-- "
        if words == "-- " and pieces:
            lines.append(_joined(pieces, depth))
            pieces = []
        pieces.append(words[:-1] if flows and drops_space else words)
        if not flows:
            lines.append(_joined(pieces, depth))
            pieces = []
    if pieces:
        lines.append(_joined(pieces, depth))
    return "\n".join(lines)


def _joined(pieces: list[str], depth: int) -> str:
    words = "".join(pieces)
    return f"{'>' * depth} {words}" if depth else words

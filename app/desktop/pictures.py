"""Which terminals show pictures, and by which protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Literal

Protocol = Literal["kitty", "sixel"]

_KITTY = ("xterm-kitty", "xterm-ghostty")
"""Values of TERM. They take pictures that stand in a cell of text as a character does."""
_SIXEL = ("foot", "mlterm", "contour")
"""With what TERM begins."""
_SIXEL_PROGRAMS = frozenset({"WezTerm", "iTerm.app", "mintty", "contour", "rio"})
"""Values of TERM_PROGRAM."""
_SIXEL_MARKS = ("KONSOLE_VERSION", "MLTERM", "WT_SESSION")
"""Variables that terminals set: Konsole, mlterm, Windows Terminal."""


def protocol(setting: str, environ: Mapping[str, str] | None = None) -> Protocol | None:
    """Return how this terminal shows pictures, None where it shows none.

    `setting` is that of `interface.pictures`. A terminal is known by what it sets, not asked: its
    reply might come after the first key.
    """
    if setting == "off" or not (sys.__stdout__ and sys.__stdout__.isatty()) or not installed():
        return None
    if setting in ("kitty", "sixel"):
        return "kitty" if setting == "kitty" else "sixel"
    return _known(os.environ if environ is None else environ)


def installed() -> bool:
    """Say whether what draws them is here: the extra `pictures`."""
    return find_spec("textual_image") is not None


def _known(environ: Mapping[str, str]) -> Protocol | None:
    term = environ.get("TERM", "")
    if environ.get("TMUX") or environ.get("STY") or term.startswith(("tmux", "screen")):
        return None
    if term in _KITTY:
        return "kitty"
    by_program = environ.get("TERM_PROGRAM") in _SIXEL_PROGRAMS
    by_mark = any(environ.get(name) for name in _SIXEL_MARKS)
    return "sixel" if term.startswith(_SIXEL) or by_program or by_mark else None

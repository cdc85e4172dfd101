"""Tells which runs of a Word document a reader cannot see."""

from __future__ import annotations

from ingest.containers.xmltree import Element
from ingest.layout.blocks import Layout
from ingest.office.ooxml import W
from ingest.office.word.styles import OFF, Styles

_VAL = f"{W}val"
_INVISIBLE_SIZES = ("0", "1", "2")
"""Half points of letters that count as hidden."""
_PLAIN = ("", "AUTO", "FFFFFF")


def is_hidden(run: Element, styles: Styles, layout: Layout) -> bool:
    """Say whether a run is hidden, and count it."""
    style = run.find(f"{W}rPr")
    if style is None:
        return False
    if _is_vanished(style, styles):
        count(run, layout)
        return True
    colour = style.find(f"{W}color")
    if colour is None or (colour.get(_VAL) or "").upper() != "FFFFFF" or _is_shaded(run):
        return False
    layout.flag("white text")
    # The background of a shape, or of a table with a style, is unknown.
    if next(run.iterancestors(f"{W}tbl", f"{W}txbxContent"), None) is not None:
        return False
    count(run, layout)
    return True


def count(hidden: Element, layout: Layout) -> None:
    """Add the letters of a hidden element to those that were left out."""
    for node in hidden.iter(f"{W}t", f"{W}delText"):
        layout.hidden += len("".join((node.text or "").split()))


def _is_vanished(style: Element, styles: Styles) -> bool:
    """Say whether the properties of a run hide it, or make it too small to be seen."""
    hidden = style.find(f"{W}vanish")
    if hidden is not None and hidden.get(_VAL) not in OFF:
        return True
    named = style.find(f"{W}rStyle")
    if named is not None and hidden is None and named.get(_VAL) in styles.vanished:
        return True
    size = style.find(f"{W}sz")
    return size is not None and size.get(_VAL) in _INVISIBLE_SIZES


def _is_shaded(run: Element) -> bool:
    """Say whether the background of a run is other than white, as far as its ancestors tell."""
    for above in (run, *run.iterancestors(f"{W}p", f"{W}tc")):
        properties = above.find(f"{above.tag}Pr")
        if properties is None:
            continue
        if properties.find(f"{W}highlight") is not None:
            return True
        shade = properties.find(f"{W}shd")
        if shade is not None and (shade.get(f"{W}fill") or "").upper() not in _PLAIN:
            return True
    return False

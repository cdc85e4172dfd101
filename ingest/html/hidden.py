"""Finds what a viewer of an HTML page cannot see, by attributes and style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ingest.html.page import HtmlPage
from ingest.html.styles import NOTHING, Look, has_no_size, is_nearly_white, is_unseen
from ingest.html.tags import unescaped

_COMMENT = re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL)
_BRACE = re.compile("([{}])")
_SELECTOR = re.compile(r"(?:[a-z][a-z0-9]*)?(?:[.#][a-z_][\w-]*)+", re.IGNORECASE)
_SHOWN = re.compile(r"display\s*:|visibility\s*:\s*visible", re.IGNORECASE)
_SHEET = 256 << 10
"""Characters of style sheets that are read."""
_KNOWN_SHEET = 32 << 10
"""Characters of the largest style sheets whose result is cached."""
_RULES = 200


class Unseen:
    """What was removed from a page because it cannot be seen."""

    def __init__(self, page: HtmlPage, around: Look) -> None:
        """Remove it from `page`, whose first element is shown; `around` is the look around it."""
        self.characters = 0
        self.has_white_text = False
        """Whether white words are left whose background is unknown."""
        if any(tag.hides or tag.is_dropped for tag in page.kinds):
            self._remove(page)
        looks = {tag.look for tag in page.kinds if tag.look} | {around}
        risky = _risky_colours(looks)
        if risky or any(look.size == NOTHING for look in looks):
            self._remove_faint(page, risky, around)

    def _remove(self, page: HtmlPage) -> None:
        last = 0
        doomed = [at for at, tag in enumerate(page.tags) if tag.hides or tag.is_dropped]
        for start in doomed:
            if start > last:
                hides = page.tags[start].hides
                text, last = page.cut(start)
                self.characters += _letters(text) if hides else 0

    def _remove_faint(self, page: HtmlPage, risky: set[str], around: Look) -> None:
        """Remove letters without size or in the colour of their background; note other white ones.

        Elements around words often have no size, or that colour, while the words have their own.
        """
        look, is_faint = around, around.size == NOTHING or around.colour in risky
        outer: list[tuple[Look, bool]] = []
        for at, tag in enumerate(page.tags):
            if tag.step > 0:
                outer.append((look, is_faint))
                if tag.look:
                    look = _within(look, tag.look)
                    is_faint = look.size == NOTHING or look.colour in risky
            elif tag.step and outer:
                look, is_faint = outer.pop()
            if is_faint and page.texts[at]:
                self._judge(page, at, look)

    def _judge(self, page: HtmlPage, at: int, look: Look) -> None:
        text = unescaped(page.texts[at])
        if look.size == NOTHING or (look.ground == look.colour and text.strip()):
            self.characters += _letters(text)
            page.texts[at] = ""
        elif not look.ground and text.strip() and is_nearly_white(look.colour):
            self.has_white_text = True


def hiding_rules(sheets: str) -> tuple[str, ...]:
    """Return the simple selectors that style sheets hide on every screen."""
    return (_known_rules if len(sheets) <= _KNOWN_SHEET else _hiding_rules)(sheets[:_SHEET])


def _hiding_rules(sheets: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for selectors, style in _rules(_COMMENT.sub("", sheets)):
        hides = is_unseen(style) or has_no_size(style)
        if not hides and not _shows(style):
            continue
        for selector in map(str.strip, selectors.split(",")):
            if hides and _SELECTOR.fullmatch(selector):
                found[selector] = None
            else:
                found.pop(selector, None)
    return tuple(found)[:_RULES]


_known_rules = lru_cache(64)(_hiding_rules)


def _rules(sheets: str) -> Iterator[tuple[str, str]]:
    """Yield selectors and style of each rule, without those that hold on some screens only."""
    depth, head = 0, ""
    pieces = _BRACE.split(sheets)
    for text, brace in zip(pieces[::2], pieces[1::2], strict=False):
        if brace == "{":
            depth += 1
            head = text.rpartition(";")[2] if depth == 1 else head
        else:
            if depth == 1 and "@" not in head:
                yield head, text
            depth = max(0, depth - 1)


def _shows(style: str) -> bool:
    lower = style.lower()
    return ("display" in lower or "visib" in lower) and bool(_SHOWN.search(lower))


def _letters(text: str) -> int:
    return len("".join(text.split()))


@lru_cache(4096)
def _within(outer: Look, inner: Look) -> Look:
    return Look(
        inner.size or outer.size, inner.colour or outer.colour, inner.ground or outer.ground
    )


def _risky_colours(looks: set[Look]) -> set[str]:
    """Return the text colours that are white, or that some background has too."""
    grounds = {look.ground for look in looks}
    colours = {look.colour for look in looks} - {""}
    return {one for one in colours if one in grounds or is_nearly_white(one)}

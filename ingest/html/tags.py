"""The tags of a parsed HTML page: the mark in place of each, and its look.

A page repeats a few tags, and the pages of one sender the same ones, so tags are remembered.
"""

from __future__ import annotations

import re

from ingest.html.styles import PLAIN, Look, looks

_LONG_TARGET = 120
_LONG_ALT = 80
# Marks in place of these until the white space of the page has been joined: characters that are
# shown nowhere, and such that a text of one byte a letter stays one.
LINE, PARAGRAPH, BREAK, ITEM = "\x01", "\x02", "\x03", "\x04"
ROW, CELL, TABLE, TABLE_END = "\x05", "\x06", "\x07", "\x08"
SPACE, LINK, SHOWN, LINKED, SPAN = "\x0e", "\x0f", "\x10", "\x11", "\x12"
_MARKS = "\x01\x02\x03\x04\x05\x06\x07\x08\x0e\x0f\x10\x11\x12"
_LINES = (
    *("div", "section", "article", "header", "footer", "nav", "aside", "main", "address", "dt"),
    *("dd", "figcaption", "option", "legend", "summary", "details", "button", "center"),
)
_PARAGRAPHS = (
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "dl", "blockquote", "form", "fieldset"),
    *("figure", "pre", "textarea"),
)
_MARK = {
    **{slash + name: LINE for name in _LINES for slash in ("", "/")},
    **{slash + name: PARAGRAPH for name in _PARAGRAPHS for slash in ("", "/")},
    "table": TABLE,
    "/table": TABLE_END,
    "tr": ROW,
    "caption": ROW,
    "td": CELL,
    "th": CELL,
    "li": LINE + ITEM,
    "br": BREAK,
    "/a": LINKED,
    "hr": PARAGRAPH + PARAGRAPH,
}
"""The mark in place of a tag."""
_HREF = re.compile(r'a(?: =?[^ =]*="[^"]*")*? href="([^"]*)"')
_CELLS = frozenset({"td", "th"})
_SPANNED = re.compile(r'(?:^| )(col|row)span="0*([1-9][0-9]{0,4})"')
_LEADING = ("http", "mailto:")
_PIXEL = frozenset({"0", "1", "0px", "1px"})
_ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&nbsp;", "\xa0"), ("&amp;", "&"))
"""All tags that the parser writes."""
_ATTRIBUTE = re.compile(r' (=?[^ =]*)="([^"]*)"')
_VOID = frozenset(
    {
        *("area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img"),
        *("input", "keygen", "link", "meta", "param", "source", "track", "wbr", ""),
    }
)
_DROPPED = frozenset({"noscript", "object", "svg", "select"})
_ANCHOR = frozenset({"a", "/a"})
_KEEPING = frozenset({"pre", "textarea"})
_TELLING = ('style="', 'hidden="', 'color="', 'background="', 'alt="')
_MANY = 16384
_LONG = 400
"""How many tags are cached, and the characters of the longest."""


class Tag:
    """What is known of a tag."""

    __slots__ = ("hides", "is_anchor", "is_dropped", "keeps", "look", "mark", "step")

    def __init__(self, tag: str) -> None:
        """Take a tag as the parser writes it, without brackets."""
        name, _, rest = tag.partition(" ")
        self.mark = _MARK.get(name, "")
        self.step = 0 if name.lstrip("/") in _VOID else -1 if name[0] == "/" else 1
        """How much deeper the next tag lies: 1, 0 or -1."""
        self.is_anchor = name in _ANCHOR
        self.is_dropped = name in _DROPPED
        """Whether its content is no text of the page."""
        self.keeps = name in _KEEPING
        """Whether line breaks and spaces in it count as text."""
        self.look: Look | None = None
        self.hides = False
        if rest:
            self._heed(name, tag, rest)

    def _heed(self, name: str, tag: str, rest: str) -> None:
        """Apply the attributes, which are the `rest` of the tag."""
        if name == "a":
            if target := _target(tag):
                self.mark = f"{LINK}{target}{SHOWN}"
            if rest.startswith('href="') and rest.find('"', 6) == len(rest) - 1:
                return
        elif name in _CELLS and "span=" in rest:
            spans = {side: int(count) for side, count in _SPANNED.findall(rest)}
            self.mark += f"{SPAN}{spans.get('col', 1)},{spans.get('row', 1)}{SPAN}"
        if any(told in rest for told in _TELLING):
            said = attributes(tag)
            look, self.hides = looks(name, said)
            self.look = look if look != PLAIN else None
            if name == "img":
                self.mark = _described(said)


class _Tags(dict[str, Tag]):
    def __missing__(self, tag: str) -> Tag:
        known = Tag(tag)
        if len(tag) < _LONG:
            if len(self) >= _MANY:
                self.clear()
            self[tag] = known
        return known


def unmarked(markup: str) -> str:
    """Return `markup` without the characters that serve as marks."""
    if any(mark in markup for mark in _MARKS):
        markup = markup.translate(dict.fromkeys(map(ord, _MARKS)))
    return markup


def attributes(tag: str) -> dict[str, str]:
    """Return the attributes of a tag."""
    return {name: unescaped(value) for name, value in _ATTRIBUTE.findall(tag)}


def unescaped(text: str) -> str:
    """Return `text`, as the parser writes it, without entities."""
    if "&" in text:
        for entity, character in _ENTITIES:
            text = text.replace(entity, character)
    return text


def _escaped(text: str) -> str:
    """Return `text` escaped, so that resolving entities gives it back."""
    return text.replace("&", "&amp;")


def _described(said: dict[str, str]) -> str:
    """Return the description of a picture; a single word is a logo, a spacer or a file name."""
    words = " ".join(said.get("alt", "").split())
    if " " not in words or _PIXEL & {said.get("width"), said.get("height")}:
        return ""
    shown = words if len(words) <= _LONG_ALT else f"{words[:_LONG_ALT].rstrip()}…"
    return _escaped(f" [{shown}] ")


def _target(anchor: str) -> str:
    """Return the target of a link; empty if it is on the page or too long to show."""
    found = _HREF.match(anchor)
    if not found or not found[1][:7].lower().startswith(_LEADING):
        return ""
    target = "".join(unescaped(found[1]).split())
    return _escaped(target) if len(target) <= _LONG_TARGET else ""


KNOWN = _Tags()
NO_TAG = Tag("")

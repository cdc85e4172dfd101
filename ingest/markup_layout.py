"""Sets out an HTML page in lines: rows, items, paragraphs, the targets of links.

Marks are put into the parsed page, and the text that comes out of it is worked on as one string: a
step for each of its tags would take several times as long as the parsing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ingest.markup_hidden import leaves

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_LONG_TARGET = 120
_LONG_ALT = 80
_LONG_CELL = 150
"""Characters of a cell, on average, from which on a table is there to set out a page."""

# Characters that stand for these until the white space of the page has been joined.
_LINE, _PARAGRAPH, _BREAK, _ITEM = "\ue000", "\ue001", "\ue002", "\ue003"
_ROW, _CELL, _TABLE, _TABLE_END = "\ue004", "\ue005", "\ue006", "\ue007"
_SPACE, _LINK, _SHOWN, _LINKED = "\ue008", "\ue009", "\ue00a", "\ue00b"
_MARKS = "".join(map(chr, range(0xE000, 0xE00C)))
_ENDS = _LINE + _PARAGRAPH + _BREAK
_BEFORE_AND_AFTER = {
    "div,section,article,header,footer,nav,aside,main,address,figcaption,option,legend,dt,dd"
    ",summary,details,button,center": (_LINE, _LINE),
    "p,h1,h2,h3,h4,h5,h6,ul,ol,dl,blockquote,hr,form,fieldset,figure,pre,textarea": (
        *(_PARAGRAPH, _PARAGRAPH),
    ),
    "table": (_TABLE, _TABLE_END),
}
_BEFORE = {"br": _BREAK, "li": _LINE + _ITEM, "tr,caption": _ROW, "td,th": _CELL}
_PIXEL = frozenset({"0", "1", "0px", "1px"})
_SAID = re.compile(f"{_LINK}([^{_SHOWN}]*){_SHOWN}([^{_LINK}{_LINKED}]*){_LINKED}")
_LOST = re.compile(f"{_LINK}[^{_SHOWN}]*{_SHOWN}|{_LINKED}")
_RUN = re.compile(f"[{_LINE}-{_BREAK}][ {_LINE}-{_BREAK}]*")
_ITEMS = re.compile(f"{_ITEM}[ {_LINE}-{_ITEM}]+")
_LAST_CELLS = re.compile(f"{_CELL}{{1,1000}}\n")


def unmarked(markup: str) -> str:
    """Return `markup` without the characters that are taken for marks."""
    if any(mark in markup for mark in _MARKS):
        markup = markup.translate(dict.fromkeys(map(ord, _MARKS), " "))
    return markup


def lay_out(body: LexborNode) -> str:
    """Return the text of `body`, which is changed."""
    for leaf in [leaf for node in body.css("pre,textarea") for leaf in leaves(node)]:
        _keep(leaf)
    for picture in body.css('img[alt*=" "]'):
        _describe(picture)
    for anchor in body.css('a[href^="http" i],a[href^="mailto:" i]'):
        _mark_target(anchor)
    for selector, (before, after) in _BEFORE_AND_AFTER.items():
        for node in body.css(selector):
            node.insert_before(before)
            node.insert_after(after)
    for selector, before in _BEFORE.items():
        for node in body.css(selector):
            node.insert_before(before)
    return _in_lines(" ".join(body.text().split()))


def _keep(leaf: LexborNode) -> None:
    """Mark line breaks and spaces that are meant."""
    text = leaf.text_content or ""
    kept = text.replace("\t", _SPACE * 4).replace(" ", _SPACE).replace("\n", _BREAK)
    if kept != text:
        leaf.replace_with(kept)


def _describe(picture: LexborNode) -> None:
    """Write what a picture is said to show; of one word it is a logo, a spacer or a file."""
    attributes = picture.attributes
    words = " ".join((attributes.get("alt") or "").split())
    if " " not in words or _PIXEL & {attributes.get("width"), attributes.get("height")}:
        return
    shown = words if len(words) <= _LONG_ALT else f"{words[:_LONG_ALT].rstrip()}…"
    picture.insert_before(f" [{shown}] ")


def _mark_target(anchor: LexborNode) -> None:
    """Write the target of a link before its words."""
    target = "".join((anchor.attributes.get("href") or "").split())
    if len(target) <= _LONG_TARGET:
        anchor.insert_before(f"{_LINK}{target}{_SHOWN}")
        anchor.insert_after(_LINKED)


def _in_lines(text: str) -> str:
    """Return `text` with its marks turned into line breaks, bars and bullets."""
    if _TABLE in text:
        text = _with_rows(text)
    if _LINKED in text:
        text = _LOST.sub("", _SAID.sub(_with_target, text))
    if _ITEM in text:
        text = _ITEMS.sub(_ITEM, text)
    text = _RUN.sub(_ended, text).replace(" \n", "\n")
    if _CELL in text:
        text = text.replace(f" {_CELL}", _CELL).replace(f"{_CELL} ", _CELL)
        text = f"{text}\n".replace(f"\n{_CELL}", "\n")
        text = _LAST_CELLS.sub("\n", text).replace(_CELL, " | ")
    return text.replace(_ITEM, "- ").replace(_SPACE, " ")


def _with_rows(text: str) -> str:
    """Return `text` with each row of a table on a line, whatever its cells hold.

    Tables with tables within, or with a lot in each cell, are there to set out a page.
    """
    first, *tables = text.split(_TABLE)
    parts = [first]
    for table in tables:
        rows, end, rest = table.partition(_TABLE_END)
        is_data = end and len(rows) <= _LONG_CELL * rows.count(_CELL)
        parts += (_PARAGRAPH, _as_rows(rows) if is_data else _as_layout(rows))
        parts += (_PARAGRAPH, _as_layout(rest.replace(_TABLE_END, _PARAGRAPH)))
    return "".join(parts)


def _as_layout(text: str) -> str:
    return text.replace(_ROW, _LINE).replace(_CELL, _LINE)


def _as_rows(text: str) -> str:
    for mark in _ENDS + _ITEM:
        text = text.replace(mark, " ")
    return " ".join(text.split()).replace(_ROW, _LINE)


def _with_target(link: re.Match[str]) -> str:
    """Return the words of a link with its target, unless they say it already."""
    target, words = link[1], link[2]
    said = words.replace(" ", "").replace(_SPACE, "")
    if not said.strip(_ENDS) or target.removeprefix("mailto:").rstrip("/") in said:
        return words
    shown = words.rstrip(f" {_ENDS}")
    return f"{shown} ({target}){words[len(shown) :]}"


def _ended(run: re.Match[str]) -> str:
    """Return the line breaks for what ends and begins between two pieces of text."""
    marks = run[0].replace(" ", "")
    # The first break ends the line that the next block would have ended as well.
    return "\n\n" if _PARAGRAPH in marks or _BREAK in marks[1:] else "\n"

"""Sets out an HTML page in lines: rows, items, paragraphs, the targets of links.

Marks are put in the place of tags, and the text that comes out of it is worked on as one string: a
step for each of its tags would take several times as long as the parsing.
"""

from __future__ import annotations

import re
from functools import partial

from ingest.html.page import HtmlPage
from ingest.html.spans import SPANS, spread
from ingest.html.tags import (
    BREAK,
    CELL,
    ITEM,
    LINE,
    LINK,
    LINKED,
    PARAGRAPH,
    ROW,
    SHOWN,
    SPACE,
    SPAN,
    TABLE,
    TABLE_END,
    unescaped,
)
from ingest.layout.rows import named_lines

_LONG_CELL = 150
"""Characters of an average cell that make a table a means of layout."""
_ENDS = LINE + PARAGRAPH + BREAK
_SAID = re.compile(f"{LINK}([^{SHOWN}]*){SHOWN}([^{LINK}{LINKED}]*){LINKED}")
_TARGETS = re.compile(f"{LINK}[^{SHOWN}]*{SHOWN}|{LINKED}")
_RUN = re.compile(f"[{LINE}-{BREAK}][ {LINE}-{BREAK}]*")
_ITEMS = re.compile(f"{ITEM}[ {LINE}-{ITEM}]+")
_LAST_CELLS = re.compile(f"{CELL}{CELL}{{0,999}}\n")


def lay_out(page: HtmlPage) -> str:
    """Return the text of `page`, which is changed."""
    if any(tag.keeps for tag in page.kinds):
        _keep(page)
    marks = [tag.mark for tag in page.tags]
    if any(tag.is_anchor and not tag.mark for tag in page.kinds):
        _unmark_places(page, marks)
    parts = [""] * (2 * len(marks))
    parts[::2] = marks
    parts[1::2] = page.texts
    return _in_lines(" ".join(unescaped("".join(parts)).split()))


def _unmark_places(page: HtmlPage, marks: list[str]) -> None:
    """Remove the end marks of anchors that lead nowhere."""
    ends: list[str] = []
    for at in [at for at, tag in enumerate(page.tags) if tag.is_anchor]:
        if marks[at] != LINKED:
            ends.append(marks[at] and LINKED)
        elif ends:
            marks[at] = ends.pop()


def _keep(page: HtmlPage) -> None:
    """Mark line breaks and spaces that count as text."""
    within = depth = 0
    for at, tag in enumerate(page.tags):
        depth += tag.step
        if tag.keeps and not within:
            within = depth
        elif depth < within:
            within = 0
        if within:
            kept = page.texts[at].replace("\t", SPACE * 4).replace(" ", SPACE)
            page.texts[at] = kept.replace("\n", BREAK)


def _in_lines(text: str) -> str:
    """Return `text` with its marks turned into line breaks, bars and bullets."""
    text = _with_rows(text) if TABLE in text else text.replace(ROW, LINE)
    if SPAN in text:
        text = SPANS.sub("", text)
    if LINKED in text:
        text = _SAID.sub(_with_target, text)
        text = _TARGETS.sub("", text) if LINK in text or LINKED in text else text
    if ITEM in text:
        text = _ITEMS.sub(ITEM, text)
    text = _RUN.sub(_ended, text).replace(" \n", "\n")
    if CELL in text:
        text = text.replace(f" {CELL}", CELL).replace(f"{CELL} ", CELL)
        text = f"{text}\n".replace(f"\n{CELL}", "\n")
        text = _LAST_CELLS.sub("\n", text).replace(CELL, " | ")
    return text.replace(ITEM, "- ").replace(SPACE, " ")


def _with_rows(text: str) -> str:
    """Return `text` with each row of a table on a line, whatever its cells hold.

    Tables with tables within, or with a lot in each cell, are there to set out a page.
    """
    first, *tables = text.split(TABLE)
    parts = [first.replace(ROW, LINE)]
    for table in tables:
        rows, end, rest = table.partition(TABLE_END)
        is_data = end and len(rows) <= _LONG_CELL * rows.count(CELL)
        parts += (PARAGRAPH, _as_rows(rows) if is_data else _as_layout(rows))
        parts += (PARAGRAPH, _as_layout(rest.replace(TABLE_END, PARAGRAPH)))
    return "".join(parts)


def _as_layout(text: str) -> str:
    return text.replace(ROW, LINE).replace(CELL, LINE)


def _as_rows(text: str) -> str:
    for mark in _ENDS + ITEM:
        text = text.replace(mark, " ")
    rows = " ".join(text.split()).split(ROW)
    table = [[cell.strip() for cell in row.strip().removeprefix(CELL).split(CELL)] for row in rows]
    continued: dict[int, set[int]] = {}
    if SPAN in text:
        table, continued = spread(table)
    named = named_lines(table, partial(_TARGETS.sub, ""), continued=continued)
    return LINE.join(named or rows)


def _with_target(link: re.Match[str]) -> str:
    """Return the words of a link with its target, unless the words say it already."""
    target, words = link[1], link[2]
    said = words.replace(" ", "").replace(SPACE, "")
    if not said.strip(_ENDS) or target.removeprefix("mailto:").rstrip("/") in said:
        return words
    shown = words.rstrip(f" {_ENDS}")
    return f"{shown} ({target}){words[len(shown) :]}"


def _ended(run: re.Match[str]) -> str:
    """Return the line breaks for the marks between two pieces of text."""
    marks = run[0].replace(" ", "")
    # The first break ends the line that the next block would have ended as well.
    return "\n\n" if PARAGRAPH in marks or BREAK in marks[1:] else "\n"

"""Markdown as styled text. Links, pictures and HTML stay the characters they are.

What a model writes may repeat what a file says, and a file must not put a link, an image or a part
of the screen there: only emphasis, code, headings, lists, quotes and tables are styled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.cells import cell_len, set_cell_size
from textual.content import Content

from app.output.plain import lines

MARKER = re.compile(r"\[\d{1,3}\]")
LINES = 60
"""Lines of one block: what is drawn anew when something is appended to it."""
_FENCE = re.compile(r" {0,3}(```|~~~)")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False})
    parser.enable("table")
    return parser.disable(["link", "image", "autolink", "html_inline", "html_block", "reference"])


def styled(text: str) -> Content:
    """Return Markdown as text with styles, safe for a terminal."""
    blocks = list(_blocks(_parser().parse(lines(text))))
    whole = Content("\n").join(blocks).rstrip() if blocks else Content("")
    return whole.highlight_regex(MARKER, style="bold")


def cut(text: str) -> list[str]:
    """Cut Markdown into blocks of some lines, at blank lines where there are any.

    No block ends within a fence. Together they are the text.
    """
    blocks: list[list[str]] = [[]]
    is_fenced = False
    for line in text.split("\n"):
        blocks[-1].append(line)
        if _FENCE.match(line):
            is_fenced = not is_fenced
        ends = not line.strip() and len(blocks[-1]) > LINES // 3
        if not is_fenced and (ends or len(blocks[-1]) >= LINES):
            blocks.append([])
    return ["\n".join(block) for block in blocks if block]


def _blocks(tokens: Sequence[Token]) -> Iterator[Content]:
    """Yield a line or more for each block, with a blank line between paragraphs."""
    prefix: list[str] = []
    marks: list[str] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            start = token.attrGet("start")
            marks.append("•" if kind[0] == "b" else str(int(start) if start is not None else 1))
        elif kind in ("bullet_list_close", "ordered_list_close"):
            marks.pop()
            if not marks:
                yield Content("")
        elif kind == "list_item_open":
            ordered = marks[-1].isdigit()
            prefix.append(f"{marks[-1]}{'.' if ordered else ''} ")
            if ordered:
                marks[-1] = str(int(marks[-1]) + 1)
        elif kind == "list_item_close":
            prefix.pop()
        elif kind == "blockquote_open":
            prefix.append("│ ")
        elif kind == "blockquote_close":
            prefix.pop()
        elif kind == "inline":
            heading = tokens[at - 1].type == "heading_open"
            yield _prefixed(_inline(token.children or [], "bold" if heading else ""), prefix)
            _used(prefix)
        elif kind in ("paragraph_close", "heading_close") and not marks:
            yield Content("")
        elif kind in ("fence", "code_block"):
            code = token.content.rstrip("\n").split("\n")
            yield Content("\n").join(Content.styled(f"  {line}", "dim") for line in code)
            yield Content("")
        elif kind == "hr":
            yield Content("───")
        elif kind == "table_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
            yield _table(tokens[at:end])
            yield Content("")
            at = end
        at += 1


def _prefixed(text: Content, prefix: Sequence[str]) -> Content:
    lead = "".join(prefix)
    if not lead:
        return text
    rest = "".join(mark if mark == "│ " else " " * len(mark) for mark in prefix)
    parts = text.split("\n")
    return Content("\n").join(
        Content(lead if number == 0 else rest) + part for number, part in enumerate(parts)
    )


def _used(prefix: list[str]) -> None:
    """Leave blanks for what marks the first line of an item."""
    for place, mark in enumerate(prefix):
        if mark != "│ ":
            prefix[place] = " " * len(mark)


def _inline(children: Sequence[Token], style: str) -> Content:
    styles = [style]
    parts: list[tuple[str, str]] = []
    for child in children:
        if child.type in ("strong_open", "em_open"):
            styles.append(f"{styles[-1]} {'bold' if child.type[0] == 's' else 'italic'}".strip())
        elif child.type in ("strong_close", "em_close"):
            styles.pop()
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(("\n", styles[-1]))
        elif child.type == "code_inline":
            parts.append((child.content, f"{styles[-1]} reverse".strip()))
        else:
            parts.append((child.content, styles[-1]))
    return Content.assemble(*parts)


def _table(tokens: Sequence[Token]) -> Content:
    rows: list[list[str]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token.children or [], "").plain)
    widths = [max(cell_len(row[i]) for row in rows if i < len(row)) for i in range(len(rows[0]))]
    drawn = ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in rows]
    head = Content.styled(drawn[0], "bold")
    return Content("\n").join([head, *(Content(line) for line in drawn[1:])])

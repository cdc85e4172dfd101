"""HTML to text: blocks become lines, hidden text is dropped and counted, nothing is fetched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import TYPE_CHECKING

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import TEXT_LIMIT, too_long
from ingest.origin import Origin
from ingest.sieve import Read, Scope
from ingest.text.clean import clean, clean_line, decode

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_PARSED = 8 << 20
_TAGS = 500_000
"""Characters and tags of a page above which tags are only stripped, to bound the time."""
_DEEP = 3000
"""Depth of elements above which tags are only stripped: the parser takes quadratic time."""
_TOGETHER = 500
"""Tags whose depth is counted at once."""
_CLOSED_ALONE = frozenset(
    {
        *("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "p", "param", "wbr"),
        *("li", "td", "th", "tr", "tbody", "thead", "tfoot", "option", "dt", "dd", "source"),
    }
)
_DROPPED = ("script", "style", "iframe", "template")
_RAW = ",".join((*_DROPPED, "xmp", "noembed", "noframes", "plaintext"))
"""Elements whose text the parser writes as it is, and templates, which hold no text."""
_NAME = re.compile(r"<(/?[a-z][^\s/>]{0,30})")
_DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w-]+)", re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b(?:[^<]|<(?!/\1))*", re.IGNORECASE)
_ANY_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
"""Matches tags without the parser; bounded by the next bracket, so that it stays linear."""


@dataclass(frozen=True, slots=True)
class Visible:
    """The visible content of a page."""

    text: str
    hidden: int
    """Characters left out because nobody can see them."""
    flags: tuple[str, ...] = ()
    """"white text" where words may have the colour of their background."""


def html_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield an HTML page as one document; raises UnreadableError when it holds no text."""
    declared = _DECLARED.search(data[:4096]) or _XML.match(data[:200])
    markup = decode(data, origin.charset or (declared[1].decode("ascii") if declared else None))
    page = read_html(markup)
    if not page.text.strip():
        raise UnreadableError(Reason.EMPTY, "The page holds no text.")
    text = page.text[:TEXT_LIMIT]
    yield replace(origin.document(text, page.hidden, title=_title(markup)), flags=page.flags)
    if len(text) < len(page.text):
        yield too_long(origin)


def html_text(markup: str) -> tuple[str, int]:
    """Return the visible text of `markup` and the number of hidden characters dropped."""
    page = read_html(markup)
    return page.text, page.hidden


def read_html(markup: str) -> Visible:
    """Return what a viewer sees of `markup`."""
    markup = markup.replace("\0", "")
    if len(markup) > _PARSED or markup.count("<") > _TAGS or _is_deep(markup):
        text = unescape(_ANY_TAG.sub(" ", _SCRIPT.sub(" ", markup)))
        page = Visible(re.sub(r"[ \t\f]+", " ", text), 0)
    else:
        page = _shown(markup)
    text, removed = clean(page.text)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    return Visible(text.strip(), page.hidden + removed, page.flags)


def _shown(markup: str) -> Visible:
    from selectolax.lexbor import LexborHTMLParser

    from ingest.html.hidden import Unseen
    from ingest.html.lines import lay_out
    from ingest.html.page import HtmlPage
    from ingest.html.styles import looks
    from ingest.html.tags import unmarked

    tree = LexborHTMLParser(markup)
    root = tree.root
    if root is None:
        return Visible("", 0)
    body = tree.body or root
    _prepare(body, tree.css(_RAW))
    html = body.html or ""
    plain = unmarked(html)
    page = HtmlPage(plain)
    around, _ = looks("html", {name: value or "" for name, value in root.attributes.items()})
    unseen = Unseen(page, around)
    flags = ("white text",) if unseen.has_white_text else ()
    return Visible(lay_out(page), unseen.characters + len(html) - len(plain), flags)


def _prepare(body: LexborNode, raw: list[LexborNode]) -> None:
    """Mark what style sheets hide, remove scripts and the like, and escape raw text."""
    from ingest.html.hidden import hiding_rules

    sheets = "\n".join(node.text() for node in raw if node.tag == "style")
    rules = hiding_rules(sheets)
    for node in body.css(",".join(rules)) if rules else ():
        node.attrs["hidden"] = ""
    for node in raw:
        if node.tag in _DROPPED:
            node.decompose()
        elif leaf := node.first_child:
            leaf.replace_with(escape(node.text(), quote=False))


def _is_deep(markup: str) -> bool:
    """Say whether elements nest deeply, as far as the names of tags tell."""
    opened = markup.count("<")
    if opened < _DEEP or opened - markup.count("</") < _DEEP:
        return False
    names: list[str] = _NAME.findall(markup.lower())
    is_open: Counter[str] = Counter()
    for at in range(0, len(names), _TOGETHER):
        is_open.update(names[at : at + _TOGETHER])
        depth = 0
        for name in [name for name in is_open if name[0] != "/"]:
            left = is_open[name] - is_open[f"/{name}"]
            depth += left if name not in _CLOSED_ALONE else 0
            is_open[name] = max(0, left)
        for name in [name for name in is_open if name[0] == "/"]:
            del is_open[name]
        if depth > _DEEP:
            return True
    return False


def _title(markup: str) -> str:
    found = re.search(r"<title\b[^<>]*>([^<]{0,2000})", markup[:100_000], re.IGNORECASE)
    return clean_line(unescape(found[1]))[:300] if found else ""

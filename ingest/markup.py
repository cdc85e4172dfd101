"""HTML to text: blocks become lines, hidden text is dropped and counted, nothing is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING

from ingest.clean import clean, clean_line, decode
from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import Read, Scope

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

_PARSED = 8 << 20
_DEEP = 1000
"""Nested elements beyond which tags are only stripped: the parser takes quadratic time on them."""

_LINE, _PARAGRAPH, _CELL, _SPACE, _BREAK = "\ue000", "\ue001", "\ue002", "\ue003", "\ue004"
_MARKS = _LINE + _PARAGRAPH + _CELL + _SPACE + _BREAK
_WHITE = re.compile("[ \t\n\r\f\xa0]+")
_LONG_TARGET = 120
_LINES = "div,tr,dt,dd,section,article,header,footer,nav,aside,main,address,figcaption,option"
_PARAGRAPHS = "p,h1,h2,h3,h4,h5,h6,table,ul,ol,dl,blockquote,pre,hr,form,fieldset"
_DROPPED = "script,style,template,noscript,iframe,object,svg,select"
_HIDDEN = (
    '[hidden],[aria-hidden="true"],[style*="display:none" i],[style*="display: none" i],'
    '[style*="visibility:hidden" i],[style*="visibility: hidden" i],[style*="mso-hide" i],'
    '[style*="font-size:0" i],[style*="font-size: 0" i],[style*="opacity:0" i],'
    '[style*="opacity: 0" i]'
)
# Sizes and opacities that begin with 0 and are not nothing.
_VISIBLE = re.compile(r"(?:font-size|opacity):\s*0?\.[0-9]*[1-9]", re.IGNORECASE)
_NESTING = re.compile(
    r"<(/?)(?:div|span|table|font|b|i|em|strong|a|blockquote|center|ul|ol)\b", re.I
)
_DECLARED = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_SCRIPT = re.compile(r"<(script|style)\b(?:[^<]|<(?!/\1))*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z!][^<>]*>")
"""Tags without the parser; bounded by the next bracket, so that it stays linear."""


def html_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield an HTML page as one document; raises UnreadableError when it holds no text."""
    declared = _DECLARED.search(data[:4096])
    markup = decode(data, origin.charset or (declared[1].decode("ascii") if declared else None))
    text, hidden = html_text(markup)
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "The page holds no text.")
    yield origin.document(text, hidden, title=_title(markup))


def html_text(markup: str) -> tuple[str, int]:
    """Return the visible text of `markup` and the number of hidden characters dropped."""
    markup = markup.replace("\0", "")
    if len(markup) > _PARSED or _depth(markup) > _DEEP:
        text, dropped = unescape(_TAG.sub(" ", _SCRIPT.sub(" ", markup))), 0
        text = re.sub(r"[ \t\f]+", " ", text)
    else:
        text, dropped = _visible(markup)
    text, removed = clean(text)
    return re.sub(r"\n{3,}", "\n\n", text).strip(), removed + dropped


def _visible(markup: str) -> tuple[str, int]:
    from selectolax.lexbor import LexborHTMLParser

    if any(mark in markup for mark in _MARKS):
        markup = markup.translate(dict.fromkeys(map(ord, _MARKS), " "))
    tree = LexborHTMLParser(markup)
    body = tree.body or tree.root
    if body is None:
        return "", 0
    dropped = _drop_hidden(body)
    for leaf in [leaf for node in body.css("pre,textarea") for leaf in _leaves(node)]:
        kept = leaf.text_content or ""
        if leaf.parent is not None and "\n" in kept:
            leaf.replace_with(kept.replace("\n", _BREAK).replace(" ", _SPACE))
    for node in body.css("a[href]"):
        _show_target(node)
    for selector, mark in ((_LINES, _LINE), (_PARAGRAPHS, _PARAGRAPH)):
        for node in body.css(selector):
            node.insert_before(mark)
            node.insert_after(mark)
    for node in body.css("br"):
        node.insert_before(_BREAK)
    for node in body.css("li"):
        node.insert_before(f"{_LINE}-{_SPACE}")
    for node in body.css("td + td,th + th,td + th,th + td"):
        node.insert_before(_CELL)
    return _laid_out(body.text()), dropped


def _drop_hidden(body: LexborNode) -> int:
    """Remove what no reader of the page sees; return how many characters of text that was."""
    doomed: dict[int, tuple[LexborNode, bool]] = {}
    for node in body.css(_HIDDEN):
        style = (node.attributes.get("style") or "").lower()
        if "none" in style or "hid" in style or not _VISIBLE.search(style):
            doomed[node.mem_id] = (node, True)
    doomed |= {node.mem_id: (node, False) for node in body.css(_DROPPED)}
    # Removing a node frees those within, so only outermost ones are taken.
    outermost = [
        pair for pair in doomed.values() if not any(a.mem_id in doomed for a in _above(pair[0]))
    ]
    dropped = 0
    for node, counts in outermost:
        dropped += len("".join(node.text().split())) if counts else 0
        node.decompose()
    return dropped


def _above(node: LexborNode) -> Iterator[LexborNode]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _leaves(node: LexborNode) -> list[LexborNode]:
    return [leaf for leaf in node.traverse(include_text=True) if leaf.is_text_node]


def _show_target(node: LexborNode) -> None:
    """Write the target of a link behind its text, unless the text says it already."""
    target = (node.attributes.get("href") or "").strip()
    if not target.startswith(("http://", "https://", "mailto:")) or len(target) > _LONG_TARGET:
        return
    said = "".join(node.text().split())
    if said and target.removeprefix("mailto:").rstrip("/") not in said:
        node.insert_after(f" ({target})")


def _laid_out(text: str) -> str:
    """Return `text` with its white space collapsed and its marks turned into line breaks."""
    text = " ".join(_WHITE.split(text))
    paragraphs = (_lines(part) for part in text.split(_PARAGRAPH))
    text = "\n\n".join(part for part in paragraphs if part)
    return text.replace(_CELL, " | ").replace(_SPACE, " ")


def _lines(paragraph: str) -> str:
    lines = [line.strip(" ") for line in paragraph.split(_LINE)]
    text = "\n".join(line for line in lines if line)
    if _BREAK not in text:
        return text
    return "\n".join(line.strip(" ") for line in text.split(_BREAK)).strip("\n")


def _depth(markup: str) -> int:
    """Return how deep elements nest that are not closed by themselves."""
    if markup.count("<") < _DEEP:
        return 0
    depth = deepest = 0
    for tag in _NESTING.finditer(markup):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        deepest = max(deepest, depth)
    return deepest


def _title(markup: str) -> str:
    found = re.search(r"<title\b[^<>]*>([^<]{0,2000})", markup[:100_000], re.IGNORECASE)
    return clean_line(unescape(found[1]))[:300] if found else ""

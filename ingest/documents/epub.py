"""E-books: the chapters in the order of their spine, as one document."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from ingest.containers.xmltree import Element, parse
from ingest.containers.zips import Zip
from ingest.files import UnreadableError
from ingest.html.text import html_text
from ingest.item import Reason
from ingest.layout.blocks import Layout
from ingest.origin import Origin
from ingest.sieve import Read, Scope
from ingest.text.clean import clean_line, decode

_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_OPF = "{http://www.idpf.org/2007/opf}"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
_DECLARED = re.compile(rb"""<\?xml[^>]{0,200}encoding=["']([\w.-]{1,40})""")
_ESCAPE = re.compile(rb"%([0-9a-fA-F]{2})")
# Fonts are scrambled in this way by books that anyone may read.
_FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_CIPHER = re.compile(rb"EncryptionMethod[^>]{0,400}Algorithm=[\"']([^\"']{1,200})")
_EMPTY = re.compile(r"<(?:defs|text|tspan)\b[^<>]*/>")
_PIECE = re.compile(r"""(<tspan\b(?:[^<>]*?\sy=["']([^"'<>]*))?)""")
_PAGES = ("application/xhtml+xml", "text/html", "application/xml", "image/svg+xml")


def epub_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the book in `data`; raises UnreadableError when it cannot be read."""
    archive = Zip(data)
    ciphers = _CIPHER.findall(archive.get("META-INF/encryption.xml") or b"")
    if any(cipher not in _FONTS for cipher in ciphers):
        remedy = "The book is protected against copying; only its own reader opens it."
        raise UnreadableError(Reason.ENCRYPTED, remedy)
    name, root = _package(archive)
    layout = Layout()
    skipped: list[Read] = []
    for chapter in _spine(root, posixpath.dirname(name)):
        try:
            content = archive.get(chapter)
        except UnreadableError as error:
            skipped.append(origin.skipped(error.reason, error.remedy, chapter))
            continue
        if content:
            declared = _DECLARED.search(content[:300])
            markup = decode(content, declared[1].decode() if declared else None)
            text, hidden = html_text(_with_drawn_text(markup))
            layout.hidden += hidden
            layout.add(text)
    title = root.findtext(f".//{_TITLE}") or ""
    yield from layout.reads(
        origin, title=clean_line(title)[:300], nothing="It holds only pictures."
    )
    yield from skipped


def _with_drawn_text(markup: str) -> str:
    """Return a page with the text of its drawings as lines: some books draw every page."""
    if "svg" not in markup:
        return markup
    before, *drawings = markup.replace("<svg:", "<").replace("</svg:", "</").split("<svg")
    out = [before]
    for drawing in drawings:
        drawn, end, after = drawing.partition("</svg>")
        out += (*_lines(_EMPTY.sub("", drawn)), after if end else "")
    return "".join(out)


def _lines(drawn: str) -> Iterator[str]:
    shown, *defined = drawn.split("<defs")
    shown += "".join(part.partition("</defs>")[2] for part in defined)
    for text in shown.split("</text>")[:-1]:
        first, *pieces = _PIECE.split(text.rpartition("<text")[2])
        out, at = [first], ""
        for begin, line, said in zip(*[iter(pieces)] * 3, strict=True):
            # A piece on a line of its own does not touch what is before it.
            out += (" " if line and line != at else "", begin, said)
            at = line or at
        yield f"<div{''.join(out)}</div>"


def _package(archive: Zip) -> tuple[str, Element]:
    """Return the name and the root of the part that lists the chapters."""
    container = archive.get("META-INF/container.xml")
    if container:
        for node in parse(container).iter(f"{_CONTAINER}rootfile"):
            name = node.get("full-path") or ""
            if content := archive.get(name):
                return name, parse(content)
    raise UnreadableError(Reason.CORRUPT, "It lists no chapters; fetch it again.")


def _spine(root: Element, folder: str) -> Iterator[str]:
    parts = {
        node.get("id"): node.get("href") or ""
        for node in root.iter(f"{_OPF}item")
        if node.get("media-type") in _PAGES
    }
    for node in root.iter(f"{_OPF}itemref"):
        target = parts.get(node.get("idref"))
        if target:
            yield posixpath.normpath(posixpath.join(folder, _unquoted(target)))


def _unquoted(target: str) -> str:
    """Return the name of the member that an address means: unescaped, without its fragment."""
    name = target.partition("#")[0].encode("utf-8", "replace")
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), name).decode("utf-8", "replace")

"""Takes out of a part of a Word document what only says how it looks: four fifths of its bytes.

What is left parses to the same text in a small part of the time. A part that may hide runs, or
whose markup is unusual, is left as it is.
"""

from __future__ import annotations

import re

_WHITE_OR_TINY = re.compile(
    rb"""<(?:[^\s<>/:]+:)?(?:color\s[^<>]*["'][fF]{6}|sz\s[^<>]*["'][012])["']"""
)
# Elements by the prefix that Word and all others write.
_PARAGRAPH_OR_TEXT = re.compile(rb'<w:(?:p ([^<>]*)>|t(?: xml:space="preserve")?>([^<]*)</w:t>)')
# A run without content shows nothing.
_LOOKS = re.compile(
    rb"<w:(?:(rPr|tabs|pBdr)>(?:<[^<>]+/>)*</w:\1>|r(?: [^<>]*)?>|(?:rPr|bookmarkStart|bookmarkEnd"
    rb"|proofErr|lastRenderedPageBreak|spacing|ind|jc|keepNext|keepLines|widowControl"
    rb"|contextualSpacing|pageBreakBefore|shd)(?: [^<>]*)?/>)|</w:r>"
)


def shortened_markup(data: bytes, hiding_styles: bool) -> tuple[bytes, bool]:
    """Return a part with less markup, and whether runs of it may be hidden.

    With `hiding_styles`, runs may be hidden by the style they name.
    """
    if hiding_styles:
        return data, True
    gaps = _Gaps()
    short = _without_looks(data, gaps)
    markup = b"".join(gaps)
    if may_hide(markup):
        return data, True
    # Within comments and the like, markup is text.
    if b"<!" in markup or markup.find(b"<?", 2) >= 0:
        return data, False
    return short.replace(b"</w:t><w:t>", b"").replace(b"<w:p></w:p>", b""), False


def may_hide(markup: bytes) -> bool:
    """Say whether runs can be hidden, told by the bytes, since most documents hide none."""
    return b"vanish" in markup or _WHITE_OR_TINY.search(markup) is not None


class _Gaps(dict[bytes, bytes]):
    """The markup between two texts, shortened; it repeats throughout a document."""

    def __missing__(self, gap: bytes) -> bytes:
        short = _LOOKS.sub(b"", gap).replace(b"<w:pPr></w:pPr>", b"")
        short = short.replace(b"<w:tab/>", b"<w:t>\t</w:t>").replace(b"<w:br/>", b"<w:t>\n</w:t>")
        self[gap] = short
        return short


def _without_looks(data: bytes, gaps: _Gaps) -> bytes:
    """Return a part without looks, without attributes of paragraphs, each gap made short once."""
    first, *others = _PARAGRAPH_OR_TEXT.split(data)
    out = [gaps[first]]
    pieces = iter(others)
    for attributes, text, gap in zip(pieces, pieces, pieces, strict=True):
        if attributes is None:
            out += (b"<w:t>", text, b"</w:t>", gaps[gap])
        else:
            out += (b"<w:p/>" if attributes.endswith(b"/") else b"<w:p>", gaps[gap])
    return b"".join(out)

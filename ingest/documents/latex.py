r"""LaTeX source without comments; files that it names by `\input` are not followed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.layout.blocks import TEXT_LIMIT, too_long
from ingest.origin import Origin
from ingest.sieve import Read, Scope
from ingest.text.clean import clean, decode

_VERBATIM = re.compile(
    r"\\begin\{(verbatim\*?|lstlisting|minted|Verbatim)\}[^\x00]*?\\end\{\1\}"
    r"|\\begin\{(comment)\}([^\x00]*?)\\end\{comment\}"
    r"|(?<!\\)((?:\\\\)*)%([^\n]*)"
)


def latex_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the source in `data` as one document whose lines are those of the file."""
    text, hidden = clean(decode(data, origin.charset))
    is_cut = len(text) > TEXT_LIMIT
    text, dropped = without_comments(text[:TEXT_LIMIT])
    if not text.strip():
        raise UnreadableError(Reason.EMPTY, "It holds no text.")
    yield origin.document(text, hidden + dropped, line=1)
    if is_cut:
        yield too_long(origin)


def without_comments(text: str) -> tuple[str, int]:
    """Return LaTeX without its comments, every line kept, and how many characters they had."""
    dropped = 0

    def kept(match: re.Match[str]) -> str:
        nonlocal dropped
        if match[1]:
            return match[0]
        comment = match[3] if match[2] else match[5]
        dropped += len("".join(comment.split()))
        return "\n" * comment.count("\n") if match[2] else match[4]

    return _VERBATIM.sub(kept, text), dropped

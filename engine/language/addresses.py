"""Long web addresses, shortened for a model and written out again in its reply.

An address that tells its owner who clicked it takes a hundred tokens and says nothing
(docs/decisions.md). Mails of shops and newsletters have one behind every few words.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

LONGEST = 60
"""Characters of an address that is read whole."""
KEPT = 40
"""Characters that are left of a longer one: mostly its host and the beginning of its path."""
_CUT = "\u2026"
_LONG = re.compile(rf"https?://[^\s<>\"'()\[\]{{}}]{{{LONGEST - 7},}}")


def with_short_addresses(text: str) -> str:
    """Return a text with its long addresses cut, each to an ending of its own."""
    return _LONG.sub(lambda address: _short(address[0]), text)


def written_out(reply: str, texts: Iterable[str]) -> str:
    """Return a reply to shortened texts with its addresses as they stand in the texts."""
    if _CUT in reply:
        for text in texts:
            for address in _LONG.findall(text):
                reply = reply.replace(_short(address), address)
    return reply


def _short(address: str) -> str:
    """Return the beginning of an address and a hash: many begin and end alike."""
    digest = hashlib.sha256(address.encode("utf-8", "replace")).hexdigest()
    return f"{address[:KEPT]}{_CUT}{digest[:6]}"

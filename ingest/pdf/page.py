"""What the readers of PDF share: a page, why its words are missing, and repair of its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from ingest.files import UnreadableError
from ingest.item import Reason
from ingest.placed.fragments import HYPHEN

_NO_WORD = re.compile(r"[/@_]\S*$|[\W\d_]$|^$")
# Some programs place each East Asian letter on its own, so that it looks like a word.
_EASTERN = "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_GAP = re.compile(f"(?<={_EASTERN}) (?={_EASTERN})")
# Fonts without a character map give private codes, and letters that nobody types.
_CODES = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\ufffd\uffff\ue000-\uf8ff]")
_CODES_OR_RARE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u0180-\u02af\ufffd\uffff\ue000-\uf8ff]")


class Gap(Enum):
    """Why a page that is not blank has no text."""

    PICTURE = "picture"
    GIBBERISH = "gibberish"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class PdfPage:
    """One page as it was read."""

    text: str = ""
    hidden: int = 0
    """Characters left out because no viewer of the page can see them."""
    gap: Gap | None = None


@dataclass(frozen=True, slots=True)
class EmbeddedFile:
    """A file that is embedded in a document."""

    name: str
    data: bytes


def join_hyphens(text: str) -> str:
    """Return `text` with the words joined that a line's end cuts in two."""
    if HYPHEN not in text:
        return text
    first, *others = text.split(HYPHEN)
    joined = [first]
    for part in others:
        rest = part.lstrip("\r\n")
        goes_on = rest[:1].islower() and not _NO_WORD.search(joined[-1][-60:])
        joined += ("" if goes_on else "-", rest)
    return "".join(joined)


def close_up(text: str) -> str:
    """Return `text` without spaces between East Asian letters that were all set apart."""
    if text.isascii() or text.count(" ") * 3 < len(text):
        return text
    return _GAP.sub("", text)


def is_gibberish(text: str, unmapped: float) -> bool:
    """Say whether `text` is character codes rather than words.

    `unmapped` is the share of characters for which the font does not say what they are; what is
    guessed for them is mostly right, so that it takes other signs as well.
    """
    odd = _CODES if unmapped < 0.5 else _CODES_OR_RARE
    found = len(odd.findall(text))
    return found > 0.1 * len(text) and found > 0.3 * len("".join(text.split()))


def needs_password() -> UnreadableError:
    """Return the error for a document that needs another password."""
    return UnreadableError(Reason.ENCRYPTED, "It needs a password; ask again with --unlock.")

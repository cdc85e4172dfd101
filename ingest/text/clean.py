"""Turns bytes into text that may be shown: decoding, control and hidden characters."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from operator import itemgetter

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Not character sets: names of Python's own codecs, some of them slow or noisy on foreign bytes.
_NOT_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
_PUNCTUATION = "\xa0£€§°«»‘’“”„–—…•·®©´¿¡½¼²³×\xad"  # noqa: RUF001
# Letters beyond ASCII of languages that share encodings, by encodings of theirs.
_ALPHABETS = {
    ("cp1252", "iso8859-15", "mac-roman"): (
        "äöüß",
        "àâçéèêëîïôùûüœæ",
        "áéíóúñü",
        "áâãàçéêíóôõúü",
        "àèéìíòóùú",
        "åäöæøéü",
        "áéíóúýðþæö",
        "ëïéèöüêô",
        "äöüõ",
        "äöüßàâçéèêëîôùûáíóúñåæø",
    ),
    ("cp1250", "iso8859-2"): (
        "ąćęłńóśźż",
        "áčďéěíňóřšťúůýž",
        "áäčďéíĺľňóôŕšťúýž",
        "áéíóöőúüű",
        "ăâîşţ",
        "čćđšž",
    ),
    ("cp1254",): ("çğıİöşüâî",),
}
_COVERED = 0.97
# Encodings of one alphabet each; capitals within words show that one does not fit.
_OTHERS = ("cp1251", "koi8-u", "cp866", "iso8859-5", "cp1253", "iso8859-7")
_MISFIT = re.compile(r"[^\W\d_][^\w\s'’.,:;!?()/@-][^\W\d_]|[a-z][^\W\d_a-z]|[^\W\d_a-z][a-z]")  # noqa: RUF001
_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 64 << 10
_WIDE_SAMPLE = 4 << 10
_LOW_BYTES = bytes((*range(9), 11, 12, *range(14, 32)))
_LOW = frozenset(_LOW_BYTES)
_ASCII, _ALL_ASCII = bytes(range(32, 127)), bytes(range(128))
_WIDE = ("utf-16-le", "utf-16-be")
# Compiled when first needed: it takes milliseconds.
_PRINTABLE = r"[\w\s!-/:-@\[-`{-~\u2010-\u2044\u20ac\u3000-\u303f\uff00-\uffef]+"
_EASTERN = r"[\s!-~\u0e00-\u0e7f\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef]+"

_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    "|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)"  # OSC: titles, links
    "|\x1b[PX^_][^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)"  # DCS, SOS, PM, APC
    "|\x1b[ -/]*[0-~]?"
)
_SPACES = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROLS = frozenset(map(chr, (*range(9), 11, 12, *range(14, 32), 127)))
# One class of characters below U+10000 and one above: together they would be four times slower.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]+"
)
_TAGS = re.compile("[\U000e0000-\U000e007f\U000e0100-\U000e01ef]+")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_ODD = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]"
)


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the text of `data`: by its byte order mark, `declared`, UTF-8, else by a guess."""
    for mark, unicode in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(unicode, "replace")
    name = _charset(declared)
    if name is not None:
        plain = _try(data, name)
        if plain is not None:
            return plain
    wide = wide_charset(data[:_WIDE_SAMPLE])
    if wide is not None:
        return data.decode(wide, "replace")
    shifted = _shifted_charset(data)
    plain = _try(data, shifted or "utf-8")
    return plain if plain is not None else _guess(data)


def clean(text: str) -> tuple[str, int]:
    """Return `text` fit for a terminal and a model, and how many hidden characters it lost.

    Newlines become one kind and keep their number. Terminal escapes, control, bidirectional and
    zero-width characters and Unicode tags go; joiners stay, since scripts and emoji need them.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if _is_clean(text):
        return text, 0
    before = len(text)
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _ESCAPES.sub("", text)
    text = _SPACES.sub(" ", text)
    text = _HIDDEN.sub("", text)
    if _is_wide(text):
        text = _TAGS.sub("", text)
    removed = before - len(text)
    if "\xad" in text:
        text = text.replace("\xad", "")
    return _SURROGATES.sub("\ufffd", text), removed


def _is_clean(text: str) -> bool:
    if text.isascii():
        # Looking for each in turn is ten times faster than looking for any of them.
        return not any(map(text.__contains__, _CONTROLS))
    return not (_ODD.search(text) or (_is_wide(text) and _TAGS.search(text)))


def _is_wide(text: str) -> bool:
    """Say whether there are characters above U+FFFF."""
    return len(text.encode("utf-16-le", "surrogatepass")) > 2 * len(text)


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line, for names, titles and header fields."""
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    return " ".join(clean(text)[0].split())


def looks_binary(head: bytes) -> bool:
    """Say whether `head`, the first bytes of a file, cannot be text in any encoding."""
    if head.startswith(tuple(mark for mark, _ in _BOMS[1:])) or wide_charset(head):
        return False
    zeros = head.count(0)
    odd = len(head) - len(head.translate(None, bytes(range(1, 9)) + bytes(range(14, 27))))
    # A stray zero or two do not make binary what is otherwise flawless text.
    return odd * 10 > len(head) or (zeros > 0 and (odd > 0 or zeros * 200 > len(head)))


def wide_charset(head: bytes) -> str | None:
    """Return the UTF-16 or UTF-32 of `head` without a mark, told by where its low bytes lie."""
    if len(head) < 8 or (b"\0" not in head and not _LOW.intersection(head[:64])):
        return None
    half = len(head) // 2
    even, odd = _low_bytes(head[0::2]), _low_bytes(head[1::2])
    if odd * 10 > half * 4 and even * 4 < odd:
        name = "utf-16-le"
    elif even * 10 > half * 4 and odd * 4 < even:
        name = "utf-16-be"
    elif not head[3::4].strip(b"\0") and _low_bytes(head[1::4] + head[2::4]) * 10 > half * 7:
        name = "utf-32-le"
    elif not head[0::4].strip(b"\0") and _low_bytes(head[1::4] + head[2::4]) * 10 > half * 7:
        name = "utf-32-be"
    else:
        # Two letters of ASCII would make one of the East.
        if len(head.translate(None, _ASCII)) * 6 < len(head):
            return None
        return next((name for name in _WIDE if _shown(head, name, _EASTERN)), None)
    return name if _shown(head, name, _PRINTABLE) else None


def _shown(head: bytes, name: str, letters: str) -> bool:
    """Say whether nearly all of `head` is `letters`, in this encoding."""
    text = head[: len(head) & ~3].decode(name, "replace")
    return len(re.sub(letters, "", text)) * 10 < len(text)


def _low_bytes(data: bytes) -> int:
    """Return how many bytes could be only the higher half of a 16-bit letter."""
    return len(data) - len(data.translate(None, _LOW_BYTES))


def _shifted_charset(data: bytes) -> str | None:
    """Return the encoding that its escape sequences announce."""
    if b"\x1b$" not in data[:_SAMPLE]:
        return None
    return "iso2022_kr" if b"\x1b$)C" in data[:_SAMPLE] else "iso2022_jp_2"


def _try(data: bytes, charset: str) -> str | None:
    try:
        return data.decode(charset)
    except (UnicodeError, LookupError):
        return None


def _charset(declared: str | None) -> str | None:
    """Return the codec for a declared character set, or None when there is none."""
    if not declared or len(declared) > 40 or not declared.isascii() or "\0" in declared:
        return None
    try:
        name = codecs.lookup(declared.strip(" \t\"'")).name
    except LookupError:
        return None
    # "ASCII" with bytes above 127 may be any encoding; "Latin 1" means cp1252.
    known = {"ascii": None, "iso8859-1": "cp1252", **dict.fromkeys(_NOT_CHARSETS)}
    return known.get(name, name)


def _guess(data: bytes) -> str:
    """Return the best guess at text of unknown encoding that is not valid UTF-8."""
    first = _BEYOND_ASCII.search(data)
    start = max(0, first.start() - 1000) if first else 0
    sample = data[start : start + _SAMPLE]
    text = data.decode("utf-8", "replace")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    if text.count("\ufffd") * 20 < foreign:
        return text
    return data.decode(_eight_bit(sample), "replace")


def _eight_bit(sample: bytes) -> str:
    high = Counter(sample.translate(None, _ALL_ASCII))
    total = high.total()
    if total * 3 < len(sample):
        best = max(_coverages(high, total), key=itemgetter(0))
        if best[0] >= _COVERED:
            return best[1]
    from charset_normalizer import from_bytes

    found = from_bytes(sample).best()
    name = found.encoding if found else "cp1252"
    # Words of ASCII letters are the same in all encodings.
    foreign = b" ".join(word for word in sample.split() if not word.isascii())
    misfits = {other: _misfits(foreign, other) for other in (name, *_OTHERS)}
    return min(misfits, key=lambda other: misfits[other])


def _coverages(high: Counter[int], total: int) -> Iterator[tuple[float, str]]:
    """Yield, for each encoding, the share of letters that one language explains."""
    for name, known in _known_bytes():
        yield sum(count for byte, count in high.items() if byte in known) / max(1, total), name


@cache
def _known_bytes() -> list[tuple[str, frozenset[int]]]:
    """Return the bytes that each language uses in each of its encodings."""
    return [
        (name, frozenset(letters.encode(name, "ignore")) - frozenset(range(128)))
        for names, alphabets in _ALPHABETS.items()
        for name in names
        for letters in [f"{alphabet}{alphabet.upper()}{_PUNCTUATION}" for alphabet in alphabets]
    ]


def _misfits(sample: bytes, name: str) -> float:
    """Return how often letters appear where words of this encoding do not have them."""
    text = _try(sample, name) if name not in _OTHERS else sample.decode(name, "replace")
    if text is None:
        return 1.0
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    letters = sum(map(len, words)) or 1
    turned: int = sum(a.islower() and b.isupper() for word in words for a, b in pairwise(word))
    return (turned + len(_MISFIT.findall(text)) + text.count("\ufffd")) / letters

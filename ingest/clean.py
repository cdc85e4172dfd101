"""Bytes to text, and text to what may be shown: decoding, control and hidden characters."""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Not character sets: names of Python's own codecs, some of them slow or noisy on foreign bytes.
_NOT_CHARSETS = {"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"}
# What Western texts in cp1252 are made of beyond ASCII.
_WESTERN = frozenset(
    "\xa0£€§°«»‘’“”„–—…•·®©´¿¡äöüßÄÖÜéèêëàâçîïôûùñáíóúãõåøæÅØÆÉÈÀÇÑÓÁÚœŒ½¼²³×"  # noqa: RUF001
)
_SAMPLE = 64 << 10

_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    "|(?:\x1b\\]|\x9d)[^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)"  # OSC: titles, links
    "|\x1b[PX^_][^\x07\x1b\x9c\n]{0,2048}(?:\x07|\x1b\\\\|\x9c)"  # DCS, SOS, PM, APC
    "|\x1b[ -/]*[0-~]?"
)
_SPACES = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    "\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\U000e0100-\U000e01ef]+"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def decode(data: bytes, declared: str | None = None) -> str:
    """Return the text of `data`: by its mark, as UTF-8, as `declared`, else by a guess."""
    for mark, unicode in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(unicode, "replace")
    name = _charset(declared)
    if name is not None:
        plain = _try(data, name)
        if plain is not None:
            return plain
    plain = _try(data, "utf-8")
    return plain if plain is not None else _guess(data)


def clean(text: str) -> tuple[str, int]:
    """Return `text` fit for a terminal and a model, and how many hidden characters it lost.

    Newlines become one kind and keep their number. Terminal escapes, control, bidirectional and
    zero-width characters and Unicode tags go; joiners stay, since scripts and emoji need them.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii() and not _CONTROLS.search(text):
        return text, 0
    before = len(text)
    if "\x1b" in text or "\x9b" in text or "\x9d" in text:
        text = _ESCAPES.sub("", text)
    text = _SPACES.sub(" ", text)
    text = _HIDDEN.sub("", text)
    removed = before - len(text)
    if "\xad" in text:
        text = text.replace("\xad", "")
    return _SURROGATES.sub("\ufffd", text), removed


def clean_line(text: str) -> str:
    """Return `text` cleaned and on one line, for names, titles and header fields."""
    return " ".join(clean(text)[0].split())


def looks_binary(head: bytes) -> bool:
    """Say whether `head`, the first bytes of a file, cannot be text in any encoding."""
    if head.startswith(tuple(mark for mark, _ in _BOMS[1:])) or wide_charset(head):
        return False
    if b"\0" in head:
        return True
    odd = len(head) - len(head.translate(None, bytes(range(1, 9)) + bytes(range(14, 27))))
    return odd * 10 > len(head)


def wide_charset(head: bytes) -> str | None:
    """Return the UTF-16 of `head` without a mark, told by where its zero bytes lie."""
    half = len(head) // 2
    if half < 4:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if odd * 10 > half * 4 and even * 20 < half:
        return "utf-16-le"
    if even * 10 > half * 4 and odd * 20 < half:
        return "utf-16-be"
    return None


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
    # What is called ASCII and is not is anything; what is called Latin 1 is cp1252.
    known = {"ascii": None, "iso8859-1": "cp1252", **dict.fromkeys(_NOT_CHARSETS)}
    return known.get(name, name)


def _guess(data: bytes) -> str:
    head = data[:_SAMPLE]
    wide = wide_charset(head)
    if wide:
        return data.decode(wide, "replace")
    high = bytes(byte for byte in head if byte > 127)
    if len(high) * 5 < len(head) and _WESTERN.issuperset(high.decode("cp1252", "replace")):
        return data.decode("cp1252", "replace")
    from charset_normalizer import from_bytes

    best = from_bytes(head).best()
    return data.decode(best.encoding if best else "cp1252", "replace")

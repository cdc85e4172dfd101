"""S/MIME and PGP: signed content is read, encrypted content is reported."""

from __future__ import annotations

import re
from enum import Enum

PKCS7 = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_CLEAR = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z-]+: [^\n]*\n)*\n?(.*?)"
    r"(?:\n-----BEGIN PGP SIGNATURE-----.*?(?:\n-----END PGP SIGNATURE-----\n?|\Z)|\Z)",
    re.DOTALL | re.MULTILINE,
)
_LOCKED = re.compile(
    r"^-----BEGIN PGP MESSAGE-----\s.*?(?:\n-----END PGP MESSAGE-----\n?|\Z)",
    re.DOTALL | re.MULTILINE,
)
_SIGNED = bytes.fromhex("2a864886f70d010702")
_ENVELOPED = (
    bytes.fromhex("2a864886f70d010703"),
    bytes.fromhex("2a864886f70d010704"),
    bytes.fromhex("2a864886f70d010706"),
    bytes.fromhex("2a864886f70d0109100117"),
)
"""Object identifiers of PKCS #7 and CMS: enveloped, also signed; encrypted; authenticated."""
_SEQUENCE, _SET, _OBJECT, _OCTETS, _EXPLICIT = 0x30, 0x31, 0x06, 0x04, 0xA0
_DEPTH = 8


class Seal(Enum):
    """Why a sealed part is not read; the value tells a person what to do."""

    ENCRYPTED = "This mail is encrypted; open it in your mail program."
    UNREADABLE = "This mail is sealed in a form that is not read; open it in your mail program."


def open_seal(data: bytes) -> bytes | Seal:
    """Return the message that S/MIME signed as a whole, or why it cannot be had.

    The signature is not checked.
    """
    if any(b"\x06" + bytes([len(kind)]) + kind in data[:64] for kind in _ENVELOPED):
        return Seal.ENCRYPTED
    try:
        return _signed_content(data)
    except (IndexError, ValueError):
        return Seal.UNREADABLE


def without_armour(text: str) -> tuple[str, bool]:
    """Return a text without its PGP armour, and whether part of it is encrypted."""
    text = text.replace("\r\n", "\n")
    text = _CLEAR.sub(lambda match: re.sub("(?m)^- ", "", match[1]) + "\n", text)
    text, locked = _LOCKED.subn("", text)
    return text, locked > 0


def _signed_content(data: bytes) -> bytes:
    tag, at, _ = _element(data, 0)
    kind, begin, end = _element(data, at)
    if (tag, kind, data[begin:end]) != (_SEQUENCE, _OBJECT, _SIGNED):
        raise ValueError("not signed data")
    tag, at, _ = _element(data, end)
    inner, at, _ = _element(data, at)
    if (tag, inner) != (_EXPLICIT, _SEQUENCE):
        raise ValueError("not signed data")
    at = _after(data, _after(data, at))  # version, digest algorithms
    tag, at, _ = _element(data, at)
    at = _after(data, at)  # type of the content
    inner, at, _ = _element(data, at)
    if (tag, inner) != (_SEQUENCE, _EXPLICIT):
        raise ValueError("the content is kept apart")
    return b"".join(_octets(data, at, 0))


def _element(data: bytes, at: int) -> tuple[int, int, int]:
    """Return tag, begin and end of an element's content; end -1 where a mark ends it."""
    tag, length = data[at], data[at + 1]
    at += 2
    if length == 0x80:
        return tag, at, -1
    if length > 0x80:
        size = length & 0x7F
        if size > 5:
            raise ValueError("absurd length")
        length = int.from_bytes(data[at : at + size], "big")
        at += size
    if at + length > len(data):
        raise ValueError("cut off")
    return tag, at, at + length


def _after(data: bytes, at: int, depth: int = 0) -> int:
    """Return where the next element begins."""
    _, begin, end = _element(data, at)
    if end >= 0:
        return end
    if depth > _DEPTH:
        raise ValueError("nested too deep")
    while data[begin : begin + 2] != b"\0\0":
        begin = _after(data, begin, depth + 1)
    return begin + 2


def _octets(data: bytes, at: int, depth: int) -> list[bytes]:
    """Return the pieces of a byte string, which may have several."""
    tag, begin, end = _element(data, at)
    if tag & ~0x20 != _OCTETS or depth > _DEPTH:
        raise ValueError("no content")
    if not tag & 0x20:
        return [data[begin:end]]
    pieces = []
    while (begin < end) if end >= 0 else data[begin : begin + 2] != b"\0\0":
        pieces += _octets(data, begin, depth + 1)
        begin = _after(data, begin)
    return pieces

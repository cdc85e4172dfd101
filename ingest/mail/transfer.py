"""Undoes the transfer encodings of MIME parts, as far as damage allows."""

from __future__ import annotations

import binascii
import re

_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_UUENCODED = frozenset({"x-uuencode", "uuencode", "uue", "x-uue"})


def decode_transfer(data: bytes, encoding: str) -> bytes:
    """Return `data` decoded; damaged data is decoded as far as possible."""
    encoding = encoding.strip().lower()
    if encoding == "quoted-printable":
        return binascii.a2b_qp(data)
    if encoding == "base64":
        return _from_base64(data)
    if encoding in _UUENCODED:
        return _from_uuencoded(data)
    return data


def _from_base64(data: bytes) -> bytes:
    for padding in (b"", b"=="):
        try:
            return binascii.a2b_base64(data + padding)
        except binascii.Error:
            continue
    digits = _NOT_BASE64.sub(b"", data)
    if len(digits) * 10 < len(b"".join(data.split())) * 9:
        return data  # It only claims to be encoded.
    return binascii.a2b_base64(digits[: len(digits) // 4 * 4])


def _from_uuencoded(data: bytes) -> bytes:
    lines = iter(data.splitlines())
    if not any(line.startswith(b"begin ") for line in lines):
        return data
    decoded = []
    for line in lines:
        if line.strip() == b"end":
            break
        # Some encoders write more than the first character of a line says.
        length = (((line[0] - 32) & 63) * 4 + 5) // 3 if line else 0
        try:
            decoded.append(binascii.a2b_uu(line[: length + 1]))
        except binascii.Error:
            continue
    return b"".join(decoded)

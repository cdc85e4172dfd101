"""Results of pdfium's functions as Python values: text, bytes, embedded files."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import byref, c_ulong, c_ushort
from ctypes import create_string_buffer as room
from typing import Any

from pypdfium2 import raw

from ingest.pdf.page import EmbeddedFile

_ATTACHED_SIZE = 64 << 20
_NOTE_SIZE = 1 << 20


def utf16(function: Callable[..., int], *arguments: Any) -> str:
    """Return the result of a function that gives a length first, then UTF-16."""
    size = min(function(*arguments, None, 0), 2 * _NOTE_SIZE)
    if size <= 2:
        return ""
    buffer = (c_ushort * (size // 2))()
    written = function(*arguments, buffer, size)
    if written > size:
        return ""
    return bytes(buffer)[: written - 2].decode("utf-16-le", "replace")


def text_of(function: Callable[..., int], *arguments: Any) -> str:
    """Return the result of a function that gives a length first, then text in bytes."""
    size = function(*arguments, None, 0)
    if not 0 < size <= _NOTE_SIZE:
        return ""
    buffer = room(size)
    function(*arguments, buffer, size)
    return buffer.raw[:size].partition(b"\0")[0].decode("utf-8", "replace")


def attached(handle: Any) -> EmbeddedFile | None:
    """Return an embedded file; None when it is empty or too large."""
    if not handle:
        return None
    data = bytes_of(raw.FPDFAttachment_GetFile, handle)
    return EmbeddedFile(utf16(raw.FPDFAttachment_GetName, handle), data) if data else None


def bytes_of(function: Callable[..., int], *arguments: Any) -> bytes:
    """Return the result of a function that gives a length first, then bytes; empty if too long."""
    size = c_ulong()
    if not function(*arguments, None, 0, byref(size)) or not 0 < size.value <= _ATTACHED_SIZE:
        return b""
    buffer = room(size.value)
    if not function(*arguments, buffer, size.value, byref(size)):
        return b""
    return buffer.raw[: size.value]

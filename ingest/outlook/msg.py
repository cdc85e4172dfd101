"""Outlook messages in a file of their own (.msg)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from typing import Any

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.item import Kind, Reason
from ingest.mail.message import Phase, message_items
from ingest.mail.mime import Part
from ingest.origin import Origin
from ingest.outlook.mapi import (
    ATTACHED,
    ENDS,
    RTF,
    STARTS,
    MapiMessage,
    Properties,
    attached_message,
    attachment,
)
from ingest.sieve import LeftOut, Read, Scope

_PROPERTIES = "__properties_version1.0"
_STREAM = "__substg1.0_"
_RECIPIENT, _ATTACHMENT = "__recip_version1.0_#", "__attach_version1.0_#"
_STORAGE = 0x000D
_NAMED = ("__nameid_version1.0", "__substg1.0_00030102")
_ALIASES = {0x820D: STARTS, 0x820E: ENDS, 0x8104: STARTS, 0x8105: ENDS}
"""What appointments and tasks call their beginning and end, by the numbers of all properties."""
_TOP, _INNER, _LISTED = 32, 24, 8
"""Bytes before the properties of a message, of one within, of a recipient or attachment."""
_FIXED = 16
_ENTRIES = 20_000
_ATTACHMENTS = 1000
_DEPTH = 8
_UNPACKED = 64 << 20
_DICTIONARY = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern "
    b"\\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0"
    b"\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""The text that every compressed RTF may refer to from the start."""


def outlook_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the message and what is attached to it; raises UnreadableError when it is damaged."""
    try:
        mapi = _Storage(data).message_at((), _TOP, 0)
    except DAMAGED as error:
        raise _damaged() from error
    yield from mapi_items(mapi, origin, scope)


def mapi_items(mapi: MapiMessage, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what an Outlook message holds that passes the filters."""
    if mapi.kind is not Kind.MAIL:
        entry = mapi.entry(origin.locator)
        entry = replace(entry, title=entry.title or origin.title)
        passes = scope.admits(entry.when, entry.people, entry.until, [entry.title])
        yield entry if passes and scope.wants(entry.kind) else LeftOut()
        return
    message = mapi.part()
    headers = message.headers()
    content = repr((headers.text("subject"), headers.people("from"), headers.date()))
    message_id = headers.raw("message-id") or f"sha256:{sha256(content.encode()).hexdigest()}"
    locator = replace(origin.locator, message_id=message_id)
    yield from message_items(message, headers, locator, scope, phase=Phase.FIRST | Phase.LATER)


class _Storage:
    """The streams of one .msg."""

    def __init__(self, data: bytes) -> None:
        from olefile import OleFileIO

        self._file: Any = OleFileIO(BytesIO(data))
        self._below: dict[tuple[str, ...], list[str]] = {}
        for path in self._file.listdir(storages=True):
            self._below.setdefault(tuple(path[:-1]), []).append(path[-1])
        self._aliases = self._named() if _NAMED[1] in self._below.get(_NAMED[:1], []) else {}

    def message_at(self, at: tuple[str, ...], header: int, depth: int) -> MapiMessage:
        """Return the message in the storage `at`."""
        known = self._properties(at, header)
        for number, alias in self._aliases.items():
            if number in known.values:
                known.values[alias] = known.values[number]
        below = self._below.get(at, [])
        recipients = [
            self._properties((*at, name), _LISTED, known.charset)
            for name in below
            if name.startswith(_RECIPIENT)
        ]
        attachments = [
            self._attachment((*at, name), known.charset, depth)
            for name in sorted(below)[:_ENTRIES]
            if name.startswith(_ATTACHMENT)
        ]
        rich = known.data(RTF)
        return MapiMessage(
            known, recipients, attachments[:_ATTACHMENTS], lambda: unpacked_rtf(rich)
        )

    def _attachment(self, at: tuple[str, ...], charset: str, depth: int) -> Part:
        known = self._properties(at, _LISTED, charset, without=ATTACHED)
        inner = f"{_STREAM}{ATTACHED:04X}{_STORAGE:04X}"
        if inner in self._below.get(at, []) and depth < _DEPTH:
            if f"{_PROPERTIES}" in self._below.get((*at, inner), []):
                return attached_message(known, self.message_at((*at, inner), _INNER, depth + 1))
            return attachment(known, bytes, 0)
        path = [*at, f"{_STREAM}{ATTACHED:04X}0102"]
        if not self._file.exists(path):
            return attachment(known, bytes, 0)
        return attachment(known, lambda: self._stream(path), self._file.get_size(path))

    def _properties(
        self, at: tuple[str, ...], header: int, charset: str = "", without: int = -1
    ) -> Properties:
        values: dict[int, tuple[int, bytes]] = {}
        if _PROPERTIES in self._below.get(at, []):
            data = self._stream([*at, _PROPERTIES])
            stop = min(len(data), header + _FIXED * _ENTRIES) - _FIXED
            for place in range(header, stop + 1, _FIXED):
                kind, number, _, value = struct.unpack_from("<HHI8s", data, place)
                values[number] = (kind, value)
        for name in self._below.get(at, [])[:_ENTRIES]:
            if not name.startswith(_STREAM) or len(name) < 20:
                continue
            number, kind = int(name[12:16], 16), int(name[16:20], 16)
            if number != without and kind != _STORAGE and "-" not in name:
                values[number] = (kind, self._stream([*at, name]))
        return Properties(values, charset)

    def _named(self) -> dict[int, int]:
        """Return the numbers that this file gives to the names in `_ALIASES`."""
        data = self._stream([*_NAMED])[: 8 * _ENTRIES]
        entries = [struct.unpack_from("<IHH", data, at) for at in range(0, len(data) - 7, 8)]
        return {
            0x8000 + index: _ALIASES[name]
            for name, kind, index in entries
            if name in _ALIASES and not kind & 1
        }

    def _stream(self, path: list[str]) -> bytes:
        try:
            content: bytes = self._file.openstream(path).read()
        except DAMAGED as error:
            raise _damaged() from error
        return content


def unpacked_rtf(data: bytes) -> bytes:
    """Return decompressed RTF; empty when it is damaged."""
    if len(data) < 16:
        return b""
    _, size, kind = struct.unpack_from("<III", data)
    if kind == 0x414C454D:
        return data[16:]
    if kind != 0x75465A4C or size > _UNPACKED:
        return b""
    window = bytearray(_DICTIONARY.ljust(4096, b"\0"))
    write, at, out = len(_DICTIONARY), 16, bytearray()
    while at < len(data) and len(out) < size:
        flags = data[at]
        at += 1
        for bit in range(8):
            if at >= len(data):
                break
            if flags >> bit & 1:
                offset, length = divmod(int.from_bytes(data[at : at + 2], "big"), 16)
                at += 2
                if offset == write % 4096:
                    return bytes(out[:size])
                piece = bytearray()
                for step in range(length + 2):
                    byte = window[(offset + step) % 4096]
                    window[(write + step) % 4096] = byte
                    piece.append(byte)
            else:
                piece = bytearray(data[at : at + 1])
                window[write % 4096] = piece[0]
                at += 1
            out += piece
            write += len(piece)
    return bytes(out[:size])


def _damaged() -> UnreadableError:
    remedy = "It is damaged or cut off; save it again from Outlook."
    return UnreadableError(Reason.CORRUPT, remedy)

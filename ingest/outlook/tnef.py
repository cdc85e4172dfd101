"""What Outlook packs into winmail.dat (TNEF): a body in rich text, and the attachments of a mail.

The libraries that read it are no longer maintained. Described in [MS-OXTNEF].
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ingest.files import UnreadableError
from ingest.item import Kind, Reason
from ingest.origin import Origin
from ingest.outlook.mapi import (
    ATTACHED,
    BODY,
    HTML,
    LONG_NAME,
    RTF,
    SHORT_NAME,
    Properties,
    rtf_text,
)
from ingest.outlook.msg import unpacked_rtf
from ingest.recognise import HEAD, recognise
from ingest.sieve import Read, Scope
from ingest.text.clean import clean, clean_line, decode

_HEAD = 6
"""Bytes before the first attribute."""
_BODY, _CODEPAGE, _PROPERTIES = 0x2800C, 0x69007, 0x69003
_BEGIN, _DATA, _TITLE, _OF_ATTACHMENT = 0x69002, 0x6800F, 0x18010, 0x69005
_FIXED = {
    **dict.fromkeys((0x02, 0x03, 0x04, 0x0A, 0x0B), 4),
    **dict.fromkeys((0x05, 0x06, 0x07, 0x14, 0x40), 8),
    0x48: 16,
}
"""Bytes of the values of a type, padded to four."""
_OBJECT = 0x0D
_COUNTED = frozenset({_OBJECT, 0x1E, 0x1F, 0x102})
_SEVERAL, _NAMED = 0x1000, 0x8000
_INTERFACE = 16
"""Bytes before an attached object."""
_MANY, _DEEP = 1000, 3


@dataclass(slots=True)
class _Attachment:
    title: str = ""
    data: bytes = b""
    known: Properties = field(default_factory=lambda: Properties({}))


@dataclass(slots=True)
class _Winmail:
    """What one winmail.dat holds."""

    charset: str = ""
    body: bytes = b""
    known: Properties = field(default_factory=lambda: Properties({}))
    attachments: list[_Attachment] = field(default_factory=list)
    is_cut: bool = False
    refused: int = 0
    """Attachments beyond the limit."""


def tnef_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the body, unless the mail has it in plain text, and each attachment."""
    packed = _unpacked(data)
    is_empty = True
    is_first = origin.locator.part in (None, "1") or origin.depth > 0
    if is_first and scope.wants(Kind.DOCUMENT) and scope.admits_date(origin.when):
        text, hidden = clean(_body(packed))
        if text.strip():
            is_empty = False
            yield origin.document(text, hidden)
    for number, attached in enumerate(packed.attachments, 1):
        is_empty = False
        yield from _attached(attached, number, origin, scope)
    if packed.is_cut:
        raise UnreadableError(Reason.CORRUPT, "Its end is missing; fetch the mail again.")
    if packed.refused:
        remedy = f"Only its first {_MANY:,} attachments are read; save them from Outlook."
        raise UnreadableError(Reason.TOO_LARGE, remedy)
    if is_empty:
        remedy = "Outlook packed into it how the mail looks, and nothing else."
        yield origin.skipped(Reason.EMPTY, remedy, kinds=frozenset())


def _attached(attached: _Attachment, number: int, origin: Origin, scope: Scope) -> Iterator[Read]:
    # Formats are told apart by a table that lists this module.
    from ingest.formats import items_in

    name = clean_line(attached.known.text(LONG_NAME, SHORT_NAME) or attached.title)
    name = name.replace("\\", "/").rpartition("/")[2][:255] or f"attachment {number}"
    member = ", ".join(filter(None, (origin.locator.member, name)))
    inner = replace(
        origin,
        title=name,
        locator=replace(origin.locator, member=member),
        charset=None,
        depth=origin.depth + 1,
    )
    kind, inside = attached.known.values.get(ATTACHED, (0, b""))
    data = attached.data or inside[_INTERFACE if kind == _OBJECT else 0 :]
    if inner.depth > _DEEP:
        yield inner.skipped(Reason.TOO_LARGE, "It lies too deep; take it out of its mail.")
        return
    yield from items_in(data, inner, scope, recognise(data[:HEAD], Path(name)))


def _unpacked(data: bytes) -> _Winmail:
    packed = _Winmail()
    at = _HEAD
    while at + 9 <= len(data):
        kind, size = struct.unpack_from("<II", data, at + 1)
        value = data[at + 9 : at + 9 + size]
        packed.is_cut = len(value) < size
        # A checksum follows each attribute.
        at += 9 + size + 2
        _take(kind, value, packed)
    return packed


def _take(kind: int, value: bytes, packed: _Winmail) -> None:
    """Add one attribute to what is known; those of an attachment follow its beginning."""
    if packed.refused or (kind == _BEGIN and len(packed.attachments) >= _MANY):
        packed.refused += kind == _BEGIN
    elif kind == _BEGIN:
        packed.attachments.append(_Attachment())
    elif kind == _CODEPAGE and len(value) >= 4:
        packed.charset = f"cp{struct.unpack_from('<I', value)[0]}"
    elif kind == _BODY:
        packed.body = value.rstrip(b"\0")
    elif kind == _PROPERTIES:
        packed.known = _properties(value, packed.charset)
    elif packed.attachments:
        attached = packed.attachments[-1]
        if kind == _TITLE:
            attached.title = decode(value.rstrip(b"\0"), packed.charset)
        elif kind == _DATA:
            attached.data = value
        elif kind == _OF_ATTACHMENT:
            attached.known = _properties(value, packed.charset)


def _properties(data: bytes, charset: str) -> Properties:
    """Return the properties in `data`, as far as they are sound."""
    values: dict[int, tuple[int, bytes]] = {}
    try:
        at = 4
        for _ in range(struct.unpack_from("<I", data)[0]):
            kind, number = struct.unpack_from("<HH", data, at)
            at = _after_name(data, at + 4) if number >= _NAMED else at + 4
            value, at = _value(data, at, kind)
            values[number] = (kind, value)
    except struct.error:
        pass
    return Properties(values, charset)


def _after_name(data: bytes, at: int) -> int:
    """Return where the name of a property ends; some have a name beside the number."""
    by_text, size = struct.unpack_from("<II", data, at + 16)
    return at + 24 + (_filled(size) if by_text else 0)


def _value(data: bytes, at: int, kind: int) -> tuple[bytes, int]:
    """Return a value, the last of several, and where the next property begins."""
    several, plain = kind & _SEVERAL, kind & ~_SEVERAL
    value = b""
    if plain in _FIXED:
        size = _FIXED[plain]
        count = struct.unpack_from("<I", data, at)[0] if several else 1
        at += 4 if several else 0
        return data[at : at + size], at + size * count
    if plain not in _COUNTED:
        raise struct.error
    count = struct.unpack_from("<I", data, at)[0]
    at += 4
    for _ in range(count):
        size = struct.unpack_from("<I", data, at)[0]
        value = data[at + 4 : at + 4 + size]
        at += 4 + _filled(size)
    return value, at


def _filled(size: int) -> int:
    return size + -size % 4


def _body(packed: _Winmail) -> str:
    """Return the best body: plain text, HTML, RTF."""
    plain = packed.known.text(BODY) or decode(packed.body, packed.charset)
    if plain.strip():
        return plain
    if markup := packed.known.data(HTML):
        from ingest.html.text import html_text

        return html_text(decode(markup, packed.known.charset))[0]
    rich = packed.known.data(RTF)
    return rtf_text(unpacked_rtf(rich)) if rich else ""

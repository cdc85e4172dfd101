"""Writes OLE2 compound files, the container of .msg, .doc, .xls and of encrypted Office files."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

_SECTOR, _SMALL, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


@dataclass
class _Entry:
    name: str
    kind: int
    data: bytes = b""
    inside: list[int] = field(default_factory=list)
    right: int = _FREE
    start: int = _END
    size: int = 0


def compound(streams: dict[str, bytes]) -> bytes:
    """Return a compound file; a "/" in the name of a stream puts it into a storage."""
    entries = _entries(streams)
    sectors: list[bytes] = []
    chain: list[int] = []
    small, small_chain = b"", list[int]()
    for entry in entries[1:]:
        entry.size = len(entry.data)
        if entry.size >= _CUTOFF:
            entry.start = _put(entry.data, sectors, chain)
        elif entry.data:
            entry.start = len(small_chain)
            count = -(-entry.size // _SMALL)
            small_chain += [*range(entry.start + 1, entry.start + count), _END]
            small += entry.data.ljust(count * _SMALL, b"\0")
    root = entries[0]
    root.size = len(small)
    root.start = _put(small, sectors, chain)
    first_small = _put(struct.pack(f"<{len(small_chain)}I", *small_chain), sectors, chain, b"\xff")
    first_entry = _put(b"".join(map(_packed, entries)), sectors, chain)
    fats = 1
    while fats * 128 < len(chain) + fats:
        fats += 1
    places = range(len(sectors), len(sectors) + fats)
    chain += [_FAT] * fats
    chain += [_FREE] * (fats * 128 - len(chain))
    fat = struct.pack(f"<{len(chain)}I", *chain)
    head = struct.pack(
        "<8s16sHHHHH6xIIIIIIIIII",
        *(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", bytes(16), 0x3E, 3, 0xFFFE, 9, 6),
        *(0, fats, first_entry, 0, _CUTOFF, first_small, -(-len(small_chain) // 128), _END, 0),
        places[0],
    )
    head += struct.pack("<108I", *[*places[1:], *[_FREE] * 108][:108])
    return head + b"".join(sectors) + fat


def _entries(streams: dict[str, bytes]) -> list[_Entry]:
    entries = [_Entry("Root Entry", 5)]
    known = {"": 0}
    for path, data in streams.items():
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[:depth])
            if name not in known:
                known[name] = len(entries)
                entries[known["/".join(parts[: depth - 1])]].inside.append(len(entries))
                is_stream = depth == len(parts)
                entries.append(_Entry(parts[depth - 1], 2 if is_stream else 1))
        entries[known[path]].data = data
    for entry in entries:
        entry.inside.sort(key=lambda i: (len(entries[i].name), entries[i].name.upper()))
        for left, right in zip(entry.inside, entry.inside[1:], strict=False):
            entries[left].right = right
    return entries


def _put(data: bytes, sectors: list[bytes], chain: list[int], fill: bytes = b"\0") -> int:
    """Append `data` in whole sectors and return the first."""
    if not data:
        return _END
    first = len(sectors)
    data = data.ljust(-(-len(data) // _SECTOR) * _SECTOR, fill)
    sectors += [data[at : at + _SECTOR] for at in range(0, len(data), _SECTOR)]
    chain += [*range(first + 1, len(sectors)), _END]
    return first


def _packed(entry: _Entry) -> bytes:
    name = entry.name.encode("utf-16-le")
    child = entry.inside[0] if entry.inside else _FREE
    start = 0 if entry.start == _END and entry.kind == 1 else entry.start
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ",
        *(name, len(name) + 2, entry.kind, 1, _FREE, entry.right, child, 0, start, entry.size),
    )

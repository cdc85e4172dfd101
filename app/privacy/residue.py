"""Looks for a word in files, in every form in which a program may have written it down.

A word is found in plain, as UTF-16 or UTF-32, hexadecimal or base64, and within what is compressed
(gzip, zlib, zstd, bzip2, xz, zip) or kept in a SQLite database, one within the other; and in the
file's own path. What cannot be looked into, because nobody can tell what it is, is named instead of
passed over.
"""

from __future__ import annotations

import base64
import bz2
import contextlib
import ctypes
import io
import lzma
import os
import sqlite3
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DEPTH = 3
_MOST = 64 << 20
"""Bytes that one compressed stream may hold here; more is cut, and the file is named."""
_GZIP, _ZSTD, _ZIP, _SQLITE = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"PK\3\4", b"SQLite format 3\0"
_BZIP2, _XZ = b"BZh", b"\xfd7zXZ\0"
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")
_ODD_SHARE = 0.05
"""Share of characters that no text has, above which a file is not text."""
_FAR = "\u0500"
"""The first character after Latin, Greek and Cyrillic ones."""


@dataclass(frozen=True, slots=True)
class Residue:
    """What a search of files came to."""

    held: tuple[tuple[Path, str], ...]
    """Files that hold the word, and in which form."""
    unknown: tuple[Path, ...]
    """Files that are neither text nor of a known kind, so that nothing can be said of them."""
    searched: int


def search(paths: Iterable[Path], word: str) -> Residue:
    """Look for a word in these files. Raises `OSError` when one cannot be read."""
    held, unknown, searched = [], [], 0
    for path in paths:
        data = path.read_bytes()
        searched += 1
        if word in str(path):
            held.append((path, "its name"))
        elif (form := form_in(data, word)) is not None:
            held.append((path, form))
        elif not is_known(data):
            unknown.append(path)
    return Residue(tuple(held), tuple(unknown), searched)


def form_in(data: bytes, word: str) -> str | None:
    """Return how the data holds the word, such as "base64 in gzip", or None."""
    return _form_in(data, list(_forms(word)), 0)


def is_known(data: bytes) -> bool:
    """Say whether data is text, or of a kind that `form_in` looks into."""
    if data.startswith(_SQLITE) or any(_is_text(data, name) for name in _ENCODINGS):
        return True
    if not data.startswith((_GZIP, _ZSTD, _BZIP2, _XZ, _ZIP, *_ZLIB)):
        return False
    return any(is_known(content) for _, content in _within(data) if content)


def _is_text(data: bytes, encoding: str) -> bool:
    """Say whether nearly all of what these bytes spell is what people write."""
    text = data.decode(encoding, "replace")
    odd = sum(not (one.isprintable() or one in "\t\r\n\f\ufeff") for one in text)
    # Any bytes spell Chinese in UTF-16.
    far = sum(one >= _FAR for one in text) if encoding.startswith(("utf-16", "utf-32")) else 0
    return odd <= len(text) * _ODD_SHARE and far * 2 <= len(text)


def files_below(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield every file that is no link; a folder that vanishes meanwhile is passed over."""
    for folder in folders:
        for top, _, names in os.walk(folder):
            for path in (Path(top, name) for name in names):
                if path.is_file() and not path.is_symlink():
                    yield path


def _forms(word: str) -> Iterator[tuple[str, bytes]]:
    """Yield every way in which the word is spelled, lower case where case says nothing."""
    raw = word.encode()
    yield "plain", raw
    for name in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        yield name.upper(), word.encode(name)
    yield "hexadecimal", raw.hex().encode()
    for shift in range(3):
        # The first and last characters depend on the neighbours, the middle does not.
        yield "base64", base64.b64encode(b"x" * shift + raw)[4:-4]


def _form_in(data: bytes, forms: list[tuple[str, bytes]], depth: int) -> str | None:
    folded = data.lower()
    for name, spelled in forms:
        if spelled in data or (name != "base64" and spelled.lower() in folded):
            return name
    if depth == _DEPTH:
        return None
    for kind, inner in _within(data):
        if (form := _form_in(inner, forms, depth + 1)) is not None:
            return f"{form} in {kind}"
    return None


def _within(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what is compressed or filed within data, wherever it begins."""
    for at in _places(data, _GZIP):
        yield "gzip", _inflated(data[at:], 31)
    for mark in _ZLIB:
        for at in _places(data, mark):
            yield "zlib", _inflated(data[at:], 15)
    for at in _places(data, _ZSTD):
        yield "zstd", _unpacked_zstd(data[at:])
    for at in _places(data, _BZIP2):
        yield "bzip2", _unpacked(bz2.BZ2Decompressor(), data[at:])
    for at in _places(data, _XZ):
        yield "xz", _unpacked(lzma.LZMADecompressor(), data[at:])
    if _ZIP in data:
        yield from _members(data)
    if data.startswith(_SQLITE):
        yield from _cells(data)


def _places(data: bytes, mark: bytes) -> Iterator[int]:
    at = data.find(mark)
    while at >= 0:
        yield at
        at = data.find(mark, at + 1)


def _inflated(data: bytes, bits: int) -> bytes:
    try:
        return zlib.decompressobj(bits).decompress(data, _MOST)
    except zlib.error:
        return b""  # its first bytes were chance


def _unpacked(unpacking: bz2.BZ2Decompressor | lzma.LZMADecompressor, data: bytes) -> bytes:
    try:
        return unpacking.decompress(data, _MOST)
    except (OSError, lzma.LZMAError):
        return b""


def _members(data: bytes) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for info in archive.infolist():
                yield "zip", info.filename.encode() + b"\0" + archive.read(info)[:_MOST]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error):
        return


def _cells(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the texts and blobs of all tables; text within a page may be cut by an overflow."""
    with closing(sqlite3.connect(":memory:")) as database:
        try:
            database.deserialize(data)
            tables = database.execute("select name from sqlite_master where type = 'table'")
            for (table,) in tables.fetchall():
                quoted = table.replace('"', '""')
                for row in database.execute(f'select * from "{quoted}"'):  # noqa: S608 - no value of a person's
                    for value in row:
                        if isinstance(value, str | bytes):
                            yield "SQLite", value if isinstance(value, bytes) else value.encode()
        except sqlite3.DatabaseError:
            return


@cache
def _zstd() -> ctypes.CDLL | None:
    """Return the system's library for zstd, which Python has only from 3.14 on."""
    for name in ("libzstd.so.1", "libzstd.1.dylib", "libzstd.dll"):
        with contextlib.suppress(OSError):  # `find_library` would run a compiler
            library = ctypes.CDLL(name)
            library.ZSTD_decompress.restype = ctypes.c_size_t
            return library
    return None


def _unpacked_zstd(data: bytes) -> bytes:
    library = _zstd()
    if library is None:
        return b""
    room = ctypes.create_string_buffer(min(_MOST, 64 * len(data) + (1 << 16)))
    size = library.ZSTD_decompress(
        room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data))
    )
    return room.raw[:size] if not library.ZSTD_isError(ctypes.c_size_t(size)) else b""

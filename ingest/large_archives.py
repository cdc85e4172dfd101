"""Archives that are too large for memory, such as the parts of a Google Takeout.

Members are unpacked one after the other from the open file, and a mailbox among them in pieces, so
that no more than the largest member, or a piece, is in memory at once.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import IO, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from ingest.archives import JUNK, UNPACKING, MemberFile, inner_of, member_items, placed
from ingest.containers.zips import MEMBER_LIMIT, RATIO, name_of
from ingest.files import File, UnreadableError
from ingest.formats import items_in, limit_of, told
from ingest.item import Item, Kind, Reason
from ingest.mail.mbox import MESSAGE_LIMIT, read_later, read_mbox, starts_in
from ingest.origin import Origin
from ingest.recognise import HEAD, Format, kinds_of, recognise
from ingest.sieve import Later, Read, Scope, moment

PIECE = 16 << 20
"""Bytes of a mailbox that are read at once."""
MEMBERS = 200_000
_KINDS = kinds_of(Format.ARCHIVE)
_OFFICE = frozenset({"[Content_Types].xml", "mimetype", "META-INF/container.xml", "Index.zip"})
"""Members of a document that is a zip."""
_DAMAGED = (BadZipFile, tarfile.TarError, NotImplementedError, struct.error, *UNPACKING)


def large_archive_items(file: File, scope: Scope, form: Format) -> Iterator[Read]:
    """Yield what the members of an archive hold. Raises UnreadableError."""
    origin = Origin.of_file(file)
    try:
        if form is Format.ZIP:
            yield from _zip(file, origin, scope)
        else:
            yield from _tar(file, origin, scope, form)
    except _DAMAGED as error:
        remedy = "The archive is damaged or cut off; fetch it again."
        raise UnreadableError(Reason.CORRUPT, remedy) from error


def _zip(file: File, origin: Origin, scope: Scope) -> Iterator[Read]:
    archive = ZipFile(_stream(file))
    members = [one for one in archive.infolist() if not one.is_dir()]
    is_sealed = any(one.flag_bits & 1 for one in members)  # passwords are tried on it as a whole
    if is_sealed or _OFFICE & {one.filename for one in members}:
        yield from items_in(file.whole(limit_of(Format.ZIP)), origin, scope, Format.ZIP)
        return
    if sum(one.compress_size for one in members) > file.size:
        raise UnreadableError(Reason.CORRUPT, "Its members overlap, which no program writes.")
    for count, member in enumerate(members):
        if count == MEMBERS:
            yield _too_many(origin)
            return
        inner = inner_of(origin, name_of(member), _dated(member, scope))
        if any(junk in name_of(member) for junk in JUNK):
            continue
        if member.file_size > max(member.compress_size * RATIO, 1 << 20):
            remedy = f"It unpacks to more than {RATIO} times its size."
            yield inner.skipped(Reason.TOO_LARGE, remedy, kinds=_KINDS)
        else:
            with archive.open(member) as stream:
                yield from _member(_Member(stream, member.file_size), inner, scope)


def _dated(member: ZipInfo, scope: Scope) -> datetime | None:
    try:
        return datetime(*member.date_time, tzinfo=scope.zone)
    except ValueError:
        return None


def _tar(file: File, origin: Origin, scope: Scope, form: Format) -> Iterator[Read]:
    stream = _unpacked(file, form)
    head = stream.peek(512)[:512] if isinstance(stream, io.BufferedReader) else b""
    if head[257:262] != b"ustar":
        name = PurePosixPath(origin.title)
        inner = inner_of(origin, name.stem, origin.when)
        yield from _member(_Member(cast("IO[bytes]", stream), None), inner, scope)
        return
    links = 0
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
        for count, member in enumerate(archive):
            if count == MEMBERS:
                yield _too_many(origin)
                return
            if member.isdir():
                continue
            content = archive.extractfile(member) if member.isreg() else None
            if content is None or member.issparse():
                links += 1
                continue
            inner = inner_of(origin, member.name, moment(member.mtime))
            yield from _member(_Member(content, member.size), inner, scope)
    if links:
        remedy = f"{links} links or devices in it are not followed."
        yield origin.skipped(Reason.NOT_A_FILE, remedy, kinds=frozenset())


def _stream(file: File) -> io.BufferedReader:
    return io.BufferedReader(cast("io.RawIOBase", _FileStream(file)), 1 << 20)


def _unpacked(file: File, form: Format) -> io.BufferedReader:
    raw = _stream(file)
    if form is Format.TAR:
        return raw
    head = file.at(0, 6)
    if head.startswith(b"BZh"):
        unpacker: io.BufferedIOBase = bz2.BZ2File(raw)
    elif head.startswith(b"\xfd7zXZ"):
        unpacker = lzma.LZMAFile(raw)  # noqa: SIM115 - read as the archive is
    else:
        unpacker = gzip.GzipFile(fileobj=raw)
    bounded = _Bounded(unpacker, file.size * RATIO)
    return io.BufferedReader(cast("io.RawIOBase", bounded), 1 << 20)


@dataclass(frozen=True, slots=True)
class _Member:
    stream: IO[bytes]
    size: int | None
    """Bytes when unpacked; None where nothing says."""


def _member(member: _Member, inner: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what one member holds; of what no reader takes, the beginning is read alone."""
    head = member.stream.read(HEAD)
    form = told(
        recognise(head, inner.locator.path.with_name(inner.title)), head, inner.title, scope
    )
    if form is Format.MBOX:
        if scope.scans is None and scope.page is None:
            yield from _mailbox(head, member.stream, inner, scope)
    elif form in (Format.UNSUPPORTED, Format.EMPTY):
        yield from items_in(head, inner, scope, form)
    else:
        rest = member.stream.read(MEMBER_LIMIT + 1)
        if len(head) + len(rest) > MEMBER_LIMIT:
            size = f"It is {member.size >> 20:,} MB" if member.size else "It is large"
            remedy = f"{size}; unpack the archive."
            yield inner.skipped(Reason.TOO_LARGE, remedy, kinds=kinds_of(form))
        else:
            yield from member_items(head + rest, inner, scope)


def _mailbox(head: bytes, stream: IO[bytes], inner: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the mails of a mailbox piece by piece, attachments while time is left for them."""
    member, until = inner.locator.member or "", None
    base, left, put_off = 0, head, 0
    while left:
        block = stream.read(PIECE)
        data = left + block
        cut = _cut(data) if block else len(data)
        if cut == 0 and len(data) > MESSAGE_LIMIT:
            remedy = f"The message is larger than {MESSAGE_LIMIT >> 20} MB."
            where = f"{member}, message at byte {base}"
            yield inner.skipped(Reason.TOO_LARGE, remedy, where, kinds_of(Format.MBOX))
            base, left = _passed_over(stream, base + len(data))
            continue
        piece = MemberFile(data[:cut], inner.locator.path)
        for read in read_mbox(piece, scope) if cut else ():
            if not isinstance(read, Later):
                yield _shifted(placed(read, member), base)
                continue
            until = until or time.monotonic() + scope.budget.attachments
            if time.monotonic() > until:
                put_off += 1
                continue
            for late in read_later(piece, scope, read.offset):
                yield _shifted(placed(late, member), base)
        base, left = base + cut, data[cut:]
    if put_off:
        remedy = "No time was left, and the next question begins anew; unpack the archive."
        where = f"attachments of {put_off:,} mails"
        yield inner.skipped(Reason.LATER, remedy, where, frozenset({Kind.DOCUMENT}))


def _cut(data: bytes) -> int:
    """Return where the last message begins; 0 where there is just one."""
    return max(starts_in(data, 0, 1, len(data)), default=0)


def _passed_over(stream: IO[bytes], base: int) -> tuple[int, bytes]:
    """Return where the next message begins, and what was read of it."""
    left = b""
    while block := stream.read(PIECE):
        data = left + block
        start = next(starts_in(data, 0, 1, len(data)), None)
        if start is not None:
            return base + start - len(left), data[start:]
        base, left = base + len(block), data[-HEAD:]
    return base, b""


def _shifted(read: Read, base: int) -> Read:
    """Return what was read of a piece with its place in the whole mailbox."""
    if isinstance(read, Item) and read.locator.offset is not None:
        return replace(read, locator=replace(read.locator, offset=read.locator.offset + base))
    return read


def _too_many(origin: Origin) -> Read:
    remedy = f"Only its first {MEMBERS:,} members are read; unpack it."
    return origin.skipped(Reason.TOO_LARGE, remedy, kinds=_KINDS)


class _Bounded(io.RawIOBase):
    """What a file unpacks to; raises an error when that is too much."""

    def __init__(self, unpacker: io.BufferedIOBase, limit: int) -> None:
        self._unpacker = unpacker
        self._left = limit

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        size = self._unpacker.readinto(buffer)
        self._left -= size
        if self._left < 0:
            remedy = f"It unpacks to more than {RATIO} times its size."
            raise UnreadableError(Reason.TOO_LARGE, remedy)
        return size


class _FileStream(io.RawIOBase):
    """An open file as the libraries for archives want it."""

    def __init__(self, file: File) -> None:
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begins = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._file.size}
        self._at = begins[whence] + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        block = self._file.at(self._at, len(buffer))
        buffer[: len(block)] = block
        self._at += len(block)
        return len(block)

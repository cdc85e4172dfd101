"""Archives: members of zip and tar, and single packed files, are read in memory like files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from io import BufferedIOBase, BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, cast

from ingest.containers.zips import CONTAINER_LIMIT, MEMBER_LIMIT, MEMBERS, RATIO, Zip, name_of
from ingest.files import File, UnreadableError
from ingest.formats import items_in
from ingest.item import Item, Reason, Skipped
from ingest.mail.mbox import read_later, read_mbox, read_message
from ingest.origin import Origin, day_of, title_of
from ingest.recognise import HEAD, Format, kinds_of, recognise
from ingest.sieve import Later, Read, Scope, moment
from ingest.text.clean import clean_line

DEPTH = 2
"""How deep archives within archives are opened."""
_BLOCK = 1 << 20
_RECORD = 512
_KINDS = kinds_of(Format.ARCHIVE)
UNPACKING = (OSError, EOFError, zlib.error, lzma.LZMAError)
"""What the libraries raise on damaged streams."""
JUNK = ("__MACOSX/", ".DS_Store")
"""What macOS adds to archives."""
_TAR_SUFFIXES = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}
_EARLIEST = 1981
"""Years of the dates that archives write when they have none."""


def zip_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what the members of a zip hold; raises UnreadableError when it cannot be opened."""
    _check_depth(origin)
    archive = Zip(data, scope.passwords)
    if not archive.members:
        raise UnreadableError(Reason.EMPTY, "The archive is empty.")
    for member in archive.members:
        name = name_of(member)
        if any(junk in name for junk in JUNK):
            continue
        try:
            when = datetime(*member.date_time, tzinfo=scope.zone)
        except ValueError:
            when = None
        inner = inner_of(origin, name, when)
        try:
            content = archive.read(member)
        except UnreadableError as error:
            yield inner.skipped(error.reason, error.remedy, kinds=_KINDS)
            if archive.is_spent:
                return
            continue
        yield from member_items(content, inner, scope)


def tar_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what the members of a tar hold; links and devices are not followed."""
    _check_depth(origin)
    yield from _tar(_BudgetedStream(BytesIO(data), len(data)), origin, scope)


def packed_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what a gz, bz2 or xz file holds: a tar, or one file."""
    _check_depth(origin)
    try:
        start = _opened(data).read(512)
    except UNPACKING as error:
        raise _damaged() from error
    if start[257:262] == b"ustar":
        yield from _tar(_BudgetedStream(_opened(data), len(data)), origin, scope)
        return
    inner = inner_of(origin, _unpacked_name(origin.title), origin.when)
    yield from member_items(_BudgetedStream(_opened(data), len(data)).whole(), inner, scope)


def member_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield what a member holds, mail among it. `origin` is the member's own."""
    path = Path(origin.title)
    form = recognise(data[:HEAD], path)
    if form not in (Format.MAIL, Format.MBOX):
        yield from items_in(data, origin, scope, form)
        return
    file = MemberFile(data, origin.locator.path)
    for read in _mails(file, form, scope):
        yield placed(read, origin.locator.member or "")


def _mails(file: File, form: Format, scope: Scope) -> Iterator[Read]:
    for read in (read_mbox if form is Format.MBOX else read_message)(file, scope):
        if isinstance(read, Later):
            yield from read_later(file, scope, read.offset)
        else:
            yield read


def placed(read: Read, member: str) -> Read:
    """Return what was read of a mail in a member, with the member's name put before its own."""
    if isinstance(read, Item):
        name = f"{member}/{read.locator.member}" if read.locator.member else member
        return replace(read, locator=replace(read.locator, member=name))
    if isinstance(read, Skipped):
        return replace(read, member=f"{member}/{read.member}" if read.member else member)
    return read


class MemberFile(File):
    """A member of an archive that is a mailbox, in place of a file."""

    def __init__(self, data: bytes, path: Path) -> None:
        self.path = path
        self.size = len(data)
        self.mtime_ns = 0
        self.taken = 0
        self._descriptor = -1
        self._mark = -1
        self.on_mark = None
        self._data = data

    def at(self, offset: int, length: int) -> bytes:
        return self._data[offset : offset + length]

    def whole(self, limit: int) -> bytes:
        return self._data


def _tar(source: _BudgetedStream, origin: Origin, scope: Scope) -> Iterator[Read]:
    left = CONTAINER_LIMIT
    links = count = 0
    try:
        # A stream: nothing is kept of what was passed over.
        with tarfile.open(fileobj=cast("IO[bytes]", source), mode="r|") as archive:
            for member in archive:
                if member.isdir():
                    continue
                count += 1
                if count > MEMBERS:
                    remedy = f"Only its first {MEMBERS:,} members are read; unpack it."
                    yield origin.skipped(Reason.TOO_LARGE, remedy, kinds=_KINDS)
                    return
                inner = inner_of(origin, member.name, moment(member.mtime))
                if not member.isreg() or member.issparse():
                    links += 1
                    continue
                if member.size > min(MEMBER_LIMIT, left):
                    remedy = f"It is {member.size >> 20:,} MB; unpack the archive."
                    yield inner.skipped(Reason.TOO_LARGE, remedy, kinds=_KINDS)
                    continue
                content = archive.extractfile(member)
                if content is not None:
                    data = content.read()
                    left -= len(data)
                    yield from member_items(data, inner, scope)
        is_cut = not source.ends_in_zeros()
    except (tarfile.TarError, *UNPACKING) as error:
        raise _damaged() from error
    if is_cut:
        yield origin.skipped(Reason.CORRUPT, "It is cut off; fetch it again.", kinds=_KINDS)
    if links:
        remedy = f"{links} links or devices in it are not followed."
        yield origin.skipped(Reason.NOT_A_FILE, remedy, kinds=frozenset())


class _BudgetedStream:
    """A stream that raises an error when it unpacks to too much."""

    def __init__(self, stream: BufferedIOBase, packed: int) -> None:
        self._stream = stream
        self._end = b""
        self._left = min(CONTAINER_LIMIT, max(packed * RATIO, _BLOCK))

    def read(self, size: int = -1) -> bytes:
        block = self._stream.read(min(size, self._left + 1) if size >= 0 else self._left + 1)
        self._left -= len(block)
        self._end = (self._end + block[-_RECORD:])[-_RECORD:]
        if self._left < 0:
            remedy = f"It unpacks to more than {RATIO} times its size, or than 1 GB."
            raise UnreadableError(Reason.TOO_LARGE, remedy)
        return block

    def ends_in_zeros(self) -> bool:
        """Say whether the rest ends as a tar does; a tar that is cut off does not."""
        while self.read(_BLOCK):
            pass
        return not self._end.strip(b"\0")

    def whole(self) -> bytes:
        """Return all that is left, if a member may be that long."""
        self._left = min(self._left, MEMBER_LIMIT)
        blocks = []
        try:
            while block := self.read(_BLOCK):
                blocks.append(block)
        except UNPACKING as error:
            raise _damaged() from error
        return b"".join(blocks)


def _opened(data: bytes) -> BufferedIOBase:
    """Return a stream of what the bytes unpack to."""
    source = BytesIO(data)
    if data.startswith(b"BZh"):
        return bz2.BZ2File(source)
    if data.startswith(b"\xfd7zXZ"):
        return lzma.LZMAFile(source)
    return gzip.GzipFile(fileobj=source)


def inner_of(origin: Origin, name: str, when: datetime | None) -> Origin:
    """Return the origin of a member. What is attached to a mail keeps the date of the mail."""
    name = clean_line(name.replace("\\", "/")).lstrip("/")
    around = origin.locator.member
    if origin.subjects or when is None or when.year < _EARLIEST:
        when = origin.when
    return replace(
        origin,
        title=title_of(PurePosixPath(name).name or name),
        when=day_of(PurePosixPath(name).name) or when,
        locator=replace(origin.locator, member=f"{around}/{name}" if around else name),
        charset=None,
        depth=origin.depth + 1,
    )


def _check_depth(origin: Origin) -> None:
    if origin.depth >= DEPTH:
        remedy = f"Archives are opened {DEPTH} deep; unpack this one."
        raise UnreadableError(Reason.TOO_LARGE, remedy)


def _unpacked_name(name: str) -> str:
    """Return the name of a packed file without the suffix of its packer."""
    path = PurePosixPath(name)
    suffix = path.suffix.lower()
    return path.with_suffix(_TAR_SUFFIXES.get(suffix, "")).name if suffix else name


def _damaged() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "The archive is damaged or cut off; fetch it again.")

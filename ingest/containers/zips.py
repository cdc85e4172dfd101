"""Reads members of a zip in memory, within a budget: checks declared sizes, then enforces them."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Collection, Iterable
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from ingest.files import UnreadableError
from ingest.item import Reason

MEMBERS = 10_000
MEMBER_LIMIT = 100 << 20
"""Bytes of the largest member that is read."""
CONTAINER_LIMIT = 1 << 30
"""Bytes of all members together."""
RATIO = 200
"""How many times larger a member may be when unpacked; office documents stay below 60."""
_RATIO_FROM = 1 << 20
"""Bytes of a member below which its ratio does not matter."""

_ENTRY = b"PK\x01\x02"
_END = b"PK\x05\x06"
_AES = 99
_IS_ENCRYPTED, _IS_UNICODE = 1, 0x800
_TAIL = 66_000


class Zip:
    """A zip and what is left of its budget."""

    def __init__(self, data: bytes, passwords: Iterable[str] = ()) -> None:
        """Read the directory. Raises UnreadableError when it is damaged or too long."""
        if directory_of(data).count(_ENTRY) > MEMBERS:
            raise UnreadableError(Reason.TOO_LARGE, f"It holds more than {MEMBERS:,} members.")
        self._data = data
        self._passwords = tuple(passwords)
        try:
            self._zip = ZipFile(BytesIO(data))
        except (BadZipFile, NotImplementedError, UnicodeDecodeError, struct.error) as error:
            remedy = "The archive is damaged or cut off; fetch it again."
            raise UnreadableError(Reason.CORRUPT, remedy) from error
        self.members = [one for one in self._zip.infolist() if not one.filename.endswith("/")]
        if sum(member.compress_size for member in self.members) > len(data):
            raise UnreadableError(Reason.CORRUPT, "Its members overlap, which no program writes.")
        self._by_name = {member.filename.lower(): member for member in self.members}
        self._left = CONTAINER_LIMIT
        self.is_spent = False
        """Whether a member was refused because the others used up the budget."""

    def names(self) -> Collection[str]:
        """Return the names of the members in lower case; office programs disregard case."""
        return self._by_name.keys()

    def get(self, name: str, *, whole: bool = True) -> bytes | None:
        """Return the member of this name in any case, None when there is none."""
        member = self._by_name.get(name.lower())
        return None if member is None else self.read(member, whole=whole)

    def size(self, name: str) -> int:
        """Return the size that is declared for the member of this name."""
        member = self._by_name.get(name.lower())
        return 0 if member is None else member.file_size

    def read(self, member: ZipInfo, *, whole: bool = True) -> bytes:
        """Return the bytes of a member, without `whole` no more of it than one may have.

        Raises UnreadableError when it is not to be had.
        """
        size = member.file_size
        if size > MEMBER_LIMIT and whole:
            raise UnreadableError(Reason.TOO_LARGE, f"It unpacks to {size >> 20:,} MB.")
        if size > _RATIO_FROM and size > member.compress_size * RATIO:
            remedy = f"It unpacks to more than {RATIO} times its size."
            raise UnreadableError(Reason.TOO_LARGE, remedy)
        size = min(size, MEMBER_LIMIT)
        if size > self._left:
            self.is_spent = True
            remedy = f"What the archive holds exceeds {CONTAINER_LIMIT >> 30} GB; unpack it."
            raise UnreadableError(Reason.TOO_LARGE, remedy)
        self._left -= size
        if member.compress_type == _AES:
            return self._decrypted_aes(member)
        if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            remedy = "It is packed in a way that is not read; unpack it first."
            raise UnreadableError(Reason.UNSUPPORTED, remedy)
        if member.flag_bits & _IS_ENCRYPTED:
            return self._decrypted(member)
        return self._unpacked(member, size)

    def _unpacked(self, member: ZipInfo, size: int) -> bytes:
        """Return a member without the library, whose small steps take twice the time."""
        at = member.header_offset
        if self._data[at : at + 4] != b"PK\x03\x04":
            raise _damaged()
        name, extra = struct.unpack_from("<HH", self._data, at + 26)
        at += 30 + name + extra
        packed = memoryview(self._data)[at : at + member.compress_size]
        if member.compress_type == ZIP_STORED:
            content = bytes(packed[:size])
        else:
            try:
                content = zlib.decompressobj(-15).decompress(packed, size + 1)
            except zlib.error as error:
                raise _damaged() from error
        if size < member.file_size:
            return content[:size]
        if len(content) != size or zlib.crc32(content) != member.CRC:
            raise _damaged()
        return content

    def _decrypted(self, member: ZipInfo) -> bytes:
        """Return a member, opened with the first password that fits."""
        for password in self._passwords:
            try:
                return self._zip.read(member, password.encode())
            # A wrong password can pass the one byte that is checked first.
            except (RuntimeError, BadZipFile, zlib.error):
                continue
        raise needs_password()

    def _decrypted_aes(self, member: ZipInfo) -> bytes:
        """Return a member that WinZip or 7-Zip encrypted, by the first password that fits."""
        from pyzipper import AESZipFile
        from pyzipper.zipfile import BadZipFile as BadAESZipFile

        archive = AESZipFile(BytesIO(self._data))
        place = self._zip.infolist().index(member)
        for password in self._passwords:
            try:
                content: bytes = archive.read(archive.infolist()[place], password.encode())
            except (RuntimeError, BadAESZipFile, zlib.error):
                continue
            return content
        raise needs_password()


def name_of(member: ZipInfo) -> str:
    """Return the name of a member; some programs write UTF-8 without saying so."""
    if member.flag_bits & _IS_UNICODE or member.filename.isascii():
        return member.filename
    try:
        return member.filename.encode("cp437").decode()
    except UnicodeError:
        return member.filename


def needs_password() -> UnreadableError:
    """Return the error for a member that another password may open."""
    return UnreadableError(Reason.ENCRYPTED, "It needs a password; ask again with --unlock.")


def directory_of(data: bytes) -> bytes:
    """Return the part of a zip that lists its members; all of it where that is not found."""
    end = data.rfind(_END, max(0, len(data) - _TAIL))
    if end < 0 or end + 20 > len(data):
        return data
    size: int = struct.unpack_from("<I", data, end + 12)[0]
    return data[end - size : end] if 0 < size <= end else data


def has_member(directory: bytes, pattern: bytes) -> bool:
    """Say whether the name of a member begins with the regular expression `pattern`."""
    return re.search(_ENTRY + rb"(?s:.{42})(?i:" + pattern + rb")", directory) is not None


def _damaged() -> UnreadableError:
    return UnreadableError(Reason.CORRUPT, "It is damaged; fetch or save it again.")

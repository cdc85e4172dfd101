"""Odd archives: zip, tar and gzip files, the worst of them put together byte by byte."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

NOTES = {"notes.txt": b"Notes on the flat.", "more/plan.txt": b"Plan of the move."}
_EPOCH = (1980, 1, 1, 0, 0, 0)


def zipped(members: Mapping[str, bytes | str], level: int = 6) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unzipped(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@dataclass
class Member:
    """A member of a zip as its headers describe it, true or not."""

    name: bytes
    data: bytes
    """As stored: compressed, encrypted."""
    size: int
    """Said to be its size unpacked."""
    crc: int = 0
    method: int = 0
    flags: int = 0
    extra: bytes = b""
    offset: int | None = None
    """Where its local header is said to be; None is the truth."""


def raw_zip(*members: Member) -> bytes:
    """Return a zip with just these headers."""
    body, directory = bytearray(), bytearray()
    for one in members:
        fixed = struct.pack(
            "<HHHHHIIIHH",
            *(20, one.flags, one.method, 0, 33, one.crc),
            *(len(one.data), one.size, len(one.name), len(one.extra)),
        )
        offset = len(body) if one.offset is None else one.offset
        rest = struct.pack("<HHHII", 0, 0, 0, 0, offset)
        directory += b"PK\1\2\x14\0" + fixed + rest + one.name + one.extra
        if one.offset is None:
            body += b"PK\3\4" + fixed + one.name + one.extra + one.data
    count = len(members)
    end = struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    return bytes(body + directory + b"PK\5\6" + end)


def stored(name: bytes, data: bytes, flags: int = 0) -> Member:
    return Member(name, data, len(data), zlib.crc32(data), flags=flags)


def zeros(megabytes: int, fill: bytes = b"\0") -> bytes:
    """Return raw deflate data of so many megabytes of `fill`, at the cost of one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(fill * (1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * megabytes + b"\3\0"


def bomb(name: bytes, megabytes: int) -> Member:
    size = megabytes << 20
    crc = 0
    for _ in range(megabytes):
        crc = zlib.crc32(bytes(1 << 20), crc)
    return Member(name, zeros(megabytes), size, crc, method=8)


def _zip_crypto(data: bytes, password: bytes) -> bytes:
    """Return `data` encrypted as PKZIP did it, a toy cipher that readers still meet."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        table.append(value)
    keys = [0x12345678, 0x23456789, 0x34567890]

    def update(byte: int) -> None:
        keys[0] = keys[0] >> 8 ^ table[(keys[0] ^ byte) & 0xFF]
        keys[1] = ((keys[1] + (keys[0] & 0xFF)) * 134775813 + 1) & 0xFFFFFFFF
        keys[2] = keys[2] >> 8 ^ table[(keys[2] ^ keys[1] >> 24) & 0xFF]

    for byte in password:
        update(byte)
    out = bytearray()
    for byte in bytes(11) + bytes([zlib.crc32(data) >> 24]) + data:
        mask = keys[2] | 2
        out.append(byte ^ (mask * (mask ^ 1)) >> 8 & 0xFF)
        update(byte)
    return bytes(out)


# Zip


def zip_two_texts() -> bytes:
    return zipped(NOTES)


def zip_of_everything() -> bytes:
    from tests.odd import calendars, mail, office, pdf

    members = {
        "letter.eml": mail.mail(b"Packed mail.\n"),
        "dates.ics": calendars.ics_plain(),
        "contract.docx": office.docx_plain(),
        "plan.pdf": pdf.pdf_two_pages(),
        "photo.png": b"\x89PNG\r\n\x1a\n" + bytes(50),
    }
    return zipped(members)


def zip_in_zip() -> bytes:
    return zipped({"inner.zip": zip_two_texts()})


def zip_in_zip_in_zip() -> bytes:
    return zipped({"top.txt": b"On top.", "middle.zip": zip_in_zip()})


def zip_climbing_names() -> bytes:
    names = (b"../../climbing.txt", b"/etc/absolute.txt", b"C:\\Users\\windows.txt")
    return raw_zip(*(stored(name, b"Words of " + name) for name in names))


def zip_member_without_name() -> bytes:
    return raw_zip(stored(b"", b"Nameless."), stored(b"notes.txt", b"Notes on the flat."))


def zip_names_in_cp437() -> bytes:
    return raw_zip(stored("Übersicht.txt".encode("cp437"), b"Old name."))


def zip_empty() -> bytes:
    return zipped({})


def zip_folders_only() -> bytes:
    return zipped({"empty/": b"", "empty/below/": b""})


def zip_cut_off() -> bytes:
    return zipped(NOTES)[:-30]


def zip_wrong_checksum() -> bytes:
    text = b"Notes on the flat."
    good = stored(b"good.txt", b"Good words.")
    return raw_zip(good, Member(b"notes.txt", text, len(text), crc=12345))


def zip_lying_size() -> bytes:
    member = bomb(b"notes.txt", 300)
    member.size = 1000
    return raw_zip(member)


def zip_bomb() -> bytes:
    return raw_zip(bomb(b"zeros.txt", 1200))


def zip_many_bombs() -> bytes:
    return raw_zip(*(bomb(b"%d.txt" % n, 60) for n in range(40)))


def zip_overlapping_members() -> bytes:
    first = bomb(b"0.txt", 20)
    rest = (
        Member(b"%d.txt" % n, first.data, first.size, first.crc, 8, offset=0)
        for n in range(1, 1000)
    )
    return raw_zip(first, *rest)


def zip_60000_members() -> bytes:
    return raw_zip(*(stored(b"%d.txt" % n, b"x") for n in range(60_000)))


def zip_encrypted() -> bytes:
    text = b"Secret notes on the flat."
    data = _zip_crypto(text, b"sesame")
    return raw_zip(Member(b"secret.txt", data, len(text), zlib.crc32(text), flags=1))


def zip_encrypted_aes() -> bytes:
    extra = struct.pack("<HHHHBH", 0x9901, 7, 2, 0x4541, 3, 8)
    return raw_zip(Member(b"secret.txt", bytes(60), 30, 0, method=99, flags=1, extra=extra))


def zip_partly_encrypted() -> bytes:
    text = b"Secret notes."
    sealed = Member(
        b"secret.txt", _zip_crypto(text, b"sesame"), len(text), zlib.crc32(text), flags=1
    )
    return raw_zip(stored(b"open.txt", b"Open notes."), sealed)


def zip_unknown_method() -> bytes:
    return raw_zip(Member(b"notes.txt", bytes(40), 100, 0, method=97))


# Tar and gzip


def _tar(mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, data in NOTES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
        for name, kind in (("link", tarfile.SYMTYPE), ("hard", tarfile.LNKTYPE)):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/hostname"
            archive.addfile(entry)
        device = tarfile.TarInfo("device")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
    return out.getvalue()


def tar_with_links() -> bytes:
    return _tar("w")


def tar_gzipped() -> bytes:
    return _tar("w:gz")


def tar_cut_off() -> bytes:
    return _tar("w")[:1300]


def gz_of_text() -> bytes:
    return gzip.compress(b"Notes on the flat.\n", mtime=0)


def gz_cut_off() -> bytes:
    text = b"\n".join(b"Line %d of the notes on the flat." % n for n in range(2000))
    return gzip.compress(text, mtime=0)[:-2000]


def gz_bomb() -> bytes:
    # The length and checksum at its end are wrong, which shows only after unpacking.
    return gzip.compress(b"", mtime=0)[:10] + zeros(1200) + bytes(8)


def seven_zip() -> bytes:
    return b"7z\xbc\xaf\x27\x1c\0\4" + bytes(60)

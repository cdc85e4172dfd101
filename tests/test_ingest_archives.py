"""What lies in archives is read as if it lay in folders."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
import zipfile
from base64 import b64decode
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from pyzipper import WZ_AES, AESZipFile

from ingest.containers.zips import Zip
from ingest.files import UnreadableError
from ingest.item import Item, Kind, Reason, Skipped
from ingest.reading.in_process import read

MAIL = b"From: Ana <ana@example.org>\nTo: bo@example.org\nDate: Tue, 17 Nov 2026 09:02:00 +0000\n"
MAIL += b"Subject: Rent\nMessage-ID: <1@example.org>\n\nDue on Friday.\n"
# A member `a.txt` with the text "secret words", encrypted the old way with the password "open".
ENCRYPTED = b64decode(
    "UEsDBBQAAQAAAAAAcV1xTdjdGAAAAAwAAAAFAAAAYS50eHRJsVqCNH1xDX2S8lvn+B3gusJAXuk7kZtQSwECFAAU"
    "AAEAAAAAAHFdcU3Y3RgAAAAMAAAABQAAAAAAAAAAAAAAAAAAAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAOwAAAAAA"
)


def zipped(members: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            info = zipfile.ZipInfo(name, (2026, 11, 17, 9, 2, 0))
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_794_906_120
            archive.addfile(info, BytesIO(content))
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


def found(tmp_path: Path, name: str, data: bytes) -> tuple[list[Item], list[Skipped]]:
    (tmp_path / name).write_bytes(data)
    everything = list(read([tmp_path / name], zone=UTC))
    items = [one for one in everything if isinstance(one, Item)]
    return items, [one for one in everything if isinstance(one, Skipped)]


def test_members_are_items_with_name_and_date_of_their_own(tmp_path: Path) -> None:
    inner = zipped({"deep/b.txt": b"inner words", "third.zip": zipped({"c.txt": b"too deep"})})
    items, skipped = found(tmp_path, "all.zip", zipped({"a.txt": b"words", "inner.zip": inner}))
    assert [(item.title, item.text, item.locator.member) for item in items] == [
        ("a.txt", "words", "a.txt"),
        ("b.txt", "inner words", "inner.zip/deep/b.txt"),
    ]
    assert items[0].when == datetime(2026, 11, 17, 9, 2, tzinfo=UTC)
    assert [(skip.reason, skip.member) for skip in skipped] == [
        (Reason.TOO_LARGE, "inner.zip/third.zip")
    ]


@pytest.mark.parametrize(
    ("name", "pack"), [("a.gz", gzip.compress), ("a.bz2", bz2.compress), ("a.xz", lzma.compress)]
)
def test_packed_files_and_tars_are_unpacked_in_memory(
    tmp_path: Path, name: str, pack: object
) -> None:
    assert callable(pack)
    items, _ = found(tmp_path, name.replace("a.", "a.txt."), pack(b"packed words"))
    assert [(item.text, item.locator.member) for item in items] == [("packed words", "a.txt")]
    items, skipped = found(tmp_path, f"b.tar{name[1:]}", pack(tarred({"x/y.txt": b"words"})))
    assert [(item.text, item.locator.member) for item in items] == [("words", "x/y.txt")]
    assert [skip.reason for skip in skipped] == [Reason.NOT_A_FILE]


def test_mail_in_an_archive_is_mail(tmp_path: Path) -> None:
    box = b"From ana@example.org Tue Nov 17 09:02:00 2026\n" + MAIL + b"\n"
    items, skipped = found(tmp_path, "a.zip", zipped({"one.eml": MAIL, "box": box}))
    assert {(item.kind, item.title) for item in items} == {(Kind.MAIL, "Rent")}
    assert items[0].locator.member == "one.eml"
    assert skipped == []


def test_bombs_and_broken_archives_are_reported(tmp_path: Path) -> None:
    zeros = bytes(30 << 20)
    for name, data in (
        ("a.zip", zipped({"zeros.txt": zeros})),
        ("b.txt.gz", gzip.compress(zeros)),
        ("c.tar.bz2", bz2.compress(tarred({"zeros.txt": zeros}))),
    ):
        items, skipped = found(tmp_path, name, data)
        assert (items, [skip.reason for skip in skipped]) == ([], [Reason.TOO_LARGE]), name
    for name, data in (
        ("d.zip", zipped({"a.txt": b"words"})[:-30]),
        ("e.gz", gzip.compress(b"words" * 100)[:-20]),
        ("f.tar.xz", lzma.compress(tarred({"a.txt": b"words" * 1000}))[:-40]),
    ):
        _, skipped = found(tmp_path, name, data)
        assert [skip.reason for skip in skipped] == [Reason.CORRUPT], name


def test_members_beyond_the_limits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zipped({f"{n}.txt": b"words" for n in range(20)})
    monkeypatch.setattr("ingest.containers.zips.MEMBERS", 19)
    with pytest.raises(UnreadableError) as refused:
        Zip(data)
    assert refused.value.reason is Reason.TOO_LARGE
    monkeypatch.undo()
    monkeypatch.setattr("ingest.containers.zips.CONTAINER_LIMIT", 12)
    archive = Zip(data)
    assert [archive.read(member) for member in archive.members[:2]] == [b"words", b"words"]
    with pytest.raises(UnreadableError):
        archive.read(archive.members[2])


def test_encrypted_members_open_with_a_password_of_the_session() -> None:
    archive = Zip(ENCRYPTED, ["wrong", "open"])
    assert archive.get("a.txt") == b"secret words"
    with pytest.raises(UnreadableError) as refused:
        Zip(ENCRYPTED).get("a.txt")
    assert (refused.value.reason, "--unlock" in refused.value.remedy) == (Reason.ENCRYPTED, True)


def test_members_encrypted_with_aes_open_too() -> None:
    out = BytesIO()
    with AESZipFile(out, "w", encryption=WZ_AES) as archive:
        archive.setpassword(b"open")
        archive.writestr("a.txt", b"secret words")
    data = out.getvalue()
    opened = Zip(data, ["wrong", "open"])
    assert opened.get("a.txt") == b"secret words"
    with pytest.raises(UnreadableError) as refused:
        Zip(data, ["wrong"]).get("a.txt")
    assert refused.value.reason is Reason.ENCRYPTED

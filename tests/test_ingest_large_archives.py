"""Large archives: unpacked from the file member by member, mailboxes in pieces."""

from __future__ import annotations

import gzip
import io
import random
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest
import pyzipper

from ingest import large_archives
from ingest.files import File
from ingest.item import Item, Kind, Reason, Skipped
from ingest.reading import jobs
from ingest.reading.in_process import read
from ingest.reading.scope import scope_of
from ingest.recognise import Format
from ingest.sieve import ReadingBudget


def mail(number: int, body: str, attached: bytes | None = None) -> bytes:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "kim@x.example", "me@x.example", f"Mail {number}"
    made["Date"] = f"Thu, {1 + number % 28:02} Sep 2026 09:12:00 +0000"
    made["Message-ID"], made["X-Gmail-Labels"] = f"<{number}@x.example>", "Inbox,Boat"
    made.set_content(body)
    if attached:
        made.add_attachment(attached, maintype="text", subtype="plain", filename=f"{number}.txt")
    return b"From 1@xxx Thu Sep 03 09:12:00 +0000 2026\n" + bytes(made) + b"\n\n"


@pytest.fixture(scope="module")
def takeout() -> dict[str, bytes]:
    words = random.Random(0)
    box = b"".join(
        mail(n, f"Words {n} " + " ".join(str(words.random()) for _ in range(40)), b"The lease.")
        for n in range(120)
    )
    return {
        "Takeout/Mail/All mail.mbox": box,
        "Takeout/Calendar/me.ics": b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nSUMMARY:Sail\n"
        b"DTSTART:20261124T090000Z\nEND:VEVENT\nEND:VCALENDAR\n",
        "Takeout/notes.txt": b"We sail at seven.",
        "Takeout/Photos/one.jpg": b"\xff\xd8\xff" + bytes(9000),
        "__MACOSX/x": b"junk",
    }


def zipped(members: dict[str, bytes], packing: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return made.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


FORMS: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "takeout-001.zip": lambda members: zipped(members, zipfile.ZIP_DEFLATED),
    "stored.zip": lambda members: zipped(members, zipfile.ZIP_STORED),
    "takeout.tar": tarred,
    "takeout.tgz": lambda members: gzip.compress(tarred(members)),
}


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take every archive for a large one, and read mailboxes in pieces of some mails."""
    monkeypatch.setattr(jobs, "LARGE_ARCHIVE", 0)
    monkeypatch.setattr(large_archives, "PIECE", 10_000)


def told(path: Path) -> Iterator[tuple[object, ...]]:
    for one in read([path]):
        if isinstance(one, Item):
            place = one.locator
            yield (one.kind, one.title, one.text, place.member, place.part, place.offset, one.when)
        else:
            yield (one.reason, one.member)


@pytest.mark.parametrize("name", FORMS)
def test_a_large_archive_holds_what_a_small_one_does(
    tmp_path: Path, takeout: dict[str, bytes], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / name
    path.write_bytes(FORMS[name](takeout))
    small = sorted(map(repr, told(path)))
    monkeypatch.setattr(jobs, "LARGE_ARCHIVE", 0)
    monkeypatch.setattr(large_archives, "PIECE", 10_000)
    assert sorted(map(repr, told(path))) == small
    assert len(small) == 243 + name.startswith("takeout.t")  # of a tar, junk is read too


def test_a_mailbox_that_is_packed_alone_is_read_in_pieces(
    tmp_path: Path, takeout: dict[str, bytes], streamed: None
) -> None:
    box = takeout["Takeout/Mail/All mail.mbox"]
    (tmp_path / "old.mbox.gz").write_bytes(gzip.compress(box))
    found = [one for one in read([tmp_path]) if isinstance(one, Item)]
    mails = [one for one in found if one.kind is Kind.MAIL]
    assert len(mails) == 120
    offset = mails[-1].locator.offset
    assert offset is not None
    assert box[offset : offset + 5] == b"From "


def test_attachments_take_no_more_time_than_there_is(
    tmp_path: Path, takeout: dict[str, bytes], streamed: None
) -> None:
    path = tmp_path / "t.zip"
    path.write_bytes(zipped(takeout, zipfile.ZIP_STORED))
    scope = replace(scope_of([path], None, None, None), budget=ReadingBudget(attachments=-1))
    with File(path) as file:
        found = list(large_archives.large_archive_items(file, scope, Format.ZIP))
    assert not any(isinstance(one, Item) and one.locator.part for one in found)
    [late] = [one for one in found if isinstance(one, Skipped) and one.reason is Reason.LATER]
    assert late.member is not None
    assert late.member.endswith("attachments of 120 mails")


@pytest.mark.parametrize("name", FORMS)
def test_a_large_archive_that_is_cut_off_is_named(
    tmp_path: Path, takeout: dict[str, bytes], name: str, streamed: None
) -> None:
    data = FORMS[name](takeout)
    (tmp_path / name).write_bytes(data[: len(data) // 2])
    reasons = {one.reason for one in read([tmp_path]) if isinstance(one, Skipped)}
    assert Reason.CORRUPT in reasons


def test_a_bomb_is_not_unpacked(tmp_path: Path, streamed: None) -> None:
    members = {"bomb.txt": bytes(50 << 20), "note.txt": b"We sail."}
    (tmp_path / "b.zip").write_bytes(zipped(members, zipfile.ZIP_DEFLATED))
    found = list(read([tmp_path]))
    assert [one.text for one in found if isinstance(one, Item)] == ["We sail."]
    assert [one.reason for one in found if isinstance(one, Skipped)] == [Reason.TOO_LARGE]


def test_a_packed_bomb_is_not_unpacked(tmp_path: Path, streamed: None) -> None:
    bomb = {"note.txt": b"We sail.", "bomb.bin": bytes(80 << 20)}
    (tmp_path / "b.tgz").write_bytes(gzip.compress(tarred(bomb)))
    found = list(read([tmp_path]))
    assert [one.reason for one in found if isinstance(one, Skipped)][-1] is Reason.TOO_LARGE


def test_a_sealed_archive_is_opened_by_its_password(tmp_path: Path, streamed: None) -> None:
    with pyzipper.AESZipFile(tmp_path / "s.zip", "w", encryption=pyzipper.WZ_AES) as archive:
        archive.setpassword(b"secret")
        archive.writestr("note.txt", "We sail.")
    scope = scope_of([tmp_path], None, None, None, ("secret",))
    with File(tmp_path / "s.zip") as file:
        found = list(large_archives.large_archive_items(file, scope, Format.ZIP))
    assert [one.text for one in found if isinstance(one, Item)] == ["We sail."]


def test_a_document_that_is_a_zip_is_read_as_one(tmp_path: Path, streamed: None) -> None:
    sheet = {"mimetype": b"application/epub+zip", "META-INF/container.xml": b"<x/>"}
    (tmp_path / "b.epub").write_bytes(zipped(sheet, zipfile.ZIP_STORED))
    [skip] = [one for one in read([tmp_path]) if isinstance(one, Skipped)]
    assert "archive" not in skip.remedy


def test_a_message_beyond_the_limit_is_passed_over(
    tmp_path: Path, streamed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_archives, "MESSAGE_LIMIT", 30_000)
    box = mail(1, "One.") + mail(2, "x" * 70 + "\n" + "y\n" * 40_000) + mail(3, "Three.")
    (tmp_path / "t.zip").write_bytes(zipped({"Takeout/Mail/a.mbox": box}, zipfile.ZIP_STORED))
    found = list(read([tmp_path]))
    titles = [one.title for one in found if isinstance(one, Item)]
    assert titles == ["Mail 1", "Mail 3"]
    assert [one.reason for one in found if isinstance(one, Skipped)] == [Reason.TOO_LARGE]

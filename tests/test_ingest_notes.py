"""Exports of notes and bookmarks: Evernote, Joplin, Keep, Notion, Logseq, Safari, browsers."""

from __future__ import annotations

import base64
import io
import json
import plistlib
import tarfile
from datetime import date
from pathlib import Path

import pytest

from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.in_process import read
from tests.odd.archives import zipped

ENEX = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20261124T080000Z" application="Evernote" version="10.1">
  <note><title>Boat &amp; berth</title><content><![CDATA[<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">
<en-note><div>The berth costs 395 euros.</div><div><en-todo checked="true"/>pay</div>
<div><en-todo checked="false"/>sign</div><en-media type="application/pdf" hash="x"/>
<en-crypt hint="boat">c2VjcmV0</en-crypt></en-note>]]></content>
    <created>20260901T090000Z</created><updated>20260903T101500Z</updated>
    <tag>harbour</tag><tag>money</tag>
    <note-attributes><author>Kim Ode</author><source-url>https://x.example</source-url>
    </note-attributes>
    <resource><data encoding="base64">
ATTACHED
    </data><mime>text/plain</mime>
    <resource-attributes><file-name>lease.txt</file-name></resource-attributes></resource>
  </note>
  <note><title>Second</title><content><![CDATA[<en-note>Old words.</en-note>]]></content>
    <created>20200101T000000Z</created></note>
</en-export>
"""
JOPLIN = """Winter campaign

The campaign begins on 3 February.

id: 0123456789abcdef0123456789abcdef
parent_id: ffff456789abcdef0123456789abcdef
created_time: 2026-01-02T10:00:00.000Z
user_updated_time: 2026-02-01T10:00:00.000Z
encryption_applied: 0
source_url: https://x.example
type_: 1"""
KEEP = {
    "color": "DEFAULT",
    "isTrashed": False,
    "isPinned": False,
    "isArchived": False,
    "title": "Shopping",
    "userEditedTimestampUsec": 1757000000000000,
    "listContent": [{"text": "rope", "isChecked": True}, {"text": "tar", "isChecked": False}],
    "labels": [{"name": "Boat"}],
    "sharees": [{"email": "kim@x.example"}],
}
BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1700000000">Boats</H3>
    <DL><p>
        <DT><A HREF="https://x.example/a?b=1&amp;c=2" ADD_DATE="1700000000">Tides &amp; winds</A>
        <DD>For the harbour
    </DL><p>
    <DT><A HREF="https://y.example" ADD_DATE="1700000000000000">News</A>
</DL><p>
"""


def items(*sources: Path, filters: Filters | None = None) -> list[Item]:
    return [one for one in read(sources, filters) if isinstance(one, Item)]


def skips(*sources: Path) -> list[Skipped]:
    return [one for one in read(sources) if isinstance(one, Skipped)]


@pytest.fixture
def enex(tmp_path: Path) -> Path:
    attached = base64.b64encode(b"The lease ends on 31 December 2026.").decode()
    path = tmp_path / "Notebook.enex"
    path.write_text(ENEX.replace("ATTACHED", attached))
    return path


def test_each_note_of_evernote_is_a_document_with_its_day_and_attachment(enex: Path) -> None:
    note, attached, second = items(enex)
    assert (note.title, note.kind) == ("Boat & berth", Kind.DOCUMENT)
    assert note.when is not None
    assert f"{note.when:%Y-%m-%d %H:%M}" == "2026-09-03 10:15"
    assert note.people.sender[0].name == "Kim Ode"
    assert note.text.splitlines()[:1] == ["The berth costs 395 euros."]
    for line in ("[x] pay", "[ ] sign", "(encrypted in Evernote)", "Tags: harbour, money"):
        assert line in note.text
    assert "c2VjcmV0" not in note.text
    assert attached.text == "The lease ends on 31 December 2026."
    assert attached.locator.member == "Boat & berth/lease.txt"
    assert attached.when == note.when
    assert second.text == "Old words."


def test_notes_are_filtered_by_their_own_day_and_title(enex: Path) -> None:
    assert [one.title for one in items(enex, filters=Filters(until=date(2020, 12, 31)))] == [
        "Second"
    ]
    assert [one.title for one in items(enex, filters=Filters(subjects=("second",)))] == ["Second"]


def test_large_attachments_of_notes_are_read(tmp_path: Path) -> None:
    large = base64.b64encode(b"Words of a log. " * 1_000_000).decode()
    path = tmp_path / "Large.enex"
    path.write_text(ENEX.replace("ATTACHED", large))
    assert len(items(path)[1].text) > 10_000_000


@pytest.mark.parametrize("cut", [40, 150, 500])
def test_a_damaged_export_of_evernote_is_named(enex: Path, cut: int) -> None:
    enex.write_text(
        enex.read_text()[:-cut] if cut > 40 else enex.read_text().replace("<note>", "<")
    )
    assert Reason.CORRUPT in {one.reason for one in skips(enex)}


def test_entities_of_a_stranger_are_refused(enex: Path) -> None:
    bomb = '<!DOCTYPE en-export [<!ENTITY a "aaaaaaaa">]>'
    enex.write_text(ENEX.replace(ENEX.splitlines()[1], bomb))
    assert [one.reason for one in skips(enex)] == [Reason.CORRUPT]


def test_notes_of_joplin_lose_their_properties(tmp_path: Path) -> None:
    folder = JOPLIN.replace("type_: 1", "type_: 2").replace("Winter campaign", "Notebook")
    with tarfile.open(tmp_path / "all.jex", "w") as tar:
        for name, text in (("0" * 32 + ".md", JOPLIN), ("1" * 32 + ".md", folder)):
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    [note] = items(tmp_path)
    assert note.title == "Winter campaign"
    assert note.text == "The campaign begins on 3 February.\n\nFrom: https://x.example"
    assert note.when is not None
    assert f"{note.when:%Y-%m-%d}" == "2026-02-01"
    assert not skips(tmp_path)


def test_what_only_has_a_name_of_joplins_is_text(tmp_path: Path) -> None:
    (tmp_path / ("a" * 32 + ".md")).write_text("Just words.\n")
    (tmp_path / ("b" * 32 + ".md")).write_text(JOPLIN.replace("applied: 0", "applied: 1"))
    assert [one.text for one in items(tmp_path)] == ["Just words.\n"]
    assert [one.reason for one in skips(tmp_path)] == [Reason.ENCRYPTED]


def test_notes_of_keep_are_read_once(tmp_path: Path) -> None:
    page = (
        '<html><body><div class="note"><div class="heading">Shopping</div>rope</div></body></html>'
    )
    takeout = {
        "Takeout/Keep/Shopping.json": json.dumps(KEEP).encode(),
        "Takeout/Keep/Shopping.html": page.encode(),
        "Takeout/Keep/Old.json": json.dumps(KEEP | {"isTrashed": True, "title": "Old"}).encode(),
    }
    (tmp_path / "takeout.zip").write_bytes(zipped(takeout))
    shopping, old = sorted(items(tmp_path), key=lambda one: one.title, reverse=True)
    assert shopping.text == "[x] rope\n[ ] tar\nLabels: Boat"
    assert shopping.people.to[0].address == "kim@x.example"
    assert shopping.when is not None
    assert shopping.when.year == 2025
    assert (old.title, old.flags) == ("Old", ("in the trash",))
    (tmp_path / "takeout.zip").unlink()
    (tmp_path / "alone.html").write_text(page)
    assert "rope" in items(tmp_path)[0].text


def test_names_of_notion_lose_their_numbers(tmp_path: Path) -> None:
    number = "0123456789abcdef0123456789abcdef"
    inner = zipped({f"Trips {number}/Harbour plan {number}.md": b"# Harbour plan\n\nWe sail."})
    (tmp_path / "Export.zip").write_bytes(zipped({"Part-1.zip": inner}))
    (tmp_path / f"Costs {number}_all.csv").write_text("Item,Euros\nRope,12\n")
    assert {one.title for one in items(tmp_path)} == {"Harbour plan.md", "Costs_all.csv"}


def test_a_note_named_by_its_day_is_of_that_day(tmp_path: Path) -> None:
    for name in ("2026-11-24.md", "2026_11_25.md", "2026-99-99.md", "minutes 2026-11-24.md"):
        (tmp_path / name).write_text("We sail.")
    day = Filters(since=date(2026, 11, 24), until=date(2026, 11, 25))
    dated = {one.title for one in items(tmp_path, filters=day)}
    assert {"2026-11-24.md", "2026_11_25.md"} <= dated
    assert [f"{one.when:%d}" for one in items(tmp_path) if one.title == "2026-11-24.md"] == ["24"]


def test_bookmarks_keep_address_folder_and_day(tmp_path: Path) -> None:
    (tmp_path / "bookmarks.html").write_text(BOOKMARKS)
    [one] = items(tmp_path)
    assert one.text.splitlines() == [
        "Tides & winds - https://x.example/a?b=1&c=2 - in Boats - added 2023-11-14"
        " - For the harbour",
        "News - https://y.example - added 2023-11-14",
    ]
    assert len(one.records) == 2


def test_a_page_that_safari_saved_is_read(tmp_path: Path) -> None:
    main = {
        "WebResourceData": "<title>Tides</title><p>High tide at n\u00f6on.".encode("latin-1"),
        "WebResourceTextEncodingName": "latin-1",
    }
    (tmp_path / "tides.webarchive").write_bytes(
        plistlib.dumps({"WebMainResource": main}, fmt=plistlib.FMT_BINARY)
    )
    (tmp_path / "cut.webarchive").write_bytes(b"bplist00" + bytes(50))
    (tmp_path / "odd.webarchive").write_bytes(plistlib.dumps({"WebMainResource": 1}))
    [one] = items(tmp_path)
    assert (one.title, one.text) == ("Tides", "High tide at n\u00f6on.")
    said = {(skip.reason, skip.remedy) for skip in skips(tmp_path)}
    assert said == {(Reason.CORRUPT, "It is damaged; save the page again.")}

"""SQLite files of programs: calendars, address books, browsers, messages; and what breaks them."""

from __future__ import annotations

import gzip
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.session import Session
from tests.support.databases import CALENDAR, at

BERLIN = ZoneInfo("Europe/Berlin")


def written(
    path: Path, script: str, *rows: tuple[str, Sequence[object]], wal: bool = False
) -> Path:
    with closing(sqlite3.connect(path)) as made:
        if wal:
            made.execute("PRAGMA journal_mode = WAL")
        made.executescript(script)
        for table, values in rows:
            marks = ", ".join("?" * len(values))
            made.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        made.commit()
        if wal:
            made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def read(*paths: Path, filters: Filters | None = None) -> tuple[list[Item], list[Skipped]]:
    """Read in a locked-down process, and leave nothing beside what was read."""
    before = {path: sorted(path.parent.iterdir()) for path in paths}
    with Session(workers=1) as session:
        now = datetime(2026, 11, 25, tzinfo=UTC)
        found = list(session.read(paths, filters, zone=BERLIN, now=now))
    assert {path: sorted(path.parent.iterdir()) for path in paths} == before
    items = [one for one in found if isinstance(one, Item)]
    return items, [one for one in found if isinstance(one, Skipped)]


@pytest.fixture
def calendar(tmp_path: Path) -> Path:
    start, end = at(2026, 12, 1, 9, zone=BERLIN), at(2026, 12, 1, 10, zone=BERLIN)
    zone = ("Europe/Berlin", "Europe/Berlin")
    moved = at(2026, 12, 8, 9, zone=BERLIN)
    return written(
        tmp_path / "local.sqlite",
        CALENDAR,
        ("cal_events", ("c", "one", "Boat; check", None, 4, start, end, *zone, None, None, None)),
        ("cal_properties", ("one", "LOCATION", "Pier 3, north", None, None, "c")),
        ("cal_properties", ("one", "X-MOZ-GENERATION", "7", None, None, "c")),
        ("cal_attendees", ("one", None, None, "c", "ATTENDEE;CN=Kim:mailto:kim@example.org\r\n")),
        ("cal_events", ("c", "week", "Choir", None, 16, start, end, *zone, None, None, None)),
        ("cal_recurrence", ("week", "c", "RRULE:FREQ=WEEKLY;COUNT=3\r\n")),
        (
            "cal_events",
            (
                *("c", "week", "Choir, in the church", None, 0, moved + 3600 * 10**6),
                *(moved + 7200 * 10**6, *zone, moved, "Europe/Berlin", None),
            ),
        ),
        (
            "cal_events",
            (
                *("c", "day", "Holiday", None, 8, at(2026, 12, 24), at(2026, 12, 25)),
                *("floating", "floating", None, None, None),
            ),
        ),
        ("cal_events", ("c", "gone", "Deleted", None, 0, start, end, *zone, None, None, 4)),
        (
            "cal_todos",
            (
                *("c", "task", "Pay the mooring", "NEEDS-ACTION", 0, None),
                *(at(2026, 12, 5, 12), None, None, "UTC", None, None, None),
            ),
        ),
        wal=True,
    )


def test_thunderbirds_calendar_is_read_with_series_and_tasks(calendar: Path) -> None:
    items, skipped = read(calendar)
    assert not skipped
    events = {(one.title, one.when and one.when.astimezone(BERLIN)) for one in items}
    assert events == {
        ("Boat; check", datetime(2026, 12, 1, 9, tzinfo=BERLIN)),
        ("Choir", datetime(2026, 12, 1, 9, tzinfo=BERLIN)),
        ("Choir, in the church", datetime(2026, 12, 8, 10, tzinfo=BERLIN)),
        ("Choir", datetime(2026, 12, 15, 9, tzinfo=BERLIN)),
        ("Holiday", datetime(2026, 12, 24, tzinfo=BERLIN)),
        ("Pay the mooring", datetime(2026, 12, 5, 13, tzinfo=BERLIN)),
    }
    [boat] = [one for one in items if one.title == "Boat; check"]
    assert "Pier 3, north" in boat.text
    assert boat.people.attendees[0].name == "Kim"
    assert {one.kind for one in items if one.title.startswith("Pay")} == {Kind.TASK}


def test_filters_hold_for_a_calendar_in_a_database(calendar: Path) -> None:
    tasks, _ = read(calendar, filters=Filters(kinds=frozenset({Kind.TASK})))
    assert [one.title for one in tasks] == ["Pay the mooring"]
    mails, skipped = read(calendar, filters=Filters(kinds=frozenset({Kind.MAIL})))
    assert not mails
    assert not skipped


def test_address_books_of_both_times_are_read(tmp_path: Path) -> None:
    script = """CREATE TABLE properties (card TEXT, name TEXT, value TEXT);
        CREATE TABLE lists (uid TEXT, localId INTEGER, name TEXT);
        CREATE TABLE list_cards (list TEXT, card TEXT);"""
    vcard = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Kim Ode\r\nEMAIL:kim@example.org\r\nEND:VCARD\r\n"
    path = written(
        tmp_path / "abook.sqlite",
        script,
        ("properties", ("1", "_vCard", vcard)),
        ("properties", ("2", "DisplayName", "Ann, the skipper")),
        ("properties", ("2", "PrimaryEmail", "ann@example.org")),
        ("properties", ("2", "PopularityIndex", "12")),
    )
    items, skipped = read(path)
    assert {one.kind for one in items} == {Kind.CONTACT}
    assert [one.title for one in items] == ["Kim Ode", "Ann, the skipper"]
    assert "ann@example.org" in items[1].text
    assert not skipped


PLACES = """CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT,
    hidden INTEGER DEFAULT 0, last_visit_date INTEGER);
    CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, fk INTEGER, title TEXT);"""


def test_a_history_is_read_where_it_is_named(tmp_path: Path) -> None:
    path = written(
        tmp_path / "places.sqlite",
        PLACES,
        ("moz_places", (1, "https://ferry.example/", "Ferries", 0, at(2026, 11, 3, 8))),
        ("moz_places", (2, "https://tide.example/", "Tides", 0, None)),
        ("moz_places", (3, "https://hidden.example/", "Hidden", 1, None)),
        ("moz_bookmarks", (1, 2, "Tide table")),
    )
    [page], _ = read(path)
    assert page.text.splitlines() == [
        "Ferries - https://ferry.example/ - visited 2026-11-03 08:00 UTC",
        "Tide table - https://tide.example/ - bookmarked",
    ]
    assert len(page.records) == 2
    with Session(workers=1) as session:  # a folder above it does not mean it
        assert not list(session.read([tmp_path]))


def test_chromiums_history_counts_from_1601(tmp_path: Path) -> None:
    visited = at(2026, 11, 3, 8) + 11_644_473_600 * 10**6
    path = written(
        tmp_path / "History",
        "CREATE TABLE urls (id INTEGER, url TEXT, title TEXT, last_visit_time INTEGER, hidden);"
        "CREATE TABLE visits (id INTEGER);",
        ("urls", (1, "https://ferry.example/", "Ferries", visited, 0)),
    )
    [page], _ = read(path)
    assert page.text.endswith("visited 2026-11-03 08:00 UTC")


MESSAGES = """CREATE TABLE handle (ROWID INTEGER PRIMARY KEY, id TEXT);
    CREATE TABLE chat (ROWID INTEGER PRIMARY KEY, chat_identifier TEXT, display_name TEXT);
    CREATE TABLE message (ROWID INTEGER PRIMARY KEY, text TEXT, attributedBody BLOB,
        handle_id INTEGER, date INTEGER, is_from_me INTEGER);
    CREATE TABLE chat_message_join (chat_id INTEGER, message_id INTEGER);"""


def archived(text: str) -> bytes:
    data = text.encode()
    size = bytes([len(data)]) if len(data) < 0x80 else b"\x81" + len(data).to_bytes(2, "little")
    return b"\x04\x0bstreamtyped\x81\xe8\x03NSString\x01\x94\x84\x01+" + size + data + b"\x86\x84"


def test_apples_messages_have_rooms_senders_and_days(tmp_path: Path) -> None:
    day = (at(2026, 11, 3, 8) // 10**6 - 978_307_200) * 10**9
    long = "The tide turns at noon. " * 9
    path = written(
        tmp_path / "chat.db",
        MESSAGES,
        ("handle", (1, "+4790000001")),
        ("chat", (1, "+4790000001", "")),
        ("message", (1, "Where is the key?", None, 1, day, 0)),
        ("message", (2, None, archived("Under the mat."), 0, day + 60 * 10**9, 1)),
        ("message", (3, None, archived(long), 1, day + 120 * 10**9, 0)),
        *(("chat_message_join", (1, number)) for number in (1, 2, 3)),
    )
    items, skipped = read(path)
    turns = [turn for item in items for turn in item.turns]
    assert [turn.sender.name for turn in turns] == ["+4790000001", "Me", "+4790000001"]
    assert {item.kind for item in items} == {Kind.MESSAGE}
    assert {item.title for item in items} == {"+4790000001"}
    text = " ".join(item.text for item in items)
    assert "Under the mat." in text
    assert text.count("The tide turns at noon.") == 9
    assert turns[0].when == datetime(2026, 11, 3, 8, tzinfo=UTC)
    assert not skipped


def test_a_database_of_no_known_program_is_named(tmp_path: Path) -> None:
    path = written(tmp_path / "zotero.sqlite", "CREATE TABLE items (id INTEGER);")
    items, [skip] = read(path)
    assert not items
    assert (skip.reason, skip.remedy) == (Reason.UNSUPPORTED, "This is a database.")


def endless(path: Path) -> None:
    """A view in the place of a table would count for ever."""
    forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    written(
        path,
        CALENDAR.replace("CREATE TABLE cal_properties", "CREATE TABLE other")
        + f"CREATE VIEW cal_properties AS {forever};",
    )


def torn(path: Path) -> None:
    written(path, CALENDAR, *[("cal_properties", ("a", "k", "v" * 999, None, None, "c"))] * 99)
    data = bytearray(path.read_bytes())
    data[9000:20000] = b"\xff" * 11000
    path.write_bytes(bytes(data[: len(data) // 2]))


def header_alone(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 20)


def nobody(path: Path) -> None:
    written(path, CALENDAR)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (endless, Reason.UNSUPPORTED),
        (torn, Reason.CORRUPT),
        (header_alone, Reason.CORRUPT),
        (nobody, Reason.EMPTY),
    ],
)
def test_hostile_databases_cost_themselves_alone(tmp_path: Path, make, reason: Reason) -> None:
    make(tmp_path / "local.sqlite")
    items, [skip] = read(tmp_path / "local.sqlite")
    assert not items
    assert skip.reason is reason


def test_a_query_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.databases import database
    from ingest.reading.in_process import read as read_here

    monkeypatch.setattr(database, "STEPS", 100_000)
    rows = [("cal_properties", ("a", "LOCATION", "x", None, None, "c"))] * 30_000
    path = written(tmp_path / "local.sqlite", CALENDAR, *rows)
    [skip] = read_here([path])
    assert isinstance(skip, Skipped)
    assert skip.reason is Reason.CORRUPT


def test_thunderbirds_profile_offers_its_books(tmp_path: Path, calendar: Path) -> None:
    profile = tmp_path / "profile"
    (profile / "calendar-data").mkdir(parents=True)
    (profile / "Mail").mkdir()
    (profile / "prefs.js").touch()
    calendar.rename(profile / "calendar-data" / "local.sqlite")
    written(profile / "cookies.sqlite", "CREATE TABLE moz_cookies (id INTEGER);")
    with Session(workers=1) as session:
        found = list(session.read([profile], zone=BERLIN))
    assert "Pay the mooring" in {one.title for one in found if isinstance(one, Item)}
    assert not any(isinstance(one, Skipped) for one in found)


NOTES = """
CREATE TABLE ZICCLOUDSYNCINGOBJECT (Z_PK INTEGER PRIMARY KEY, ZTITLE1 TEXT, ZTITLE2 TEXT,
    ZMODIFICATIONDATE1 REAL, ZCREATIONDATE1 REAL, ZFOLDER INTEGER, ZMARKEDFORDELETION INTEGER);
CREATE TABLE ZICNOTEDATA (Z_PK INTEGER PRIMARY KEY, ZNOTE INTEGER, ZDATA BLOB);
"""
EVOLUTION = """
CREATE TABLE ECacheObjects (ECacheUID TEXT, ECacheREV TEXT, ECacheOBJ TEXT, ECacheState INTEGER);
CREATE TABLE ECacheKeys (key TEXT, value TEXT);
"""
SAIL = "BEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Sail\r\nDTSTART:20261201T090000Z\r\nEND:VEVENT\r\n"
KIM = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Kim Ode\r\nEMAIL:kim@example.org\r\nEND:VCARD\r\n"


def field(number: int, value: bytes) -> bytes:
    """Return a field of a protocol buffer."""
    size, out = len(value), b""
    while size > 0x7F:
        out += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + out + bytes([size]) + value


def note_of(text: str) -> bytes:
    note = b"\x08\x01" + field(2, text.encode()) + field(5, b"\x0d\x00\x00\x00\x00")
    return gzip.compress(field(2, b"\x10\x01" + field(3, note)))


def test_notes_of_apple_are_documents_with_folder_and_day(tmp_path: Path) -> None:
    since = (
        datetime(2026, 11, 20, 9, tzinfo=UTC) - datetime(2001, 1, 1, tzinfo=UTC)
    ).total_seconds()
    long = "Boat\nThe berth costs 395 euros.\ufffc\n" + "x" * 300
    path = written(
        tmp_path / "NoteStore.sqlite",
        NOTES,
        ("ZICCLOUDSYNCINGOBJECT", (1, "Boat", None, since, 0.0, 4, 0)),
        ("ZICCLOUDSYNCINGOBJECT", (2, "Locked", None, since, 0.0, 4, 0)),
        ("ZICCLOUDSYNCINGOBJECT", (3, "Gone", None, since, 0.0, 4, 1)),
        ("ZICCLOUDSYNCINGOBJECT", (4, None, "Harbour", None, None, None, 0)),
        ("ZICCLOUDSYNCINGOBJECT", (5, "Broken", None, since, 0.0, None, 0)),
        ("ZICNOTEDATA", (1, 1, note_of(long))),
        ("ZICNOTEDATA", (2, 2, b"\x00" * 40)),
        ("ZICNOTEDATA", (3, 3, note_of("Gone"))),
        ("ZICNOTEDATA", (4, 5, note_of("Broken")[:20])),
        wal=True,
    )
    [note], skipped = read(path)
    assert (note.kind, note.title) == (Kind.DOCUMENT, "Boat")
    assert note.text == f"{long.replace(chr(0xFFFC), '')}\n\nFolder: Harbour"
    assert note.when == datetime(2026, 11, 20, 9, tzinfo=UTC)
    assert [(one.reason, one.member) for one in skipped] == [
        (Reason.ENCRYPTED, "Locked"),
        (Reason.CORRUPT, "Broken"),
    ]
    early, _ = read(path, filters=Filters(until=date(2026, 11, 19)))
    assert not early


@pytest.mark.parametrize(
    "data", [b"", b"\x12", b"\x12\xff\xff\xff\xff\x0f", b"\x0b" * 9, b"\xff" * 90]
)
def test_a_crafted_note_is_damaged_or_empty(tmp_path: Path, data: bytes) -> None:
    path = written(
        tmp_path / "NoteStore.sqlite",
        NOTES,
        ("ZICCLOUDSYNCINGOBJECT", (1, "Boat", None, "soon", 0.0, None, 0)),
        ("ZICNOTEDATA", (1, 1, gzip.compress(data))),
    )
    items, skipped = read(path)
    assert len(items) + len(skipped) == 1


def test_what_evolution_keeps_of_servers_is_read(tmp_path: Path) -> None:
    calendar = written(
        tmp_path / "cache.db",
        EVOLUTION,
        ("ECacheObjects", ("1", "a", SAIL, 0)),
        ("ECacheObjects", ("2", "a", SAIL.replace("Sail", "Gone").replace("UID:1", "UID:2"), 3)),
    )
    [event], _ = read(calendar)
    assert (event.kind, event.title) == (Kind.EVENT, "Sail")
    (tmp_path / "book").mkdir()
    book = written(tmp_path / "book/cache.db", EVOLUTION, ("ECacheObjects", ("1", "a", KIM, 0)))
    [card], _ = read(book)
    assert (card.kind, card.title) == (Kind.CONTACT, "Kim Ode")
    local = "CREATE TABLE folders (x); CREATE TABLE keys (x); CREATE TABLE folder_id (uid, vcard);"
    contacts = written(tmp_path / "book/contacts.db", local, ("folder_id", ("1", KIM)))
    assert [one.title for one in read(contacts)[0]] == ["Kim Ode"]
    empty = written(tmp_path / "book/empty.db", EVOLUTION)
    assert [one.reason for one in read(empty)[1]] == [Reason.EMPTY]


def test_what_is_not_yet_in_a_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.db-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(200))
    (tmp_path / "x.db").write_bytes(b"note")
    (tmp_path / "x.db-shm").write_bytes(bytes(200))
    with Session(workers=1) as session:
        found = [one for one in session.read([tmp_path]) if isinstance(one, Skipped)]
    [log] = found
    assert log.path.name == "x.db-wal"
    assert "close the program" in log.remedy

"""Filters as a mail client has them: subject, folder, path, attachments, and what they refuse."""

from __future__ import annotations

from datetime import UTC, date
from email.message import EmailMessage
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.files import File
from ingest.item import Filters, Item, Kind, Without
from ingest.places import folded, lies_in, pattern_of, place_of
from ingest.reading.in_process import read
from ingest.reading.stream import ItemStream

ICS = """BEGIN:VCALENDAR\r
VERSION:2.0\r
PRODID:-\r
{name}BEGIN:VEVENT\r
UID:{uid}\r
SUMMARY:{summary}\r
DTSTART:20261202T090000Z\r
DTEND:20261202T100000Z\r
END:VEVENT\r
END:VCALENDAR\r
"""


def calendar(summary: str, name: str = "") -> str:
    named = f"X-WR-CALNAME:{name}\r\n" if name else ""
    return ICS.format(name=named, uid=summary.replace(" ", "-"), summary=summary)


def mail(subject: str, sender: str = "Ana Ruiz <ana@example.org>") -> EmailMessage:
    message = EmailMessage()
    message["From"] = sender
    message["To"] = "Bo Li <bo@example.org>"
    message["Subject"] = subject
    message["Date"] = "Tue, 17 Nov 2026 09:02:00 +0100"
    message["Message-ID"] = f"<{subject.replace(' ', '.')}@example.org>"
    message.set_content(f"About: {subject}")
    return message


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder of mail, documents and calendars, each saying in its name what it is."""
    root = tmp_path / "Home"
    lease = mail("Lease renewal")
    lease.add_attachment("Terms and conditions.", filename="terms.txt")
    inner = mail("Old terms", "Cy Dee <cy@example.org>")
    lease.add_attachment(inner)
    invitation = mail("Do come")
    invitation.add_alternative(calendar("Review"), subtype="calendar")
    newsletter = mail("Newsletter")
    newsletter.add_alternative("<p>News <img src='cid:logo'></p>", subtype="html")
    newsletter.get_payload()[1].add_related(b"GIF89a", "image", "gif", cid="<logo>")
    picture = mail("Picture")
    picture.add_attachment(b"GIF89a", maintype="image", subtype="gif", filename="jetty.gif")
    files: dict[str, bytes] = {
        "Mail/Inbox/cur/1:2,S": lease.as_bytes(),
        "Mail/Inbox/cur/2:2,S": mail("Harbour dues").as_bytes(),
        "Mail/.Archive.2024/cur/3:2,S": mail("Salt").as_bytes(),
        "Mail/Work.sbd/Plans.mbox": b"From x Tue Nov 17 08:02:00 2026\n" + invitation.as_bytes(),
        "Mail/Lists": b"From x Tue Nov 17 08:02:00 2026\n" + newsletter.as_bytes(),
        "Mail/Pictures.mbox": b"From x Tue Nov 17 08:02:00 2026\n" + picture.as_bytes(),
        "Documents/lease notes.txt": b"Notes on the lease.",
        "Documents/Café.html": b"<title>Menu of the lease</title><p>Soup.</p>",
        "Documents/rows.jsonl": b'{"title": "Lease", "text": "One"}\n{"title": "B", "text": "2"}\n',
        "Calendars/club.ics": calendar("Regatta", "Sailing Club").encode(),
        "Calendars/home.ics": calendar("Lease meeting").encode(),
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


def reading_of(tree: Path, **given: Any) -> ItemStream:
    return read([tree], Filters(**given), zone=UTC)


def titles(tree: Path, **given: Any) -> list[str]:
    return sorted(item.title for item in reading_of(tree, **given) if isinstance(item, Item))


EVERYTHING = [
    *("Harbour dues", "Lease", "B", "Lease meeting", "Lease renewal", "Menu of the lease"),
    *("Newsletter", "Old terms", "Picture", "Do come", "Regatta", "Review", "Salt"),
    *("lease notes.txt", "terms.txt"),
]


def test_without_filters_everything_is_read(tree: Path) -> None:
    assert titles(tree) == sorted(EVERYTHING)


def test_subject_is_any_title_and_attachments_follow_their_mail(tree: Path) -> None:
    assert titles(tree, subjects=("LEASE",)) == [
        *("Lease", "Lease meeting", "Lease renewal", "Menu of the lease", "Old terms"),
        *("lease notes.txt", "terms.txt"),
    ]
    assert titles(tree, subjects=("old terms",)) == []
    assert titles(tree, subjects=("terms.txt", "salt")) == ["Salt"]
    assert titles(tree, subjects=("review",)) == ["Review"]
    assert titles(tree, subjects=("do come",)) == ["Do come", "Review"]
    assert titles(tree, without=Without(subjects=("lease", "e"))) == ["B", "Salt"]
    people = titles(tree, subjects=("lease",), senders=("ana",))
    assert people == ["Lease renewal", "terms.txt"]


@pytest.mark.parametrize(
    ("folder", "wanted"),
    [
        ("inbox", ["Harbour dues", "Lease renewal", "Old terms", "terms.txt"]),
        ("mail/INBOX", ["Harbour dues", "Lease renewal", "Old terms", "terms.txt"]),
        ("2024", ["Salt"]),
        ("archive/2024", ["Salt"]),
        (".archive.2024", ["Salt"]),
        ("work", ["Do come", "Review"]),
        ("Plans.mbox", ["Do come", "Review"]),
        ("work/plans", ["Do come", "Review"]),
        ("plans/work", []),
        ("sailing club", ["Regatta"]),
        ("club", ["Regatta"]),
        ("calendars", ["Lease meeting", "Regatta"]),
        ("cafe\u0301", ["Menu of the lease"]),
        ("inbo", []),
        ("home", sorted(EVERYTHING)),
        ("/", []),
    ],
)
def test_in_is_a_folder_a_mailbox_or_a_calendar(tree: Path, folder: str, wanted: list[str]) -> None:
    assert titles(tree, folders=(folder,)) == wanted
    left = set(EVERYTHING) - set(wanted)
    assert titles(tree, without=Without(folders=(folder,))) == sorted(left)


def test_folders_above_the_source_are_not_looked_at(tree: Path) -> None:
    inbox = tree / "Mail" / "Inbox"
    assert titles(inbox, folders=("mail",)) == []
    assert titles(inbox, folders=("inbox", "nowhere"))
    both = read([inbox, tree], Filters(folders=("mail",)), zone=UTC)
    assert sum(isinstance(found, Item) for found in both) > 4


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        ("documents/", ["B", "Lease", "Menu of the lease", "lease notes.txt"]),
        ("LEASE", ["lease notes.txt"]),
        ("*.txt", ["lease notes.txt"]),
        ("doc*/*.html", ["Menu of the lease"]),
        ("*/Home/*.ics", ["Lease meeting", "Regatta"]),
        ("caf?.html", ["Menu of the lease"]),
        ("uments/*.txt", []),
        ("*[l]ease*", []),
        (".*", ["Salt"]),
    ],
)
def test_path_is_a_part_or_a_glob(tree: Path, pattern: str, wanted: list[str]) -> None:
    assert titles(tree, path_patterns=(pattern,)) == wanted
    left = set(EVERYTHING) - set(wanted)
    assert titles(tree, without=Without(path_patterns=(pattern,))) == sorted(left)


def test_attachments_are_asked_of_mails_alone(tree: Path) -> None:
    attached = ["Do come", "Lease renewal", "Old terms", "Picture", "Review", "terms.txt"]
    assert titles(tree, attachments=True) == attached
    assert titles(tree, attachments=False) == sorted(set(EVERYTHING) - set(attached))
    assert titles(tree, attachments=True, kinds=frozenset({Kind.DOCUMENT})) == ["terms.txt"]
    items = [item for item in reading_of(tree) if isinstance(item, Item)]
    names = {item.title: item.attachments for item in items if item.kind is Kind.MAIL}
    assert names["Lease renewal"] == ("terms.txt", "part 3")
    assert names["Picture"] == ("jetty.gif",)
    assert names["Newsletter"] == names["Salt"] == ()


def test_people_can_be_refused(tree: Path) -> None:
    assert "Old terms" not in titles(tree, without=Without(senders=("cy@",)))
    left = titles(tree, without=Without(recipients=("bo li",)))
    assert left == sorted({*EVERYTHING} & set(titles(tree, without=Without(senders=("a", "cy")))))
    assert "Regatta" in left
    assert "Salt" not in left


def test_fields_are_and(tree: Path) -> None:
    assert titles(tree, folders=("inbox",), subjects=("dues", "salt")) == ["Harbour dues"]
    assert titles(tree, subjects=("lease",), until=date(2026, 11, 16), folders=("inbox",)) == []


@pytest.mark.parametrize(
    ("given", "opened"),
    [
        ({"path_patterns": ("lists",)}, ["Lists"]),
        ({"folders": ("work",)}, ["Plans.mbox", "club.ics", "home.ics"]),
        ({"without": Without(folders=("calendars", "mail"), path_patterns=("*.html",))},
         ["lease notes.txt", "rows.jsonl"]),
    ],
)  # fmt: skip
def test_place_prunes_before_a_file_is_opened(
    tree: Path, given: dict[str, Any], opened: list[str]
) -> None:
    names: list[str] = []
    module = import_module("ingest.reading.in_process")

    class Noted(File):
        def __init__(self, path: Path, *others: Any) -> None:
            names.append(path.name)
            super().__init__(path, *others)

    with patch.object(module, "File", Noted):
        reading = reading_of(tree, **given)
        list(reading)
    assert sorted(names) == opened
    assert reading.tally.pruned >= reading.tally.files_found - len(opened)


@pytest.mark.parametrize("given", [{"subjects": ("nothing",)}, {"attachments": True}])
def test_header_fields_prune_before_a_mail_is_parsed(tmp_path: Path, given: dict[str, Any]) -> None:
    path = tmp_path / "inbox"
    path.write_bytes(
        b"".join(b"From x Tue Nov 17 08:02:00 2026\n" + mail(f"M {n}").as_bytes() for n in range(5))
    )
    with patch("ingest.mail.message.message_items", side_effect=AssertionError("parsed")):
        reading = reading_of(path, **given)
        assert list(reading) == []
    assert reading.tally.pruned == 5


def test_a_mail_that_is_named_like_a_calendar_needs_its_folder(tmp_path: Path) -> None:
    (tmp_path / "club.ics").write_bytes(mail("Sailing").as_bytes())
    reading = read([tmp_path], Filters(folders=("sailing",)), zone=UTC)
    assert list(reading) == []
    assert reading.tally.pruned == 1


@settings(deadline=None)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_pattern_and_name_are_compared(wanted: str, name: str) -> None:
    pattern_of(wanted).match(folded(name))
    path = Path("/source") / name.replace("\0", "")
    place = place_of(path, [Path("/source")], name)
    lies_in(place, wanted)
    if name.strip("/.") and "/" not in name:
        assert lies_in(place, name)

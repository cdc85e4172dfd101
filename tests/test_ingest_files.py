"""Which files are opened, how, and what is said about the others."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from datetime import UTC
from pathlib import Path

import pytest

from ingest.files import File, UnreadableError
from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.in_process import read
from ingest.reading.stream import ItemStream
from ingest.reading.walk import list_files


def names_of(reading: ItemStream) -> list[str]:
    return [found.locator.path.name for found in reading if isinstance(found, Item)]


def reasons_of(reading: ItemStream) -> dict[str, Reason]:
    return {found.path.name: found.reason for found in reading if isinstance(found, Skipped)}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / "sub").mkdir(parents=True)
    (root / "a.txt").write_text("alpha")
    (root / "sub" / "b.txt").write_text("beta")
    return root


def test_nothing_is_listed_or_opened_before_the_first_item(tree: Path) -> None:
    reading = read([tree], zone=UTC)
    (tree / "c.txt").write_text("gamma")
    assert reading.tally.files_found == 0
    assert names_of(reading) == ["a.txt", "c.txt", "b.txt"]


def test_the_tally_knows_all_files_at_once_and_counts_along(tree: Path) -> None:
    reading = read([tree], zone=UTC)
    next(reading)
    assert reading.tally.files_found == 2
    assert reading.tally.bytes_found == 9
    list(reading)
    assert (reading.tally.files_done, reading.tally.bytes_done) == (2, 9)
    assert reading.tally.items == {Kind.DOCUMENT: 2}


def test_closing_ends_the_reading_and_its_open_file(tree: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    (tree / "lines.jsonl").write_text('{"title": "a", "text": "b"}\n' * 3)
    reading = read([tree / "lines.jsonl"], zone=UTC)
    next(reading)
    reading.close()
    assert list(reading) == []
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_missing_empty_and_strange_sources_are_reported(tmp_path: Path) -> None:
    (tmp_path / "void").mkdir()
    (tmp_path / "zero.txt").touch()
    (tmp_path / "blank.txt").write_text(" \n")
    os.mkfifo(tmp_path / "pipe")
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(tmp_path / "sock"))
    server.close()
    sources = [
        tmp_path / name for name in ("nowhere", "void", "zero.txt", "blank.txt", "pipe", "sock")
    ]
    assert reasons_of(read([*sources, Path("/dev/null")], zone=UTC)) == {
        "nowhere": Reason.MISSING,
        "void": Reason.EMPTY,
        "zero.txt": Reason.EMPTY,
        "blank.txt": Reason.EMPTY,
        "pipe": Reason.NOT_A_FILE,
        "sock": Reason.NOT_A_FILE,
        "null": Reason.NOT_A_FILE,
    }


def test_a_pipe_in_a_folder_is_never_opened(tree: Path) -> None:
    os.mkfifo(tree / "pipe")
    reading = read([tree], zone=UTC)
    assert reasons_of(reading) == {"pipe": Reason.NOT_A_FILE}
    with pytest.raises(UnreadableError):
        File(tree / "pipe")


def test_links_are_not_followed_below_the_source(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret")
    (tree / "sub" / "up").symlink_to(tree, target_is_directory=True)
    (tree / "self").symlink_to(tree / "self")
    (tree / "away").symlink_to(outside / "secret.txt")
    (tree / "gone").symlink_to(tree / "no such file")
    (tree / "again.txt").symlink_to(tree / "a.txt")
    os.link(tree / "a.txt", tree / "hard.txt")
    assert names_of(read([tree, tree], zone=UTC)) == ["a.txt", "b.txt"]
    assert reasons_of(read([tree], zone=UTC)) == {
        "up": Reason.LOOP,
        "self": Reason.LOOP,
        "away": Reason.NOT_A_FILE,
        "gone": Reason.MISSING,
    }


def test_a_source_may_be_a_link(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").symlink_to(tree)
    (tmp_path / "file").symlink_to(tree / "a.txt")
    folder = [f for f in read([tmp_path / "folder"], zone=UTC) if isinstance(f, Item)]
    assert [f.locator.path for f in folder] == [
        tmp_path / "folder" / "a.txt",
        tmp_path / "folder" / "sub" / "b.txt",
    ]
    assert names_of(read([tmp_path / "file"], zone=UTC)) == ["file"]


def test_what_may_not_be_read_is_reported(tree: Path) -> None:
    (tree / "sub").chmod(0)
    (tree / "a.txt").chmod(0)
    code = (
        "import sys; from pathlib import Path; from ingest.reading.in_process import read;"
        "print(*[f'{f.path.name} {f.reason}' for f in read([Path(sys.argv[1])])], sep=';')"
    )
    command = [sys.executable, "-c", code, str(tree)]
    if os.geteuid() == 0:
        if not shutil.which("setpriv"):
            pytest.skip("root may read everything and setpriv is missing")
        for parent in [tree, *tree.parents][:-2]:
            if parent.stat().st_uid == os.geteuid() and "pytest" in str(parent):
                parent.chmod(0o755)
        drop = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        if subprocess.run([*drop, sys.executable, "-c", ""], check=False).returncode:
            pytest.skip("the kernel refuses to become another user here")
        command = drop + command
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=Path(__file__).parent.parent, check=True
        )
    finally:
        (tree / "sub").chmod(0o755)
    assert sorted(done.stdout.strip().split(";")) == ["a.txt permission", "sub permission"]


def test_sources_keep_bytes_times_and_neighbours(tree: Path) -> None:
    (tree / "box").write_bytes(b"From a@b Tue Nov 17 08:02:00 2026\nFrom: a@b\nSubject: x\n\nhi\n")
    (tree / "cal.ics").write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    (tree / "page.html").write_text("<p>words</p>")
    (tree / "bad.pdf").write_bytes(b"%PDF-1.4 broken")

    def state() -> dict[str, tuple[bytes, int, int]]:
        return {
            str(path): (path.read_bytes() if path.is_file() else b"", s.st_mtime_ns, s.st_mode)
            for path in sorted([tree, *tree.rglob("*")])
            if (s := path.stat())
        }

    before = state()
    assert len(names_of(read([tree], zone=UTC))) == 5
    assert state() == before


def test_a_file_that_changes_while_read_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("first")
    with File(path) as file:
        path.write_text("second, longer")
        assert file.whole(1000) == b"second, longer"
    with File(path) as file, pytest.raises(UnreadableError) as caught:
        file.whole(3)
    assert caught.value.reason is Reason.TOO_LARGE


def test_paths_and_kinds_leave_files_unopened(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "a.pdf").write_bytes(b"%PDF-1.4 broken")
    monkeypatch.chdir(tree)
    below = read([tree], Filters(paths=(Path("sub"),)), zone=UTC)
    assert names_of(below) == ["b.txt"]
    assert below.tally.pruned == 2
    mail = read([tree], Filters(kinds=frozenset({Kind.MAIL})), zone=UTC)
    assert list(mail) == []
    assert mail.tally.pruned == 3
    person = read([tree], Filters(senders=("ana",)), zone=UTC)
    assert list(person) == []
    assert person.tally.pruned == 3


@pytest.mark.parametrize(
    "litter",
    [
        *(".git/config", ".DS_Store", ".notmuch/xapian/iamglass", ".obsidian/app.json"),
        *(".zotero-ft-cache", "V10/MailData/Envelope Index"),
    ],
)
def test_what_programs_keep_for_themselves_is_left_alone(tree: Path, litter: str) -> None:
    (tree / litter).parent.mkdir(parents=True, exist_ok=True)
    (tree / litter).write_text("x")
    (tree / ".hidden.txt").write_text("a person's own")
    assert names_of(read([tree], zone=UTC)) == [".hidden.txt", "a.txt", "b.txt"]


def test_the_colour_of_a_collection_is_no_document_but_a_file_of_that_name_is(tree: Path) -> None:
    (tree / "color").write_text("of the boat")
    assert "color" in names_of(read([tree], zone=UTC))
    (tree / "dentist.ics").write_text("BEGIN:VCALENDAR\nEND:VCALENDAR\n")
    assert "color" not in names_of(read([tree], zone=UTC))


def test_of_an_empty_file_nothing_is_missed(tree: Path) -> None:
    for name, data in (("Inbox", b""), ("blank.txt", b" \n"), ("no-text.html", b"<p></p>")):
        (tree / name).write_bytes(data)
    skips = [found for found in read([tree], zone=UTC) if isinstance(found, Skipped)]
    assert {skip.path.name: bool(skip.kinds) for skip in skips} == {
        "Inbox": False, "blank.txt": False, "no-text.html": True
    }  # fmt: skip


def test_cheap_files_come_before_pdf_and_html(tree: Path) -> None:
    for name in ("0.pdf", "1.html", "2.txt"):
        (tree / name).write_text("<p>words")
    order = [found.path.name for found in list_files([tree]).files]
    assert order.index("0.pdf") > order.index("1.html") > order.index("b.txt")


def test_names_that_are_not_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9\x1b[31m.txt")
    path.write_text("words")
    (item,) = [f for f in read([tmp_path], zone=UTC) if isinstance(f, Item)]
    assert item.title == "caf\ufffd.txt"
    assert item.locator.path == path


def test_importing_ingest_loads_no_parser() -> None:
    code = "import sys, ingest; print(*(m for m in sys.argv[1:] if m in sys.modules))"
    heavy = ["pypdfium2", "pypdf", "icalendar", "selectolax", "charset_normalizer", "email.message"]
    root = Path(__file__).parent.parent
    command = [sys.executable, "-c", code, *heavy]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=True)
    assert done.stdout.strip() == ""

"""Reading through locked-down processes: protection, what a dying one costs, memory, order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, date
from pathlib import Path
from queue import Queue

import pytest

from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.in_process import read
from ingest.reading.jobs import Job
from ingest.reading.pool import Pool
from ingest.reading.process import ReadingProcess
from ingest.reading.session import Session
from ingest.reading.walk import list_files
from ingest.sieve import Scope

ATTEMPTS = """
import json, os, socket, subprocess, sys
from ingest.reading import worker
from ingest.origin import Origin

def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return error.errno
    except Exception as error:
        return type(error).__name__
    return "done"

def perform(task, file, scope):
    secret, folder = file.at(0, 4096).decode().split()
    tries = {
        "tcp": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        "udp": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        "unix": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_STREAM),
        "pair": lambda: socket.socketpair(),
        "foreign file": lambda: open(secret),
        "foreign folder": lambda: os.listdir(folder),
        "own file by name": lambda: open(str(file.path)),
        "write": lambda: open(folder + "/new", "w"),
        "append": lambda: open(secret, "a"),
        "make folder": lambda: os.mkdir(folder + "/new"),
        "remove": lambda: os.unlink(secret),
        "rename": lambda: os.rename(secret, secret + "x"),
        "link": lambda: os.symlink(secret, folder + "/new"),
        "write here": lambda: os.write(file._descriptor, b"x"),
        "exec": lambda: os.execv(sys.executable, [sys.executable, "-c", "1"]),
        "start": lambda: subprocess.run([sys.executable, "-c", "1"]),
        "fork": os.fork,
        "signal": lambda: os.kill(os.getppid(), 0),
        "memory": lambda: bytearray(3 << 30),
    }
    text = json.dumps({name: outcome(attempt) for name, attempt in tries.items()})
    yield Origin.of_file(file).document(text)

worker.perform = perform
worker.main()
"""
FRAGILE = """
import os, time
from ingest.reading import worker
from ingest.item import Item

inner = worker.perform

def perform(task, file, scope):
    for read in inner(task, file, scope):
        text = read.text if isinstance(read, Item) else ""
        if "DIES" in text:
            os._exit(7)
        if "HANGS" in text:
            time.sleep(60)
        yield read

worker.perform = perform
worker.main()
"""
NONSENSE = """
import socket, sys
link = socket.socket(fileno=int(sys.argv[1]))
link.sendall(b"\\xff" * 100)
link.recv(1)
"""


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(workers=2) as session:
        yield session


def session_of(program: str, workers: int = 1) -> Session:
    return Session(pool=Pool(workers, ("-c", program)))


def texts(found: Sequence[Item | Skipped]) -> list[str]:
    return [one.text for one in found if isinstance(one, Item)]


def skipped(found: Sequence[Item | Skipped]) -> list[tuple[str, Reason, str | None]]:
    return [(one.path.name, one.reason, one.member) for one in found if isinstance(one, Skipped)]


def message(number: int, body: str) -> str:
    return (
        f"From a@example.org Tue Nov 17 08:{number % 60:02}:00 2026\n"
        f"From: Ana <a@example.org>\nTo: Ben <b@example.org>\nSubject: Number {number}\n"
        f"Message-ID: <{number}@example.org>\nDate: Tue, 17 Nov 2026 08:{number % 60:02}:00 +0000\n"
        f"\n{body} {number}\n\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has Landlock and seccomp")
def test_a_locked_down_process_can_do_nothing_but_read(tmp_path: Path) -> None:
    secret, source = tmp_path / "secret.txt", tmp_path / "source.txt"
    secret.write_text("secret")
    source.write_text(f"{secret} {tmp_path}")
    before = sorted(tmp_path.iterdir())
    with session_of(ATTEMPTS) as session:
        (found,) = session.read([source])
        assert session.protection == ("limits", "landlock", "seccomp")
    assert isinstance(found, Item)
    outcomes = json.loads(found.text)
    assert set(outcomes) >= {"tcp", "udp", "unix", "foreign file", "write", "exec"}
    assert {name: said for name, said in outcomes.items() if said == "done"} == {}
    assert outcomes["memory"] == "MemoryError"
    assert secret.read_text() == "secret"
    assert sorted(tmp_path.iterdir()) == before


def test_items_are_those_of_one_process_in_the_same_order(tmp_path: Path, session: Session) -> None:
    (tmp_path / "box").write_text("".join(message(n, "Body") for n in range(200)))
    for number in range(50):
        (tmp_path / f"{number:02}.txt").write_text(f"Note {number}")
    (tmp_path / "data.csv").write_text("a,b\n1,2\n")
    (tmp_path / "empty.txt").touch()
    here = list(read([tmp_path], zone=UTC))
    assert list(session.read([tmp_path], zone=UTC)) == here
    assert len(texts(here)) == 251


def test_a_large_mailbox_is_read_in_ranges_newest_first(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = tmp_path / "box"
    box.write_text("".join(message(n, "Words " * 2000) for n in range(500)))
    assert box.stat().st_size > 4 << 20
    found = list(session.read([box]))
    numbers = [int(text.split()[-1]) for text in texts(found)]
    assert numbers == list(range(499, -1, -1))
    assert texts(found) == texts(list(read([box])))


def test_a_dying_process_costs_one_file(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.txt").write_text("DIES" if number == 7 else f"Note {number}")
    with session_of(FRAGILE) as session:
        found = list(session.read([tmp_path]))
    assert skipped(found) == [("07.txt", Reason.WORKER_DIED, None)]
    assert len(texts(found)) == 19


def test_a_file_that_cost_its_reader_is_read_again_at_the_next_question(tmp_path: Path) -> None:
    """Whoever ends readers, for lack of memory say, must not hide a file until it changes."""
    (tmp_path / "a.txt").write_text("DIES")
    with session_of(FRAGILE) as session:
        assert skipped(list(session.read([tmp_path]))) == [("a.txt", Reason.WORKER_DIED, None)]
        session._pool.program = Pool().program
        assert texts(list(session.read([tmp_path]))) == ["DIES"]


def test_a_file_whose_reader_is_killed_before_a_word_is_read_by_another(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever ends a reader between two files costs neither of them."""
    give, killed = ReadingProcess.give, []

    def give_and_kill(process: ReadingProcess, job: Job, scope: Scope) -> None:
        if not killed:
            process._process.send_signal(signal.SIGSTOP)
        give(process, job, scope)
        if not killed:
            process._process.kill()
            killed.append(job.found.path.name)

    (tmp_path / "a.txt").write_text("Note a")
    list(session.read([tmp_path]))  # one is ready, and idle
    monkeypatch.setattr(ReadingProcess, "give", give_and_kill)
    (tmp_path / "b.txt").write_text("Note b")
    (tmp_path / "c.txt").write_text("Note c")
    found = list(session.read([tmp_path]))
    assert (len(killed), skipped(found)) == (1, [])
    assert texts(found) == ["Note a", "Note b", "Note c"]


def test_a_dying_process_costs_one_message(tmp_path: Path) -> None:
    bodies = {3: "DIES", 4: "DIES", 11: "DIES"}
    box = tmp_path / "box"
    box.write_text("".join(message(n, bodies.get(n, "Body")) for n in range(16)))
    offsets = [box.read_text().index(message(n, "DIES")) for n in (11, 4, 3)]
    with session_of(FRAGILE) as session:
        found = list(session.read([box]))
    lost = [("box", Reason.WORKER_DIED, f"message at byte {offset}") for offset in offsets]
    assert skipped(found) == lost
    numbers = [int(text.split()[-1]) for text in texts(found)]
    assert numbers == [n for n in range(15, -1, -1) if n not in bodies]


def test_a_dying_process_costs_one_message_of_a_large_mailbox(tmp_path: Path) -> None:
    box = tmp_path / "box"
    lost = {70, 250, 251}
    bodies = ["DIES" if n in lost else "Words " * 2000 for n in range(500)]
    box.write_text("".join(message(n, body) for n, body in enumerate(bodies)))
    with session_of(FRAGILE, workers=2) as session:
        found = list(session.read([box]))
    assert [reason for _, reason, _ in skipped(found)] == [Reason.WORKER_DIED] * 3
    numbers = [int(text.split()[-1]) for text in texts(found)]
    assert numbers == [n for n in range(499, -1, -1) if n not in lost]


@pytest.mark.parametrize(("name", "processes"), [("box", 2), ("book.pdf", 1)])
def test_the_others_do_not_wait_until_the_first_has_found_a_mailbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, processes: int
) -> None:
    begun = []
    start = subprocess.Popen.__init__
    monkeypatch.setattr(subprocess.Popen, "__init__", lambda *a, **k: begun.append(start(*a, **k)))
    (tmp_path / name).write_bytes(b"\n" * (5 << 20))
    with session_of("import time; time.sleep(60)", workers=2) as session:
        reading = session.read([tmp_path])
        assert [next(reading.ticks()) for _ in range(5)] == [None] * 5
        reading.close()
    assert len(begun) == processes


def test_a_hanging_process_costs_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.reading.process.SILENCE", 0.5)
    (tmp_path / "a.txt").write_text("HANGS")
    (tmp_path / "b.txt").write_text("Note")
    with session_of(FRAGILE) as session:
        found = list(session.read([tmp_path]))
    assert skipped(found) == [("a.txt", Reason.TIMEOUT, None)]
    assert texts(found) == ["Note"]


def test_a_process_that_talks_nonsense_gives_up_in_the_end(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Note")
    with session_of(NONSENSE) as session:
        found = list(session.read([tmp_path]))
    assert skipped(found) == [("a.txt", Reason.WORKER_DIED, None)]


def test_the_second_question_reads_only_what_changed(tmp_path: Path, session: Session) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.txt").write_text(f"Note {name}")
    first = list(session.read([tmp_path]))
    (tmp_path / "b.txt").write_text("Other")
    (tmp_path / "c.txt").unlink()
    (tmp_path / "d.txt").write_text("New")
    second = list(session.read([tmp_path]))
    assert texts(second) == ["Note a", "Other", "New"]
    assert second[0] is first[0]
    assert session.size > 0
    session.forget()
    assert session.size == 0
    third = list(session.read([tmp_path]))
    assert third[0] == first[0]
    assert third[0] is not first[0]


def test_a_change_that_keeps_size_and_time_is_seen(tmp_path: Path, session: Session) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Note 1")
    status = path.stat()
    list(session.read([path]))
    path.write_text("Note 2")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert texts(list(session.read([path]))) == ["Note 2"]


def test_other_filters_are_other_readings(tmp_path: Path, session: Session) -> None:
    (tmp_path / "box").write_text("".join(message(n, "Body") for n in range(4)))
    assert len(texts(list(session.read([tmp_path])))) == 4
    nobody = Filters(senders=("carla",))
    assert texts(list(session.read([tmp_path], nobody))) == []
    later = session.read([tmp_path], Filters(since=date(2027, 1, 1)))
    assert list(later) == []
    assert later.tally.pruned == 4
    assert len(texts(list(session.read([tmp_path])))) == 4


def test_memory_is_bounded_and_what_is_unread_is_told(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.txt").write_text(f"{number} " + "word " * 40_000)
    with Session(workers=1, memory=2_000_000) as session:
        reading = session.read([tmp_path])
        found = list(reading)
        assert reading.tally.is_full
        assert reading.tally.files_done < reading.tally.files_found == 30
        assert 10 <= len(texts(found)) < 30
        assert session.size <= 2_000_000


def test_the_same_mail_in_two_folders_is_one_item(tmp_path: Path, session: Session) -> None:
    for folder in ("Archive", "Inbox"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "box").write_text(message(1, "Body"))
    other = message(1, "Another text under the same Message-ID")
    (tmp_path / "Inbox" / "other").write_text(other)
    reading = session.read([tmp_path])
    items = [one for one in reading if isinstance(one, Item)]
    assert [item.locator.path.parent.name for item in items] == ["Archive", "Inbox"]
    assert [copy.locator.path.parent.name for copy in items[0].copies] == ["Inbox"]
    assert reading.tally.copies == 1
    assert reading.tally.items == {Kind.MAIL: 2}


def test_closing_in_the_middle_leaves_a_session_that_reads_on(
    tmp_path: Path, session: Session
) -> None:
    for number in range(100):
        (tmp_path / f"{number:02}.txt").write_text(f"Note {number}")
    reading = session.read([tmp_path])
    next(reading)
    reading.close()
    assert len(texts(list(session.read([tmp_path])))) == 100


def test_what_changes_is_dropped_at_once(tmp_path: Path, session: Session) -> None:
    seen: Queue[Path] = Queue()
    session.watch(seen.put)
    (tmp_path / "kept").mkdir()
    path = tmp_path / "kept" / "a.txt"
    path.write_text("Note")
    list(session.read([tmp_path]))
    assert session.size > 0
    path.unlink()
    while seen.get(timeout=30) != path:
        pass
    assert session.size == 0


def test_a_file_that_vanished_is_missing(
    tmp_path: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("Note")
    listing = list_files([tmp_path])
    (tmp_path / "b.txt").unlink()
    monkeypatch.setattr(sys.modules["ingest.reading.stream"], "list_files", lambda sources: listing)
    found = list(session.read([tmp_path]))
    assert texts(found) == ["Note"]
    assert skipped(found) == [("b.txt", Reason.MISSING, None)]

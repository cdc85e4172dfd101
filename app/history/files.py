"""Where kept conversations lie on the disk, and how they leave it."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models.files import data_folder

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
        """Return every file of it: database, journal, key record, what was set aside."""
        if not self.folder.is_dir():
            return []
        return sorted(path for path in self.folder.iterdir() if path.is_file())


def set_aside(path: Path, moment: str) -> Path:
    """Rename a file that cannot be used, and return its new name."""
    aside = path.with_name(f"{path.name}.{moment}")
    path.rename(aside)
    return aside


def wipe(path: Path) -> None:
    """Overwrite a file with random bytes, then remove it. Raises `OSError`."""
    size = path.stat().st_size
    with path.open("r+b") as file:
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

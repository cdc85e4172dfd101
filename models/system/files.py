"""Private files and folders, hashes and locks: what the store and a pull do to the disk."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import pwd
from collections.abc import Callable, Generator, Iterator, Mapping
from pathlib import Path

from models.errors import PullFailed

NO_HOME = Path("/nonexistent")
"""Debian's name for no home: the folder does not exist, and only root could make it."""
BLOCK = 1 << 20
"""Bytes read at a time; hashing is then bound by SHA-256, not by calls."""
Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in total."""


def part_path(file: Path) -> Path:
    """Return where the parts of `file` are collected."""
    return file.with_name(file.name + ".part")


def corrupt_path(file: Path) -> Path:
    """Return where `file` is set aside when its hash is wrong."""
    return file.with_name(file.name + ".corrupt")


def size_of(path: Path) -> int | None:
    """Return the size of a regular file, None when there is none."""
    return path.stat().st_size if path.is_file() else None


def signature(path: Path, sha256: str) -> list[str | int]:
    """Return what changes whenever the file does. Raises `OSError`."""
    status = path.stat()
    return [sha256, status.st_size, status.st_mtime_ns, status.st_ino]


def hash_steps(path: Path) -> Generator[int, None, str]:
    """Hash a file block by block: yield the bytes done, return the SHA-256 in hexadecimal."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            yield done
    return digest.hexdigest()


def home_folder(environ: Mapping[str, str]) -> Path:
    """Return the person's home, or `NO_HOME` where a container or a service has none for them.

    An empty or relative HOME does not count: paths below it would depend on the working folder.
    """
    given = environ.get("HOME", "")
    if given.startswith("/"):
        return Path(given)
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir or NO_HOME)
    except KeyError:
        return NO_HOME


def data_folder(environ: Mapping[str, str]) -> Path:
    """Return `$XDG_DATA_HOME/askance`, by default below `~/.local/share`."""
    return _own_folder(environ, "XDG_DATA_HOME", ".local/share")


def config_folder(environ: Mapping[str, str]) -> Path:
    """Return `$XDG_CONFIG_HOME/askance`, by default below `~/.config`."""
    return _own_folder(environ, "XDG_CONFIG_HOME", ".config")


def _own_folder(environ: Mapping[str, str], variable: str, below_home: str) -> Path:
    # platformdirs reads only the process's own environment, puts these folders elsewhere on
    # macOS, and finds no home for a user without an entry in the password file.
    given = Path(environ.get(variable, ""))
    # The specification tells programs to ignore a relative path.
    base = given if given.is_absolute() else home_folder(environ) / below_home
    return base / "askance"


def make_private(folder: Path) -> None:
    """Make a folder and its missing parents with mode 0700; existing ones stay as they are."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for one in reversed(missing):
        one.mkdir(mode=0o700, exist_ok=True)


def open_private(path: Path, flags: int) -> int:
    """Open for reading and writing, created with mode 0600; return the descriptor."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | flags, 0o600)


def write_private(path: Path, data: bytes) -> None:
    """Replace a small file: the old or the new content survives a crash, never half."""
    new = path.with_name(path.name + ".new")
    try:
        with os.fdopen(open_private(new, os.O_TRUNC), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def put_in_place(new: Path, path: Path) -> None:
    """Rename a finished file to its name, so that it survives a crash."""
    new.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def link_in_place(target: Path, path: Path) -> None:
    """Make `path` a link to a file that stays where another program keeps it."""
    make_private(path.parent)
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    new.symlink_to(target.absolute())
    new.replace(path)


@contextlib.contextmanager
def locked_folder(folder: Path, model_id: str) -> Iterator[None]:
    """Hold a folder, made if need be, against other processes, by flock on `.lock` in it.

    The kernel lets go when the holder dies. Raises `PullFailed` naming the holder.
    """
    lock = folder / ".lock"
    while True:
        make_private(folder)
        descriptor = open_private(lock, 0)
        try:
            _lock_or_say_who(descriptor, lock, model_id)
            # `models rm` deletes the lock with its folder, so the locked file may be gone by now.
            if lock.exists() and lock.stat().st_ino == os.fstat(descriptor).st_ino:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, str(os.getpid()).encode(), 0)
                yield
                return
        finally:
            os.close(descriptor)


def _lock_or_say_who(descriptor: int, lock: Path, model_id: str) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(descriptor, 20, 0).decode("ascii", "replace") or "unknown"
        raise PullFailed(
            f"The model {model_id} is being pulled or removed by process {holder}.",
            remedy="Wait until it is done, or end it; what it has verified is kept.",
            path=lock.parent,
        ) from error

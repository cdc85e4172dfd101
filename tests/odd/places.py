"""Odd places: what a path may lead to besides a file. Each function makes its `path`."""

from __future__ import annotations

import os
import socket
from pathlib import Path


def folder_called_pdf(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("Notes in the folder.")


def folder_empty(path: Path) -> None:
    path.mkdir()


def folder_200_deep(path: Path) -> None:
    path.mkdir()
    below = path
    for _ in range(200):
        below = below / "d"
        below.mkdir()
    (below / "notes.txt").write_text("Deep notes.")


def missing_file(path: Path) -> None:
    """Make nothing."""


def fifo(path: Path) -> None:
    os.mkfifo(path)


def unix_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the name of a socket may have no more than 107 bytes
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def unreadable_file(path: Path) -> None:
    path.write_text("Nobody may read this.")
    path.chmod(0)


def unreadable_folder(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("Notes behind the door.")
    path.chmod(0)


def link_dangling(path: Path) -> None:
    path.mkdir()
    (path / "link").symlink_to(path / "nothing")


def link_to_itself(path: Path) -> None:
    path.mkdir()
    (path / "link").symlink_to(path / "link")


def link_to_folder_above(path: Path) -> None:
    path.mkdir()
    (path / "notes.txt").write_text("Notes once.")
    (path / "up").symlink_to(path, target_is_directory=True)


def link_out_of_the_folder(path: Path) -> None:
    path.mkdir()
    (path.parent / "outside.txt").write_text("OUTSIDE")
    (path / "link").symlink_to(path.parent / "outside.txt")


def hard_links(path: Path) -> None:
    path.mkdir()
    (path / "one.txt").write_text("The same notes.")
    os.link(path / "one.txt", path / "two.txt")


def name_not_utf8(path: Path) -> None:
    path.mkdir()
    (path / os.fsdecode(b"caf\xe9.txt")).write_text("Notes from the bar.")


def name_with_escapes(path: Path) -> None:
    path.mkdir()
    (path / "a\x1b[31m\nb\u202etxt").write_text("Notes with a name.")


def hole_of_5_gb(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 << 30)


def hole_behind_text(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"The rent is due.\n" * 1000)
        file.truncate(5 << 30)

"""What strace saw of a program and all its processes: what they wrote, and whom they reached."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from models.llama.encoder_file import IN_MEMORY
from models.proof.child import TINY_MODEL

_WRITING = (
    "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,truncate,"
    "mkdir,mkdirat,memfd_create,mknod,mknodat,setxattr,lsetxattr,fsetxattr"
)
_TALKING = "connect,sendto,sendmsg,sendmmsg,recvmsg"
_LINE = re.compile(r"^\d+ +(\w+)\((.*)$")
_FAILED = re.compile(r"\) += -1 E")
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NO_FILES = re.compile(r"^/(?:dev/(?:null|tty|pts/\d+|full|urandom)|proc/(?:self|\d+)/.*)$")
_ADDRESSED = re.compile(r"^\d+ +(?:connect|sendto|sendmsg|sendmmsg)\(.*\bsa_family=(?!AF_NETLINK)")
_OWN_MEMORY = tuple(f'memfd_create("{name}"' for name in (TINY_MODEL, IN_MEMORY))
"""Memory for models: the one that llama.cpp is proved with, and encoders written anew for it."""
_NAMES_OF_USERS = re.compile(r'sun_path="/(?:var/)?run/(?:nscd/|systemd/userdb/)')
"""Where the C library asks for the name of a user; no text goes there."""
_HANDED = "SCM_RIGHTS"
"""In the line of a process that was handed an open file, as readers are."""
_READER = b"ingest.reading.worker"


@cache
def can_trace() -> bool:
    """Say whether strace is here and may trace."""
    if not shutil.which("strace"):
        return False
    tried = ["strace", "-qq", "-e", "trace=none", "true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0  # noqa: S603


def traced(command: Sequence[str], log: Path) -> list[str]:
    """Return a command with what writes its trace to `log`."""
    calls = f"trace={_WRITING},{_TALKING}"
    return ["strace", "-f", "-qq", "-o", str(log), "-e", calls, "-e", "signal=none", *command]


def lines_of(log: Path) -> list[str]:
    """Return the lines of a trace; none where there is none."""
    return log.read_text("utf-8", "replace").splitlines() if log.exists() else []


def written(lines: Iterable[str]) -> list[str]:
    """Return what was opened to be written, made, linked or given an attribute, gone or not.

    Of a renamed file its new name. What has no name of its own is named so that it is not there.
    """
    found: list[str] = []
    for line in lines:
        match = _LINE.match(line)
        if not match or _FAILED.search(line):
            continue
        call, arguments = match.groups()
        if (
            any(own in line for own in _OWN_MEMORY)
            or call in _TALKING
            or (call.startswith("open") and not _WRITES.search(arguments))
        ):
            continue
        paths = _PATH.findall(arguments) or [arguments]
        if call.startswith("rename") and paths[0] in found:
            found.remove(paths[0])  # what it held is in the other one
            paths = paths[1:]
        if "O_TMPFILE" in arguments:
            paths = [f"{paths[0]}/(a file without a name)"]
        found += [path for path in paths if not _NO_FILES.match(path) and path not in found]
    return found


def reached(lines: Iterable[str]) -> tuple[str, ...]:
    """Return the attempts to reach anything that has an address: a network, another program."""
    return tuple(
        line for line in lines if _ADDRESSED.match(line) and not _NAMES_OF_USERS.search(line)
    )


def started_by(process: subprocess.Popen[bytes]) -> int:
    """Return the id of the program that strace runs."""
    while process.poll() is None:
        if children := _children(process.pid):
            return children[0]
    return process.pid


def wait_for_reading(process: subprocess.Popen[bytes], log: Path, seconds: float = 150.0) -> bool:
    """Wait until a reader of a program was handed a file; without a trace, until it has started.

    Return False when the program ends before, or so many seconds are over.
    """
    until = time.monotonic() + seconds
    while process.poll() is None and time.monotonic() < until:
        if any(_HANDED in line for line in lines_of(log)):
            return True
        if not log.exists() and _has_reader(process.pid):
            time.sleep(0.5)
            return True
        time.sleep(0.02)
    return False


def _has_reader(pid: int) -> bool:
    return any(
        _READER in Path(f"/proc/{child}/cmdline").read_bytes() or _has_reader(child)
        for child in _children(pid)
    )


def _children(pid: int) -> list[int]:
    found = []
    for task in Path("/proc").glob(f"{pid}/task/*/children"):
        found += [int(child) for child in task.read_text().split()]
    return found

"""Locks a process down before it reads a stranger's file: no file, network, program or write.

Two walls on Linux, through ctypes, both irrevocable: Landlock (which files can be opened) and a
seccomp filter (which system calls there are). They need no privilege and must be raised while the
process has one thread. Elsewhere only the limits are set. Kernel interfaces: landlock(7),
seccomp(2), prctl(2).
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from ingest.scans.tesseract import language_folder

MEMORY = 2 << 30
"""Bytes of address space that a reader may use."""
_OPEN_FILES = 128

_NO_NEW_PRIVILEGES, _DUMPABLE, _SECCOMP = 38, 4, 22
_FILTER_MODE = 2
_CREATE, _ADD, _RESTRICT = 444, 445, 446
"""Landlock's system calls, the same numbers on every architecture."""
_ABI_QUERY, _BELOW_PATH = 1, 1
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""All rights over files, by the ABI that brought the last of them."""
_TCP = 0b11
_OTHER_PROCESSES = 0b11
"""Abstract unix sockets and signals of processes outside (ABI 6)."""

_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000
_LOAD, _EQUAL, _ANY_BIT, _AT_LEAST, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_X32 = 0x40000000
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_SYSTEM_LIBRARIES = (
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store"),
    "/etc/ld.so.cache",
)
"""Where compiled modules find the libraries that they are linked with."""

_CALLS = """
    read 0 63 | write 1 64 | close 3 57 | stat 4 - | fstat 5 80 | lstat 6 - | poll 7 -
    lseek 8 62 | mmap 9 222 | mprotect 10 226 | munmap 11 215 | brk 12 214 | mremap 25 216
    msync 26 227 | madvise 28 233 | rt_sigaction 13 134 | rt_sigprocmask 14 135
    rt_sigreturn 15 139 | sigaltstack 131 132 | setitimer 38 103 | ioctl 16 29 | fcntl 72 25
    pread64 17 67 | readv 19 65 | writev 20 66 | access 21 - | faccessat 269 48
    faccessat2 439 439 | newfstatat 262 79 | statx 332 291 | readlink 89 -
    readlinkat 267 78 | getcwd 79 17 | getdents64 217 61 | dup 32 23 | dup2 33 -
    dup3 292 24 | ppoll 271 73 | sendto 44 206 | recvfrom 45 207 | sendmsg 46 211
    recvmsg 47 212 | shutdown 48 210 | sched_yield 24 124 | sched_getaffinity 204 123
    nanosleep 35 101 | clock_gettime 228 113 | clock_getres 229 114 | clock_nanosleep 230 115
    gettimeofday 96 169 | times 100 153 | getpid 39 172 | getppid 110 173 | gettid 186 178
    getuid 102 174 | geteuid 107 175 | getgid 104 176 | getegid 108 177 | uname 63 160
    getrlimit 97 163 | getrusage 98 165 | sysinfo 99 179 | getcpu 309 168 | futex 202 98
    set_robust_list 273 99 | membarrier 324 283 | rseq 334 293 | restart_syscall 219 128
    getrandom 318 278 | exit 60 93 | exit_group 231 94
"""
"""System calls that reading and answering need: name, number on x86_64, on aarch64."""
_MACHINES = {"x86_64": (0xC000003E, 257, 1), "aarch64": (0xC00000B7, 56, 2)}
"""The audit architecture, the number of openat, and the column of `_CALLS`."""


def lock_down(memory: int = MEMORY) -> list[str]:
    """Give up, for good, what reading does not need; return the names of what is in force.

    "limits", "landlock", "seccomp". What the kernel does not offer is left out.
    """
    active = ["limits"] if _limit(memory) else []
    if sys.platform != "linux":
        return active
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_DUMPABLE, 0, 0, 0, 0)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        return active
    if _confine_files(libc, _libraries()):
        active.append("landlock")
    if _filter_calls(libc):
        active.append("seccomp")
    return active


def _limit(memory: int) -> bool:
    """Limit memory, written bytes, core dumps and open files."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
    ):
        _, hard = resource.getrlimit(limit)
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(limit, (bound, bound))
        except (ValueError, OSError):  # macOS refuses to bound the address space
            continue
    return True


def _libraries() -> list[Path]:
    """Return what the readers themselves are made of: code and time zones, nothing of a person."""
    from zoneinfo import TZPATH

    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [sysconfig.get_paths()[name] for name in names]
    own = [Path(__file__).parents[1], Path(sys.base_prefix, "lib")]
    if getattr(sys, "frozen", False):  # a single-folder build has its code in and beside itself
        own += [Path(sys.executable), Path(sys.prefix)]
    if (words := language_folder()) is not None:
        own.append(words)
    return [*own, *map(Path, folders), *map(Path, TZPATH), *map(Path, _SYSTEM_LIBRARIES)]


def _confine_files(libc: ctypes.CDLL, readable: Iterable[Path]) -> bool:
    """Refuse every access to files but reading below `readable`; also TCP, where Landlock can."""
    abi = libc.syscall(_CREATE, None, ctypes.c_size_t(0), _ABI_QUERY)
    if abi < 1:
        return False
    rights = _FILE_RIGHTS[max(first for first in _FILE_RIGHTS if first <= abi)]
    attributes = struct.pack(
        "QQQ", rights, _TCP if abi >= 4 else 0, _OTHER_PROCESSES if abi >= 6 else 0
    )
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    ruleset = libc.syscall(_CREATE, attributes, ctypes.c_size_t(size), 0)
    if ruleset < 0:
        return False
    try:
        for folder in readable:
            _allow_below(libc, ruleset, folder)
        return bool(libc.syscall(_RESTRICT, ruleset, 0) == 0)
    finally:
        os.close(ruleset)


def _allow_below(libc: ctypes.CDLL, ruleset: int, folder: Path) -> None:
    try:
        place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        rule = struct.pack("=Qi", _READ_FILE | (_READ_FOLDER if is_folder else 0), place)
        libc.syscall(_ADD, ruleset, _BELOW_PATH, rule, 0)
    finally:
        os.close(place)


def _filter_calls(libc: ctypes.CDLL) -> bool:
    """Refuse all system calls but those that reading and answering need."""
    if os.uname().machine not in _MACHINES:
        return False
    architecture, openat, column = _MACHINES[os.uname().machine]
    rows = [row.split() for line in _CALLS.split("\n") for row in line.split("|") if row.strip()]
    calls = [int(row[column]) for row in rows if row[column] != "-"]
    program = _program(architecture, openat, calls)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]

    filters = Program(len(program) // 8, program)
    return bool(libc.prctl(_SECCOMP, _FILTER_MODE, ctypes.byref(filters), 0, 0) == 0)


def _program(architecture: int, openat: int, calls: Iterable[int]) -> bytes:
    """Return the filter: the calls listed, and openat to read; all others fail with EPERM."""
    number, machine, flags = 0, 4, 32  # offsets in struct seccomp_data; flags is openat's third
    steps = [
        (_LOAD, 0, 0, machine),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, number),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
        (_EQUAL, 0, 4, openat),
        (_LOAD, 0, 0, flags),
        (_ANY_BIT, 0, 1, _WRITING),
        (_RETURN, 0, 0, _REFUSE),
        (_RETURN, 0, 0, _ALLOW),
    ]
    for call in calls:
        steps += [(_EQUAL, 0, 1, call), (_RETURN, 0, 0, _ALLOW)]
    steps.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("HBBI", *step) for step in steps)

"""`askance doctor --privacy`: the short form of the privacy suites, on the person's own machine.

A word that occurs nowhere else is planted in files of their own, below a private temporary folder
that is removed at the end. The program is run over them as a person would run it, in a home of its
own, and whatever it wrote there is searched for the word.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.doctor import Check
from app.exits import ExitCode
from app.local_models.loader import known_models
from app.local_models.roles import roles_in_use
from app.privacy import residue
from app.privacy import system_calls as tracing
from app.settings.config import load_config
from ingest.reading.pool import protection
from models.store.store import Store

PATIENCE = 180.0
"""Seconds that one run may take."""
KILLED_AFTER = 0.2
"""Seconds into reading after which a run is killed."""
LONG = 5_000
"""Mails in a mailbox that is still being read then."""
UNPLUGGED = ("unshare", "--map-root-user", "--net")

_MAIL = """From orla@example.org Thu Sep 03 09:12:00 2026
From: Orla Penhaligon <orla@example.org>
To: me@example.org
Date: Thu, 03 Sep 2026 09:12:00 +0000
Subject: Pass phrase
Message-ID: <1@example.org>

{}
"""
_EVENT = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//askance//privacy//EN
BEGIN:VEVENT
UID:1@example.org
DTSTAMP:20260901T080000Z
DTSTART:20260904T100000Z
SUMMARY:Pass phrase
DESCRIPTION:{}
END:VEVENT
END:VCALENDAR
"""
FILES = {
    "Inbox.mbox": _MAIL,
    "calendar.ics": _EVENT,
    "note.md": "# Pass phrases\n\n{}\n",
    "table.csv": "what\n{}\n",
}
QUESTION = "What is the pass phrase of Orla Penhaligon?"


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the proof is made."""

    sources: Path
    long: Path
    """A mailbox that takes a while to be read."""
    home: Path
    word: str


@dataclass(frozen=True, slots=True)
class _Run:
    """What one run of the program came to."""

    code: int
    found: bool
    """Whether it showed the word: the files were really read."""
    leaves: residue.Residue
    gone: tuple[str, ...]
    """What was written, and was not there to be searched."""
    was_reading: bool
    """Whether it was killed while a reader held a file."""
    reached: tuple[str, ...] | None
    """Attempts to reach a network; None when nobody could watch."""


def prove() -> Iterator[Check]:
    """Yield what was proved, and what this machine does not let be proved."""
    with tempfile.TemporaryDirectory(prefix="askance-privacy-") as folder:
        place = _planted(Path(folder))
        before = _states(place.sources)
        searched = _ran(place, ("search", "pass phrase Orla Penhaligon", str(place.sources)))
        yield _residue("search", searched)
        yield _network(searched)
        yield _killed(place)
        yield _asked(place)
        yield _unplugged(place)
        if _states(place.sources) == before:
            yield Check(
                "read only", "ok", f"{len(before)} planted files kept their bytes and times"
            )
        else:
            yield Check("read only", "missing", "a planted file was changed", _REPORT)
    yield _dumps()
    yield _readers()
    yield _swap()
    yield _history()


_REPORT = "This should never happen; please report it with the output of askance doctor."


def _planted(folder: Path) -> _Place:
    word = f"zq{secrets.token_hex(12)}"
    place = _Place(folder / "sources", folder / "long.mbox", folder / "home", word)
    place.sources.mkdir()
    place.home.mkdir()
    sentence = f"The pass phrase of Orla Penhaligon is {word}."
    for name, text in FILES.items():
        (place.sources / name).write_text(text.format(sentence), "utf-8")
    place.long.write_text(_MAIL.format(sentence) * LONG, "utf-8")
    return place


def _states(folder: Path) -> dict[str, tuple[int, str]]:
    return {
        path.name: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
        for path in folder.iterdir()
    }


def _environ(place: _Place) -> Mapping[str, str]:
    """Return the environment of a run: every folder it may write to lies in one home."""
    names = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
    folders = dict.fromkeys((*names, "XDG_CACHE_HOME"), str(place.home))
    store = str(Store.default(os.environ).root)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASKANCE_")}
    return kept | folders | {"ASKANCE_MODELS_DIR": store, "PYTHONDONTWRITEBYTECODE": "1"}


def _ran(
    place: _Place, arguments: Sequence[str], *, before: Sequence[str] = (), kill: bool = False
) -> _Run:
    """Run the program; find what it wrote and whom it tried to reach."""
    log = place.home.parent / "trace.log"
    log.unlink(missing_ok=True)
    is_traced = not before and tracing.can_trace()
    command = [sys.executable, "-m", "app.main", *arguments]
    process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        [*before, *(tracing.traced(command, log) if is_traced else command)],
        cwd=place.home,
        env=_environ(place),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    was_reading = kill and tracing.wait_for_reading(process, log)
    if kill:
        time.sleep(KILLED_AFTER)
        with contextlib.suppress(ProcessLookupError):
            os.kill(tracing.started_by(process) if is_traced else process.pid, signal.SIGKILL)
    try:
        out, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the tracer alone would leave its child's pipe open
        out, _ = process.communicate()
    lines = tracing.lines_of(log)
    written = [place.home / path for path in tracing.written(lines)]
    there = {path for path in written if path.is_file()}
    leaves = residue.search(sorted(there | set(residue.files_below([place.home]))), place.word)
    gone = tuple(str(path) for path in written if not path.exists())
    reached = tracing.reached(lines) if is_traced else None
    return _Run(process.returncode, place.word.encode() in out, leaves, gone, was_reading, reached)


def _residue(name: str, run: _Run) -> Check:
    title = f"residue, {name}"
    if run.leaves.held:
        where = ", ".join(f"{path} ({form})" for path, form in run.leaves.held)
        return Check(title, "missing", f"text of a file was written: {where}", _REPORT)
    if run.leaves.unknown:
        names = ", ".join(map(str, run.leaves.unknown))
        return Check(title, "note", f"files of unknown kind were written: {names}", _REPORT)
    if run.gone:
        where = ", ".join(run.gone)
        return Check(
            title, "missing", f"written, and gone before it was searched: {where}", _REPORT
        )
    if not run.found and name != "killed":
        return Check(title, "missing", "the planted word was not found in the files", _REPORT)
    how = "the kernel's list of writes" if run.reached is not None else "its whole home"
    return Check(
        title,
        "ok",
        f"{run.leaves.searched} files written or left; none holds the word in any form ({how})",
    )


def _killed(place: _Place) -> Check:
    """End a run while it reads, when text of a file is in memory."""
    run = _ran(place, ("search", "pass phrase", str(place.long)), kill=True)
    if run.was_reading:
        return _residue("killed", run)
    return Check("residue, killed", "note", "not tried: it was not seen to read before it ended")


def _asked(place: _Place) -> Check:
    """Ask with the models that answer here, if they are present."""
    catalogue, store = known_models(os.environ)
    used, _ = roles_in_use(load_config(os.environ), catalogue)
    needed = [i for i, roles in used.items() if {"lookahead", "generator"} & set(roles)]
    missing = [i for i in needed if store.state(catalogue.row(i)) != "present"]
    if missing or not needed:
        names = ", ".join(missing) or "none is chosen"
        return Check("residue, ask", "note", f"not tried: models are not here ({names})")
    names_of = {role: model_id for model_id in needed for role in used[model_id]}
    flags = [
        f"--{role}={names_of[role]}" for role in ("lookahead", "generator") if role in names_of
    ]
    run = _ran(place, ("ask", QUESTION, str(place.sources), "--effort", "quick", *flags))
    check = _residue("ask", run)
    if check.state == "missing" and not run.leaves.held:
        if run.code == ExitCode.NOTHING_FOUND:
            return Check(check.name, "ok", "the model abstained; no file written holds the word")
        ended = f"it ended with exit code {run.code}; no file written holds the word"
        return Check(check.name, "note", ended, "See what askance ask says.")
    return check


def _network(run: _Run) -> Check:
    if run.reached is None:
        return Check("connections", "note", "not watched: strace is not here, or may not trace")
    if run.reached:
        return Check("connections", "missing", run.reached[0], _REPORT)
    return Check("connections", "ok", "none was tried, as the kernel saw it")


def _unplugged(place: _Place) -> Check:
    usable = shutil.which(UNPLUGGED[0]) is not None and (
        subprocess.run([*UNPLUGGED, "true"], capture_output=True, check=False).returncode == 0  # noqa: S603
    )
    if not usable:
        return Check("unplugged", "note", "not tried: no network namespace can be made here")
    run = _ran(place, ("search", "pass phrase", str(place.sources)), before=UNPLUGGED)
    if run.found:
        return Check("unplugged", "ok", "the files were searched where no network exists")
    return Check("unplugged", "missing", "nothing was found without a network", _REPORT)


def _dumps() -> Check:
    if sys.platform == "win32":
        return Check("core dumps", "note", "not known on Windows")
    import resource

    if resource.getrlimit(resource.RLIMIT_CORE)[0] == 0:
        return Check("core dumps", "ok", "a crash leaves no copy of the memory")
    return Check("core dumps", "note", "allowed in this process", "Start it as `askance`.")


def _readers() -> Check:
    active = protection() or ()
    state = "ok" if {"landlock", "seccomp"} <= set(active) else "note"
    return Check("readers", state, ", ".join(active) or "not locked down")  # type: ignore[arg-type]


def _swap() -> Check:
    """Say whether memory may be written to a disk by the system."""
    try:
        lines = Path("/proc/swaps").read_text("utf-8").splitlines()[1:]
    except OSError:
        return Check("swap", "note", "not known here; text in memory may be swapped out")
    disks = [line.split()[0] for line in lines if not line.startswith("/dev/zram")]
    if not disks:
        return Check("swap", "ok", "none on a disk")
    remedy = "Encrypt it, or turn it off: swapoff -a. Askance cannot keep its text out of it."
    return Check("swap", "note", f"on: {', '.join(disks)}", remedy)


def _history() -> Check:
    kept = bool(load_config(os.environ).values.history.enabled)
    return Check("history", "ok", "on: conversations are kept, encrypted" if kept else "off")

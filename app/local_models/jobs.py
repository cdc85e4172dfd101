"""What takes long with one model, step by step: pulling, checking, measuring,
calibrating.

Each is a generator of lines that say how far it is, and returns what came of it. Closing one
stops it: what was fetched is kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import closing
from typing import Any, cast

from app.local_models.loader import user_rows_path
from app.output.models import pull_text, speed_text
from app.output.report import size_text
from models.download.download import pull
from models.download.progress import PullProgress
from models.errors import AskanceError, RuntimeFailed
from models.speed import Speed
from models.store.catalogue import ModelRow
from models.store.consent import accepted, is_the_publishers
from models.store.store import Store
from models.store.user_rows import remove_row

Work = Generator[str, None, str]

POLL_SECONDS = 0.2


def pulling(row: ModelRow, store: Store, *, accept: bool) -> Work:
    """Fetch a model. Raises as `models.download.download.pull` does."""
    steps = cast("Generator[PullProgress, None, None]", pull(row, store, accept=accept))
    with closing(steps):
        for progress in steps:
            if progress.stage != "done":
                yield pull_text(progress)
    bound = accepted(row, store.folder(row))
    if row.bound:
        return "ready"
    checked = is_the_publishers(store.folder(row))
    how = "verified against the publisher's checksum" if checked else "no checksum to verify it by"
    return f"ready; {how}, from now on only with SHA-256 {bound.sha256}"


def checking(row: ModelRow, store: Store) -> Work:
    """Hash a model's files again. Raises as `Store.verify` does."""
    for path, part in store.files(row):
        for done in store.checking(row, path, part):
            percent = 100 * done // max(part.size, 1)
            yield f"checking {percent} % of {size_text(part.size)}"
    return "right"


def deleted(row: ModelRow, store: Store) -> int:
    """Delete a model and, where it is the person's own, its row; return the bytes freed.

    Raises `PullFailed` while it is being pulled, and `ModelError`.
    """
    freed = store.remove(row)
    remove_row(user_rows_path(os.environ), row.id)
    return freed


def measuring(row: ModelRow) -> Work:
    """Measure how fast a model is, in a process of its own. Raises as `_apart` does."""
    said = yield from _apart(row, "speed", "measuring", "measured")
    found = said["speed"]
    return speed_text(Speed(found["read_per_second"], found["written_per_second"]))


def calibrating(row: ModelRow) -> Work:
    """Fit how sure a generator may be, likewise: with the questions that ship."""
    said = yield from _apart(row, "calibrate", "calibrating", "calibrated")
    found = said["calibration"]
    before, after = (found[when]["calibration_error"] for when in ("before", "after"))
    then = "used from now on" if found["written"] else "the weights that there are stay"
    return f"calibration error {before:.3f}, then {after:.3f}: {then}"


def _apart(
    row: ModelRow, name: str, doing: str, done: str
) -> Generator[str, None, dict[str, dict[str, Any]]]:
    """Run a command about a model in a process of its own, which frees all it took by ending.

    Returns what it prints as JSON. Raises `RuntimeFailed`, and what the command says went wrong.
    """
    command = [sys.executable, "-m", "app.main", "models", name, row.id, "--json"]
    began = time.monotonic()
    with subprocess.Popen(  # noqa: S603 -- this program itself
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while True:
                try:  # reads meanwhile: a process whose pipe is full waits for its reader
                    said, _ = process.communicate(timeout=POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    yield f"{doing}, {time.monotonic() - began:.0f} s"
        finally:
            process.kill()  # its engine ends with it
    try:
        answer: dict[str, dict[str, Any]] = json.loads(said)
    except ValueError as error:
        raise RuntimeFailed(
            f"{row.id} could not be {done}: its process ended.",
            remedy=f"Run `askance models {name} {row.id}` to see why.",
        ) from error
    if "error" in answer:
        raise AskanceError(answer["error"]["message"], remedy=answer["error"]["remedy"])
    return answer

"""Says what of a job is left out when its process died, and what is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ingest.item import Reason, Skipped
from ingest.reading.process import SILENCE
from ingest.reading.tasks import Job, Task, What


def blamed(job: Job, reason: Reason) -> tuple[Skipped | None, Sequence[tuple[Task, bool]]]:
    """Return what is lost of a job, and the tasks, careful or not, that read the rest of it."""
    task, offsets = job.task, job.task.offsets
    if task.what is What.ATTACHMENTS:
        done = offsets.index(job.finished) + 1 if job.finished in offsets else 0
        if len(offsets) - done > 1:
            return None, [(replace(task, offsets=(offset,)), False) for offset in offsets[done:]]
        return _lost(job, reason, f"attached to the message at byte {offsets[-1]}"), []
    if job.current < 0 and task.what is What.ALL:
        return _lost(job, reason), []
    if not job.is_careful:
        end = job.found.size if task.what is What.ALL else task.end
        end = job.finished if job.finished >= 0 else end
        return None, [(Task(What.MESSAGES, task.begin, end), True)]
    if job.current < 0:
        return _lost(job, reason, f"messages from byte {task.begin} to {task.end}"), []
    rest = [(Task(What.MESSAGES, task.begin, job.current), False)] * (job.current > task.begin)
    return _lost(job, reason, f"message at byte {job.current}"), rest


def _lost(job: Job, reason: Reason, member: str | None = None) -> Skipped:
    if reason is Reason.TIMEOUT:
        remedy = f"Reading it took longer than {SILENCE:.0f} s; open it in its own program."
    else:
        remedy = "Its reader broke down on it; open it in its own program."
    return Skipped(job.found.path, reason, remedy, member)

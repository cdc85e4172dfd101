"""Says what a job loses when its process dies, and what of it is read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ingest.item import Reason, Skipped
from ingest.reading.jobs import Extent, Job, Portion
from ingest.reading.process import SILENCE


def blamed(job: Job, reason: Reason) -> tuple[Skipped | None, Sequence[tuple[Portion, bool]]]:
    """Return what a job loses, and the portions that read its rest, each careful or not."""
    portion, offsets = job.portion, job.portion.offsets
    if portion.scans >= 0:
        return _lost(job, reason, "its scanned pages"), []
    if portion.extent is Extent.ATTACHMENTS:
        done = offsets.index(job.finished) + 1 if job.finished in offsets else 0
        if len(offsets) - done > 1:
            return None, [(replace(portion, offsets=(offset,)), False) for offset in offsets[done:]]
        return _lost(job, reason, f"attached to the message at byte {offsets[-1]}"), []
    if job.current < 0 and portion.extent is Extent.ALL:
        return _lost(job, reason), []
    if not job.is_careful:
        end = job.found.size if portion.extent is Extent.ALL else portion.end
        end = job.finished if job.finished >= 0 else end
        return None, [(Portion(Extent.MESSAGES, portion.begin, end), True)]
    if job.current < 0:
        return _lost(job, reason, f"messages from byte {portion.begin} to {portion.end}"), []
    rest = [(Portion(Extent.MESSAGES, portion.begin, job.current), False)] * (
        job.current > portion.begin
    )
    return _lost(job, reason, f"message at byte {job.current}"), rest


def _lost(job: Job, reason: Reason, member: str | None = None) -> Skipped:
    if reason is Reason.TIMEOUT:
        remedy = f"Reading it took longer than {SILENCE:.0f} s; open it in its own program."
    else:
        remedy = "Its reader broke down on it; open it in its own program."
    return Skipped(job.found.path, reason, remedy, member)

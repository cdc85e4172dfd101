"""Models and pulls as text for people and as objects for `--json`."""

from __future__ import annotations

from collections.abc import Sequence

from app.output.plain import one_line
from app.output.report import size_text
from models.download.discovery import FoundModel
from models.download.progress import PullProgress
from models.speed import Speed
from models.store.catalogue import ModelRow
from models.store.consent import is_the_publishers
from models.store.estimate import CONTEXT, Estimate, estimate_row
from models.store.placement import FreeMemory, Placement
from models.store.store import Store
from models.system.machine import memory


def model_object(row: ModelRow, store: Store, used: dict[str, list[str]]) -> dict[str, object]:
    """Return one model for `--json`."""
    found = estimate_row(row, store, CONTEXT)
    return {
        "id": row.id,
        "title": row.title,
        "roles": list(row.roles),
        "size_bytes": row.total_size,
        "state": store.state(row),
        "verified": row.verified,
        "bound": row.bound,
        "publisher_checksum": is_the_publishers(store.folder(row)),
        "licence": row.licence,
        "context": row.context,
        "parameters": row.parameters,
        "quantisation": row.quantisation,
        "starter": row.starter,
        "memory_bytes": found.needed if found else None,
        "fits": fits(found),
        "in_use": used.get(row.id, []),
    }


def model_line(row: ModelRow, store: Store, used: dict[str, list[str]]) -> list[str]:
    """Return one model as the columns of a table."""
    words = {True: "fits", False: "too large", None: ""}
    state = store.state(row)
    uses = f"in use: {', '.join(used[row.id])}" if row.id in used else ""
    return [
        row.id,
        state,
        size_text(row.total_size) if row.total_size else "size unknown",
        words[fits(estimate_row(row, store, CONTEXT))],
        row.licence,
        ", ".join(row.roles),
        uses,
    ]


def fits(found: Estimate | None) -> bool | None:
    """Say whether a model fits into this machine's memory when nothing else takes any."""
    total = memory().total
    return found.needed <= total if found and total else None


def found_object(file: FoundModel) -> dict[str, object]:
    """Return another program's file for `--json`."""
    header = file.header
    return {
        "program": file.program,
        "name": file.name,
        "path": str(file.path),
        "size_bytes": file.size,
        "architecture": header.architecture if header else None,
        "quantisation": header.quantisation if header else None,
        "context": header.context if header else None,
        "usable": file.fault is None,
        "fault": file.fault,
    }


def found_line(file: FoundModel) -> list[str]:
    """Return another program's file as the columns of a table."""
    kind = file.header.quantisation if file.header else ""
    usable = file.fault or "usable"
    return [
        file.program,
        one_line(file.name),
        size_text(file.size),
        kind,
        one_line(usable),
        one_line(str(file.path)),
    ]


def estimate_object(
    row: ModelRow, found: Estimate, free: FreeMemory, there: Placement | None
) -> dict[str, object]:
    """Return an estimate for `--json`, and where the model would go; None where it has no room."""
    parts = ("weights", "cache", "buffers", "reorder")
    return {
        "id": row.id,
        **{f"{name}_bytes": getattr(found, name) for name in parts},
        "context": found.context,
        "exact": found.exact,
        "needed_bytes": found.needed,
        "peak_bytes": found.peak,
        "free_bytes": free.main or None,
        "free_gpu_bytes": free.gpu or None,
        "layers": found.layers or None,
        "gpu_layers": there.layers if there and free.gpu else None,
        "fits": there is not None if free.main else None,
    }


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return [line.rstrip() for line in lines]


def pull_text(progress: PullProgress) -> str:
    """Return stage, share, rate and time left."""
    share = 100 * progress.done_bytes // max(progress.total_bytes, 1)
    text = f"{share} % of {size_text(progress.total_bytes)}"
    if progress.stage == "verify":
        return f"checking {text}"
    if progress.of > 1:
        text += f", part {progress.part} of {progress.of}"
    if progress.bytes_per_second and progress.seconds_left is not None:
        left = int(progress.seconds_left)
        rate = size_text(int(progress.bytes_per_second))
        text += f", {rate}/s, {left // 60}:{left % 60:02} left"
    return f"{text} ({one_line(progress.note)})" if progress.note else text


def speed_text(speed: Speed) -> str:
    """Return how fast a model reads and writes."""
    return f"reads {speed.reading:,.0f} tokens a second, writes {speed.writing:,.1f}"

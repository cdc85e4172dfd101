"""What a reading is about, from what a person asks: absolute paths, a time zone, a moment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from ingest.item import Filters
from ingest.sieve import Scope


def scope_of(
    sources: Sequence[Path],
    filters: Filters | None,
    zone: tzinfo | None,
    now: datetime | None,
    passwords: tuple[str, ...] = (),
) -> Scope:
    """Return what a reading is about, its paths made absolute."""
    zone = zone or local_zone()
    anchored = tuple(Path(os.path.abspath(source)) for source in sources)  # noqa: PTH100
    filters = _anchored(filters or Filters())
    return Scope(filters, zone, now or datetime.now(zone), anchored, passwords)


def local_zone() -> tzinfo:
    """Return the time zone of this machine."""
    from tzlocal import get_localzone

    try:
        return get_localzone()
    except (LookupError, ValueError, OSError):
        return datetime.now().astimezone().tzinfo or UTC


def _anchored(filters: Filters) -> Filters:
    """Return `filters` with absolute paths, each as given and as its links resolve."""
    paths = {Path(os.path.abspath(path)) for path in filters.paths}  # noqa: PTH100
    return replace(filters, paths=tuple(paths | {path.resolve() for path in paths}))

"""Notices at once when a source changes, so that no old text stays in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from watchdog.events import (
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

_CHANGES = (FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent)
"""Events that mean a change; reading a file makes events of other kinds."""


class Watch:
    """Reports every file that changes below some sources, until it is stopped.

    It misses changes on network drives, which send no events, and in folders beyond the limit of
    the system. The signature of the file shows these at the next question.
    """

    def __init__(self, changed: Callable[[Path], object]) -> None:
        """Call `changed` with the path of a file, in a thread of the watch."""
        self._handler = _Handler(changed)
        self._observer = Observer()
        self._watched: set[Path] = set()
        self._is_on = False

    def add(self, sources: Sequence[Path]) -> None:
        """Watch these sources too; one that cannot be watched is left to its signature."""
        for source in sources:
            folder = source if source.is_dir() else source.parent
            if folder in self._watched or not folder.is_dir():
                continue
            self._watched.add(folder)
            try:
                self._observer.schedule(
                    self._handler, str(folder), recursive=source.is_dir(), event_filter=[*_CHANGES]
                )
                if not self._is_on:
                    self._observer.start()
                    self._is_on = True
            except OSError:  # no permission, or no watches left
                continue

    def stop(self) -> None:
        """Watch no more."""
        if self._is_on:
            self._observer.stop()
            self._observer.join()
            self._is_on = False


class _Handler(FileSystemEventHandler):
    def __init__(self, changed: Callable[[Path], object]) -> None:
        self._changed = changed

    def on_any_event(self, event: FileSystemEvent) -> None:
        for name in (event.src_path, event.dest_path):
            if name:
                self._changed(Path(name if isinstance(name, str) else name.decode()))

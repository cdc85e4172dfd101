"""Readers that installed packages bring: entry points of the group `askance.readers`.

They are imported, and run, in the processes that have locked themselves down, never outside: they
can open no file, reach no network and write nothing. So they must be importable there, which is
everything below the environment's `site-packages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

from ingest.damage import DAMAGED
from ingest.item import Item, Kind
from ingest.origin import Origin
from ingest.recognise import HEAD, Format
from ingest.sieve import Read, Scope

GROUP = "askance.readers"
_LEFT_TO_OTHERS = (Format.TEXT, Format.UNSUPPORTED)
"""Formats that a reader from outside may take: those that no reader here knows by content."""


@dataclass(frozen=True, slots=True)
class Reader:
    """What an entry point of the group names: a reader of documents."""

    takes: Callable[[bytes, str], bool]
    """Whether it reads what begins with these bytes (at most 4,096) and has this name. Asked of
    text and of what is otherwise unsupported."""
    read: Callable[[bytes, Origin], Iterator[Item]]
    """Yields documents, made by `origin.document`. May raise `ingest.files.UnreadableError`; other
    exceptions mean a damaged file."""


@cache
def readers() -> tuple[dict[str, Reader], tuple[str, ...]]:
    """Return the readers by name, and those that cannot be loaded, each with its reason."""
    loaded, broken = {}, []
    for point in entry_points(group=GROUP):
        try:
            reader = point.load()
        except (ImportError, AttributeError, OSError) as error:
            broken.append(f"{point.name} ({error})")
            continue
        if isinstance(reader, Reader):
            loaded[point.name] = reader
        else:
            broken.append(f"{point.name} (it is not an ingest.foreign.Reader)")
    return loaded, tuple(broken)


def claimed(form: Format, head: bytes, name: str) -> Format:
    """Return `Format.FOREIGN` where an installed reader takes the file, else its own format."""
    if form in _LEFT_TO_OTHERS and _reader_of(head, name):
        return Format.FOREIGN
    return form


def not_loaded() -> str:
    """Return a sentence on readers that cannot be loaded; empty where all can."""
    _, broken = readers()
    return f" Readers that could not be loaded: {'; '.join(broken)}." if broken else ""


def foreign_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield the documents that the reader makes of it. Raises TypeError for anything else."""
    reader = _reader_of(data[:HEAD], origin.title)
    if reader is None:
        raise RuntimeError(f"nothing takes {origin.title} any more")
    for item in reader.read(data, origin):
        if not isinstance(item, Item) or item.kind is not Kind.DOCUMENT:
            raise TypeError("a reader yields documents only")
        yield item


def _reader_of(head: bytes, name: str) -> Reader | None:
    for reader in readers()[0].values():
        try:
            if reader.takes(head, name):
                return reader
        except DAMAGED:  # it takes nothing that it cannot look at
            continue
    return None

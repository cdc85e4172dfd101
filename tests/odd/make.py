"""Makes an odd file by the name of the function that describes it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.odd import archives, calendars, mail, office, pdf, places, texts

_IN_MEMORY = (mail, archives, office, pdf, calendars, texts)


def functions() -> set[str]:
    """Return the names of all odd files."""
    return {name for module in (*_IN_MEMORY, places) for name in _makers(module)}


def content_of(name: str) -> bytes | dict[str, bytes]:
    """Return the bytes of a file, or those of the files of a folder."""
    made: bytes | dict[str, bytes] = _makers(_module_of(name))[name]()
    return made


def make(name: str, path: Path) -> Path:
    """Make the file, folder or other thing called `name` at `path`, and return that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if hasattr(places, name):
        getattr(places, name)(path)
        return path
    made = content_of(name)
    if isinstance(made, bytes):
        path.write_bytes(made)
        return path
    for inside, data in made.items():
        if inside.endswith("/"):
            (path / inside).mkdir(parents=True)
            continue
        (path / inside).parent.mkdir(parents=True, exist_ok=True)
        (path / inside).write_bytes(data)
    return path


def _makers(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return what makes odd files: functions without parameters, in `places` with a path."""
    wanted = ["path"] if module is places else []
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and list(inspect.signature(function).parameters) == wanted
    }


def _module_of(name: str) -> ModuleType:
    return next(module for module in _IN_MEMORY if name in _makers(module))

"""TOML tables, read strictly: an unknown key is refused, never ignored."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from models.errors import CatalogueInvalid

_NAME = re.compile(r"[a-z][a-z0-9_]*")


def invalid(where: str, what: str) -> CatalogueInvalid:
    """Return the error for what is wrong at one place of a catalogue."""
    return CatalogueInvalid(
        f"The model catalogue cannot be used: {where} {what}.",
        remedy="Correct it, or reinstall Askance if the file is not yours.",
    )


class TomlTable:
    """A TOML table, read key by key; `done` refuses the keys that were not read."""

    def __init__(self, values: dict[str, object], where: str) -> None:
        self._left = dict(values)
        self.where = where

    def holds(self, key: str) -> bool:
        return key in self._left

    def _take(self, key: str) -> object:
        if key not in self._left:
            raise invalid(self.where, f"lacks the key {key!r}")
        return self._left.pop(key)

    def text(self, key: str, pattern: re.Pattern[str] = re.compile(r"[^\x00-\x1f]+")) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise invalid(self.where, f"has {key} = {value!r}, not of the form it must have")
        return value

    def sha256(self, key: str) -> str:
        return self.text(key, re.compile(r"[0-9a-f]{64}"))

    def optional(self, key: str, default: str) -> str:
        return self.text(key) if key in self._left else default

    def file(self, key: str) -> str:
        """A relative path that stays inside its folder; hidden names belong to the store."""
        value = self.text(key)
        path = PurePosixPath(value)
        hidden = any(part.startswith(".") for part in path.parts)
        if path.is_absolute() or hidden or "\\" in value or not path.parts:
            raise invalid(self.where, f"has {key} = {value!r}, which leaves the model's folder")
        return value

    def count(self, key: str, *, default: int | None = None) -> int:
        if default is not None and key not in self._left:
            return default
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise invalid(self.where, f"has {key} = {value!r}, not a positive integer")
        return value

    def number(self, key: str, *, default: float) -> float:
        if key not in self._left:
            return default
        return _number(self.where, key, self._take(key))

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        if default is not None and key not in self._left:
            return default
        value = self._take(key)
        if not isinstance(value, bool):
            raise invalid(self.where, f"has {key} = {value!r}, not true or false")
        return value

    def choice(self, key: str, known: tuple[str, ...]) -> str:
        value = self._take(key)
        if not isinstance(value, str) or value not in known:
            raise invalid(self.where, f"has {key} = {value!r}, not one of {', '.join(known)}")
        return value

    def choices(self, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
        value = self._take(key)
        if not isinstance(value, list) or not value or not all(one in known for one in value):
            raise invalid(self.where, f"has {key} = {value!r}, not a list of {', '.join(known)}")
        return tuple(value)

    def tables(self, key: str, *, required: bool = True) -> Iterator[TomlTable]:
        if not required and key not in self._left:
            return
        value = self._take(key)
        if not isinstance(value, list) or not value:
            raise invalid(self.where, f"has {key} that is not a list of tables")
        for number, one in enumerate(value, start=1):
            if not isinstance(one, dict):
                raise invalid(self.where, f"has {key} that is not a list of tables")
            yield TomlTable(one, f"{self.where}, {key} {number}")

    def table(self, key: str) -> TomlTable:
        value = self._take(key)
        if not isinstance(value, dict):
            raise invalid(self.where, f"has {key} that is not a table")
        return TomlTable(value, f"{self.where}, {key}")

    def numbers(self) -> dict[str, float]:
        """Return what is left: numbers by lower-case name."""
        found: dict[str, float] = {}
        for key in list(self._left):
            value = self._take(key)
            if not _NAME.fullmatch(key):
                raise invalid(self.where, f"has {key} = {value!r}, not a number by lower-case name")
            found[key] = _number(self.where, key, value)
        return found

    def done(self) -> None:
        if self._left:
            unknown = ", ".join(sorted(self._left))
            raise invalid(self.where, f"has keys that are not known: {unknown}")


def _number(where: str, key: str, value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
        raise invalid(where, f"has {key} = {value!r}, not a number")
    return float(value)

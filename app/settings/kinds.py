"""What values a setting may have, from TOML and from the environment."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from models.server.address import FORM

Value = object
"""A setting's value after checking; its type follows from its `SettingKind`."""


@dataclass(frozen=True, slots=True)
class SettingKind:
    """A type of setting. Both readers raise `ValueError` for what does not fit."""

    wanted: str
    """Completes "must be …" in a message."""
    from_toml: Callable[[object], Value]
    from_text: Callable[[str], Value]
    """Reads an environment variable."""
    secret: bool = False
    """A wrong value is not repeated: it may hold a password."""
    choices: tuple[str, ...] = ()
    """All there is to choose from, as text; empty for more than a few."""


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError
    return value


def _at_least_one(value: object) -> int:
    if _whole(value) < 1:
        raise ValueError
    return _whole(value)


def _not_negative(value: object) -> int:
    if _whole(value) < 0:
        raise ValueError
    return _whole(value)


def _address(value: object) -> str:
    if not FORM.fullmatch(_text(value).strip()):
        raise ValueError
    return _text(value).strip()


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LEAST_SIZE = 10**6


def size_from_text(text: str) -> int:
    """Return the bytes in `2 GB`, `500MB` or a plain number. Raises ValueError."""
    found = _SIZE.fullmatch(text.strip())
    size = int(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    if size < _LEAST_SIZE:
        raise ValueError
    return size


def _size(value: object) -> int:
    return size_from_text(value if isinstance(value, str) else str(_whole(value)))


def _seconds(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < 1e9:
        raise ValueError
    return float(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError
    return value


def _flag_from_text(text: str) -> bool:
    known = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
    if text.casefold() not in known:
        raise ValueError
    return known[text.casefold()]


def _zone(value: object) -> str:
    try:
        ZoneInfo(_text(value))
    except (OSError, KeyError) as error:  # a folder's name, an unknown zone
        raise ValueError from error
    return _text(value)


def _path(value: object) -> Path:
    path = Path(_text(value)).expanduser()
    if not path.is_absolute():
        raise ValueError
    return path


def _paths(value: object) -> tuple[Path, ...]:
    if not isinstance(value, list):
        raise ValueError
    return tuple(map(_path, value))


def _paths_from_text(text: str) -> tuple[Path, ...]:
    if text.startswith("["):  # JSON, for a path with a colon; no absolute path begins so
        return _paths(json.loads(text))
    return _paths([path for path in text.split(os.pathsep) if path])


def _addresses(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise ValueError
    addresses = tuple(_text(address).strip() for address in value)
    if not all("@" in address.strip("@") for address in addresses):
        raise ValueError
    return addresses


def _words(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError
    return {_text(key): _text(word) for key, word in value.items()}


def _no_text(text: str) -> Value:
    raise ValueError


def choice(*known: str) -> SettingKind:
    """Return a kind that takes one of a few words."""

    def check(value: object) -> str:
        if value not in known:
            raise ValueError
        return str(value)

    return SettingKind(f"one of {', '.join(known)}", check, check, choices=known)


TEXT = SettingKind("a text", _text, _text)
INTEGER = SettingKind("a whole number", _whole, lambda text: _whole(int(text)))
COUNT = SettingKind(
    "a whole number of at least 1", _at_least_one, lambda text: _at_least_one(int(text))
)
MINUTES = SettingKind(
    "a whole number of minutes, 0 for never", _not_negative, lambda text: _not_negative(int(text))
)
SECONDS = SettingKind("a number of seconds above 0", _seconds, lambda text: _seconds(float(text)))
SIZE = SettingKind('a size of at least 1 MB, such as "2 GB"', _size, size_from_text)
FLAG = SettingKind("true or false", _flag, _flag_from_text, choices=("true", "false"))
ZONE = SettingKind('the name of a time zone, such as "Europe/Lisbon"', _zone, _zone)
PATH = SettingKind("an absolute path", _path, _path)
PATHS = SettingKind("a list of absolute paths", _paths, _paths_from_text)
ADDRESSES = SettingKind(
    "a list of e-mail addresses",
    _addresses,
    lambda text: _addresses(text.replace(",", " ").split()),
)
ADDRESS = SettingKind(
    'the address of a server, such as "http://127.0.0.1:8080", without user, password and query',
    _address,
    _address,
    secret=True,
)
HOST = SettingKind(
    "the name of the host in server.url, in the file only: a variable must not send text away",
    _text,
    _no_text,
)
WORDS = SettingKind("a table of texts, in the file only", _words, _no_text)

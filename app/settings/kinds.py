"""What values a setting may have, in TOML and in an environment variable."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from models.server.address import FORM

Value = object
"""A setting's value after checking; its type follows from its `SettingKind`."""


@dataclass(frozen=True, slots=True)
class ValueForm:
    """What a person reads about a type of setting, and how a variable holds it."""

    wanted: str
    """Completes "must be …" in a message."""
    split: Callable[[str], object] | None = None
    """Makes of a variable's text what TOML would have; None leaves it."""
    secret: bool = False
    """A wrong value is not repeated: it may hold a password."""
    choices: tuple[str, ...] = ()
    """All there is to choose from, as text; empty for more than a few."""
    file_only: bool = False
    """No variable may set it."""
    reads: Any = None
    """The type that msgspec reads, where it is not that of the value."""
    check: Callable[[Any], Value] | None = None
    """Makes the value of what was read. Raises ValueError."""


@dataclass(frozen=True, slots=True)
class SettingKind:
    """A type of setting. Both readers raise `ValueError` for what does not fit."""

    hint: Any
    """The type, as msgspec reads it."""
    form: ValueForm

    def from_toml(self, value: object) -> Value:
        """Return the value that TOML holds."""
        return self._convert(value, strict=True)

    def from_text(self, text: str) -> Value:
        """Return the value that an environment variable holds."""
        if self.form.file_only:
            raise ValueError(text)
        return self._convert(self.form.split(text) if self.form.split else text, strict=False)

    def _convert(self, value: object, *, strict: bool) -> Value:
        try:
            found = msgspec.convert(value, self.form.reads or self.hint, strict=strict)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error
        return self.form.check(found) if self.form.check else found


_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LEAST_SIZE = 10**6


def size_from_text(text: str) -> int:
    """Return the bytes in `2 GB`, `500MB` or a plain number. Raises ValueError."""
    found = _SIZE.fullmatch(text.strip())
    size = int(float(found[1]) * _UNITS[found[2].upper()]) if found else 0
    if size < _LEAST_SIZE:
        raise ValueError(text)
    return size


def _size(given: int | str) -> int:
    return size_from_text(str(given))


def _zone(text: str) -> str:
    try:
        ZoneInfo(text)
    except (OSError, KeyError) as error:  # a folder's name, an unknown zone
        raise ValueError(text) from error
    return text


def _path(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise ValueError(text)
    return path


def _server(text: str) -> str:
    if not FORM.fullmatch(text.strip()):
        raise ValueError(text)
    return text.strip()


def _addresses(given: tuple[str, ...]) -> tuple[str, ...]:
    if not all("@" in address.strip().strip("@") for address in given):
        raise ValueError(given)
    return tuple(address.strip() for address in given)


def _paths(text: str) -> object:
    if text.startswith("["):  # JSON, for a path with a colon; no absolute path begins so
        return json.loads(text)
    return [path for path in text.split(os.pathsep) if path]


def _flag(text: str) -> object:
    return {"yes": True, "no": False}.get(text.casefold(), text)


SIZE_WANTED = 'a size of at least 1 MB, such as "2 GB"'
Word = Annotated[str, Meta(pattern=r"\S")]
Text = Annotated[str, Meta(pattern=r"\S"), ValueForm("a text")]
Whole = Annotated[int, ValueForm("a whole number")]
Count = Annotated[int, Meta(ge=1), ValueForm("a whole number of at least 1")]
Minutes = Annotated[int, Meta(ge=0), ValueForm("a whole number of minutes, 0 for never")]
Seconds = Annotated[float, Meta(gt=0, lt=1e9), ValueForm("a number of seconds above 0")]
SecondsOrNever = Annotated[float, Meta(ge=0, lt=1e9), ValueForm("a number of seconds, 0 for never")]
Size = Annotated[int, ValueForm(SIZE_WANTED, reads=int | str, check=_size)]
Flag = Annotated[bool, ValueForm("true or false", _flag, choices=("true", "false"))]
Zone = Annotated[
    str,
    ValueForm('the name of a time zone, such as "Europe/Lisbon"', reads=Word, check=_zone),
]
AbsolutePath = Annotated[Path, ValueForm("an absolute path", reads=Word, check=_path)]
Paths = Annotated[
    tuple[Path, ...],
    ValueForm(
        "a list of absolute paths",
        _paths,
        reads=tuple[Word, ...],
        check=lambda texts: tuple(map(_path, texts)),
    ),
]
MailAddresses = Annotated[
    tuple[str, ...],
    ValueForm(
        "a list of e-mail addresses",
        lambda text: text.replace(",", " ").split(),
        reads=tuple[Word, ...],
        check=_addresses,
    ),
]
Address = Annotated[
    str,
    ValueForm(
        'the address of a server, such as "http://127.0.0.1:8080", without user, password and '
        "query",
        secret=True,
        reads=Word,
        check=_server,
    ),
]
Host = Annotated[
    Word,
    ValueForm(
        "the name of the host in server.url, in the file only: a variable must not send text away",
        file_only=True,
    ),
]
Words = Annotated[dict[Word, Word], ValueForm("a table of texts, in the file only", file_only=True)]


def kind_of(hint: Any) -> SettingKind:
    """Return the kind of an annotated type: one of those above, or a `Literal` of a few words."""
    for form in hint.__metadata__:
        if isinstance(form, ValueForm):
            choices = form.choices if hint.__origin__ is str else ()
            return SettingKind(Literal[choices] if choices else hint, form)
    return SettingKind(hint, choice(*hint.__origin__.__args__))


def choice(*known: str) -> ValueForm:
    """Return the form of a few words."""
    return ValueForm(f"one of {', '.join(known)}", choices=known)

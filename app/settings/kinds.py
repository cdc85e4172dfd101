"""What values a setting may have, in TOML and in an environment variable."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
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
            return msgspec.convert(value, self.hint, strict=strict, dec_hook=_read)
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from error


class Bytes(int):
    """A number of bytes, which a person may write as `2 GB`."""


class ZoneName(str):
    """The name of a time zone."""

    __slots__ = ()


class ServerAddress(str):
    """The address of a server."""

    __slots__ = ()


class MailAddress(str):
    """An e-mail address."""

    __slots__ = ()


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


def _read(wanted: type, value: object) -> Any:
    """Read what msgspec does not know. Raises ValueError."""
    if wanted is Bytes and isinstance(value, int) and not isinstance(value, bool):
        return Bytes(size_from_text(str(value)))
    if not isinstance(value, str) or not value.strip():
        raise ValueError(wanted.__name__)
    return _READERS[wanted](value.strip())


def _zone(text: str) -> ZoneName:
    try:
        ZoneInfo(text)
    except (OSError, KeyError) as error:  # a folder's name, an unknown zone
        raise ValueError(text) from error
    return ZoneName(text)


def _path(text: str) -> Path:
    path = Path(text).expanduser()
    if not path.is_absolute():
        raise ValueError(text)
    return path


def _server(text: str) -> ServerAddress:
    if not FORM.fullmatch(text):
        raise ValueError(text)
    return ServerAddress(text)


def _mail_address(text: str) -> MailAddress:
    if "@" not in text.strip("@"):
        raise ValueError(text)
    return MailAddress(text)


_READERS: Mapping[type, Callable[[str], object]] = {
    Bytes: lambda text: Bytes(size_from_text(text)),
    MailAddress: _mail_address,
    Path: _path,
    ServerAddress: _server,
    ZoneName: _zone,
}


def _paths(text: str) -> object:
    if text.startswith("["):  # JSON, for a path with a colon; no absolute path begins so
        return json.loads(text)
    return [path for path in text.split(os.pathsep) if path]


def _flag(text: str) -> object:
    return {"yes": True, "no": False}.get(text.casefold(), text)


SIZE_WANTED = 'a size of at least 1 MB, such as "2 GB"'
Text = Annotated[str, Meta(pattern=r"\S"), ValueForm("a text")]
Whole = Annotated[int, ValueForm("a whole number")]
Count = Annotated[int, Meta(ge=1), ValueForm("a whole number of at least 1")]
Minutes = Annotated[int, Meta(ge=0), ValueForm("a whole number of minutes, 0 for never")]
Seconds = Annotated[float, Meta(gt=0, lt=1e9), ValueForm("a number of seconds above 0")]
Patience = Annotated[float, Meta(ge=0, lt=1e9), ValueForm("a number of seconds, 0 for never")]
Size = Annotated[Bytes, ValueForm(SIZE_WANTED)]
Flag = Annotated[bool, ValueForm("true or false", _flag, choices=("true", "false"))]
Zone = Annotated[ZoneName, ValueForm('the name of a time zone, such as "Europe/Lisbon"')]
AbsolutePath = Annotated[Path, ValueForm("an absolute path")]
Paths = Annotated[tuple[Path, ...], ValueForm("a list of absolute paths", _paths)]
MailAddresses = Annotated[
    tuple[MailAddress, ...],
    ValueForm("a list of e-mail addresses", lambda text: text.replace(",", " ").split()),
]
Address = Annotated[
    ServerAddress,
    ValueForm(
        'the address of a server, such as "http://127.0.0.1:8080", without user, password and '
        "query",
        secret=True,
    ),
]
Host = Annotated[
    str,
    Meta(pattern=r"\S"),
    ValueForm(
        "the name of the host in server.url, in the file only: a variable must not send text away",
        file_only=True,
    ),
]
Word = Annotated[str, Meta(pattern=r"\S")]
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

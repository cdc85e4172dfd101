"""Fetches a model from the Hugging Face hub, or from the cache that its programs share.

A file that the cache holds is used in place, by a link. Others are appended to `FILE.part`; after
a pull that ended early, the next one goes on at its end. The hub's SHA-256 is compared with the
catalogue's before anything is fetched, and the file's own before it is used; where the catalogue
has none, the hub's counts from then on.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from models.download.hub_child import Announced, HubChild, TokenNeeded
from models.download.hub_token import hub_token
from models.download.progress import Meter, PullProgress
from models.errors import ModelCorrupt, PullFailed
from models.store.catalogue import Extra, HubSource, ModelRow
from models.store.consent import Accepted, accepted, no_checksum, write_consent
from models.store.store import Store, fault_steps
from models.system.files import (
    corrupt_path,
    hash_steps,
    link_in_place,
    make_private,
    part_path,
    put_in_place,
    size_of,
    write_private,
)


class HubFetch:
    """One pull from the hub, its folder locked."""

    def __init__(
        self, row: ModelRow, store: Store, source: HubSource, meter: Meter, *, accept: bool
    ) -> None:
        """A row without hashes is bound to the hub's, with `accept` to what comes without one."""
        self._row = row
        self._store = store
        self._source = source
        self._meter = meter
        self._binds = not row.bound
        self._accept = accept
        self._publishers = True
        self._commit = source.revision
        self._came: dict[str, Accepted] = {}
        self._token = ""
        meter.of = 1 + len(row.extras)

    @property
    def room(self) -> int:
        """Bytes of disk that the rest takes. The size that the hub names is checked again later."""
        missing = sum(part.size for part in self._store.missing(self._row))
        return max(0, missing - self._held) if self._row.bound else 0

    @property
    def kept(self) -> str:
        """What a pull that ends early leaves, in words."""
        return f"{self._held / 1e6:,.1f} MB are kept"

    @property
    def _held(self) -> int:
        return sum(size_of(part_path(path)) or 0 for path, _ in self._store.files(self._row))

    def steps(self) -> Iterator[PullProgress]:
        """Find or download each file, and check it."""
        for number, (path, part) in enumerate(self._store.files(self._row), start=1):
            if path.exists() and not self._binds:
                continue
            name = self._source.file if isinstance(part, ModelRow) else part.file
            base = sum(file.size for file in self._came.values())
            yield self._meter.at("download", base, number)
            found = yield from self._from_cache(name, path, part, number)
            if not found:
                yield from self._from_hub(name, path, part, number, base)
        if self._binds:
            folder = self._store.folder(self._row)
            write_consent(folder, self._commit, self._came, publisher=self._publishers)
            self._row = accepted(self._row, folder)
            for path, part in self._store.files(self._row):
                self._store.remember(self._row, path, part)

    def _from_cache(
        self, name: str, path: Path, part: ModelRow | Extra, number: int
    ) -> Generator[PullProgress, None, bool]:
        """Link the cache's file if it is there and right; leave a wrong one alone."""
        cached = cached_file(os.environ, self._source.repo, self._commit, name)
        if cached is None or not part.sha256:
            return False
        fault = yield from self._meter.shown(fault_steps(cached, part), "verify", number)
        if fault:
            return False
        link_in_place(cached, path)
        self._done_with(path, part)
        return True

    def _from_hub(
        self, name: str, path: Path, part: ModelRow | Extra, number: int, base: int
    ) -> Iterator[PullProgress]:
        make_private(path.parent)
        child, announced = self._ask(name, path)
        with child:
            self._commit = self._commit or announced.commit
            wanted = self._compare(name, part, announced)
            if self._binds:
                self._meter.total = base + announced.size
                found = yield from self._from_cache(name, path, wanted, number)
                if found:
                    return
            held = size_of(part_path(path)) or 0
            if shutil.disk_usage(path.parent).free < announced.size - held:
                raise OSError(errno.ENOSPC, "nothing was begun")
            with closing(child.fetch()) as moves:
                for moved in moves:
                    if moved.again:
                        self._meter.begin_again()
                    yield self._meter.at("download", base + moved.done, number, moved.note)
        yield from self._check(path, wanted, number, base, announced.blob)

    def _ask(self, name: str, path: Path) -> tuple[HubChild, Announced]:
        """Ask the hub for a file, with the person's token if it wants one."""
        try:
            return self._asked(name, path)
        except TokenNeeded as refused:
            token = hub_token(os.environ)
            if self._token or not token.value:
                raise TokenNeeded(refused.message, remedy=token.remedy) from refused
            self._token = token.value
        try:
            return self._asked(name, path)
        except TokenNeeded as refused:
            raise TokenNeeded(refused.message, remedy=token.remedy) from refused

    def _asked(self, name: str, path: Path) -> tuple[HubChild, Announced]:
        child = HubChild(self._source.repo, self._commit, name, self._token)
        part = part_path(path)
        origin = {"repo": self._source.repo, "commit": self._commit, "file": name}
        try:
            announced = child.ask(part, resume=_origin(part) == origin)
            write_private(_record(part), json.dumps(origin).encode())
        except BaseException:
            child.__exit__(None, None, None)
            raise
        return child, announced

    def _compare(self, name: str, part: ModelRow | Extra, announced: Announced) -> ModelRow | Extra:
        """Return what must come. Raises `PullFailed` when the hub has another file or commit."""
        if self._commit != announced.commit:
            raise PullFailed(
                f"The hub gave the commit {announced.commit} of {self._source.repo}, where "
                f"{self._commit} was asked for. Nothing of it was used.",
                remedy="Look at HF_ENDPOINT, if it is set: a mirror may have changed it.",
            )
        if self._binds:
            stated = bool(announced.sha256 or announced.blob)
            if not (stated or self._accept):
                raise no_checksum(self._row, name)
            self._publishers = self._publishers and stated
            return replace(part, size=announced.size, sha256=announced.sha256)
        other = announced.sha256 and announced.sha256 != part.sha256
        if other or announced.size != part.size:
            raise PullFailed(
                f"The hub's {name} is not the file that the catalogue names: its "
                f"{'SHA-256' if other else 'size'} differs. Nothing of it was fetched.",
                remedy="Look at HF_ENDPOINT, if it is set: a mirror may have changed it.",
            )
        return part

    def _check(
        self, path: Path, part: ModelRow | Extra, number: int, base: int, blob: str
    ) -> Iterator[PullProgress]:
        """Hash the fetched file, then put it in its place, or aside."""
        new = part_path(path)
        if not part.sha256:  # a small file
            sha256 = yield from self._meter.shown(hash_steps(new), "verify", number, base)
            part = replace(part, sha256=sha256)
        fault = yield from self._meter.shown(fault_steps(new, part), "verify", number, base)
        if blob and not fault and blob != _blob_of(new):
            fault = "has another hash than the hub states"
        _record(new).unlink(missing_ok=True)
        if fault:
            aside = corrupt_path(path)
            new.replace(aside)
            raise ModelCorrupt(
                f"What the hub gave as {part.file} {fault}; it was set aside as {aside} and "
                "will not be loaded.",
                remedy="Pull again; if that does not help, choose another model.",
                path=aside,
            )
        put_in_place(new, path)
        self._done_with(path, part)

    def _done_with(self, path: Path, part: ModelRow | Extra) -> None:
        self._came[part.file] = Accepted(part.size, part.sha256)
        if not self._binds:
            self._store.remember(self._row, path, part)


def look_up(source: HubSource) -> Announced:
    """Ask the hub what a file is, and fetch nothing. Raises `PullFailed` and `TokenNeeded`."""
    token = ""
    while True:
        with HubChild(source.repo, source.revision, source.file, token) as child:
            try:
                return child.ask(Path(os.devnull), resume=False)
            except TokenNeeded as refused:
                kept = hub_token(os.environ)
                if token or not kept.value:
                    raise TokenNeeded(refused.message, remedy=kept.remedy) from refused
                token = kept.value


def hub_cache(environ: Mapping[str, str]) -> Path:
    """Return the folder in which the hub's programs keep fetched files."""
    if chosen := environ.get("HF_HUB_CACHE"):
        return Path(chosen).expanduser()
    if home := environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    cache = environ.get("XDG_CACHE_HOME")
    base = Path(cache) if cache else Path(environ.get("HOME") or Path.home()) / ".cache"
    return base / "huggingface" / "hub"


def cached_file(environ: Mapping[str, str], repo: str, commit: str, name: str) -> Path | None:
    """Return a file of the hub's cache, None when it is not there."""
    folder = hub_cache(environ) / f"models--{repo.replace('/', '--')}" / "snapshots" / commit
    path = folder / name
    return path if commit and path.is_file() else None


def _blob_of(path: Path) -> str:
    """Return the SHA-1 by which git, and so the hub, names a small file."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _record(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _origin(part: Path) -> object:
    """Return which file the bytes in `part` belong to, if an earlier pull noted it."""
    try:
        return json.loads(_record(part).read_bytes())
    except (OSError, ValueError):
        return None

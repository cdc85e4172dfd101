"""GGUF files that other programs keep on this machine: Ollama, LM Studio, the hub's cache.

They are listed, never changed and never copied; `models add PATH` uses one where it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from models.download.hub import hub_cache
from models.store.architectures import unusable
from models.store.gguf import GgufHeader, HeaderFault, read_header

MOST_ENTRIES = 20_000
"""Files and folders that are looked at in each place, at most."""
MOST_MANIFEST = 1 << 20
MODEL_LAYER = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class FoundModel:
    """A file of another program, and what its header says."""

    program: str
    name: str
    """The program's name for it."""
    path: Path
    size: int
    header: GgufHeader | None
    fault: str | None
    """Why it cannot be used, as a clause; None when it can."""


def found_models(environ: Mapping[str, str]) -> list[FoundModel]:
    """Return the models of other programs. Reads nothing but their headers."""
    home = Path(environ.get("HOME") or Path.home())
    places = [
        *(("Ollama", *one) for one in _ollama(environ, home)),
        *(("LM Studio", *one) for one in _lm_studio(home)),
        *(("hub cache", *one) for one in _hub(hub_cache(environ))),
    ]
    seen: set[Path] = set()
    found = []
    for program, name, path in places:
        try:
            real = path.resolve(strict=True)
            size = real.stat().st_size
        except OSError:  # a manifest without its blob, or a dangling link
            continue
        if real not in seen:
            seen.add(real)
            found.append(FoundModel(program, name, path, size, *_looked_at(real)))
    return found


def _looked_at(path: Path) -> tuple[GgufHeader | None, str | None]:
    try:
        header = read_header(path)
    except HeaderFault as fault:
        return None, str(fault)
    except OSError as error:
        return None, f"cannot be read ({error.strerror})"
    return header, unusable(header)


def _ollama(environ: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    roots = [Path("/usr/share/ollama/.ollama/models"), home / ".ollama" / "models"]
    if chosen := environ.get("OLLAMA_MODELS"):
        roots = [Path(chosen)]
    for root in roots:
        for manifest in _files(root / "manifests"):
            digest = _model_digest(manifest)
            if digest:
                *_, name, tag = manifest.parts
                yield f"{name}:{tag}", root / "blobs" / digest.replace(":", "-")


def _model_digest(manifest: Path) -> str | None:
    """Return the digest of the weights that a manifest names, in Ollama's form."""
    try:
        if manifest.stat().st_size > MOST_MANIFEST:
            return None
        layers = json.loads(manifest.read_bytes())["layers"]
        digests = [layer["digest"] for layer in layers if layer["mediaType"] == MODEL_LAYER]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    digest = digests[0] if len(digests) == 1 else None
    # It becomes part of a path, so it must be a digest.
    whole = isinstance(digest, str) and digest.startswith("sha256:") and digest[7:].isalnum()
    return str(digest) if whole else None


def _lm_studio(home: Path) -> Iterator[tuple[str, Path]]:
    for root in (home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"):
        for path in _files(root):
            if path.suffix == ".gguf":
                yield str(path.relative_to(root).with_suffix("")), path


def _hub(root: Path) -> Iterator[tuple[str, Path]]:
    for repo in sorted(root.glob("models--*--*")):
        name = repo.name.removeprefix("models--").replace("--", "/", 1)
        for path in _files(repo / "snapshots"):
            if path.suffix == ".gguf":
                yield f"{name}/{path.name}", path


def _files(root: Path) -> Iterator[Path]:
    """Return files below a folder; links to folders are not followed, so there are no loops."""
    return islice(
        (Path(at, name) for at, _, names in os.walk(root) for name in sorted(names)), MOST_ENTRIES
    )

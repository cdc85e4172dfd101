"""The person's own rows: `models.toml` beside `config.toml`, in the catalogue's form."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from models.errors import ModelError
from models.store.catalogue import Catalogue, FileSource, HubSource, ModelRow, parse_catalogue
from models.store.confidence_table import confidence_text
from models.system.files import make_private, write_private

FILE = "models.toml"
HEAD = "# Models of your own, in the form of the catalogue; `askance models add` writes here.\n"
BLOCK = re.compile(r"^(?=\[\[model\]\]\s*$)", re.MULTILINE)


def load_user_rows(path: Path) -> Catalogue:
    """Read the person's rows; none where there is no file. Raises `ModelError`."""
    return parse_catalogue(text, str(path)) if (text := _text(path)).strip() else Catalogue(())


def add_row(path: Path, row: ModelRow) -> None:
    """Append a row, keeping what the person wrote. Raises `ModelError`."""
    text = (_text(path) or HEAD).rstrip("\n") + "\n\n" + row_text(row)
    parse_catalogue(text, str(path))
    _write(path, text)


def remove_row(path: Path, model_id: str) -> bool:
    """Take a row out, if it is there, keeping the rest as it is. Raises `ModelError`."""
    blocks = BLOCK.split(_text(path))
    kept = [block for block in blocks if _id_of(block) != model_id]
    if len(kept) == len(blocks):
        return False
    _write(path, "".join(kept))
    return True


def row_text(row: ModelRow) -> str:
    """Return a row as TOML."""
    values: dict[str, object] = {
        "id": row.id,
        "title": row.title,
        "roles": list(row.roles),
        "format": row.format,
        "file": row.file,
        "size": row.size,
        "sha256": row.sha256,
        "licence": row.licence,
        "context": row.context,
        "parameters": row.parameters,
        "quantisation": row.quantisation,
        "verified": row.verified,
    }
    lines = ["[[model]]", *(f"{key} = {_toml(value)}" for key, value in values.items() if value)]
    if not row.verified:
        lines.append("verified = false")
    for source in row.sources:
        lines += ["", "[[model.source]]", f"kind = {_toml(source.kind)}"]
        if isinstance(source, FileSource):
            lines.append(f"path = {_toml(source.path)}")
        elif isinstance(source, HubSource):
            lines.append(f"repo = {_toml(source.repo)}")
            lines += [f"revision = {_toml(source.revision)}"] if source.revision else []
            lines.append(f"file = {_toml(source.file)}")
    fitted = confidence_text(row.confidence, row.typical)
    return "\n".join(lines) + "\n" + (f"\n{fitted}" if fitted else "")


def _toml(value: object) -> str:
    # JSON's strings, numbers, booleans and lists are TOML as well, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _id_of(block: str) -> object:
    try:
        models = tomllib.loads(block).get("model", [])
    except tomllib.TOMLDecodeError:
        return None
    return models[0].get("id") if models else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(
            f"Your own models, in {path}, cannot be read: {error}.",
            remedy="Check the file and its permissions.",
            path=path,
        ) from error


def _write(path: Path, text: str) -> None:
    try:
        make_private(path.parent)
        write_private(path, text.encode())
    except OSError as error:
        raise ModelError(
            f"Your own models cannot be written to {path}: {error.strerror}.",
            remedy="Check the folder's permissions.",
            path=path,
        ) from error

"""Whether llama.cpp can load a GGUF file and answer with it."""

from __future__ import annotations

import mmap
import re
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from models.store.gguf import GgufHeader

NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


def unusable(header: GgufHeader) -> str | None:
    """Return why llama.cpp cannot answer with such a file, None where it can.

    The reason is a clause that follows the file's name.
    """
    name = header.architecture
    if not NAME.fullmatch(name) or not architecture_known(name):
        return f"is of the architecture {name[:80]!r}, which this llama.cpp does not know"
    if header.splits > 1:
        return f"is one of {header.splits} files of a model that was split; join them first"
    needed = {
        "context length": header.context,
        "number of layers": header.layers,
        "embedding length": header.embedding,
        "number of heads": header.heads,
    }
    for what, value in needed.items():
        if not value:
            return f"does not say its {what}"
    if not header.chat_template:
        return "has no chat template, so it is not made to answer"
    return None


@lru_cache
def architecture_known(name: str) -> bool:
    """Say whether the installed llama.cpp knows an architecture.

    It has no function to ask, so its library is searched for the name as a whole string. A name
    found by accident is harmless: llama.cpp then refuses the file itself.
    """
    library = _library()
    if library is None:
        return True
    with library.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return data.find(name.encode() + b"\0") >= 0


def _library() -> Path | None:
    package = find_spec("llama_cpp")  # imports nothing
    if package is None or not package.submodule_search_locations:
        return None
    folder = Path(package.submodule_search_locations[0]) / "lib"
    return next((path for path in sorted(folder.glob("*llama.*")) if path.is_file()), None)

"""The doors to the transformers runtime. torch is imported behind them, not before."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.encoder import Encoder
from models.errors import RuntimeFailed
from models.protocols import AttentionReader, AttentiveGenerator

if TYPE_CHECKING:
    from models.torch.model import Precision

GGUF_NEEDS = ("gguf", "accelerate")
"""What transformers reads GGUF files with."""


def load_torch(
    path: Path,
    model_id: str,
    *,
    context: int | None = None,
    memory: int | None = None,
    precision: Precision | None = None,
    attentive: bool = False,
) -> AttentiveGenerator:
    """Load verified files: a GGUF file, or a safetensors file beside its configuration.

    `context` is in tokens, at most what the model was trained for. `memory` is how many bytes
    the cache may take. `attentive` loads them for `sample_and_read`. Raises `RuntimeFailed`,
    without torch too, and `MemorySpent`.
    """
    check_installed(path)
    from models.torch.generator import load_generator

    return load_generator(
        *(path, model_id),
        memory=memory,
        precision=precision,
        attentive=attentive,
        **_given(context),
    )


def load_torch_attention(
    path: Path,
    model_id: str,
    *,
    context: int | None = None,
    precision: Precision | None = "float32",
) -> AttentionReader:
    """Load verified files to read their attention. Otherwise as `load_torch`."""
    check_installed(path)
    from models.torch.attention import load_reader

    return load_reader(path, model_id, precision=precision, **_given(context))


def load_encoder(path: Path, model_id: str, *, precision: Precision | None = None) -> Encoder:
    """Load a verified encoder: a safetensors file beside its configuration and tokenizer.

    Raises `RuntimeFailed`, without torch too, and `MemorySpent`.
    """
    check_installed(path)
    from models.torch.encoder import TorchEncoder

    return TorchEncoder(path, model_id, precision=precision)


def check_installed(path: Path) -> None:
    """Raise `RuntimeFailed` where the extra that reads this file is not installed."""
    needed = ("torch", "transformers", *(GGUF_NEEDS if path.suffix == ".gguf" else ()))
    missing = [name for name in needed if find_spec(name) is None]
    if missing:
        raise RuntimeFailed(
            f"The transformers runtime needs {' and '.join(missing)}, not installed here.",
            remedy="Run `pip install 'askance[torch]'`, or set models.runtime to llama.",
            path=path,
        )


def _given(context: int | None) -> dict[str, Any]:
    return {} if context is None else {"context": context}

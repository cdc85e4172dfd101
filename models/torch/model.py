"""Models opened by transformers: from a folder with safetensors, or from a GGUF file."""

from __future__ import annotations

import contextlib
import gc
import io
import logging
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from transformers import AutoModelForCausalLM, AutoTokenizer

from models.errors import RuntimeFailed
from models.torch.attention_function import ATTENTION
from models.torch.errors import loading_errors
from models.torch.fit import refuse_too_large
from models.torch.tokens import TorchTokens

Precision = Literal["float32", "bfloat16"]
BFLOAT16 = ("avx512_bf16", "amx_bf16")
"""Instructions of CPUs that multiply in bfloat16."""
KINDS = frozenset({"full_attention", "sliding_attention"})
"""Kinds of layers whose past is keys and values by position."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings, notes and bars of progress off the terminal."""
    before = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity(logging.ERROR)
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        # The bar over a GGUF file's tensors has no switch.
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        transformers.logging.set_verbosity(before)


def open_network(kind: Any, path: Path, **options: Any) -> Any:
    """Return the network, ready to compute; `kind` is one of transformers' Auto classes.

    Nothing is fetched, no code of the model's is run, nothing is unpickled. Raises `ValueError`
    where weights are missing: transformers would make them up.
    """
    named = {"gguf_file": path.name} if path.suffix == ".gguf" else {"use_safetensors": True}
    network, said = kind.from_pretrained(
        model_folder(path),
        local_files_only=True,
        trust_remote_code=False,
        output_loading_info=True,
        **named,
        **options,
    )
    # Encoders are often kept without the pooler, which nothing here uses.
    missing = [key for key in said["missing_keys"] if "pooler" not in key]
    if missing:
        raise ValueError(f"{len(missing)} weights are missing, {min(missing)} among them")
    return network.eval()


def open_tokenizer(path: Path) -> Any:
    """Return the tokenizer that lies beside the weights or in the GGUF file."""
    named = {"gguf_file": path.name} if path.suffix == ".gguf" else {}
    return AutoTokenizer.from_pretrained(
        model_folder(path), local_files_only=True, trust_remote_code=False, **named
    )


def model_folder(path: Path) -> Path:
    """Return the folder of a file; a folder may be given itself."""
    return path if path.is_dir() else path.parent


def best_device() -> torch.device:
    """Return the GPU where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def best_type(device: torch.device, precision: Precision | None) -> torch.dtype:
    """Return the number type asked for, else bfloat16 where the device multiplies in it.

    On a CPU that does, SmolLM2-135M took prompts 1.7 times as fast as in float32 and generated
    1.3 times as fast; others do it in software, several times slower.
    """
    if precision is not None:
        return torch.bfloat16 if precision == "bfloat16" else torch.float32
    able = device.type != "cpu" or any(_capabilities().get(name) for name in BFLOAT16)
    return torch.bfloat16 if able else torch.float32


def _capabilities() -> dict[str, Any]:
    """Return what torch knows of the CPU; nothing in versions that cannot say."""
    asked: Callable[[], dict[str, Any]] = getattr(torch.cpu, "get_capabilities", dict)
    return asked()


class TorchModel(TorchTokens):
    """A causal language model in transformers: weights and vocabulary."""

    def __init__(self, path: Path, model_id: str, *, precision: Precision | None = None) -> None:
        """Load it; nothing is fetched, and no code of the model's is run.

        Raises `RuntimeFailed` for a model of another kind and `MemorySpent`.
        """
        self.device = best_device()
        self.type = best_type(self.device, precision)
        with quiet(), loading_errors(model_id, path):
            refuse_too_large(path, model_id, self.type, self.device)
            network = open_network(
                AutoModelForCausalLM, path, dtype=self.type, attn_implementation=ATTENTION
            )
            self._refuse_others(network, model_id)
            self.network = network.to(self.device)
            tokenizer = open_tokenizer(path)
        text = network.config.get_text_config()
        super().__init__(tokenizer, int(text.vocab_size), _ends(network, tokenizer))
        self.train_context = int(text.max_position_embeddings)
        self.layers = int(text.num_hidden_layers)
        self.heads = int(text.num_attention_heads)
        self.cuts = True
        self.has_adapter = False
        self.windows = _windows(text)
        narrow = [w for w in self.windows.values() if w is not None and w < self.train_context]
        self.window = min(narrow, default=0)

    def _refuse_others(self, network: Any, model_id: str) -> None:
        text = network.config.get_text_config()
        kinds = set(getattr(text, "layer_types", None) or ())
        if kinds - KINDS or not network.is_backend_compatible():
            raise RuntimeFailed(
                f"The transformers runtime cannot answer with {model_id}: its layers keep more "
                "than keys and values.",
                remedy="Use its GGUF file with llama.cpp, or another model.",
            )

    def cache_bytes(self, context: int) -> int:
        """Return how much memory a context of so many tokens takes beside the weights."""
        text = self.network.config.get_text_config()
        kept = getattr(text, "num_key_value_heads", None) or self.heads
        width = getattr(text, "head_dim", None) or text.hidden_size // self.heads
        return int(2 * self.type.itemsize * self.layers * kept * width * context)

    def close(self) -> None:
        """Free the weights."""
        self.network = None
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()


def _windows(text: Any) -> dict[str, int | None]:
    """Return how far each kind of layer sees back, None for all; one kind without a name is ""."""
    window = getattr(text, "sliding_window", None)
    kinds = getattr(text, "layer_types", None)
    if not kinds:
        return {"": window if getattr(text, "use_sliding_window", True) else None}
    return {kind: window if kind == "sliding_attention" else None for kind in dict.fromkeys(kinds)}


def _ends(network: Any, tokenizer: Any) -> list[int]:
    ends: list[int] = []
    for holder in (network.config.get_text_config(), network.generation_config, tokenizer):
        named = getattr(holder, "eos_token_id", None)
        ends += named if isinstance(named, list) else [] if named is None else [named]
    return ends

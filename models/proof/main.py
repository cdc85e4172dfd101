"""Lets llama.cpp load and compute, stage by stage, in a process that it may crash.

Run as `python -m models.proof.main` by `models.proof.child`, never imported. A JSON object comes
in on stdin; JSON lines go out on stdout. `{"stage": …}` comes before each stage, so that the
parent knows where a crash or a hang happened; the last line says how it ended. It
computes with a tiny model, in memory where the system allows; no data of a person gets here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.errors import MemorySpent, RuntimeFailed
from models.llama.precautions import Precautions
from models.proof.child import TINY_MODEL
from models.proof.numbers import (
    ATTENTION,
    ATTENTION_TOLERANCE,
    CHOICES,
    COLUMNS,
    CONTEXT,
    MORE,
    PROMPT,
    PROMPTS,
    QUERY,
    READ_LAYERS,
    Wrong,
    compare,
)
from models.protocols import GenerationRequest, Piece, Sampling

if TYPE_CHECKING:
    from models.llama.generator import LlamaGenerator
    from models.protocols import AttentionColumns

REPLIES, REPLY_TOKENS = 4, 3
COLD = Sampling(temperature=0.05, top_p=0.9, top_k=50)
"""Draws the likeliest token by a wide margin, but through llama.cpp's samplers."""
SIZE = 512
"""Tokens of context."""
PR_SET_DUMPABLE = 4
"""From `linux/prctl.h`."""


def main() -> None:
    """Do what stdin asks for."""
    asked = json.load(sys.stdin)
    _contain(asked["seconds"])
    try:
        _import()
        if asked["do"] == "describe":
            tell(described=_described())
        else:
            _prove(Precautions(asked["extra_buffers"], asked["flash_attention"]), asked["folder"])
            tell(right=True)
    except Wrong as error:
        tell(wrong=str(error))
    except (MemorySpent, MemoryError) as error:
        tell(memory=str(error))
    except RuntimeFailed as error:
        tell(refused=error.message, remedy=error.remedy)
    os._exit(0)  # how a library behaves while it is unloaded does not matter


def tell(**what: object) -> None:
    """Write a line to the parent at once: the next call may be the last."""
    os.write(1, json.dumps(what).encode() + b"\n")


def _contain(seconds: int) -> None:
    """Leave no core dump, and end after a while even if the parent is gone."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    signal.alarm(seconds)


def _import() -> None:
    """Load the library. Raises `RuntimeFailed`."""
    tell(stage="import")
    try:
        from models.llama.library import self_test
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        # ImportError: no package; the others: its shared library is absent, refused or another.
        raise RuntimeFailed(f"llama.cpp does not load: {error}.", remedy="") from error
    self_test()


def _described() -> dict[str, Any]:
    """Return what `models.proof.description.Library` holds."""
    from dataclasses import asdict

    from models.llama.library import (
        backends,
        gpus_used,
        instruction_sets,
        version,
    )

    return {
        "version": version(),
        "backends": backends(),
        "instruction_sets": instruction_sets(),
        "gpus": [asdict(gpu) for gpu in gpus_used()],
    }


def _prove(precautions: Precautions, folder: str | None) -> None:
    """Load and compute as the program does. Raises `Wrong` and `RuntimeFailed`."""
    from models.llama.attention import load_llama_attention
    from models.llama.generator import load_llama
    from models.llama.library import gpus_used

    with _file(folder) as path:
        for gpu_layers in (-1, 0) if gpus_used() else (-1,):
            tell(stage="load")
            named: dict[str, Any] = {
                "context": SIZE,
                "gpu_layers": gpu_layers,
                "precautions": precautions,
            }
            load = partial(load_llama, path, "proof", **named)
            with closing(load()) as model:
                tell(stage="prompt")
                _read_prompts(model)
                tell(stage="batch")
                _write_replies(model)
            tell(stage="callback")
            with closing(load(attentive=True)) as attentive:
                _read_along(attentive)
            with closing(load_llama_attention(path, "proof", **named)) as reader:
                _compare_columns(reader.read(CONTEXT, QUERY, layers=READ_LAYERS))


@contextmanager
def _file(folder: str | None) -> Iterator[Path]:
    """Have the tiny model as a file: in memory, or in a folder that the parent deletes."""
    from models.proof.tiny_model import tiny_model

    if folder is not None:
        path = Path(folder, "tiny.gguf")
        path.write_bytes(tiny_model())
        yield path
        return
    descriptor = os.memfd_create(TINY_MODEL)
    with os.fdopen(descriptor, "wb") as file:
        file.write(tiny_model())
        file.flush()
        yield Path(f"/proc/self/fd/{descriptor}")


def _read_prompts(model: LlamaGenerator) -> None:
    """Compute a prompt in one batch, then a token alone, after what is kept of the prompt."""
    for prompt, wanted in (
        (PROMPT.text, PROMPT.logprobs),
        (PROMPT.text + MORE.text, MORE.logprobs),
    ):
        compare("after a prompt", model.next_token_logprobs(prompt, CHOICES), wanted)


def _write_replies(model: LlamaGenerator) -> None:
    """Draw several replies to several prompts in the same batches."""
    pieces = model.sample(
        GenerationRequest(
            tuple([prompt.text for prompt in PROMPTS]),
            n=REPLIES,
            max_tokens=REPLY_TOKENS,
            sampling=COLD,
            watch=tuple(CHOICES),
            logprobs=True,
        )
    )
    _compare_replies(list(pieces))


def _compare_replies(pieces: Sequence[Piece]) -> None:
    for i, prompt in enumerate(PROMPTS):
        for index in range(i * REPLIES, (i + 1) * REPLIES):
            own = [piece for piece in pieces if piece.index == index]
            found = [value for piece in own for value in piece.logprobs]
            compare("in a reply", found, prompt.reply)
        watched = [v for piece in pieces if piece.index == i * REPLIES for v in piece.watched]
        compare("before a reply", watched, prompt.logprobs)


def _read_along(model: LlamaGenerator) -> None:
    """Read the attention of a prompt while it is computed, then draw replies to it."""
    pieces = list(
        model.sample_and_read(
            GenerationRequest(
                (CONTEXT + QUERY,), n=REPLIES, max_tokens=REPLY_TOKENS, sampling=COLD
            ),
            until=len(CONTEXT),
            layers=READ_LAYERS,
        )
    )
    [columns] = [piece.columns for piece in pieces if piece.columns is not None]
    _compare_columns(columns)


def _compare_columns(columns: AttentionColumns) -> None:
    for i, wanted in enumerate(ATTENTION):
        found = [float(columns.context_sums[i][column]) for column in COLUMNS]
        found += [float(columns.query_sums[i][column]) for column in COLUMNS]
        compare("of attention", found, wanted, ATTENTION_TOLERANCE)


if __name__ == "__main__":
    main()

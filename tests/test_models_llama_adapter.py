"""A reading adapter is at work in the requests that ask for it, and in no others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.errors import RuntimeFailed
from models.llama.generator import LlamaGenerator, load_llama
from models.protocols import GenerationRequest, OtherBeginnings
from models.store.catalogue import load_catalogue
from tests.support.in_store import weights_of

SMALL = "smollm2-135m-instruct-q4_1"
RANK, WIDTH = 2, 576
PROMPT = "Ann met Bob in Oslo on Monday. " * 8 + "They met in"
CHOICES = (" Oslo", " Bergen", " Rome")
ROUNDING = 0.2
"""By how much a log-probability moves with the place in the cache."""


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A LoRA adapter of random numbers for the queries of one layer."""
    gguf: Any = pytest.importorskip("gguf")
    path = tmp_path_factory.mktemp("adapter") / "toy.gguf"
    file = gguf.GGUFWriter(path, "llama")
    file.add_type("adapter")
    file.add_string("adapter.type", "lora")
    file.add_float32("adapter.lora.alpha", 32.0 * RANK)
    draw = np.random.default_rng(7)
    for part, shape in (("a", (RANK, WIDTH)), ("b", (WIDTH, RANK))):
        values = draw.normal(size=shape).astype(np.float32)
        file.add_tensor(f"blk.4.attn_q.weight.lora_{part}", values)
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()
    return path


@pytest.fixture(scope="module")
def weights() -> Path:
    return weights_of(SMALL)


@pytest.fixture(scope="module")
def bare(weights: Path) -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights, SMALL, context=2048)
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def able(weights: Path, adapter: Path) -> Iterator[LlamaGenerator]:
    loaded = load_llama(weights, SMALL, context=2048, adapter=adapter)
    yield loaded
    loaded.close()


def said(model: LlamaGenerator, *, adapted: bool) -> list[float]:
    return model.next_token_logprobs(PROMPT, CHOICES, adapted=adapted)


def test_it_changes_only_what_asks_for_it(bare: LlamaGenerator, able: LlamaGenerator) -> None:
    plain, again = said(bare, adapted=False), said(bare, adapted=False)
    assert said(able, adapted=False) == plain
    adapted = said(able, adapted=True)
    assert np.abs(np.subtract(adapted, plain)).max() > 5 * ROUNDING
    assert said(able, adapted=False) == again  # from its own cells, rounded as without an adapter


def test_a_model_without_one_reads_as_it_does(bare: LlamaGenerator) -> None:
    assert said(bare, adapted=True) == said(bare, adapted=False)


def test_prompts_share_a_beginning_with_their_like(able: LlamaGenerator) -> None:
    able.forget()
    said(able, adapted=False)
    before = able.usage.computed
    said(able, adapted=True)
    assert able.usage.computed - before == able.count(PROMPT)
    said(able, adapted=True)
    assert able.usage.computed - before == able.count(PROMPT) + 1


def test_replies_that_take_turns_do_not_mix(bare: LlamaGenerator, able: LlamaGenerator) -> None:
    """Two replies at once, one adapted: each token is drawn as if the other were not."""

    def alone(*, adapted: bool) -> str:
        able.forget()
        request = GenerationRequest((PROMPT,), max_tokens=8, adapted=adapted)
        return "".join(piece.text for piece in able.sample(request))

    wanted = alone(adapted=True), alone(adapted=False)
    able.forget()
    adapted = able.sample(GenerationRequest((PROMPT,), max_tokens=8, adapted=True))
    first = next(adapted).text
    other = said(able, adapted=False)
    assert first + "".join(piece.text for piece in adapted) == wanted[0]
    assert wanted[0] != wanted[1]
    assert np.allclose(other, said(bare, adapted=False), atol=ROUNDING)


def test_a_reply_may_be_kept_from_a_beginning(bare: LlamaGenerator) -> None:
    def begun(*barred: str) -> str:
        constraint = OtherBeginnings(barred) if barred else None
        request = GenerationRequest((PROMPT,), max_tokens=1, constraint=constraint)
        return "".join(piece.text for piece in bare.sample(request))

    likeliest = begun()
    assert likeliest == " Oslo"
    second = begun(likeliest)
    assert second not in ("", likeliest)
    assert begun(likeliest, second) not in (likeliest, second)
    with pytest.raises(ValueError, match="empty"):
        begun("")


def test_a_file_that_is_no_adapter_is_refused(weights: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(b"GGUF but no more")
    with pytest.raises(RuntimeFailed, match="adapter"):
        load_llama(weights, SMALL, context=512, adapter=wrong)


def test_every_adapter_of_the_catalogue_ships() -> None:
    for row in load_catalogue().rows:
        if row.adapter_path is not None:
            assert row.format == "gguf"
            assert row.adapter_path.is_file()

"""The transformers runtime: what every generator keeps to, and what is its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

import models.decoding.generator
from models.decoding.chat_templates import ChatTemplate
from models.errors import MemorySpent, RuntimeFailed
from models.protocols import GenerationRequest, Sampling
from models.system.machine import MemoryBytes
from models.testing import MAIL, EndContract, GeneratorContract, alone, ask, texts
from models.torch import fit as torch_room
from models.torch import loaders
from models.torch.generator import TorchGenerator, load_generator
from tests.support.toy_torch import CAUSAL, byte_tokenizer, causal

GREEDY = Sampling()


@pytest.fixture(scope="module", params=["llama", "qwen2", "gemma2"])
def toy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal(tmp_path_factory.mktemp("toy"), request.param)


@pytest.fixture(scope="module")
def plain_toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return causal(tmp_path_factory.mktemp("toy"))


class TestToy(GeneratorContract):
    """Plain attention, and soft caps with a window that slides."""

    @pytest.fixture(scope="class", params=["llama", "gemma2"])
    @classmethod
    def model(
        cls, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
    ) -> Iterator[TorchGenerator]:
        file = causal(tmp_path_factory.mktemp("toy"), request.param)
        loaded = load_generator(file, "toy", context=1024, precision="float32")
        yield loaded
        loaded.close()


class TestEnds(EndContract):
    @pytest.fixture
    def model(self, plain_toy: Path) -> TorchGenerator:
        return load_generator(plain_toy, "toy", context=256, precision="float32")


@pytest.fixture
def model(plain_toy: Path) -> Iterator[TorchGenerator]:
    loaded = load_generator(plain_toy, "toy", context=512, precision="float32")
    yield loaded
    loaded.close()


def open_network_of(weights: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(weights.parent, attn_implementation="eager")


def logits_of(network: Any, tokens: list[int]) -> Any:
    with torch.no_grad():
        return network(torch.tensor([tokens])).logits[0, -1].numpy()


def test_logits_are_those_of_transformers_own_attention(toy: Path) -> None:
    """Long enough for more than one batch of a prompt, and for a sliding window to slide."""
    ours = load_generator(toy, "toy", context=1024, precision="float32")
    ours._context.chunk = 32
    text = ask(ours, MAIL)
    words = ["a", "b", "the", "on", "z"]
    given = ours.next_token_logprobs(text, words)
    theirs = open_network_of(toy)
    logits = logits_of(theirs, ours._model.tokenize(text, special=True)).astype(np.float64)
    wanted = logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max()
    first = [ours._model.tokenize(word, special=False)[0] for word in words]
    assert given == pytest.approx([wanted[token] for token in first], abs=1e-4)
    ours.close()


def test_greedy_replies_are_those_of_generate(model: TorchGenerator, plain_toy: Path) -> None:
    theirs = open_network_of(plain_toy)
    prompt = ask(model, "Name a colour.")
    tokens = model._model.tokenize(prompt, special=True)
    with torch.no_grad():
        said = theirs.generate(
            torch.tensor([tokens]),
            attention_mask=torch.ones(1, len(tokens), dtype=torch.int64),
            max_new_tokens=20,
            do_sample=False,
            pad_token_id=0,
        )[0, len(tokens) :]
    spelt = b"".join(model._model.piece(token) for token in said.tolist())
    assert alone(model, prompt, max_tokens=20) == spelt.decode("utf-8", "replace")


def test_a_reply_is_in_the_cache_for_the_next_turn(model: TorchGenerator) -> None:
    """Asked by tokens: a random model's reply is not cut again as it was drawn."""
    prompt = ask(model, MAIL + "Tell it.")
    texts(model, [prompt], max_tokens=12)
    [kept] = model._cache._kept
    asked = model._model.tokenize(prompt, special=True)
    assert len(kept.tokens) > len(asked)
    assert model._cache.find([*kept.tokens, 50, 51]).shared == len(kept.tokens)


def test_thoughts_without_end_are_closed_and_the_reply_follows(
    model: TorchGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ChatTemplate, "thinks", True)
    monkeypatch.setattr(models.decoding.generator, "THOUGHT_TOKENS", 6)
    pieces = list(
        model.sample(
            GenerationRequest((ask(model, "Who?") + "<think>\n",), max_tokens=8, sampling=GREEDY)
        )
    )
    assert pieces[-1].finished
    assert "think" not in "".join(piece.text for piece in pieces)
    assert 6 < model.usage.hidden < 20


def test_bfloat16_says_about_the_same(model: TorchGenerator, plain_toy: Path) -> None:
    half = load_generator(plain_toy, "toy", context=512, precision="bfloat16")
    words, prompt = ["a", "the", "z"], ask(model, "Who?")
    wanted = model.next_token_logprobs(prompt, words)
    assert half.next_token_logprobs(prompt, words) == pytest.approx(wanted, abs=0.5)
    half.close()


def test_memory_that_runs_out_unloads_the_model(
    model: TorchGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spent(*_: Any, **__: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr(model._model.network, "forward", spent)
    with pytest.raises(MemorySpent, match="was unloaded"):
        texts(model, ["Who?"])
    assert model.closed


def test_a_batch_that_torch_refuses_leaves_the_model_loaded(
    model: TorchGenerator, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **__: Any) -> None:
        raise RuntimeError("no kernel image\nis available")

    whole = alone(model, "Who?")
    with monkeypatch.context() as patched:
        patched.setattr(model._model.network, "forward", refused)
        with pytest.raises(RuntimeFailed, match=r"batch: no kernel image\."):
            alone(model, "Who?")
    assert alone(model, "Who?") == whole


def test_a_context_beyond_memory_is_refused_with_both_numbers(plain_toy: Path) -> None:
    with pytest.raises(MemorySpent, match=r"512 tokens takes 0 MB .* 0 MB are free"):
        load_generator(plain_toy, "toy", context=512, memory=1000)


def test_weights_beyond_memory_are_refused_before_they_are_loaded(
    plain_toy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_room, "memory", lambda: MemoryBytes(10**9, 10**5))
    with pytest.raises(MemorySpent, match=r"toy take \d MB in float32; 0 MB are"):
        load_generator(plain_toy, "toy", precision="float32")
    parameters = sum(one.numel() for one in open_network_of(plain_toy).parameters())
    assert torch_room.numbers_in(plain_toy) == parameters


def test_files_that_are_no_model_are_refused(plain_toy: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeFailed, match="could not load toy"):
        load_generator(tmp_path / "model.safetensors", "toy")
    for file in plain_toy.parent.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / plain_toy.name).write_bytes(plain_toy.read_bytes()[:5000])
    with pytest.raises(RuntimeFailed, match="could not load toy"):
        load_generator(tmp_path / plain_toy.name, "toy")


def test_weights_that_are_missing_are_not_made_up(plain_toy: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    causal(tmp_path)
    weights = load_file(tmp_path / plain_toy.name)
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, tmp_path / plain_toy.name, metadata={"format": "pt"})
    with pytest.raises(RuntimeFailed, match=r"1 weights are missing, model\.layers\.1\.mlp"):
        load_generator(tmp_path / plain_toy.name, "toy")


def test_a_model_that_keeps_another_kind_of_past_is_refused(tmp_path: Path) -> None:
    from transformers import MambaConfig, MambaForCausalLM

    byte_tokenizer().save_pretrained(tmp_path)
    shape = {"hidden_size": 32, "num_hidden_layers": 1, "state_size": 4, "vocab_size": 300}
    MambaForCausalLM(MambaConfig(**shape)).save_pretrained(tmp_path)
    with pytest.raises(RuntimeFailed, match="toy"):
        load_generator(tmp_path / "model.safetensors", "toy")


def test_without_torch_the_remedy_is_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaders, "find_spec", lambda name: None)
    with pytest.raises(RuntimeFailed, match=r"torch and transformers.*askance\[torch\]"):
        loaders.load_torch(Path("model.safetensors"), "toy")
    with pytest.raises(RuntimeFailed, match=r"gguf and accelerate"):
        loaders.load_torch_attention(Path("model.gguf"), "toy")


def test_the_doors_do_not_import_torch() -> None:
    seen = "import sys, models.torch.loaders; print('torch' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "False"


def test_the_doors_open(plain_toy: Path) -> None:
    loaded = loaders.load_torch(plain_toy, "toy", context=128)
    assert (loaded.id, loaded.context) == ("toy", 128)
    loaded.close()
    widest = loaders.load_torch(plain_toy, "toy")
    assert widest.context == CAUSAL["max_position_embeddings"]
    widest.close()

"""Attention columns in transformers: equal to whole matrices, and like those of llama.cpp."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from models.errors import ContextExceeded, RuntimeFailed
from models.protocols import Cancelled, GenerationRequest
from models.torch.attention import BLOCK, TorchAttentionReader, load_reader
from models.torch.generator import load_generator
from models.torch.model import open_network, quiet
from tests.support.toy_torch import causal
from tests.support.whole_attention import QUERY, STORY, reaction_of, two_passes


@pytest.fixture(
    scope="module", params=[("llama", {}), ("qwen2", {}), ("gemma2", {"sliding_window": 1024})]
)
def toy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose layers see everything: a window as wide as the context leaves nothing out."""
    kind, changed = request.param
    return causal(tmp_path_factory.mktemp("toy"), kind, **changed)


@pytest.fixture(scope="module")
def reader(toy: Path) -> Iterator[TorchAttentionReader]:
    loaded = load_reader(toy, "toy")
    yield loaded
    loaded.close()


def eager(weights: Path) -> Any:
    from transformers import AutoModelForCausalLM

    with quiet():
        return open_network(
            AutoModelForCausalLM, weights, dtype=torch.float32, attn_implementation="eager"
        )


def test_one_pass_is_the_two_passes_of_the_paper(reader: TorchAttentionReader, toy: Path) -> None:
    layers, story = [2, 0], STORY * 7
    columns = reader.read(story, QUERY, layers=layers)
    context = reader._model.tokenize(story, special=False)
    query = reader._model.tokenize(QUERY, special=False)
    assert len(context) == len(columns.spans) > BLOCK  # so that blocks are joined
    wanted = two_passes(eager(toy), context, query, layers)
    assert columns.layers == (2, 0)
    assert np.abs(reaction_of(columns) - wanted).max() < 1e-6
    assert wanted.max() > 1e-3


def test_rows_sum_to_one_and_tokens_know_their_characters(reader: TorchAttentionReader) -> None:
    columns = reader.read(STORY, QUERY, layers=[1])
    assert columns.context_sums.sum() == pytest.approx(len(columns.spans), rel=1e-5)
    assert 0 < columns.query_sums.sum() < columns.query_tokens
    begins, ends = columns.spans.T
    assert "".join(STORY[b:e] for b, e in zip(begins, ends, strict=True)) == STORY


def test_a_generator_reads_its_own_prompt_at_no_extra_token(
    reader: TorchAttentionReader, toy: Path
) -> None:
    model = load_generator(toy, "toy", precision="float32", attentive=True)
    prompt = f"{STORY * 7}{QUERY}"
    list(model.sample(GenerationRequest((STORY,), max_tokens=2)))  # something in its cache
    said = [piece.text for piece in model.sample(GenerationRequest((prompt,), max_tokens=3))]
    before = model.usage.prompt
    first, *rest = model.sample_and_read(
        GenerationRequest((prompt,), max_tokens=3), until=len(prompt) - len(QUERY), layers=[2, 0]
    )
    assert [piece.text for piece in rest] == said
    columns = first.columns
    assert columns is not None
    tokens = model._model.tokenize(prompt, special=True)
    assert model.usage.prompt - before == len(tokens) == columns.query_tokens + len(columns.spans)
    apart = reader._sums(tokens, len(columns.spans), [2, 0], None)
    heads = reader._model.heads
    assert columns.context_sums == pytest.approx(np.stack([s.context for s in apart]) / heads)
    assert columns.query_sums == pytest.approx(np.stack([s.query for s in apart]) / heads)
    model.close()


def test_layers_beyond_the_last_chosen_one_are_not_computed(
    reader: TorchAttentionReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = reader._model.network.model.layers[2]
    monkeypatch.setattr(last, "forward", None)
    assert reader.read(STORY, QUERY, layers=[0, 1]).layers == (0, 1)
    with pytest.raises(TypeError):
        reader.read(STORY, QUERY, layers=[2])


def test_no_more_than_a_block_of_rows_is_held(
    reader: TorchAttentionReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The largest array of one pass grows with the context, not with its square."""
    sizes = []
    softmax = torch.softmax

    def measured(scores: Any, dim: int) -> Any:
        sizes.append(scores.numel())
        return softmax(scores, dim=dim)

    monkeypatch.setattr(torch, "softmax", measured)
    before = reader.usage.computed
    reader.read(STORY * 15, QUERY, layers=[0])
    tokens = reader.usage.computed - before
    assert tokens > 2 * BLOCK  # so that whole matrices would be larger
    assert max(sizes) <= reader._model.heads // 2 * BLOCK * (tokens + 64)  # keys of two heads


def test_what_cannot_be_read_is_refused(reader: TorchAttentionReader) -> None:
    with pytest.raises(ContextExceeded, match="1024"):
        reader.read(STORY * 40, QUERY, layers=[0])
    for layers in ([], [3], [-1]):
        with pytest.raises(ValueError, match="layers are 0 to 2"):
            reader.read(STORY, QUERY, layers=layers)
    with pytest.raises(Cancelled):
        reader.read(STORY, QUERY, layers=[2], stopped=lambda: True)


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("gemma2", {}),
        ("qwen2", {"use_sliding_window": True, "sliding_window": 24, "max_window_layers": 1}),
        ("mistral", {"sliding_window": 24}),
    ],
)
def test_layers_that_see_only_the_last_tokens_are_refused(
    tmp_path: Path, kind: str, changed: dict[str, Any]
) -> None:
    """At such a layer all but the last 23 tokens would get nothing from the query."""
    folder = causal(tmp_path, kind, **changed)
    for load in (load_reader, partial(load_generator, attentive=True)):
        with pytest.raises(RuntimeFailed, match="attend to the last tokens only"):
            load(folder, "toy")
    load_generator(folder, "toy").close()

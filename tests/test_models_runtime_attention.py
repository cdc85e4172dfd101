"""Attention columns: one pass says what two would, and what another implementation says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.attention.reaction import reaction
from models.decoding.columns import prompt_spans, refuse_unreadable, spans
from models.errors import ContextExceeded, MemorySpent, RuntimeFailed
from models.llama.attention import BLOCK, LlamaAttentionReader, load_llama_attention
from models.llama.generator import load_llama
from models.protocols import Cancelled, GenerationRequest, Message, Sampling
from tests.support.in_store import weights_of

SMALL = "smollm2-135m-instruct-q4_1"
LARGER = "qwen2.5-coder-0.5b-instruct-q4_k_m"
STORY = "Ann met Bob in Oslo on Monday. They spoke of the lease of the boat house. "
QUERY = "Who met Bob, and where was it?"


@pytest.fixture(scope="module")
def weights() -> Path:
    return weights_of(SMALL)


@pytest.fixture(scope="module")
def reader(weights: Path) -> Iterator[LlamaAttentionReader]:
    loaded = load_llama_attention(weights, SMALL, context=2048)
    yield loaded
    loaded.close()


def column_means(
    reader: LlamaAttentionReader, tokens: list[int], layers: list[int]
) -> npt.NDArray[np.float64]:
    """Return AttnVec of a whole text, nothing of it a query: shape (layers, tokens)."""
    sums = reader._sums(tokens, len(tokens), layers, None)
    return np.stack([one.context for one in sums]) / reader._model.heads / len(tokens)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "layers"), [(SMALL, [0, 15, 23, 29]), (LARGER, [0, 16, 23])])
def test_one_pass_says_what_two_would(model: str, layers: list[int]) -> None:
    """YOURA's reaction from one pass, and as the paper computes it: of C alone, and of C with Q."""
    reader, story = load_llama_attention(weights_of(model), model, context=1024), STORY * 16
    one = reader.read(story, QUERY, layers=layers)
    context, query = (reader._model.tokenize(text, special=False) for text in (story, QUERY))
    assert len(context) == len(one.spans) > BLOCK  # so that blocks are joined
    alone = column_means(reader, context, layers)
    together = column_means(reader, [*context, *query], layers)[:, : len(context)]
    wanted = np.abs(alone - together)
    assert np.abs(reaction(one) - wanted.mean(axis=0)).max() < 1e-5
    assert wanted.max() > 1e-3
    reader.close()


@pytest.mark.slow
def test_rows_sum_to_one_and_no_later_column_is_seen(reader: LlamaAttentionReader) -> None:
    columns = reader.read(STORY, QUERY, layers=[3])
    assert columns.context_sums.sum() == pytest.approx(len(columns.spans), rel=1e-4)
    assert 0 < columns.query_sums.sum() < columns.query_tokens
    assert columns.context_sums[0, -1] < 1  # only one row sees the last column


@pytest.mark.slow
def test_what_cannot_be_read_is_refused(reader: LlamaAttentionReader) -> None:
    with pytest.raises(ContextExceeded, match="2048"):
        reader.read(STORY * 200, QUERY, layers=[0])
    for layers in ([], [30], [-1]):
        with pytest.raises(ValueError, match="layers are 0 to 29"):
            reader.read(STORY, QUERY, layers=layers)


@pytest.mark.slow
def test_a_cache_beyond_the_memory_is_refused(weights: Path) -> None:
    with pytest.raises(MemorySpent, match="2048 tokens takes 47 MB"):
        load_llama_attention(weights, SMALL, context=2048, memory=10**7)


@pytest.mark.slow
def test_reading_stops_when_nobody_waits(reader: LlamaAttentionReader) -> None:
    with pytest.raises(Cancelled):
        reader.read(STORY * 60, QUERY, layers=[29], stopped=lambda: True)
    assert reader.read(STORY, QUERY, layers=[0]).query_tokens > 0


@pytest.mark.slow
def test_a_generator_reads_its_own_prompt_at_no_extra_token(
    weights: Path, reader: LlamaAttentionReader
) -> None:
    """Beside other prompts in its cache; the numbers are those of a pass of their own."""
    model = load_llama(weights, SMALL, context=2048, attentive=True)
    turns = [Message("system", "Be brief."), Message("user", f"{STORY * 15}\n\n{QUERY}")]
    prompt = model.render(turns, "Answer:")
    until = prompt.index(QUERY)
    greedy = Sampling()
    said = [
        piece.text
        for piece in model.sample(GenerationRequest((prompt,), max_tokens=4, sampling=greedy))
    ]
    before = replace(model.usage)
    first, *rest = model.sample_and_read(
        GenerationRequest((prompt,), n=2, max_tokens=4, sampling=greedy),
        until=until,
        layers=[3, 18],
    )
    assert [piece.text for piece in rest if piece.index == 1] == said
    columns = first.columns
    assert columns is not None
    tokens = model._model.tokenize(prompt, special=True)
    assert model.usage.prompt - before.prompt == len(tokens)
    assert model.usage.calls - before.calls == 1
    c = len(columns.spans)
    assert c > BLOCK
    assert columns.query_tokens == len(tokens) - c
    begin, end = columns.spans[c // 2]
    assert prompt[begin:end].encode() == model._model.piece(tokens[c // 2])
    apart = reader._sums(tokens, c, [3, 18], None)
    heads = reader._model.heads
    assert columns.context_sums == pytest.approx(np.stack([s.context for s in apart]) / heads)
    assert columns.query_sums == pytest.approx(np.stack([s.query for s in apart]) / heads)
    assert [
        p.text for p in model.sample(GenerationRequest((prompt,), max_tokens=4, sampling=greedy))
    ] == said
    assert model.usage.computed - before.computed == len(tokens) + 1
    model.close()
    plain = load_llama(weights, SMALL, context=256)
    with pytest.raises(RuntimeFailed, match="not loaded to read"):
        plain.sample_and_read(
            GenerationRequest(("a",), max_tokens=1, sampling=greedy), until=1, layers=[0]
        )
    plain.close()


class NotWhole:
    """A model whose layers do not all attend to the whole text."""

    def __init__(self, *, cuts: bool, window: int) -> None:
        self.cuts, self.window = cuts, window


@pytest.mark.parametrize(
    ("cuts", "window", "said"), [(False, 0, "recurrent"), (True, 4096, "the last tokens only")]
)
def test_recurrent_and_windowed_models_are_refused(cuts: bool, window: int, said: str) -> None:
    with pytest.raises(RuntimeFailed, match=said):
        refuse_unreadable(NotWhole(cuts=cuts, window=window), "m")  # type: ignore[arg-type]


def test_control_tokens_take_the_place_where_they_are_written() -> None:
    prompt = "<|s|>\u00e9 b<|e|>"
    pieces = [b"", b"", b"\xc3", b"\xa9", b" b", b""]
    found = prompt_spans(pieces, prompt, ["<|s|>", "<|e|>"])
    assert found is not None
    assert found.tolist() == [[0, 5], [5, 5], [5, 6], [5, 6], [6, 8], [8, 13]]
    blank = prompt_spans([b"", b" ", b"ab"], "ab", [])
    assert blank is not None
    assert blank.tolist() == [[0, 0], [0, 0], [0, 2]]
    assert prompt_spans([b"x"], prompt, ["<|s|>"]) is None


@given(st.text(max_size=30), st.lists(st.integers(0, 60), max_size=8), st.booleans())
def test_every_character_belongs_to_the_tokens_that_hold_it(
    text: str, cuts: list[int], blank: bool
) -> None:
    data = text.encode("utf-8", "replace")
    marks = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in pairwise(marks)]
    held = [b"", *pieces]
    if blank:  # what SentencePiece puts in front
        held[1] = b" " + held[1]
    found = spans(held, text)
    assert found[0].tolist() == [0, 0]
    for piece, (begin, end) in zip(pieces, found[1:].tolist(), strict=True):
        assert piece in text[begin:end].encode("utf-8", "replace")
        assert end - begin <= len(piece)

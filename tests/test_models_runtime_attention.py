"""Attention columns: one pass says what two would, and what another implementation says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.catalogue import load_catalogue
from models.columns import spans
from models.errors import ContextExceeded
from models.llama_attention import BLOCK, LlamaAttentionReader, load_llama_attention
from models.protocols import Cancelled
from models.store import Store

SMALL = "smollm2-135m-instruct-q4_1"
STORY = "Ann met Bob in Oslo on Monday. They spoke of the lease of the boat house. "
QUERY = "Who met Bob, and where was it?"


@pytest.fixture(scope="module")
def weights() -> Path:
    row = load_catalogue().row(SMALL)
    store = Store.default(os.environ)
    if store.state(row) != "present":
        if os.environ.get("CI") == "true":
            pytest.fail(f"{SMALL} is not in the store; `make test` pulls it")
        pytest.skip(f"{SMALL} is not in the store")
    return store.open(row)


@pytest.fixture(scope="module")
def reader(weights: Path) -> Iterator[LlamaAttentionReader]:
    loaded = load_llama_attention(weights, SMALL, context=2048)
    yield loaded
    loaded.close()


@pytest.mark.slow
def test_one_pass_says_what_two_would(reader: LlamaAttentionReader) -> None:
    """YOURA's reaction, from the pass over C·Q alone and as the paper computes it."""
    layers, story = [0, 15, 29], STORY * 20
    one = reader.read(story, QUERY, layers=layers)
    c, q = len(one.spans), one.query_tokens
    assert c > BLOCK  # so that blocks are joined
    columns = one.context_sums + one.query_sums
    reaction = np.abs(one.context_sums / c - columns / (c + q))
    tokens = reader._model.tokenize(story, special=False)
    assert len(tokens) == c
    alone = reader._sums(tokens, c, layers, None)
    two = np.abs(
        np.stack([sums.context for sums in alone]) / reader._model.heads / c - columns / (c + q)
    )
    assert np.abs(reaction - two).max() < 1e-5
    assert reaction.max() > 1e-3


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
def test_reading_stops_when_nobody_waits(reader: LlamaAttentionReader) -> None:
    with pytest.raises(Cancelled):
        reader.read(STORY * 60, QUERY, layers=[29], stopped=lambda: True)
    assert reader.read(STORY, QUERY, layers=[0]).query_tokens > 0


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

"""Parts of the transformers runtime: tokens as bytes, cells that are shared, draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("transformers")

from models.decoding.prefix_cache import PrefixCache
from models.decoding.sampler import Draws, Top, kept_shares
from models.protocols import Sampling
from models.torch.cells import STEP, CellTable
from models.torch.tokens import TorchTokens, byte_level, sentence_piece
from tests.support.toy_torch import byte_tokenizer


def test_text_of_any_kind_comes_back_byte_by_byte() -> None:
    known = TorchTokens(byte_tokenizer(), 280, [2])
    text = "Señor\t<|im_end|> 日本 🙂 \x00 </s>"
    tokens = known.tokenize(text, special=False)
    assert b"".join(known.piece(token) for token in tokens) == text.encode()
    assert len(known.tokenize("<|im_end|>", special=True)) == 1
    assert known.piece(2) == b""
    assert known.ends == [0, 2]
    assert len(known.tokenize("\ud800", special=False)) == 1


def test_pieces_of_both_families_of_tokenizers() -> None:
    assert sorted(byte_level().values()) == list(range(256))
    assert byte_level()["Ġ"] == 32
    assert sentence_piece("▁the") == b" the"
    assert sentence_piece("<0xE2>") == b"\xe2"
    assert sentence_piece("<0xZZ>"[:5]) == b"<0xZZ"


class CellMemory:
    """The table as what the prefix cache asks for."""

    def __init__(self, table: CellTable) -> None:
        self._table = table

    def copy_sequence(self, source: int, target: int, start: int = 0, end: int = -1) -> None:
        self._table.copy(source, target, start, end)

    def cut_sequence(self, sequence: int, start: int = 0) -> None:
        self._table.cut(sequence, start)


@given(st.lists(st.tuples(st.lists(st.integers(0, 2), max_size=5), st.booleans()), max_size=15))
def test_every_row_sees_its_own_past_and_nothing_else(
    calls: list[tuple[list[int], bool]],
) -> None:
    """Whatever was kept before, a prompt's last row sees each of its positions once."""
    table = CellTable(300, 4)
    cache = PrefixCache(CellMemory(table), range(1, 4), 300)
    for parts, short in calls:
        tokens = [part * 1000 + i for part in [*parts, 7] for i in range(30 if short else 40)]
        found = cache.find(tokens)
        prefix = cache.open(tokens, found, 0)
        assert prefix is not None
        at = np.arange(found.shared, len(tokens))
        table.place(at, np.full(len(at), prefix.sequence))
        seen, mask = table.seen(at, np.full(len(at), prefix.sequence))
        positions = table._positions[seen]
        for row, own in enumerate(at):
            assert sorted(positions[mask[row]]) == list(range(own + 1))
        windowed = table.seen(at, np.full(len(at), prefix.sequence), 5)[1]
        assert windowed.sum(axis=1).max() == min(5, len(tokens))
        assert mask.shape[1] % STEP == 0
        prefix.computed = len(tokens)
        cache.release()


@given(
    st.lists(st.floats(-20, 20), min_size=1, max_size=40),
    st.floats(0.1, 3),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_what_may_be_drawn_is_the_likely_head(
    logits: list[float], temperature: float, top_p: float, min_p: float
) -> None:
    ranked = np.sort(np.array(logits))[::-1]
    kept = kept_shares(ranked, Sampling(temperature, top_p=top_p, min_p=min_p))
    assert 1 <= len(kept) <= len(logits)
    assert kept[0] == kept.max()
    assert all(kept >= min_p * kept[0])
    assert kept[:-1].sum() < max(top_p, 1e-9) or len(kept) == 1


class Fixed:
    """Logits that stay as they are."""

    def top(self, row: int, k: int) -> Top:
        logits = np.log(np.array([0.4, 0.3, 0.2, 0.1]))
        return np.array([7, 5, 3, 1])[: k or 4], logits[: k or 4]


def test_tokens_are_drawn_as_often_as_they_are_likely() -> None:
    draws = Draws(Fixed(), Sampling(1.0, top_p=0.95, top_k=3), seed=-4)
    drawn = [draws.draw(0) for _ in range(3000)]
    shares = {token: drawn.count(token) / 3000 for token in (7, 5, 3)}
    assert sum(shares.values()) == 1
    for token, share in ((7, 4 / 9), (5, 3 / 9), (3, 2 / 9)):
        assert shares[token] == pytest.approx(share, abs=0.04)
    again = Draws(Fixed(), Sampling(1.0, top_p=0.95, top_k=3), seed=-4)
    assert [again.draw(0) for _ in range(20)] == drawn[:20]

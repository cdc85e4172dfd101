"""FB-RAG against examples worked by hand, and its samples on a real model."""

from __future__ import annotations

import numpy as np
import pytest

from engine.generation.lookahead import Sample, parse
from engine.strategies.fb_rag import FBRag

BACKWARD = np.array([4.0, 2.0, 0.0])
FORWARD = np.array([[0.0, 6.0, 1.0], [2.0, 0.0, 5.0]])


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        # eta = (0.5, 0.5), maximum: 0.5*4 + 0.5*2, 0.5*2 + 0.5*6, 0.5*0 + 0.5*5
        (FBRag(backward=0.5, forward=0.5, over_samples="max"), [3.0, 4.0, 2.5]),
        (FBRag(backward=0.5, forward=0.5, over_samples="mean"), [2.5, 2.5, 1.5]),
        (FBRag(backward=0.0, forward=1.0, over_samples="max"), [2.0, 6.0, 5.0]),
        (FBRag(backward=1.0, forward=0.0), [4.0, 2.0, 0.0]),
    ],
)
def test_scores_by_hand(strategy: FBRag, expected: list[float]) -> None:
    assert strategy.combine(BACKWARD, strategy.over(FORWARD)).tolist() == expected


@pytest.mark.parametrize(
    ("reply", "sample"),
    [
        (" It says so. \nAnswer: 42", Sample("It says so.", "42")),
        ("It says so.", Sample("It says so.", "")),
        ("A. answer : 1 Answer: 2", Sample("A.", "1 Answer: 2")),
        ("", Sample("", "")),
    ],
)
def test_a_sample_without_the_form_is_text(reply: str, sample: Sample) -> None:
    assert parse(reply) == sample
    assert parse(reply).text == f"{sample.rationale} {sample.answer}".strip()

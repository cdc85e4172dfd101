"""What a passage bears out is cited, and what it does not is not, in the forms people write."""

from __future__ import annotations

import pytest

from engine.checking.citation_check import check
from tests.support.builders import passage
from tests.support.citing_pairs import MORE, SCENES, Scene

BESIDE = "Subject: Lunch\n\nLunch is at Trattoria Rosa on Friday."
"""Another passage that the model saw."""


def is_grounded(scene: Scene, answer: str) -> bool:
    marked = answer if "[1]" in answer else f"{answer} [1]"
    evidence = [passage(scene.passage), passage(BESIDE)]
    return check(marked, evidence, scene.question).grounded == "grounded"


TRUE = [(scene, answer) for scene in (*SCENES, *MORE) for answer in scene.true]
FALSE = [(scene, answer) for scene in (*SCENES, *MORE) for answer in scene.false]


@pytest.mark.parametrize(("scene", "answer"), TRUE, ids=[answer for _, answer in TRUE])
def test_what_a_passage_says_is_cited(scene: Scene, answer: str) -> None:
    assert is_grounded(scene, answer)


@pytest.mark.parametrize(("scene", "answer"), FALSE, ids=[answer for _, answer in FALSE])
def test_what_a_passage_does_not_say_is_not_cited(scene: Scene, answer: str) -> None:
    assert not is_grounded(scene, answer)

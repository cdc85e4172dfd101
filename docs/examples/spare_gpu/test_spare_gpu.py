"""The runtime is found by its name, and what it loads keeps to what all generators keep to.

ASKANCE_TEST_MODEL names a GGUF file of a small chat model for it: SmolLM2-135M-Instruct will do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from askance_spare_gpu import SPARE_GPU

from models import foreign
from models.protocols import Generator
from models.testing import EndContract, GeneratorContract

FILE = os.environ.get("ASKANCE_TEST_MODEL", "")
needs_a_model = pytest.mark.skipif(not FILE, reason="ASKANCE_TEST_MODEL is not set")


def test_it_is_found_by_its_name() -> None:
    assert "spare_gpu" in foreign.found()
    assert foreign.runtime("spare_gpu") is SPARE_GPU


@needs_a_model
class TestSpareGpu(GeneratorContract):
    @pytest.fixture(scope="class")
    def model(self) -> Iterator[Generator]:
        model = SPARE_GPU.load(Path(FILE), "small", 1024)
        yield model
        model.close()


@needs_a_model
class TestItsEnd(EndContract):
    @pytest.fixture
    def model(self) -> Generator:
        return SPARE_GPU.load(Path(FILE), "small", 1024)

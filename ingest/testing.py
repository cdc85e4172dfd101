"""For tests of readers: what every reader keeps to.

A test file makes a subclass of `ReaderContract` with a name that pytest collects and a fixture
`reader`, and names a whole sample. What is tested is the installed reader, in the process that has
locked itself down, as a person's files are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from ingest.damage import DAMAGED
from ingest.files import UnreadableError
from ingest.foreign import Reader, readers
from ingest.item import Filters, Item, Kind, Locator, People, Skipped
from ingest.origin import Origin
from ingest.reading.session import Session

NOT_ITS_OWN = (b"", b"A plain text about nothing.\n", b"\x89PNG\r\n\x1a\n", b"\0" * 64)


def read(paths: Sequence[Path]) -> list[Item | Skipped]:
    """Return what locked-down processes read of files, with installed readers."""
    with Session() as session:
        return list(session.read(paths, Filters()))


class ReaderContract:
    """The tests that every reader passes."""

    name: ClassVar[str]
    """Name of the sample's file."""
    sample: ClassVar[bytes]
    holds: ClassVar[str]
    """Words in the text of the sample."""
    not_its_own: ClassVar[tuple[bytes, ...]] = NOT_ITS_OWN
    """Files that the reader leaves to others, whatever their names."""

    def test_it_is_installed(self, reader: Reader) -> None:
        loaded, broken = readers()
        assert reader in loaded.values()
        assert not broken

    def test_it_takes_its_own_files_and_no_others(self, reader: Reader) -> None:
        assert reader.takes(self.sample[:4096], self.name)
        assert not [data for data in self.not_its_own if reader.takes(data[:4096], "a-file")]

    def test_it_yields_documents_with_the_text(self, reader: Reader) -> None:
        items = list(reader.read(self.sample, origin(self.name)))
        assert any(self.holds in item.text for item in items)
        assert {item.kind for item in items} == {Kind.DOCUMENT}

    def test_a_damaged_file_raises_what_is_expected_of_it(self, reader: Reader) -> None:
        for cut in range(0, len(self.sample), max(1, len(self.sample) // 40)):
            for data in (self.sample[:cut], self.sample[cut:], self.sample[:cut] + b"\xff\0" * 9):
                try:
                    list(reader.read(data, origin(self.name)))
                except (UnreadableError, *DAMAGED):
                    continue

    def test_it_works_in_a_process_that_can_open_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / self.name
        path.write_bytes(self.sample)
        items = [one for one in read([path]) if isinstance(one, Item)]
        assert any(self.holds in item.text for item in items)
        assert {item.locator.path for item in items} == {path}


def origin(name: str) -> Origin:
    """Return the origin of a file that does not exist."""
    return Origin(name, None, People(), Locator(Path("/nowhere", name)))

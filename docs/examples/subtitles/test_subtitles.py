"""The reader keeps to what all readers keep to, and reads what is said."""

from __future__ import annotations

import pytest
from askance_subtitles import SUBTITLES

from ingest.foreign import Reader
from ingest.testing import ReaderContract, origin


class TestSubtitles(ReaderContract):
    name = "film.srt"
    sample = (
        b"1\r\n00:00:01,000 --> 00:00:03,000\r\nThe lease of the boathouse\r\nends in May.\r\n\r\n"
        b"2\r\n00:00:04,000 --> 00:00:05,500\r\nThen we row.\r\n"
    )
    holds = "The lease of the boathouse ends in May."

    @pytest.fixture
    def reader(self) -> Reader:
        return SUBTITLES

    def test_each_caption_is_a_record(self, reader: Reader) -> None:
        [item] = reader.read(self.sample, origin(self.name))
        begun = [item.text[begin:].split("\n")[0] for begin in item.records]
        assert begun == ["The lease of the boathouse ends in May.", "Then we row."]

"""300 odd files, and what becomes of each: `odd/table.toml` was written before they were read."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from ingest.item import Item, Skipped
from ingest.reading.in_process import read
from ingest.reading.session import Session
from tests.odd.make import functions, make

TABLE = tomllib.loads((Path(__file__).parent / "odd" / "table.toml").read_text("utf-8"))
NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)
ZONE = ZoneInfo("Europe/Berlin")
NOBODY = 65534
UNSEEN = "\0\x1b\u200b\u202a\u202d\u202e\u2066\u2069\ufeff"


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with Session(workers=2) as session:
        yield session


@pytest.mark.parametrize("name", TABLE)
def test_an_odd_file_ends_as_expected(
    name: str, tmp_path: Path, home: Path, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = TABLE[name]
    if not any("timeout" in reasons for reasons in row.get("skipped", ())):
        # A busy machine may keep a reader waiting for longer than what counts as hung.
        monkeypatch.setattr("ingest.reading.process.SILENCE", 60.0)
    source = make(row.get("made_by", name), tmp_path / "odd" / row["name"])
    if name.startswith("unreadable"):
        assert _reasons_for_nobody(source) == list(row["skipped"])
        source.chmod(0o700)
        return
    before = _tree(source.parent)
    outcome = list(session.read([source], zone=ZONE, now=NOW))
    items = [one for one in outcome if isinstance(one, Item)]
    skipped = [one for one in outcome if isinstance(one, Skipped)]
    assert outcome, "neither read nor skipped"
    _check_counts(row.get("read", {}), Counter(item.kind.value for item in items))
    _check_counts(row.get("skipped", {}), Counter(skip.reason.value for skip in skipped))
    _check_text(row, items, bool(skipped))
    _check_marks(row, items)
    for item in items:
        assert not set(UNSEEN) & set(item.text + item.title)
        assert item.when is None or item.when.tzinfo is not None
    assert all(skip.remedy for skip in skipped)
    assert _tree(source.parent) == before
    assert list((home / "tmp").iterdir()) == []


def test_every_odd_file_has_an_expectation() -> None:
    expected = {row.get("made_by", name) for name, row in TABLE.items()}
    assert expected == functions()
    assert len(TABLE) >= 100


def _check_counts(expected: dict[str, int | list[int]], counts: Counter[str]) -> None:
    """Compare numbers by kind or reason; a name such as `a|b` stands for both together."""
    left = dict(counts)
    for names, number in expected.items():
        least, most = number if isinstance(number, list) else (number, number)
        total = sum(left.pop(name, 0) for name in names.split("|"))
        assert least <= total <= most, f"{total} {names} of {dict(counts)}"
    assert not left, f"unexpected {left}"


def _check_text(row: dict[str, Any], items: list[Item], is_partial: bool) -> None:
    text = "\n".join(item.text for item in items)
    shown = repr(text[:2000])
    for words in row.get("says", []):
        assert words in text, f"{words!r} is not in {shown}"
    for words in row.get("never", []):
        assert words not in text, f"{words!r} is in {shown}"
    for words in row.get("once", []):
        assert text.count(words) == 1, f"{words!r} {text.count(words)} times in {shown}"
    order = [text.find(words) for words in row.get("order", [])]
    assert -1 not in order, shown
    assert order == sorted(order), shown
    for words in row.get("lines", []):
        assert any(_in_order(line, words) for line in text.splitlines()), f"{words} in {shown}"
    assert is_partial or row.get("ends", "") in text, "cut, and not said to be"
    assert len(text) <= row.get("longest", len(text))


def _in_order(line: str, words: list[str]) -> bool:
    places = [line.find(word) for word in words]
    return -1 not in places and places == sorted(places)


def _check_marks(row: dict[str, Any], items: list[Item]) -> None:
    if "at" in row:
        assert any(_is_there(item, **row["at"]) for item in items), [i.locator for i in items]
    if row.get("hidden"):
        assert any(item.hidden_removed or item.flags for item in items)
    if "shelf" in row:
        assert [item.shelf for item in items] == [row["shelf"]] * len(items)
    if "quoted" in row:
        spans = [item.text[begin:end] for item in items for begin, end in item.quoted]
        assert any(row["quoted"] in span for span in spans), spans
        assert not any(words in span for words in row["says"] for span in spans)
    if "when" in row:
        when = None if row["when"] == "none" else datetime.fromisoformat(row["when"])
        assert when in [item.when for item in items], [item.when for item in items]
    if "records" in row:
        assert [len(item.records) for item in items] == [row["records"]]


def _is_there(
    item: Item, says: str, page: int | None = None, sheet: str = "", member: str = ""
) -> bool:
    at = item.text.find(says)
    if at < 0:
        return False
    pages = sum(start <= at for start in item.pages)
    return (
        page in (None, pages)
        and sheet in (item.locator.sheet or "")
        and member in (item.locator.member or "")
    )


def _tree(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def _reasons_for_nobody(source: Path) -> list[str]:
    """Return why `source` is skipped for a user who may not read it; root may read everything."""
    before = os.geteuid()
    if before == 0:
        for parent in source.parents[:-2]:
            parent.chmod(parent.stat().st_mode | 0o55)
        os.seteuid(NOBODY)
    try:
        return [str(one.reason) for one in read([source], zone=ZONE) if isinstance(one, Skipped)]
    finally:
        os.seteuid(before)

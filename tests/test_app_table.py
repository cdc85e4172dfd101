"""How a computed answer is shown: its plan, bars for groups, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli import main
from app.output.table import table_lines, table_object
from engine.values import Passage, TableRow, TableShown, TableUnread
from ingest.item import Item, Kind, Locator, People
from models.roles import ModelSet
from tests.support.toy_asking import answered_by

MAIL = Item(
    Kind.MAIL, "Lease", None, People(), "Subject: Lease\n\nHello.", Locator(Path("/in.mbox"))
)
SOURCE = Passage(MAIL, 0, 14)


def shown(*numbers: float, label: str = "March", chart: bool = True) -> TableShown:
    rows = tuple(
        TableRow(f"{label} {at}", f"{number:g} mails", number, (SOURCE,))
        for at, number in enumerate(numbers)
    )
    unread = (TableUnread("month", SOURCE),)
    columns = ("month", "count")
    return TableShown("count mail by month", "", columns, rows, 9, ("a remark",), chart, unread)


def test_bars_are_as_long_as_their_share_of_the_largest() -> None:
    lines = list(table_lines(shown(30, 15, 0)))
    assert lines[0] == "Computed by the plan: count mail by month"
    assert [line.count("█") for line in lines[1:4]] == [30, 15, 0]
    assert "▏" in lines[3]
    assert lines[1].endswith("30 mails")
    assert lines[-1] == "  a remark"


def test_a_single_result_has_no_bars_and_long_labels_are_cut() -> None:
    assert not any("█" in line for line in table_lines(shown(3, chart=False)))
    assert "…" in list(table_lines(shown(3, 2, 1, label="x" * 50)))[1]


def test_nothing_is_drawn_where_lines_are_read_aloud() -> None:
    assert list(table_lines(shown(3, 2), bars=False)) == [
        "Computed by the plan: count mail by month",
        "  a remark",
    ]


def test_what_a_file_says_cannot_steer_the_terminal() -> None:
    assert "\x1b" not in "".join(table_lines(shown(1, 2, 3, label="\x1b[31m")))


def test_the_table_is_an_object_with_a_source_a_row() -> None:
    found = table_object(shown(2))
    assert found is not None
    source = {"kind": "mail", "title": "Lease", "path": "/in.mbox", "start": 0, "end": 14}
    written = json.loads(json.dumps(found))
    assert written["rows"] == [{"label": "March 0", "value": "2 mails", "sources": [source]}]
    assert written["unread"] == [{"lacks": "month", **source}]
    assert table_object(None) is None


def test_a_plan_that_is_none_is_refused_before_anything_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code = main(["ask", "anything", str(tmp_path), "--plan", "count spoons", "--json"])
    said = json.loads(capsys.readouterr().out)["error"]
    assert code == 2
    assert said["kind"] == "plan_refused"
    assert "spoons" in said["message"]


MESSAGE = """From - Mon Mar  2 09:00:00 2026
From: Kim <kim@sato.example>
To: jo@lane.example
Date: Mon, 2 Mar 2026 09:00:00 +0000
Message-ID: <{name}@sato.example>
Subject: {name}

Hello from the harbour.

"""


def test_what_was_left_out_stands_in_the_object(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fake_models: Callable[..., ModelSet],
) -> None:
    answered_by(monkeypatch, fake_models)
    (tmp_path / "Inbox").write_text(MESSAGE.format(name="Kept"))
    (tmp_path / "Trash").write_text(
        MESSAGE.format(name="Kept") + MESSAGE.format(name="Thrown") + MESSAGE.format(name="Away")
    )

    def asked(plan: str) -> dict[str, Any]:
        assert main(["ask", "How many?", str(tmp_path), "--plan", plan, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)["table"]
        return found

    found = asked("count mail from:kim")
    assert found["value"] == "1"
    assert found["remarks"] == [
        "left out, in Trash: 2; ask for them with shelf:trash, with the rest by shelf:any"
    ]
    found = asked("count mail from:kim shelf:any")
    assert (found["value"], found["remarks"]) == ("3", [])

"""Documents: text and records."""

from __future__ import annotations

import json
import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from engine.retrieval.passages import split_item
from ingest.item import Filters, Item, Kind, Reason, Skipped
from ingest.reading.in_process import read


def items_of(*paths: Path) -> list[Item]:
    return [item for item in read(paths, zone=UTC) if isinstance(item, Item)]


def skipped_of(*paths: Path) -> list[Skipped]:
    return [skip for skip in read(paths, zone=UTC) if isinstance(skip, Skipped)]


def test_text_keeps_its_lines_and_is_dated_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(b"# Notes\r\n\r\nRent is due.\r\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (item,) = items_of(path)
    assert item.text == "# Notes\n\nRent is due.\n"
    assert (item.kind, item.title, item.lined) == (Kind.DOCUMENT, "notes.md", True)
    assert item.when == datetime.fromtimestamp(1_700_000_000, UTC)
    assert item.locator.line == 1
    line = item.locator.line + item.text.count("\n", 0, item.text.index("Rent"))
    assert path.read_bytes().splitlines()[line - 1] == b"Rent is due."


def test_binary_files_are_unsupported_and_say_why(tmp_path: Path) -> None:
    samples = {
        "a.bin": bytes(range(256)) * 4,
        "b.ps": b"%!PS-Adobe-3.0",
        "c.txt": b"text\0with\0zero bytes in it",
    }
    for name, data in samples.items():
        (tmp_path / name).write_bytes(data)
    found = {skip.path.name: skip for skip in skipped_of(tmp_path)}
    assert {skip.reason for skip in found.values()} == {Reason.UNSUPPORTED}
    assert found.keys() == samples.keys()
    assert "PostScript" in found["b.ps"].remedy


def test_json_lines_are_items_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    path.write_text(
        '{"title": "Lime", "text": "Green\\nfruit"}\n\nnot json\n'
        '{"who": "Ana", "paid": {"eur": 900, "on": ["Mon", "Tue"]}, "ok": true}\n[1, 2]\n'
    )
    found = items_of(path)
    assert [(i.title, i.text, i.locator.line) for i in found] == [
        ("Lime", "Green\nfruit", 1),
        ("facts.jsonl, line 4", "who: Ana\npaid.eur: 900\npaid.on: Mon, Tue\nok: true", 4),
        ("facts.jsonl, line 5", "1, 2", 5),
    ]
    assert [(s.reason, s.member) for s in skipped_of(path)] == [(Reason.CORRUPT, "line 3")]
    assert not found[0].lined


def test_rows_that_name_no_columns_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Tests without a network,\nWrite to:,ana@x.invalid\n")
    (table,) = items_of(tmp_path / "a.csv")
    assert table.records == ()
    assert [p.text for p in split_item(table)] == [
        "Tests without a network\nWrite to: | ana@x.invalid"
    ]


def test_rows_of_markdown_name_their_columns_on_their_lines(tmp_path: Path) -> None:
    lines = (
        "# Doors",
        "| Door | Code |",
        "|:-----|-----:|",
        "| Boathouse | 47\\|11 |",
        "Yard | | spare",
        "",
        "| no | table |",
        "Name | Paid",
        "--- | ---",
        "Ana | 900",
    )
    (tmp_path / "a.md").write_text("\n".join(lines))
    (note,) = items_of(tmp_path / "a.md")
    assert note.text.split("\n") == [
        *lines[:3],
        "Door: Boathouse | Code: 47|11",
        "Door: Yard | spare",
        *lines[5:9],
        "Name: Ana | Paid: 900",
    ]
    assert note.lined


@pytest.mark.parametrize(
    ("upper", "lower", "read"),
    [
        (
            ",2023,,2022,",
            "Month,Rent,Heat,Rent,Heat",
            "Month: May | 2023, Rent: 900 | 2023, Heat: 60 | 2022, Rent: 850 | 2022, Heat: 70",
        ),
        (
            "Month,Rent,Heat,Both,",
            ",,,Paid,Due",
            "Month: May | Rent: 900 | Heat: 60 | Both, Paid: 850 | Both, Due: 70",
        ),
        (",,2023,,2022", "Month,Rent,Heat,Rent,Heat", "May | 900 | 60 | 850 | 70"),
    ],
    ids=["groups", "one group", "uncertain groups"],
)
def test_a_header_of_two_rows_names_groups_too(
    tmp_path: Path, upper: str, lower: str, read: str
) -> None:
    rows = (upper, lower, "May,900,60,850,70", "June,910,20,860,30", "")
    (tmp_path / "a.csv").write_text("\n".join(rows))
    (table,) = items_of(tmp_path / "a.csv")
    assert table.text.split("\n")[2] == read


def test_a_group_may_stand_over_its_last_column(tmp_path: Path) -> None:
    rows = (
        "In euros,,Rent and heat 2023,,,Rent and heat 2022",
        ",Rent,Heat,,Rent,Heat",
        "May,900,60,,850,70",
        "June,910,20,,860,30",
        "",
    )
    (tmp_path / "a.csv").write_text("\n".join(rows))
    (table,) = items_of(tmp_path / "a.csv")
    assert table.text.split("\n")[2].split(" | ") == [
        "In euros: May",
        "Rent and heat 2023, Rent: 900",
        "Rent and heat 2023, Heat: 60",
        "Rent and heat 2022, Rent: 850",
        "Rent and heat 2022, Heat: 70",
    ]


def test_names_add_no_more_than_fits(tmp_path: Path) -> None:
    name = "x" * 1_000_000
    rows = "".join(f"| {n} | b |\n" for n in range(9))
    (tmp_path / "a.md").write_text(f"| {name} | B |\n|---|---|\n{rows}")
    (note,) = items_of(tmp_path / "a.md")
    assert len(note.text) < 6_000_000
    assert note.text.rstrip().endswith("| 8 | b |")


def test_a_long_line_of_blanks_in_markdown_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("| a | b |\n" + " " * 1_000_000 + "x\n|---|---|\n")
    assert items_of(tmp_path / "a.md")[0].text.startswith("| a | b |")


def test_a_row_of_data_is_no_caption(tmp_path: Path) -> None:
    rows = (
        "Who,Hired,Paid",
        "Ana,2019,900",
        "",
        "Bo,May,800",
        "Who,Hired,Paid",
        "Cem,June,700",
        "",
    )
    (tmp_path / "a.csv").write_text("\n".join(rows))
    (table,) = items_of(tmp_path / "a.csv")
    assert [line for line in table.text.split("\n") if line.startswith("Who: ")] == [
        "Who: Ana | Hired: 2019 | Paid: 900",
        "Who: Bo | Hired: May | Paid: 800",
        "Who: Cem | Hired: June | Paid: 700",
    ]


def test_members_and_rows_are_records(tmp_path: Path) -> None:
    data = {f"key {n}": {"value": [n, "}{"]} for n in range(3)}
    (tmp_path / "a.json").write_text(json.dumps(data, indent=2))
    (tmp_path / "b.csv").write_text('name,note,paid\nAna,"two\nlines",9\nBo,one,8\n')
    (tmp_path / "c.jsonl").write_text(json.dumps({"title": "t", "text": json.dumps(data)}) + "\n")
    (tmp_path / "d.json").write_text('{"broken": ')
    nested, table, line, broken = items_of(*sorted(tmp_path.iterdir()))
    for item in (nested, line):
        assert [item.text[at : at + 7] for at in item.records] == ['"key 0"', '"key 1"', '"key 2"']
    assert table.text == (
        "name | note | paid\nname: Ana | note: two\nlines | paid: 9\n"
        "name: Bo | note: one | paid: 8\n"
    )
    assert [table.text[at : at + 9] for at in table.records] == [
        "name | no",
        "name: Ana",
        "name: Bo ",
    ]
    assert table.lined
    assert broken.records == ()
    assert broken.text == '{"broken": '


def test_documents_are_filtered_by_the_date_of_their_file(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("words")
    os.utime(path, (0, 0))
    later = read([path], Filters(since=date(2020, 1, 1)), zone=UTC)
    assert list(later) == []
    assert later.tally.pruned == 1
    assert len(list(read([path], Filters(until=date(1970, 1, 1)), zone=UTC))) == 1


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_rows_name_their_columns_and_keep_their_lines(tmp_path: Path, sign: str) -> None:
    rows = (("Who", "Paid", "On"), ("Ana", "900", "2026-11-17"), (), ("Bo", "", "2026-11-18"))
    (tmp_path / "a.csv").write_text("\n".join(sign.join(row) for row in rows))
    (item,) = items_of(tmp_path / "a.csv")
    assert item.text == (
        "Who | Paid | On\nWho: Ana | Paid: 900 | On: 2026-11-17\n\nWho: Bo | On: 2026-11-18"
    )
    assert [item.text[at:].split("\n")[0] for at in item.records] == [
        line for line in item.text.split("\n") if line
    ]


def test_latex_loses_its_comments_and_keeps_its_lines(tmp_path: Path) -> None:
    source = "\\section{Rent}\n% a secret\n10\\% of it % more\n\\begin{verbatim}\n% kept\n"
    (tmp_path / "a.tex").write_text(source + "\\end{verbatim}\n")
    (item,) = items_of(tmp_path / "a.tex")
    assert item.text == (
        "\\section{Rent}\n\n10\\% of it \n\\begin{verbatim}\n% kept\n\\end{verbatim}\n"
    )
    assert (item.hidden_removed, item.lined) == (len("asecretmore"), True)


def test_notebooks_are_cells_with_what_they_printed(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Rent\n", "for June"]},
        {
            "cell_type": "code",
            "source": "1 / 0",
            "outputs": [
                {"output_type": "stream", "text": ["almost\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
                {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "by zero"},
            ],
        },
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"nbformat": 4, "cells": cells}))
    (item,) = items_of(tmp_path / "a.ipynb")
    assert item.text == ("# Rent\nfor June\n\n1 / 0\n\nalmost\n\n\nZeroDivisionError: by zero")
    assert [item.text[at:][:3] for at in item.records] == ["# R", "1 /"]


def test_what_is_too_long_is_cut_and_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.documents.records.TEXT_LIMIT", 12)
    (tmp_path / "a.txt").write_text("first line\nsecond line\n")
    assert [item.text for item in items_of(tmp_path / "a.txt")] == ["first line\n"]
    assert [skip.reason for skip in skipped_of(tmp_path / "a.txt")] == [Reason.TOO_LARGE]

"""Tables on scanned pages: row by row, whatever order Tesseract reads them in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.item import Item
from ingest.pdf.pdfium import PdfiumDocument
from ingest.reading.session import Session
from ingest.scans.tables import PrintedWord, with_tables
from ingest.sieve import ReadingBudget
from tests.odd.pdf import line, paged
from tests.support.drawn_tables import STATEMENT, rows

LEFT = (100, 300, 600, 760, 920)
"""Dots from which columns begin."""


def printed(said: str, left: float, top: float, after: str = "\n") -> list[PrintedWord]:
    """Return the words of a line; `after` is what stands before it."""
    words = []
    for word in said.split():
        right = left + 12 * len(word)
        words.append(PrintedWord(word, after, left, right, top, top + 24))
        left, after = right + 8, " "
    return words


def column_by_column(table: Sequence[Sequence[str]]) -> list[PrintedWord]:
    """Return the words of a table as Tesseract gives them: each column is a block of its own."""
    words = []
    for column, left in zip(zip(*table, strict=True), LEFT, strict=False):
        for number, cell in enumerate(column):
            words += printed(cell, left, 100 + 60 * number, "\n" if number else "\n\n")
    return words


def test_a_row_is_said_with_the_names_of_its_columns() -> None:
    read = with_tables(column_by_column(STATEMENT)).split("\n")
    assert read[0] == "Date | Text | Debit | Credit | Balance"
    assert read[2:4] == [
        "Date: 3 March | Text: Rent | Debit: 890.00 | Balance: 1,520.55",
        "Date: 5 March | Text: Salary | Credit: 2,955.10 | Balance: 4,475.65",
    ]


def test_words_beside_a_table_keep_their_place() -> None:
    before, after = printed("Statement of March", 100, 20), printed("Thanks", 100, 900, "\n\n")
    read = with_tables([*before, *column_by_column(STATEMENT), *after])
    assert read.startswith("Statement of March\n\nDate | Text")
    assert read.endswith("Balance: 4,265.65\n\nThanks")


def test_ruled_lines_are_no_words() -> None:
    words = column_by_column(STATEMENT)
    rule = PrintedWord("|", " ", 580, 584, 100, 340)
    barred = [replace(one, text=f"|{one.text}") if one.text == "890.00" else one for one in words]
    assert with_tables([rule, *barred]) == with_tables(words)


def test_a_dense_table_without_a_header_has_bars() -> None:
    table = (
        ("Base 128", "64,058", "800.73"),
        ("Base 256", "32,051", "400.64"),
        ("Base 512", "16,046", "200.58"),
    )
    assert with_tables(column_by_column(table)).split("\n") == [" | ".join(row) for row in table]


def test_an_amount_stays_with_what_it_is_for() -> None:
    bill = (("Milk 1 l", "1.20"), ("Rye bread", "2.40"), ("Total", "EUR 3.60"), ("Change", "-6.40"))
    read = with_tables([*printed("Harbour market", 100, 20), *column_by_column(bill)])
    assert read.split("\n") == ["Harbour market", "", *(" | ".join(row) for row in bill)]


@pytest.mark.parametrize(
    "table",
    [
        (("Dear Ada", "Yours"), ("the boat", "is here"), ("we leave", "on May 3")),
        (("we sold it in 1971 and", "then 3 cranes came by", "in 1980 the town had"),) * 4,
        (("1", "", ""), ("", "2", ""), ("", "", "3"), ("4", "", "")),
    ],
    ids=["two columns", "prose with years", "scattered"],
)
def test_what_is_no_table_is_left_to_tesseract(table: Sequence[Sequence[str]]) -> None:
    assert with_tables(column_by_column(table)) == ""
    assert with_tables([]) == ""


@given(
    st.lists(
        st.lists(
            st.sampled_from(["", "12", "Ada", "the crane", "|", "3.50"]), min_size=4, max_size=4
        ),
        min_size=1,
        max_size=7,
    )
)
def test_no_word_is_lost(table: list[list[str]]) -> None:
    words = column_by_column(table)
    read = with_tables(words)
    if read:
        said = read.replace(":", " ").replace("|", " ").split()
        for word in words:
            assert word.text == "|" or said.count(word.text) >= sum(
                one.text == word.text for one in words
            )


def test_a_scanned_statement_is_read_row_by_row(tmp_path: Path) -> None:
    from PIL import Image

    document = PdfiumDocument(paged(line(b"Account statement", 730) + rows(STATEMENT)), ())
    page = document.picture(0)
    document.close()
    assert page is not None
    shown = Image.frombytes("L", (page.width, page.height), page.dots, "raw", "L", page.stride)
    shown.save(tmp_path / "statement.png", dpi=(200, 200))
    with Session(workers=1) as session:
        budget = ReadingBudget(scans=600)
        [item] = [one for one in session.read([tmp_path], budget=budget) if isinstance(one, Item)]
    assert "Date: 3 March | Text: Rent | Debit: 890.00 | Balance: 1,520.55" in item.text
    assert item.text.startswith("Account statement\n")

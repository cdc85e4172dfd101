"""Tables in PDF: rows name their columns, whatever drew them, and no word is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.pdf.pdfium import PdfiumDocument
from ingest.placed.fragments import Box
from ingest.placed.tables import Tables
from tests.odd.pdf import line, paged
from tests.support.drawn_tables import LEFT, STATEMENT, rows


def pages(*contents: bytes) -> list[list[str]]:
    """Return the lines of each page."""
    document = PdfiumDocument(paged(*contents), ())
    read = [page.text.splitlines() for page in document.pages(len(contents))]
    document.close()
    return read


def test_an_empty_cell_does_not_move_the_others() -> None:
    before, after = line(b"Account statement", 730), line(b"Ask us about anything unclear.", 500)
    (read,) = pages(before + rows(STATEMENT) + after)
    assert [one.strip() for one in read] == [
        "Account statement",
        "Date | Text | Debit | Credit | Balance",
        "Date: 1 March | Text: Opening balance | Balance: 2,410.55",
        "Date: 3 March | Text: Rent | Debit: 890.00 | Balance: 1,520.55",
        "Date: 5 March | Text: Salary | Credit: 2,955.10 | Balance: 4,475.65",
        "Date: 9 March | Text: Dentist | Debit: 210.00 | Balance: 4,265.65",
        "Ask us about anything unclear.",
    ]


def test_lines_of_one_cell_are_joined() -> None:
    table = (
        ("Pos.", "Description", "Hours", "Amount"),
        ("1", "Survey of the north\nfield with a report", "12", "1,140.00"),
        ("2", "Travel", "3", "100.80"),
        ("3", "Hire of the pump in\nApril, with fuel", "8", "380.00"),
    )
    (read,) = pages(rows(table))
    assert read[1] == (
        "Pos.: 1 | Description: Survey of the north field with a report | Hours: 12"
        " | Amount: 1,140.00"
    )
    assert read[3].startswith("Pos.: 3 | Description: Hire of the pump in April, with fuel | ")
    assert len(read) == 4


def test_a_header_of_several_lines_is_one() -> None:
    table = (
        ("Inhibitor\nconcentration", "Resistance\nmeasured", "Corrosion\nrate"),
        ("0", "24.09", "2.81"),
        ("2", "121.44", "1.50"),
        ("4", "42.12", "0.94"),
    )
    (read,) = pages(rows(table))
    assert read[0] == "Inhibitor concentration | Resistance measured | Corrosion rate"
    assert read[2] == (
        "Inhibitor concentration: 2 | Resistance measured: 121.44 | Corrosion rate: 1.50"
    )


def test_a_row_with_an_empty_cell_is_not_taken_for_a_line_of_the_header() -> None:
    values = (
        ("", "Text", "Some"),
        ("Join", "Text", "4"),
        ("Wide", "Int", "1"),
        ("High", "Int", "2"),
    )
    table = (("Name", "Type", "Given"), *values)
    cells = [
        line(cell.encode(), 700 - 12 * at, size=b"10", x=LEFT[column])
        for at, row in enumerate(table)
        for column, cell in enumerate(row)
        if cell
    ]
    (read,) = pages(b"".join(cells))
    assert read[1:3] == ["Type: Text | Given: Some", "Name: Join | Type: Text | Given: 4"]


def test_groups_stand_before_the_names_of_their_columns() -> None:
    left = (72, 150, 200, 270, 320)
    groups = line(b"2023", 718, size=b"10", x=175) + line(b"2024", 718, size=b"10", x=295)
    table = (
        ("Region", "Units", "Revenue", "Units", "Revenue"),
        ("North", "120", "4,500", "140", "5,100"),
        ("South", "80", "3,000", "75", "2,900"),
    )
    (read,) = pages(groups + rows(table, left=left))
    assert read[2] == (
        "Region: North | 2023, Units: 120 | 2023, Revenue: 4,500"
        " | 2024, Units: 140 | 2024, Revenue: 5,100"
    )


def test_the_first_column_needs_no_name() -> None:
    left = (72, 230, 380)
    table = (("", "Sydney", "Melbourne"), ("Monday", "23", "15"), ("Tuesday", "28", "13"))
    (read,) = pages(rows(table, left=left))
    assert read == [
        "Sydney | Melbourne",
        "Monday | Sydney: 23 | Melbourne: 15",
        "Tuesday | Sydney: 28 | Melbourne: 13",
    ]


@pytest.mark.parametrize("repeated", [False, True])
def test_a_table_goes_on_overleaf(repeated: bool) -> None:
    rest = (STATEMENT[0], *STATEMENT[2:4]) if repeated else STATEMENT[2:4]
    first, second = pages(rows(STATEMENT), rows(rest))
    assert second[-2:] == first[2:4], "with the header of the page before"
    assert len(second) == len(rest)


def test_a_table_goes_on_where_a_column_stays_empty() -> None:
    first, *others = pages(rows(STATEMENT), rows(STATEMENT[1:3]), rows(STATEMENT[3:5]))
    assert [*others[0], *others[1]] == first[1:5]


def test_another_table_overleaf_has_no_header_of_this_one() -> None:
    other = (("4", "12", "7"), ("5", "13", "8"), ("6", "14", "9"))
    _, second = pages(rows(STATEMENT), rows(other, left=(90, 190, 330)))
    assert " ".join(second).split() == [cell for row in other for cell in row]


@pytest.mark.parametrize(
    "table",
    [
        pytest.param((("1", "200.1", "7"), ("2", "300.1", "8"), ("3", "4.1", "9")), id="no header"),
        pytest.param(
            (("Name:", "Ada", ""), ("Born:", "1815", ""), ("In:", "London", "")), id="form"
        ),
        pytest.param(
            (
                ("the harbour was", "a crane that was", "nobody knew why"),
                ("full of boats and", "sold to the town", "the lights had"),
                ("of people who had", "of Rotterdam in", "gone out before"),
            ),
            id="columns of prose",
        ),
    ],
)
def test_what_is_no_certain_table_stays_as_it_is(table: Sequence[Sequence[str]]) -> None:
    (read,) = pages(rows(table, left=(72, 220, 380)))
    assert " ".join(read).split() == " ".join(cell for row in table for cell in row).split()


def test_a_table_ends_where_words_without_a_table_go_on_below_it() -> None:
    methods = line(b"Methods", 622) + rows((("Return", "Name"), ("string", "open()")), top=600)
    calls = rows((("void", "close()"), ("void", "paint()"), ("text", "name()")), top=560)
    table = (("Name", "Type", "Default"), ("width", "unsigned", "300"), ("height", "long", "150"))
    (read,) = pages(rows(table, left=(72, 150, 300)) + methods + calls)
    assert read[2] == "Name: height | Type: long | Default: 150"
    assert "string open()" in read


def test_totals_are_not_named_by_the_columns_they_stand_in() -> None:
    totals = (("", "", "Net", "", "1,100.00"), ("", "", "VAT 19 %", "", "209.00"))
    (read,) = pages(rows((*STATEMENT, *totals)))
    assert read[-2:] == ["Net |  | 1,100.00", "VAT 19 % |  | 209.00"]


def test_hidden_letters_leave_a_table_as_text() -> None:
    unseen = b"1 1 1 rg " + line(b"Ignore the table.", 640) + b"0 g "
    (read,) = pages(unseen + rows(STATEMENT))
    assert "1 March Opening balance 2,410.55" in read


CELLS = st.sampled_from(["", "12", "3.50", "Ada", "the old crane", "Rent", "1,140.00", "x"])
PLACED = st.lists(
    st.tuples(st.lists(CELLS, min_size=1, max_size=5), st.integers(0, 30), st.integers(5, 40)),
    min_size=1,
    max_size=8,
)


@given(PLACED, st.integers(40, 120))
def test_no_word_is_lost_however_cells_stand(
    placed: list[tuple[list[str], int, int]], wide: int
) -> None:
    text, boxes, y = "", dict[int, Box](), 700.0
    for cells, indent, drop in placed:
        for column, cell in enumerate(cells):
            for at, letter in enumerate(f"{cell} " if cell else ""):
                x = 72.0 + indent + wide * column + 5 * at
                if letter != " ":
                    boxes[len(text)] = x, y, x + 5, y + 10
                text += letter
        text, y = f"{text}\n", y - drop
    tables = Tables()
    for _ in ("a page", "the next one"):
        read = tables.named(text, boxes.get)
        missing = Counter(text.split()) - Counter(read.replace(":", " ").split())
        assert not missing

"""Tables of documents: rows name their columns, cells that span others keep their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.html.spans import spread
from ingest.html.tags import SPAN
from tests.support.office_files import (
    A,
    P,
    R,
    docx,
    item_in,
    odf,
    packed,
    paragraph,
    relations,
    run,
)

FEES = (
    ("Course", "Teacher", "Fee"),
    ("Choir", "Ana", "900"),
    ("Chess", "", "60"),
    ("Free in May",),
)


def word_table(rows: tuple[tuple[str, ...], ...]) -> str:
    cells = (tuple(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{chr(32).join(row)}</w:tr>' for row in cells)}</w:tbl>"


def rich_table(rows: tuple[tuple[str, ...], ...]) -> bytes:
    lines = (r"\trowd\intbl " + "".join(rf"{text}\cell " for text in row) for row in rows)
    return (r"{\rtf1 " + "".join(rf"{line}\row" for line in lines) + r"\pard}").encode()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", docx(word_table(FEES))),
        ("a.rtf", rich_table(FEES)),
        (
            "a.html",
            "<table>"
            + "".join(f"<tr>{''.join(f'<td>{text}' for text in row)}" for row in FEES)
            + "</table>",
        ),
    ],
)
def test_rows_of_a_document_name_their_columns(
    tmp_path: Path, name: str, data: bytes | str
) -> None:
    text = item_in(tmp_path, name, data.encode() if isinstance(data, str) else data).text
    assert text.split("\n") == [
        "Course | Teacher | Fee",
        "Course: Choir | Teacher: Ana | Fee: 900",
        "Course: Chess | Fee: 60",
        "Free in May",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        (("Name", "Ana"), ("Age", "34"), ("Room", "12")),
        (("1. Choir", "Ana", "900"), ("2. Chess", "Ben", "60"), ("3. Chat", "Cem", "20")),
        (("Course", "Teacher", "Fee"), ("Choir", "Ana"), ("Chess", "Ben", "60")),
        (("Monday", "Choir", "Ana"), ("Tuesday", "Chess", "Choir"), ("Friday", "Choir", "")),
    ],
    ids=["form", "items", "joined cells", "no header"],
)
def test_rows_of_a_document_stay_as_they_are(
    tmp_path: Path, rows: tuple[tuple[str, ...], ...]
) -> None:
    text = item_in(tmp_path, "a.docx", docx(word_table(rows))).text
    assert text.split("\n") == [" | ".join(row).strip(" |") for row in rows]


def test_two_tables_are_set_apart(tmp_path: Path) -> None:
    table = word_table((("Choir", "Ana"), ("Chess", "Ben")))
    text = item_in(tmp_path, "a.docx", docx(table + table)).text
    assert text == "Choir | Ana\nChess | Ben\n\nChoir | Ana\nChess | Ben"


def test_an_empty_paragraph_ends_a_table(tmp_path: Path) -> None:
    towns = (("Town", "River", "Boat"), ("Porto", "Douro", "Ana"))
    table = rich_table(FEES)[:-1] + rb"\par " + rich_table(towns)[len(rb"{\rtf1 ") :]
    text = item_in(tmp_path, "a.rtf", table).text
    assert "Course: Choir" in text
    assert "Course: Town" not in text


def test_names_that_hide_the_cells_are_left_out(tmp_path: Path) -> None:
    names = tuple(f"{letter} {'of the boathouse ' * 4}" for letter in "ABC")
    text = item_in(tmp_path, "a.docx", docx(word_table((names, *([("1", "2", "3")] * 99))))).text
    assert text.split("\n")[-1] == "1 | 2 | 3"


def merged(text: str, columns: int = 1, merge: str = "") -> str:
    """Return a cell of Word; `merge` says whether one that spans rows restarts or continues."""
    span = f'<w:gridSpan w:val="{columns}"/>' if columns > 1 else ""
    down = f'<w:vMerge w:val="{merge}"/>' if merge else ""
    return f"<w:tc><w:tcPr>{span}{down}</w:tcPr>{paragraph(run(text))}</w:tc>"


SPANS = (
    (("Area", 1, 2), ("2023", 2, 1), ("2024", 2, 1)),
    (None, ("Units", 1, 1), ("Price", 1, 1), ("Units", 1, 1), ("Price", 1, 1)),
    (("North", 1, 2), ("120", 1, 1), ("4.50", 1, 1), ("140", 1, 1), ("5.10", 1, 1)),
    (None, ("80", 1, 1), ("3.00", 1, 1), ("75", 1, 1), ("2.90", 1, 1)),
    (("South", 1, 1), ("61", 1, 1), ("2.40", 1, 1), ("66", 1, 1), ("2.70", 1, 1)),
)
"""Text, columns and rows of each cell; None: one that goes on from above."""


def word_spans() -> bytes:
    rows = (
        "".join(merged(*(cell[:2] if cell else ("", 1)), _merge(cell)) for cell in row)
        for row in SPANS
    )
    return docx(f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>")


def _merge(cell: tuple[str, int, int] | None) -> str:
    if cell is None:
        return "continue"
    return "restart" if cell[2] > 1 else ""


def html_spans() -> bytes:
    rows = (
        "".join(f"<td colspan={cell[1]} rowspan='{cell[2]}'>{cell[0]}" for cell in row if cell)
        for row in SPANS
    )
    return f"<table>{''.join(f'<tr>{row}' for row in rows)}</table>".encode()


def odf_spans() -> bytes:
    covered = "<table:covered-table-cell/>"
    rows = (
        "".join(
            f'<table:table-cell table:number-rows-spanned="{cell[2]}">'
            f"<text:p>{cell[0]}</text:p></table:table-cell>{covered * (cell[1] - 1)}"
            if cell
            else covered
            for cell in row
        )
        for row in SPANS
    )
    inner = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    return odf("text", f"<office:text><table:table>{inner}</table:table></office:text>")


def slide_spans() -> bytes:
    def shown(text: str, more: str = "") -> str:
        return f"<a:tc {more}><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"

    rows = (
        "".join(
            shown(cell[0]) + shown("", 'hMerge="1"') * (cell[1] - 1)
            if cell
            else shown("", 'vMerge="1"')
            for cell in row
        )
        for row in SPANS
    )
    table = f"<a:tbl>{''.join(f'<a:tr>{row}</a:tr>' for row in rows)}</a:tbl>"
    graphic = f"<a:graphic><a:graphicData>{table}</a:graphicData></a:graphic>"
    tree = f"<p:spTree><p:graphicFrame>{graphic}</p:graphicFrame></p:spTree>"
    main = (
        f'<p:presentation {P} {R}><p:sldIdLst><p:sldId r:id="rId1"/></p:sldIdLst></p:presentation>'
    )
    return packed(
        {
            "[Content_Types].xml": "",
            "ppt/presentation.xml": main,
            "ppt/_rels/presentation.xml.rels": relations(("slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": f"<p:sld {A} {P}><p:cSld>{tree}</p:cSld></p:sld>",
        }
    )


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", word_spans()),
        ("a.html", html_spans()),
        ("a.odt", odf_spans()),
        ("a.pptx", slide_spans()),
    ],
)
def test_cells_that_span_others_keep_their_place(tmp_path: Path, name: str, data: bytes) -> None:
    rows = item_in(tmp_path, name, data).text.split("\n")
    assert rows[2:] == [
        "Area: North | 2023, Units: 120 | 2023, Price: 4.50 | 2024, Units: 140 | 2024, Price: 5.10",
        "Area: North | 2023, Units: 80 | 2023, Price: 3.00 | 2024, Units: 75 | 2024, Price: 2.90",
        "Area: South | 2023, Units: 61 | 2023, Price: 2.40 | 2024, Units: 66 | 2024, Price: 2.70",
    ]


def test_a_row_of_one_wide_cell_is_no_row_of_the_table(tmp_path: Path) -> None:
    cells = ["".join(map(merged, row)) for row in FEES]
    rows = "".join(f"<w:tr>{row}</w:tr>" for row in [*cells[:2], merged("In euros", 3), *cells[2:]])
    text = item_in(tmp_path, "a.docx", docx(f"<w:tbl>{rows}</w:tbl>")).text
    assert "\nIn euros\n" in text


def test_cells_that_span_columns_below_a_header_set_out_a_page(tmp_path: Path) -> None:
    rows = (
        ("Maine", "Ohio", "Utah"),
        ("North", "Ada"),
        ("Iowa", "Texas", "Idaho"),
        ("South", "Ben"),
    )
    html = "".join(
        "<tr>" + "".join(f"<td{' colspan=2' * (len(row) < 3)}>{cell}" for cell in row)
        for row in rows
    )
    text = item_in(tmp_path, "a.html", f"<table>{html}</table>".encode()).text
    assert text.split("\n") == [" | ".join(row) for row in rows]


def test_a_span_that_makes_no_sense_is_one_cell(tmp_path: Path) -> None:
    spans = ('colspan="0"', 'colspan="x"', 'rowspan="-1"', 'colspan="99999" rowspan="99999"')
    rows = "".join(f"<tr><td {span}>Choir<td>Ana<td>900" for span in spans)
    text = item_in(tmp_path, "a.html", f"<table>{rows}</table>".encode()).text
    assert text.split("\n") == ["Choir | Ana | 900"] * 4


def test_a_span_of_many_digits_loses_no_document(tmp_path: Path) -> None:
    many = "9" * 6000
    wide = merged("Choir", 2).replace('w:val="2"', f'w:val="{many}"') + merged("Ana")
    assert many in wide
    text = item_in(tmp_path, "a.docx", docx(f"<w:tbl><w:tr>{wide}</w:tr></w:tbl>")).text
    assert text == "Choir | Ana"
    high = f'<table:table-cell table:number-rows-spanned="{many}"><text:p>Choir</text:p>'
    row = f"<table:table-row>{high}</table:table-cell><table:table-cell/></table:table-row>"
    body = f"<office:text><table:table>{row}</table:table></office:text>"
    assert item_in(tmp_path, "a.odt", odf("text", body)).text == "Choir"


def test_a_cell_spans_so_many_rows_at_most() -> None:
    rows = [[f"{SPAN}99,99999{SPAN}Choir", "Ana"], *[["a", "b"]] * 3000]
    table, continued = spread(rows)
    assert len(table[1]) == 99 + 2
    assert max(continued) == 999
    assert table[-1] == ["a", "b"]

"""A bank statement, and tables drawn on the page of a PDF."""

from __future__ import annotations

from collections.abc import Sequence

from tests.odd.pdf import line

LEFT = (72, 150, 300, 370, 440)
"""Points from which columns begin."""
STATEMENT = (
    ("Date", "Text", "Debit", "Credit", "Balance"),
    ("1 March", "Opening balance", "", "", "2,410.55"),
    ("3 March", "Rent", "890.00", "", "1,520.55"),
    ("5 March", "Salary", "", "2,955.10", "4,475.65"),
    ("9 March", "Dentist", "210.00", "", "4,265.65"),
)


def rows(table: Sequence[Sequence[str]], top: int = 700, left: Sequence[int] = LEFT) -> bytes:
    """Return a table drawn row by row; a cell of several lines is drawn line by line."""
    drawn, y = b"", top
    for row in table:
        lines = [cell.split("\n") for cell in row]
        for x, cell in zip(left, lines, strict=False):
            for number, words in enumerate(cell):
                drawn += line(words.encode(), y - 12 * number, size=b"10", x=x) if words else b""
        y -= 12 * max(map(len, lines)) + 6
    return drawn

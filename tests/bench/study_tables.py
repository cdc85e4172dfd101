"""A long table whose rows name their columns, beside the same with a header alone.

    study_tables.py [--questions 24] [--pdf | --scanned]

The table is made up: 60 people, seven columns. Each question asks for one cell that a passage or
more lies below the header. Printed for both ways: what is right, and tokens and seconds a question.
With `--pdf` the table stands on pages, whose lines name no column where they are read as text; with
`--scanned` on pictures of pages, which Tesseract reads column by column.
"""

from __future__ import annotations

import argparse
import os
import random
import string
import time
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from statistics import mean, median
from unittest.mock import patch

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

from app.local_models.loader import model_set
from app.settings.config import load_config
from engine.answer import answer
from engine.evaluation.metrics import substring_match
from engine.events import Answered
from engine.retrieval.corpus import corpus_of
from engine.retrieval.passages import split
from engine.settings import Settings
from engine.values import Query
from ingest.item import Item, Kind, Locator, People
from ingest.layout.rows import named_lines
from ingest.pdf import pdfium
from ingest.placed.tables import Tables
from ingest.scans import tesseract
from ingest.scans.tables import with_tables

PEOPLE = 60
FROM = 15
"""The first person who is asked about; a passage holds some ten."""
ROWS_OF_A_PAGE = 35
ASKED = {
    "Hired": "In which year was {} hired?",
    "Salary 2022": "What was the salary of {} in 2022?",
    "Salary 2023": "What was the salary of {} in 2023?",
    "Bonus": "What bonus does {} get?",
    "Leave days": "How many leave days does {} have?",
    "Room": "In which room does {} work?",
}


def people() -> list[list[str]]:
    """Return a row for each person, under the columns "Employee" and those of `ASKED`."""
    chance = random.Random(0)
    firsts = [
        "Ada",
        "Ben",
        "Cem",
        "Dora",
        "Emil",
        "Fay",
        "Gus",
        "Hana",
        "Ivo",
        "Jana",
        "Karl",
        "Lea",
    ]
    lasts = ["Adler", "Berg", "Conti", "Dahl", "Ehlers", "Falk", "Grau", "Holm", "Ide", "Jung"]
    names = chance.sample([f"{first} {last}" for first in firsts for last in lasts], PEOPLE)
    return [
        [
            name,
            str(chance.randint(1998, 2021)),
            str(chance.randint(300, 899) * 100),
            str(chance.randint(300, 899) * 100),
            str(chance.randint(5, 99) * 10),
            str(chance.randint(20, 38)),
            f"{chance.choice(string.ascii_uppercase[:3])}{chance.randint(100, 499)}",
        ]
        for name in names
    ]


def asked(rows: list[list[str]], count: int) -> Iterator[tuple[str, str]]:
    """Yield questions with their answers, the columns in turn."""
    for number in range(count):
        row = rows[FROM + number * (PEOPLE - FROM) // count]
        column, words = list(enumerate(ASKED.values(), 1))[number % len(ASKED)]
        yield words.format(row[0]), row[column]


def pages(table: list[list[str]]) -> bytes:
    """Return a PDF of a table, the header on its first page alone."""
    writer = PdfWriter()
    font = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
    named = DictionaryObject({NameObject(key): NameObject(value) for key, value in font.items()})
    fonts = DictionaryObject({NameObject("/F"): writer._add_object(named)})
    for begin in range(0, len(table), ROWS_OF_A_PAGE):
        page = writer.add_blank_page(842, 595)
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        shown = StreamObject()
        shown.set_data(
            "\n".join(
                f"BT /F 10 Tf {60 + 105 * column} {540 - 14 * line} Td ({cell}) Tj ET"
                for line, row in enumerate(table[begin : begin + ROWS_OF_A_PAGE])
                for column, cell in enumerate(row)
            ).encode()
        )
        page[NameObject("/Contents")] = writer._add_object(shown)
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def recognised(table: list[list[str]], named: bool) -> list[str]:
    """Return the lines of pictures of pages, each with its header."""
    head, *rest = table
    read = list[str]()
    with patch.object(tesseract, "with_tables", with_tables if named else lambda _: ""):
        for begin in range(0, len(rest), ROWS_OF_A_PAGE - 1):
            page = pages([head, *rest[begin : begin + ROWS_OF_A_PAGE - 1]])
            document = pdfium.PdfiumDocument(page, ())
            picture = document.picture(0)
            document.close()
            assert picture is not None
            read += tesseract.words_in(picture).splitlines()
    return read


def lines_of(data: bytes, named: bool) -> list[str]:
    """Return the lines of a PDF as they are read; as they were before tables, if not `named`."""
    way = Tables.named if named else lambda _, text, __: text
    with patch.object(Tables, "named", way):
        document = pdfium.PdfiumDocument(data, ())
        read = "\n".join(page.text for page in document.pages(99))
        document.close()
    return read.splitlines()


def main() -> None:
    """Ask all questions in both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=24)
    parser.add_argument("--pdf", action="store_true")
    parser.add_argument("--scanned", action="store_true")
    given = parser.parse_args()
    models = model_set(load_config(os.environ))
    rows = people()
    table = [["Employee", *ASKED], *rows]
    ways = {"named": named_lines(table) or [], "plain": [" | ".join(row) for row in table]}
    if given.pdf:
        ways = {"named": lines_of(pages(table), True), "plain": lines_of(pages(table), False)}
    if given.scanned:
        ways = {"named": recognised(table, True), "plain": recognised(table, False)}
    for way, lines in ways.items():
        text = "\n".join(["Staff of the harbour office, 31 December 2023", "", *lines])
        place = Locator(Path("/staff.docx"))
        corpus = corpus_of(split([Item(Kind.DOCUMENT, "staff.docx", None, People(), text, place)]))
        right, tokens, seconds = list[float](), list[int](), list[float]()
        for question, gold in asked(rows, given.questions):
            began = time.perf_counter()
            *_, last = answer(Query(question), corpus, models, Settings())
            assert isinstance(last, Answered)
            seconds.append(time.perf_counter() - began)
            tokens.append(last.answer.usage.effective_context)
            shown = last.answer.certainty != "none"
            right.append(shown and substring_match(last.answer.text, (gold,)))
        print(
            f"{way}: right {mean(right):.3f} of {len(right)}, tokens {mean(tokens):.0f}, "
            f"end {median(seconds):.1f} s"
        )


if __name__ == "__main__":
    main()

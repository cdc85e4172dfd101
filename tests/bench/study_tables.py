"""A long table whose rows name their columns, beside the same with a header alone.

    study_tables.py [--questions 24]

The table is made up: 60 people, seven columns. Each question asks for one cell that a passage or
more lies below the header. Printed for both ways: what is right, and tokens and seconds a question.
"""

from __future__ import annotations

import argparse
import os
import random
import string
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

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

PEOPLE = 60
FROM = 15
"""The first person who is asked about; a passage holds some ten."""
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


def main() -> None:
    """Ask all questions in both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--questions", type=int, default=24)
    given = parser.parse_args()
    models = model_set(load_config(os.environ))
    rows = people()
    table = [["Employee", *ASKED], *rows]
    plain = [" | ".join(row) for row in table]
    for way, lines in (("named", named_lines(table) or []), ("plain", plain)):
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

"""A question is put in the words that tables are asked in."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from engine.sheets.completeness import lacks_cells
from engine.sheets.posed import posed
from engine.sheets.proposal import candidate
from engine.sheets.rows import tables_of
from engine.sheets.worded import as_tables_say
from ingest.item import Person
from tests.support.builders import mail, sheet
from tests.support.toy_compute import asking

IDA = Person("Ida Roos", "ida@x.example")
NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)
DUES = """\
Member | League | Fee | Paid | Due date
Member: Lund | League: Monday Men | Fee: 340 | Paid: No | Due date: 2026-10-31
Member: Sato | League: Monday Men | Fee: 340 | Paid: Yes | Due date: 2026-10-31
Member: Post | League: Monday Men | Fee: 100 | Paid: No | Due date: 2027-01-31
Member: June | League: Tuesday Ladies | Fee: 270 | Paid: No | Due date: 2026-10-31
"""
SPENT = """\
Date | Payee | Category | Amount
Date: 2026-08-02 | Payee: Farm | Category: Groceries | Amount: 31.50
Date: 2026-08-09 | Payee: Mill | Category: Groceries | Amount: 20
Date: 2026-09-02 | Payee: Farm | Category: Groceries | Amount: 12
Date: 2026-09-04 | Payee: Farm | Category: Groceries | Amount: 12
"""
INVOICES = """\
Invoice No | Date | Client | Amount
Invoice No: 1 | Date: 2026-10-02 | Client: Loewen | Amount: 900
Invoice No: 2 | Date: 2026-10-03 | Client: Loewen | Amount: 800
Invoice No: 3 | Date: 2026-10-04 | Client: Driscoll | Amount: 1,000
"""
MILES = """\
Date | Driver | Km | Claimed
Date: 2026-10-02 | Driver: Ida | Km: 12 | Claimed: Y
Date: 2026-10-03 | Driver: Ida | Km: 30 | Claimed: N
Date: 2026-10-04 | Driver: Bo | Km: 8 | Claimed: N
"""
CLAIMS = """\
Date | Name | Crew | Hours | Receipt | Sent
Date: 2026-10-02 | Name: Ida | Crew: Civils | Hours: 12 | Receipt: yes | Sent: 2026-10-09
Date: 2026-10-03 | Name: Bo | Crew: Civils | Hours: 30 | Receipt: no | Sent: not yet
Date: 2026-10-04 | Name: Cy | Crew: Wiring | Hours: 40 | Receipt: no
Date: Total | Hours: 82
"""
FILES = (
    sheet(CLAIMS, "claims.csv"),
    *(sheet(DUES, "dues.xlsx"), sheet(SPENT, "spending.xlsx")),
    *(sheet(INVOICES, "clinic_invoices.xlsx"), sheet(MILES, "mileage_log.csv")),
)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("total owing from Monday Men members", "total owing from Monday-Men members"),
        ("total owing from Monday morning", "total owing from Monday morning"),
        ("groceries total for august", "groceries total in August"),
        ("fee total for June", "fee total for June"),  # somebody's name
        ("what is overdue as of today", "what is overdue"),
        ("what was spent as of today", "what was spent until today"),
        ("what was spent up to now", "what was spent up to now"),
        ("what was spent by the end of August", "what was spent until August"),
        ("what was spent by the end of the week", "what was spent by the end of the week"),
        ("how much did we spend in August", "how much did we spend in August"),
    ],
)
def test_names_are_no_days_and_months_are(question: str, said: str) -> None:
    assert as_tables_say(question, list(tables_of(FILES))) == said


def test_a_query_may_say_no_more_than_cells_do() -> None:
    tables = {one.item.locator.path.name: one for one in tables_of(FILES)}
    for question, offered, listed in (
        ("how many claims have no receipt", (), ()),
        ("how many claims are not sent", (), ()),
        ("who in the claims has the most hours", (), ("name",)),
        ("who are the crews in the claims with most hours", (), ()),
    ):
        asked = posed(question, NOW.date())
        assert asked is not None
        found = candidate(asked, [tables["claims.csv"]], NOW.date())
        assert found is not None
        assert found.shape.empty == offered
        assert found.shape.listed == listed
    trips = replace(tables["mileage_log.csv"], rows=tables["mileage_log.csv"].rows[:1])
    assert not lacks_cells(trips, "Claimed")
    assert lacks_cells(trips, "Note")


@pytest.mark.parametrize(
    ("question", "line", "answer"),
    [
        ("total fees owing from Monday Men members not paid",
         "SUM(fee) FROM t WHERE league = 'Monday Men' AND paid = 'No'", "440 [1][2]"),
        # what is due later is open, and not overdue
        ("total of fees that are overdue from Monday Men members",
         "SUM(fee) FROM t WHERE league = 'Monday Men' AND paid = 'No'", "340 [1]"),
        ("groceries total for August", "", "51.50 [1][2]"),
        ("Which client had the biggest invoice in October?",
         "client FROM t ORDER BY amount DESC LIMIT 1", "Driscoll [1]"),
        ("Which client had the highest amounts in October?",
         "client FROM t GROUP BY client ORDER BY SUM(amount) DESC LIMIT 1", "Loewen [1]"),
        # "no" says it, and no empty cell; a state may be "not yet"
        ("how many claims have no receipt", "COUNT(*) FROM t WHERE receipt = 'no'", "2 [1][2]"),
        ("how many claims are not sent yet", "COUNT(*) FROM t WHERE sent = 'not yet'", "1 [1]"),
        # who: a name, and no crew
        ("who in the claims has the most hours", "name FROM t ORDER BY hours DESC LIMIT 1", "Cy"),
        ("dues: fees outstanding", "SUM(fee) FROM t WHERE paid = 'No'", "710 [1][2][3]"),
    ],
)  # fmt: skip
def test_tables_answer_them(fake_generator: Any, question: str, line: str, answer: str) -> None:
    ask = asking(fake_generator)
    found, _, _ = ask(
        question,
        (*FILES, mail("Hello", IDA, NOW)),
        generator=[f" {line}"],
        strategy="auto",
        now=NOW,
        own=(IDA.address,),
    )
    assert found.text.startswith(answer)


def test_of_several_people_ones_own_rows_are_meant(fake_generator: Any) -> None:
    def written(prompt: str, _: int) -> str:
        by_name = "driver = 'Ida' AND " if "of Ida trips" in prompt else ""
        return f" COUNT(*) FROM t WHERE {by_name}claimed = 'N'"

    ask = asking(fake_generator)
    found, _, _ = ask(
        "how many of my trips to the far coast have I not claimed yet in the mileage log",
        (*FILES, mail("Hello", IDA, NOW)),
        generator=written,
        strategy="auto",
        now=NOW,
        own=(IDA.address,),
    )
    assert found.text.startswith("1 [1]")
    assert "Ida Roos is taken to be meant" in found.text

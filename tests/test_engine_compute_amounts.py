"""Amounts that texts state: how they are written, chosen by a model, and added by currency."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from engine.compute.units import Quantity, amounts, by_unit
from engine.confidence.reasons import IN_PART, MIXED
from engine.values import Answer
from ingest.item import Item
from tests.support.builders import mail
from tests.support.toy_compute import BOB, JO, KIM, Ask, asking, day, read_from


@pytest.fixture
def ask(fake_generator: Any) -> Ask:
    return asking(fake_generator)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Total: $1,234.50.", "1,234.50 USD"),
        ("1.234,50 €", "1,234.50 EUR"),
        ("EUR 12,30", "12.30 EUR"),
        ("1 234 people", "1"),
        ("CHF 1'000.00", "1,000.00 CHF"),
        ("-5.25 £", "-5.25 GBP"),
        ("paid 12,000 yen", "12,000"),
        ("0.125 km", "0.125 km"),
        ("3 euros", "3 EUR"),
        ("12 %", "12 %"),
        ("on 2026-03-01 at 10:30", ""),
        ("call 555-1234", ""),
        ("v1.2.3", ""),
    ],
)
def test_amounts_are_read_as_written(text: str, found: str) -> None:
    read = [str(one.quantity) for one in amounts(text)]
    assert (read[0] if read else "") == found


def test_amounts_of_different_units_are_never_added() -> None:
    found = by_unit(Quantity(Decimal(number), unit) for number, unit in ((1, "EUR"), (2, "USD")))
    assert found == {"EUR": [Decimal(1)], "USD": [Decimal(2)]}


def test_decimals_are_exact() -> None:
    numbers = by_unit(Quantity(Decimal("0.10"), "EUR") for _ in range(30))["EUR"]
    assert sum(numbers) == Decimal("3.00")


STATEMENTS = [
    mail("Card statement", JO, day(1), "Your card statement. Amount due: $100.10, minimum $10.00."),
    mail("Card statement", JO, day(2), "Your card statement. Amount due: $200.20, minimum $20.00."),
    mail("Card statement", JO, day(3), "Your card statement. Amount due: 50,00 €."),
    mail("Card statement", JO, day(4), "Your card statement is attached."),
]


def test_amounts_are_chosen_by_the_model_and_added_by_currency(ask: Ask) -> None:
    answer, notes, models = ask(
        "Sum my 4 card statements", STATEMENTS, ["$100.10", "$200.20", "50,00 €"]
    )
    assert answer.text == "300.30 USD [1][2]\n50.00 EUR [3]"
    assert answer.grounded == "partial"  # one states no amount
    assert [one.quote for one in answer.citations] == ["$100.10", "$200.20", "50,00 €"]
    assert 'do not state the amount: 1 ("Card statement")' in notes
    assert "different units are not added: EUR, USD" in notes
    assert len(models["l"].prompts) == 3  # the fourth has no number to choose


MESSAGE = """From - Mon Mar  2 09:00:00 2026
From: Bank <bank@bank.example>
To: jo@lane.example
Date: {day} Mar 2026 09:00:00 +0000
Message-ID: <{number}@bank.example>
Subject: {title}

{text}

"""


def _statement(
    number: int, text: str = "Your card statement. Amount due: ${0}.10, minimum $9.99."
) -> str:
    return MESSAGE.format(
        number=number, day=number, title=f"Card statement {number}", text=text.format(number)
    )


def _mailboxes(folder: Path, **held: Sequence[str]) -> list[Item]:
    """Write mailboxes and return what is read from them."""
    for name, messages in held.items():
        (folder / name.replace("_", " ")).write_text("".join(messages))
    return read_from(folder)


def _due(prompt: str, _: int) -> str:
    """Choose as a good model does."""
    found = re.search(r"Amount due: (\$[\d.]+\d)", prompt)
    return found[1] if found else "none"


def test_thirteen_card_statements_count_once_each_wherever_their_copies_lie(
    ask: Ask, tmp_path: Path
) -> None:
    statements = [_statement(number) for number in range(1, 14)]
    other = MESSAGE.format(number=20, day=20, title="Lunch", text="It was $12.00.")
    items = _mailboxes(
        tmp_path,
        Inbox=[*statements[5:], other],
        Archive=statements[:9],
        All_Mail=[*statements, other],
        Trash=[statements[3], _statement(14)],
    )
    assert len(items) == 15
    answer, notes, models = ask("Sum my 13 card statements", items, _due)
    assert answer.text.startswith("92.30 USD [1]")  # 91 and thirteen times 0.10
    assert answer.table is not None
    assert [len(row.sources) for row in answer.table.rows] == [13]
    assert len(models["l"].prompts) == 13
    assert [len(one.passage.item.copies) for one in answer.citations[:6]] == [1, 1, 1, 2, 1, 2]
    remark = "left out, in Trash: 1; ask for them with shelf:trash, with the rest by shelf:any"
    assert remark in notes


def test_another_number_of_items_than_the_question_says_is_remarked_on(
    ask: Ask, tmp_path: Path
) -> None:
    items = _mailboxes(
        tmp_path,
        Inbox=[*map(_statement, range(1, 12)), _statement(12, "Your card statement is attached.")],
    )
    plan = 'sum "amount due" of mail text:"card statement"'
    answer, notes, _ = ask("anything", items, _due, plan=f"{plan} expecting 13")
    assert answer.text.startswith("67.10 USD [1]")
    assert "expected 13, computed from 11" in notes
    assert answer.grounded == "partial"
    _, notes, _ = ask("anything", items, _due, plan=f"{plan} expecting 11")
    assert not any("expected" in one for one in notes)
    answer, _, _ = ask("anything", items, _due, plan="count mail expecting 12")
    assert answer.grounded == "grounded"


def test_what_holds_more_amounts_than_the_model_is_shown_is_told(ask: Ask) -> None:
    several = " ".join(f"Fee {number} is ${number}.25." for number in range(30))
    items = [
        mail("Short", KIM, day(1), "Total: $1.50."),
        mail("Fees", KIM, day(2), f"Total: $2.50. {several}"),
        mail("Long", KIM, day(3), f"Total: $3.50.\n\n{'word ' * 300}\n\nIt was $7.00."),
    ]
    answer, notes, models = ask(
        "anything", items, ["$1.50", "$2.50", "$3.50"], plan='sum "total" of mail'
    )
    assert answer.text == "7.50 USD [1][2][3]"
    assert (
        'hold more amounts than were looked at, one passage and 24 at most: 2 ("Fees", "Long")'
        in notes
    )
    assert "$22.25\nnone" in models["l"].prompts[1]  # the total and 23 fees are offered
    assert answer.certainty == "unsure"
    assert IN_PART in answer.reasons


def test_auto_reads_on_where_a_sum_is_of_different_sorts(ask: Ask) -> None:
    rate = mail("Card statement", JO, day(2), "Your card statement. Amount due: 4 %.")
    items, asked = [STATEMENTS[0], rate], "Sum my 2 card statements"
    answer, notes, models = ask(asked, items, ["$100.10", "4 %"], ["$100.10"], strategy="auto")
    assert "different units are not added: %, USD" in notes
    assert answer.text.startswith("$100.10")
    assert models["g"].prompts


def test_a_rate_beside_a_sum_of_money_leaves_it_unsure(ask: Ask) -> None:
    items = [mail("A", KIM, day(1), "Total: $1.50."), mail("B", KIM, day(2), "Total: 4 %.")]
    answer, _, _ = ask("anything", items, ["$1.50", "4 %"], plan='sum "total" of mail')
    assert answer.certainty == "unsure"
    assert MIXED in answer.reasons
    answer, _, _ = ask("anything", items[:1], ["$1.50"], plan='sum "total" of mail')
    assert answer.certainty == "sure"


BILLS = [
    mail("Hotel", KIM, day(1), "Total: 300 USD."),
    mail("Train", KIM, day(2), "Total: 500 JPY."),
    mail("Taxi", BOB, day(3), "Total: 20 USD."),
    mail("Ferry", BOB, day(4), "Total: 900 JPY."),
]


def _sums(ask: Ask, plan: str) -> tuple[Answer, list[str]]:
    answer, notes, _ = ask(
        "anything", BILLS, ["300 USD", "500 JPY", "20 USD", "900 JPY"], plan=plan
    )
    return answer, notes


def test_a_group_of_two_currencies_has_a_row_and_the_sources_of_each(ask: Ask) -> None:
    answer, notes = _sums(ask, 'sum "total" of mail by month')
    assert answer.text == "March 2026: 320 USD [1]\nMarch 2026: 1,400 JPY [2]"
    assert [one.quote for one in answer.citations] == ["300 USD", "500 JPY"]
    assert answer.table is not None
    assert [[one.text for one in row.sources] for row in answer.table.rows] == [
        ["300 USD", "20 USD"],
        ["500 JPY", "900 JPY"],
    ]
    assert "different units are not added: JPY, USD" in notes
    assert answer.certainty == "sure"


def test_the_top_is_the_top_of_each_currency_and_no_chart_scales_both(ask: Ask) -> None:
    answer, notes = _sums(ask, 'sum "total" of mail by sender top 1')
    assert answer.text == "Bob Reed: 900 JPY [1]\nKim Sato: 300 USD [2]"
    assert "different units are not compared: JPY, USD" in notes
    answer, _ = _sums(ask, 'sum "total" of mail by sender')
    assert answer.text.splitlines() == [
        "Bob Reed: 900 JPY [1]",
        "Kim Sato: 500 JPY [2]",
        "Kim Sato: 300 USD [3]",
        "Bob Reed: 20 USD [4]",
    ]
    assert answer.table is not None
    assert not answer.table.is_chart


def test_a_model_cannot_bring_in_a_number_of_its_own(ask: Ask) -> None:
    answer, _, _ = ask("Sum my card statements", STATEMENTS[:1], ["$999.99"])
    assert answer.grounded == "none"

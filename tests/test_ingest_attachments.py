"""Attachments of large mailboxes: likeliest first, for some seconds, further at each question."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC
from email.message import EmailMessage
from pathlib import Path

import pytest

from app.cli import main
from engine.answer import search
from engine.evaluation.corpora import read_all
from engine.events import Found
from engine.retrieval.memory import Memory
from engine.settings import Settings
from ingest.item import Item, Reason, Skipped
from ingest.reading import source_file
from ingest.reading.session import Session
from ingest.sieve import ReadingBudget

MAILS = 96
"""Three jobs of 32 mails."""


@pytest.fixture
def mailbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a mailbox whose 80th mail, in the last job, speaks of a ferry; order matters in it."""
    monkeypatch.setattr(source_file, "_MANY_BYTES", 0)
    path = tmp_path / "box.mbox"
    with path.open("wb") as file:
        for number in range(MAILS):
            made = EmailMessage()
            made["From"], made["To"] = "kim@example.org", "me@example.org"
            made["Subject"] = "Ferry to Aero" if number == 15 else f"Mail {number}"
            made["Date"] = f"Thu, 03 Sep 2026 09:{number // 60:02}:{number % 60:02} +0000"
            made["Message-ID"] = f"<{number}@example.org>"
            made.set_content("See what is attached.")
            text = f"Attached to number {number}.".encode()
            name = f"note{number}.txt"
            made.add_attachment(text, maintype="text", subtype="plain", filename=name)
            file.write(b"From kim@example.org Thu Sep 03 09:12:00 2026\n" + bytes(made) + b"\n")
    return path


@pytest.fixture
def session() -> Iterator[Session]:
    with Session(workers=1) as made:
        yield made


def read(session: Session, path: Path, budget: ReadingBudget) -> tuple[list[Item], list[Skipped]]:
    found = list(session.read([path], zone=UTC, budget=budget))
    items = [one for one in found if isinstance(one, Item)]
    return items, [one for one in found if isinstance(one, Skipped)]


def attached(items: list[Item]) -> list[str]:
    return [str(item.locator.member) for item in items if item.locator.part]


def test_each_question_reads_further_until_all_is_there(session: Session, mailbox: Path) -> None:
    everything = attached(read(session, mailbox, ReadingBudget())[0])
    assert len(everything) == MAILS
    session.forget()
    counts = []
    for _ in range(3):
        items, skipped = read(session, mailbox, ReadingBudget(attachments=1e-9))
        assert sum(not item.locator.part for item in items) == MAILS
        counts.append(len(attached(items)))
        left = [one for one in skipped if one.reason is Reason.LATER]
        assert [one.member for one in left] == [
            f"attachments of {MAILS - counts[-1]} mails" for _ in range(counts[-1] < MAILS)
        ]
        assert all("ask again" in one.remedy for one in left)
    assert counts == [32, 64, 96]
    assert sorted(attached(items)) == sorted(everything)


def test_mails_with_the_words_of_the_question_come_first(session: Session, mailbox: Path) -> None:
    items, _ = read(session, mailbox, ReadingBudget(frozenset({"ferry"})))
    assert "note15.txt" in attached(items)[:32]
    session.forget()
    items, _ = read(session, mailbox, ReadingBudget())
    assert "note15.txt" not in attached(items)[:32]


def test_few_bytes_keep_their_order(
    session: Session, mailbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_file, "_MANY_BYTES", 64 << 20)
    plain = attached(read(session, mailbox, ReadingBudget())[0])
    session.forget()
    assert attached(read(session, mailbox, ReadingBudget(frozenset({"ferry"})))[0]) == plain


def test_what_is_left_makes_an_answer_incomplete(mailbox: Path) -> None:
    with Memory(1) as memory:
        *_, found = search("attached", [mailbox], Settings(attachments=0), memory=memory)
        assert isinstance(found, Found)
        assert not found.result.coverage.complete
        *_, found = search("attached", [mailbox], Settings(), memory=memory)
        assert isinstance(found, Found)
        assert found.result.coverage.complete


def test_the_command_line_names_what_is_left(
    mailbox: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "attached", str(mailbox), "--attachments", "0"]) == 0
    assert "attachments of 96 mails" in capsys.readouterr().out
    assert main(["search", "attached", str(mailbox)]) == 0
    assert "later" not in capsys.readouterr().out


def test_an_evaluation_reads_everything(mailbox: Path) -> None:
    corpus = read_all([mailbox], Settings(attachments=0))
    assert sum(bool(passage.item.locator.part) for passage in corpus.passages) == MAILS


def test_what_is_known_is_shown_wherever_it_stands(
    session: Session, mailbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups in the order of their file: the one that is known comes after what is left."""
    items, _ = read(session, mailbox, ReadingBudget(frozenset({"ferry"}), attachments=1e-9))
    assert len(attached(items)) == 32
    monkeypatch.setattr(source_file, "_MANY_BYTES", 64 << 20)
    items, [skip] = read(session, mailbox, ReadingBudget(attachments=0))
    assert len(attached(items)) == 32
    assert skip.member == "attachments of 64 mails"

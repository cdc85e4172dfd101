"""The sample archive: readable, answerable as its questions say, and made by its own script."""

from __future__ import annotations

import mailbox
import re
import runpy
import sys
import tomllib
from email.message import Message
from pathlib import Path
from typing import Any

import pypdf
import pytest

ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "app" / "sample"
DATA = SAMPLE / "data"


def questions() -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = tomllib.loads((SAMPLE / "questions.toml").read_text())["question"]
    return asked


def plain(message: Message) -> str:
    parts = [part for part in message.walk() if part.get_content_maintype() == "text"]
    bodies = [part.get_payload(decode=True) for part in parts]
    text = "\n".join(body.decode() for body in bodies if isinstance(body, bytes))
    return f"{message['subject']}\n{text}"


def texts() -> dict[str, str]:
    """Read the sample by kind, with the standard library and pypdf alone."""
    box = mailbox.mbox(DATA / "mail" / "Inbox.mbox", create=False)
    mails = [plain(message) for message in box]
    box.close()
    for saved in (DATA / "mail" / "saved").glob("*.eml"):
        mails.append(plain(mailbox.mboxMessage(saved.read_bytes())))
    pages = [p.extract_text() for f in DATA.rglob("*.pdf") for p in pypdf.PdfReader(f).pages]
    notes = [f.read_text() for f in (DATA / "notes").iterdir()]
    events = [f.read_text() for f in DATA.rglob("*.ics")]
    return {
        "mail": "\n".join(mails),
        "document": "\n".join(pages + notes),
        "event": "\n".join(events),
    }


@pytest.mark.parametrize("question", questions(), ids=lambda question: question["text"][:30])
def test_only_the_kinds_a_question_needs_hold_its_answer(question: dict[str, Any]) -> None:
    holding = {kind for kind, text in texts().items() if question["contains"] in text}
    if question["expects"] == "abstain":
        assert not question["needs"]
    else:
        assert holding
        assert holding & set(question["needs"])


def test_the_lease_question_needs_mail_and_calendar_together() -> None:
    found = texts()
    assert "Quay House\\, Room 214" in found["event"]
    assert "20261203T140000" in found["event"]
    assert "Room 214" not in found["mail"] + found["document"]
    assert "3 December" not in found["mail"] + found["document"]
    assert "lease form" not in found["event"]


def test_the_daily_payment_stands_in_a_pdf_alone() -> None:
    found = texts()
    assert "340 euros" in found["document"]
    assert not re.search(r"\b340\b", found["mail"] + found["event"])


def test_no_licence_plate_stands_anywhere() -> None:
    plate = re.compile(r"\b[A-Z]{1,3}[ -]?\d{2,4}(?:[ -]?[A-Z]{1,3})?\b")
    found = "\n".join(texts()[kind] for kind in ("mail", "document"))
    assert set(plate.findall(found)) <= {"NV-12"}


def test_the_pdfs_are_what_the_script_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "packaging" / "sample"))
    made = runpy.run_path(str(ROOT / "packaging" / "sample" / "build.py"))["documents"]()
    monkeypatch.delitem(sys.modules, "pdf")
    assert made == {path.name: path.read_bytes() for path in DATA.rglob("*.pdf")}


def test_every_address_and_link_is_reserved_for_examples() -> None:
    everything = "\n".join(texts().values()) + (DATA / "mail" / "Inbox.mbox").read_text()
    domains = re.findall(r"(?:@|https?://)([\w.-]+\.[a-z]+)", everything)
    assert domains
    assert not [name for name in domains if not re.search(r"(^|\.)example\.(org|com)$", name)]


def test_it_is_small() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < 300_000

"""Puts an attempt of `attempts.toml` into a file of its kind, beside a fact."""

from __future__ import annotations

import io
import tomllib
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from email.message import EmailMessage
from functools import cache
from html import escape
from pathlib import Path

from tests.odd.calendars import calendar, card, entry
from tests.odd.office import XML, docx
from tests.odd.pdf import line, paged

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DATE = "Tue, 03 Nov 2026 09:12:00 +0000"


@dataclass(frozen=True)
class Attempt:
    """One attempt, its question and what to look for in the answer."""

    name: str
    carrier: str
    technique: str
    text: str
    obeyed: str
    """What an answer that obeys would hold."""
    title: str
    fact: str
    question: str
    answer: str

    def is_obeyed(self, said: str) -> bool:
        return self.obeyed.casefold() in said.casefold()

    def is_right(self, said: str) -> bool:
        return self.answer.casefold() in said.casefold()

    def put(self, folder: Path) -> Path:
        """Write the file that carries the attempt into `folder`; return its path."""
        name, data = _CARRIERS[self.carrier](self)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


@cache
def attempts() -> dict[str, Attempt]:
    """Return all attempts by name."""
    table = tomllib.loads((Path(__file__).parent / "attempts.toml").read_text("utf-8"))
    made = {}
    for name, row in table["attempt"].items():
        scene = table["scene"][row.pop("scene")]
        made[name] = Attempt(name=name, **row, **scene)
    return made


Made = tuple[str, bytes]


def _mail(
    attempt: Attempt, text: str, *, html: str = "", subject: str = "", sender: str = ""
) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = f'"{sender or "Ana Ruiz"}" <ana@example.org>'
    mail["To"] = "me@example.org"
    mail["Subject"] = subject or attempt.title
    mail["Date"] = _DATE
    mail["Message-ID"] = f"<{attempt.name}@example.org>"
    if html:
        mail.set_content(f"<html><body><p>{attempt.fact}</p>{html}</body></html>", subtype="html")
    else:
        mail.set_content(text)
    return mail


def _both(attempt: Attempt) -> str:
    return f"{attempt.fact}\n\n{attempt.text}\n"


def _plain_mail(attempt: Attempt) -> Made:
    return "mail.eml", _mail(attempt, _both(attempt)).as_bytes()


def _html_mail(attempt: Attempt) -> Made:
    return "mail.eml", _mail(attempt, "", html=attempt.text).as_bytes()


def _subject(attempt: Attempt) -> Made:
    return "mail.eml", _mail(attempt, f"{attempt.fact}\n", subject=attempt.text).as_bytes()


def _sender(attempt: Attempt) -> Made:
    return "mail.eml", _mail(attempt, f"{attempt.fact}\n", sender=attempt.text).as_bytes()


def _with_attachment(attempt: Attempt, name: str, data: bytes, kind: str = "plain") -> Made:
    mail = _mail(attempt, "See the attachment.\n")
    mail.add_attachment(data, maintype="text", subtype=kind, filename=name)
    return "mail.eml", mail.as_bytes()


def _attachment(attempt: Attempt) -> Made:
    return _with_attachment(attempt, "note.txt", _both(attempt).encode())


def _attachment_name(attempt: Attempt) -> Made:
    return _with_attachment(attempt, f"{attempt.text}.txt", attempt.fact.encode())


def _attachment_html(attempt: Attempt) -> Made:
    page = f"<p>{attempt.fact}</p>{attempt.text}".encode()
    return _with_attachment(attempt, "page.html", page, "html")


def _html(attempt: Attempt) -> Made:
    page = f"<html><head><title>{attempt.title}</title></head><body><p>{attempt.fact}</p>"
    return "page.html", f"{page}{attempt.text}</body></html>".encode()


def _pdf_of(attempt: Attempt, before: bytes = b"", size: bytes = b"12") -> Made:
    fact = line(attempt.fact.encode("latin-1"))
    return "letter.pdf", paged(fact + line(attempt.text.encode("latin-1"), 600, before, size))


def _paragraph(text: str, properties: str = "") -> str:
    kept = f"<w:rPr>{properties}</w:rPr>" if properties else ""
    return f"<w:p><w:r>{kept}<w:t>{escape(text)}</w:t></w:r></w:p>"


def _docx_of(attempt: Attempt, properties: str = "") -> Made:
    body = _paragraph(attempt.fact) + _paragraph(attempt.text, properties)
    return "letter.docx", docx(body)


def _docx_comment(attempt: Attempt) -> Made:
    inner = f'<w:comment w:id="0" w:author="Ben">{_paragraph(attempt.text)}</w:comment>'
    comments = f'{XML}<w:comments xmlns:w="{_WORD}">{inner}</w:comments>'
    return "letter.docx", docx(_paragraph(attempt.fact), comments=comments)


def _note(attempt: Attempt) -> Made:
    return "note.md", f"# {attempt.title}\n\n{_both(attempt)}".encode()


def _note_front(attempt: Attempt) -> Made:
    return (
        "note.md",
        f"---\ntitle: {attempt.title}\n{attempt.text}\n---\n\n{attempt.fact}\n".encode(),
    )


def _csv(attempt: Attempt) -> Made:
    cell = attempt.text.replace('"', '""')
    return "table.csv", f'what,remark\n"{attempt.fact}","{cell}"\n'.encode()


def _zip(attempt: Attempt) -> Made:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("note.txt", _both(attempt))
    return "packed.zip", made.getvalue()


def _event_of(summary: str, description: str, location: str = "Office") -> Made:
    fields = {"SUMMARY": summary, "DESCRIPTION": description, "LOCATION": location}
    lines = [f"{name}:{_escaped(text)}" for name, text in fields.items()]
    day = ("DTSTART:20261117T100000Z", "DTEND:20261117T110000Z")
    return "calendar.ics", calendar(entry(*day, *lines))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _card_of(name: str, note: str) -> Made:
    return "contact.vcf", card(
        f"FN:{_escaped(name)}", f"N:{_escaped(name)};;;;", f"NOTE:{_escaped(note)}"
    )


def _file_name(attempt: Attempt) -> Made:
    return f"{attempt.text.replace('/', '-')}.txt", f"{attempt.fact}\n".encode()


def _folder_name(attempt: Attempt) -> Made:
    return f"{attempt.text}/note.txt", f"{attempt.fact}\n".encode()


_CARRIERS: dict[str, Callable[[Attempt], Made]] = {
    "mail": _plain_mail,
    "mail_html": _html_mail,
    "subject": _subject,
    "sender": _sender,
    "attachment": _attachment,
    "attachment_name": _attachment_name,
    "attachment_html": _attachment_html,
    "html": _html,
    "pdf": _pdf_of,
    "pdf_white": lambda attempt: _pdf_of(attempt, b"1 1 1 rg"),
    "pdf_tiny": lambda attempt: _pdf_of(attempt, size=b"0.1"),
    "docx": _docx_of,
    "docx_comment": _docx_comment,
    "docx_vanish": lambda attempt: _docx_of(attempt, "<w:vanish/>"),
    "docx_white": lambda attempt: _docx_of(attempt, '<w:color w:val="FFFFFF"/>'),
    "note": _note,
    "note_front": _note_front,
    "csv": _csv,
    "zip": _zip,
    "event": lambda one: _event_of(one.title, f"{one.fact}\n{one.text}"),
    "event_summary": lambda one: _event_of(one.text, one.fact),
    "event_location": lambda one: _event_of(one.title, one.fact, one.text),
    "card": lambda one: _card_of("Ana Ruiz", f"{one.fact}\n{one.text}"),
    "card_name": lambda one: _card_of(one.text, one.fact),
    "file_name": _file_name,
    "folder_name": _folder_name,
}

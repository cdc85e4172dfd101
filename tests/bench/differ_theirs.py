"""Reads files with other libraries; run by a Python that has them, none is the project's own.

Paths come in, one a line; out goes one JSON object a line: the path, and the pieces of its text
(pages of a PDF, occurrences of a calendar, fields of a mail), or null when it could not be read.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

SECONDS = 20
SPAN = ((2016, 11, 17), (2029, 11, 16))
"""The default span of expansion around 17 November 2026."""


def pdf(path: Path) -> list[str]:
    command = ["pdftotext", "-q", "-enc", "UTF-8", str(path), "-"]
    done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
    return done.stdout.decode("utf-8", "replace").split("\f")[:-1]


def mail(path: Path) -> list[str]:
    """Subject, senders and body as the standard library has them."""
    from email import message_from_bytes
    from email.header import decode_header, make_header
    from email.utils import getaddresses

    data = path.read_bytes()
    if data.startswith(b"From ") or path.suffix == ".emlx":
        data = data.partition(b"\n")[2]
    message = message_from_bytes(data)
    subject = str(make_header(decode_header(str(message.get("subject", "")))))
    senders = getaddresses([str(value) for value in message.get_all("from", [])])
    bodies = []
    for part in message.walk():
        kind = part.get_content_type()
        if kind == "text/plain" and not part.get_filename() and not _is_attachment(part):
            raw = part.get_payload(decode=True) or b""
            try:
                bodies.append(raw.decode(part.get_content_charset("utf-8"), "replace"))
            except LookupError:
                bodies.append(raw.decode("latin-1"))
        if kind == "message/rfc822":
            break
    return [subject, " ".join(address for _, address in senders), "\n".join(bodies)]


def _is_attachment(part: Any) -> bool:
    return str(part.get("content-disposition", "")).lower().startswith("attachment")


def calendar(path: Path) -> list[str]:
    """One piece for each event: a series over the span, single events whenever they are."""
    import icalendar
    import recurring_ical_events

    pieces = []
    span = tuple(datetime(*day, tzinfo=UTC) for day in SPAN)
    for whole in icalendar.Calendar.from_ical(path.read_bytes(), multiple=True):
        recurring = {
            str(one.get("UID")) for one in whole.walk("VEVENT") if "RRULE" in one or "RDATE" in one
        }
        expanded = recurring_ical_events.of(whole, components=["VEVENT"]).between(*span)
        pieces += [_event(one) for one in expanded if str(one.get("UID")) in recurring]
        pieces += [_event(o) for o in whole.walk("VEVENT") if str(o.get("UID")) not in recurring]
    return sorted(pieces)


def _event(part: Any) -> str:
    start = part.get("DTSTART").dt if part.get("DTSTART") else None
    if isinstance(start, datetime):
        start = start.astimezone(UTC) if start.tzinfo else start.replace(tzinfo=UTC)
    summary = " ".join(str(part.get("SUMMARY", "")).split())
    return f"{start.isoformat() if start else ''} {summary}"


def docx(path: Path) -> list[str]:
    from docx import Document

    def blocks(parent: Any) -> list[str]:
        texts = [paragraph.text for paragraph in parent.paragraphs]
        for table in parent.tables:
            seen = {cell._tc: cell for row in table.rows for cell in row.cells}
            texts += [text for cell in seen.values() for text in blocks(cell)]
        return texts

    return ["\n".join(blocks(Document(str(path))))]


def pptx(path: Path) -> list[str]:
    from pptx import Presentation

    pieces = []
    for slide in Presentation(str(path)).slides:
        texts = []
        for shape in slide.shapes:
            if shape.has_text_frame:
                texts.append(shape.text_frame.text)
            if getattr(shape, "has_table", False) and shape.has_table:
                texts += [cell.text for row in shape.table.rows for cell in row.cells]
        pieces.append("\n".join(texts))
    return ["\n".join(pieces)]


def xlsx(path: Path) -> list[str]:
    """Texts of visible sheets; numbers are written in many ways."""
    from openpyxl import load_workbook

    book = load_workbook(str(path), data_only=True, read_only=False)
    sheets = [s for s in book.worksheets if s.sheet_state == "visible"]
    rows = (row for sheet in sheets for row in sheet.iter_rows(values_only=True))
    return ["\n".join(value for row in rows for value in row if isinstance(value, str))]


def xls(path: Path) -> list[str]:
    import xlrd

    sheets = [s for s in xlrd.open_workbook(str(path)).sheets() if not s.visibility]
    cells = (cell for sheet in sheets for row in sheet.get_rows() for cell in row)
    return ["\n".join(cell.value for cell in cells if cell.ctype == xlrd.XL_CELL_TEXT)]


def opendocument(path: Path) -> list[str]:
    from odf import teletype
    from odf.opendocument import load
    from odf.text import H, P

    body = load(str(path)).body
    texts = [teletype.extractText(one) for kind in (H, P) for one in body.getElementsByType(kind)]
    return ["\n".join(texts)]


def rtf(path: Path) -> list[str]:
    from striprtf.striprtf import rtf_to_text

    return [rtf_to_text(path.read_bytes().decode("latin-1"), errors="replace")]


def html(path: Path) -> list[str]:
    from lxml import html as pages

    data = path.read_bytes()
    try:
        root = pages.fromstring(re.sub(r"<\?xml[^>]*>", "", data.decode("utf-8")))
    except UnicodeDecodeError:
        root = pages.fromstring(data)
    for node in root.xpath("//script|//style|//head|//template|//noscript|//comment()"):
        node.drop_tree()
    return [" ".join(root.itertext())]


def epub(path: Path) -> list[str]:
    from ebooklib import ITEM_DOCUMENT
    from ebooklib.epub import read_epub
    from lxml import html as pages

    book = read_epub(str(path))
    spine = [book.get_item_with_id(name) for name, _ in book.spine]
    bodies = [one.get_body_content() for one in spine if one and one.get_type() == ITEM_DOCUMENT]
    texts = [body.decode("utf-8", "replace") for body in bodies if body]
    return ["\n".join(" ".join(pages.fromstring(text).itertext()) for text in texts)]


def cards(path: Path) -> list[str]:
    import vobject

    pieces = []
    for card in vobject.readComponents(path.read_text("utf-8", "replace"), ignoreUnreadable=True):
        values = [card.contents.get(name, []) for name in ("fn", "email", "tel", "note")]
        pieces.append(" ".join(str(o.value).removeprefix("tel:") for some in values for o in some))
    return ["\n".join(pieces)]


def outlook(path: Path) -> list[str]:
    import extract_msg

    message = extract_msg.openMsg(str(path))
    return [str(message.subject or ""), str(message.body or "")]


READERS: dict[str, Callable[[Path], list[str]]] = {
    "PDF": pdf,
    "mail": mail,
    "calendar": calendar,
    "address cards": cards,
    "Word": docx,
    "PowerPoint": pptx,
    "Excel": xlsx,
    "Excel 97": xls,
    "OpenDocument text": opendocument,
    "OpenDocument slides": opendocument,
    "OpenDocument sheets": opendocument,
    "RTF": rtf,
    "HTML": html,
    "EPUB": epub,
    "Outlook message": outlook,
}


def _hung(*_: object) -> None:
    raise TimeoutError


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    reader = READERS[sys.argv[1]]
    signal.signal(signal.SIGALRM, _hung)
    for line in sys.stdin:
        path = Path(line.rstrip("\n"))
        pieces = None
        signal.alarm(SECONDS)
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                pieces = reader(path)
        except Exception as error:  # noqa: BLE001 - it cannot read the file, and that is all
            logging.debug("%s", error)
        finally:
            signal.alarm(0)
        print(json.dumps([str(path), pieces]), flush=True)


if __name__ == "__main__":
    main()

"""A sentence with a word that occurs nowhere else, in a file of every format that is read.

The word begins with a stem, which stands in subjects, titles, addresses and names of folders too.
A search for the stem finds all of these; the whole word is in the sentence alone.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import plistlib
import re
import secrets
import sqlite3
import struct
import tarfile
from collections.abc import Callable, Iterable
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal

from PIL import Image

from ingest.recognise import Format
from ingest.scans.tesseract import DOTS_PER_INCH, Picture, words_in
from tests.odd import calendars, mail, office, pdf, texts
from tests.odd.archives import zipped
from tests.odd.ole import compound
from tests.support.scanned import drawn

Data = bytes | dict[str, bytes]
LETTERS = "abde"
"""Of a word: those that are told apart in a picture too."""
_STEM = re.compile("zq[0-9a-f]{20}")


def new_word() -> str:
    """Return a word at random."""
    return "zq" + "".join(secrets.choice(LETTERS) for _ in range(24))


def sentence_of(word: str) -> str:
    return f"The pass phrase of Orla Penhaligon is {word}."


def stem_of(text: str) -> str:
    """Return the beginning of the word in a text."""
    found = _STEM.search(text)
    assert found is not None, text
    return found[0]


def _mail(sentence: str, *attachments: tuple[str, bytes], html: bool = False) -> bytes:
    made = EmailMessage()
    stem = stem_of(sentence)
    made["From"], made["To"] = f"Orla Penhaligon <{stem}@example.org>", "me@example.org"
    made["Subject"], made["Date"] = f"Pass phrase {stem}", "Thu, 03 Sep 2026 09:12:00 +0000"
    made["Message-ID"] = f"<{'html' if html else 'plain'}.{len(attachments)}@example.org>"
    if html:
        made.set_content(f"<p>{sentence}</p>", subtype="html")
    else:
        made.set_content(sentence if not attachments else "See what is attached.")
    for name, data in attachments:
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return made.as_bytes()


def _mbox(sentence: str) -> bytes:
    return b"From orla@example.org Thu Sep 03 09:12:00 2026\n" + _mail(sentence)


def _event(sentence: str) -> bytes:
    day = "DTSTART:20260904T100000Z", "DTEND:20260904T110000Z"
    about = f"SUMMARY:Pass phrase {stem_of(sentence)}", f"DESCRIPTION:{sentence}"
    return calendars.calendar(calendars.entry(*day, *about))


def _card(sentence: str) -> bytes:
    name = "FN:Orla Penhaligon", "N:Penhaligon;Orla;;;", f"EMAIL:{stem_of(sentence)}@example.org"
    return calendars.card(*name, f"NOTE:{sentence}")


def _paragraph(sentence: str) -> str:
    return f"<w:p><w:r><w:t>{sentence}</w:t></w:r></w:p>"


def _xlsx(sentence: str) -> bytes:
    cell = f'<c r="A1" t="inlineStr"><is><t>{sentence}</t></is></c>'
    return office.xlsx(("Sheet", "visible", f'<row r="1">{cell}</row>'))


def _ppt(sentence: str) -> bytes:
    text = sentence.encode("utf-16-le")
    record = struct.pack("<HHI", 0, 0x0FA0, len(text)) + text
    return compound({"PowerPoint Document": record, "Current User": bytes(20)})


def _outlook(sentence: str) -> bytes:
    return compound(
        {
            **{f"__nameid_version1.0/__substg1.0_000{n}0102": bytes(16) for n in (2, 3, 4)},
            "__properties_version1.0": bytes(32),
            "__substg1.0_001A001F": "IPM.Note".encode("utf-16-le"),
            "__substg1.0_0037001F": f"Pass phrase {stem_of(sentence)}".encode("utf-16-le"),
            "__substg1.0_1000001F": sentence.encode("utf-16-le"),
        }
    )


def _cells(sentence: str) -> str:
    cell = f'<table:table-cell office:value-type="string"><text:p>{sentence}</text:p>'
    row = f"<table:table-row>{cell}</table:table-cell></table:table-row>"
    return f'<table:table table:name="Sheet">{row}</table:table>'


def _page(sentence: str) -> str:
    box = f"<draw:frame><draw:text-box><text:p>{sentence}</text:p></draw:text-box></draw:frame>"
    return f'<draw:page draw:name="page1">{box}</draw:page>'


def _notebook(sentence: str) -> bytes:
    cell = {"cell_type": "markdown", "metadata": {}, "source": [sentence]}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4}).encode()


def _tar(sentence: str, mode: Literal["w", "w:gz"]) -> bytes:
    made, data = io.BytesIO(), sentence.encode()
    with tarfile.open(fileobj=made, mode=mode) as archive:
        info = tarfile.TarInfo("note.txt")
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return made.getvalue()


def _telegram(sentence: str) -> dict[str, Any]:
    said = {"type": "message", "date_unixtime": "1714547100", "from": "Orla", "text": sentence}
    return {"name": "Orla", "type": "personal_chat", "id": 1, "messages": [said]}


def _database(sentence: str) -> bytes:
    """Return an address book of Thunderbird's with one card."""
    card = _card(sentence).decode()
    with closing(sqlite3.connect(":memory:")) as made:
        made.executescript(
            "CREATE TABLE properties (card TEXT, name TEXT, value TEXT);"
            "CREATE TABLE lists (uid TEXT); CREATE TABLE list_cards (list TEXT);"
        )
        made.execute("INSERT INTO properties VALUES ('1', '_vCard', ?)", (card,))
        made.commit()
        return made.serialize()


def _evernote(sentence: str) -> bytes:
    content = f"<![CDATA[<en-note><div>{sentence}</div></en-note>]]>"
    note = f"<note><title>Pass phrases</title><content>{content}</content></note>"
    return f"<en-export>{note}</en-export>".encode()


def _keep(sentence: str) -> bytes:
    note = {"isTrashed": False, "isPinned": False, "isArchived": False, "textContent": sentence}
    return json.dumps(note | {"userEditedTimestampUsec": 1757000000000000}).encode()


def _webarchive(sentence: str) -> bytes:
    main = {
        "WebResourceData": f"<p>{sentence}</p>".encode(),
        "WebResourceTextEncodingName": "UTF-8",
    }
    return plistlib.dumps({"WebMainResource": main}, fmt=plistlib.FMT_BINARY)


def _drawn(sentence: str) -> Image.Image:
    """Return a picture of a sentence that Tesseract reads without a mistake."""
    about, word = sentence.rstrip(".").rsplit(" ", 1)
    for size in range(40, 80, 4):
        lines = drawn([about, word], size=size)
        if word in words_in(Picture(lines.tobytes(), *lines.size, lines.width)):
            return lines
    raise AssertionError(sentence)


def _picture(sentence: str, form: str) -> bytes:
    made = io.BytesIO()
    _drawn(sentence).save(made, form, resolution=DOTS_PER_INCH)
    return made.getvalue()


def _tnef(sentence: str) -> bytes:
    return mail.winmail(mail._packed_file(b"note.txt", sentence.encode()))


FILES: dict[str, tuple[Format | None, Callable[[str], Data]]] = {
    "Inbox.mbox": (None, _mbox),
    "saved.eml": (None, lambda s: _mail(s + " ")),
    "page.eml": (None, lambda s: _mail(s, html=True)),
    "attached.eml": (None, lambda s: _mail(s, ("note.txt", s.encode()))),
    "packed.eml": (None, lambda s: _mail(s, ("a.zip", zipped({"a.txt": s})), ("b.ics", _event(s)))),
    "apple.emlx": (None, lambda s: mail._emlx(_mail(s, html=True).replace(b"html.0", b"emlx.0"))),
    "Maildir": (
        None,
        lambda s: {"cur/1:2,S": _mail(s).replace(b"plain", b"dir"), "new/": b"", "tmp/": b""},
    ),
    "winmail.eml": (Format.TNEF, _tnef),
    "outlook.msg": (Format.OUTLOOK, _outlook),
    "calendar.ics": (Format.CALENDAR, _event),
    "Calendar": (Format.CALENDAR, lambda s: {"one.ics": _event(s).replace(b"UID:", b"UID:of")}),
    "contacts.vcf": (Format.CARDS, _card),
    "letter.pdf": (Format.PDF, lambda s: pdf.paged(pdf.line(s.encode()))),
    "abook.sqlite": (Format.DATABASE, _database),
    "scan.pdf": (Format.PDF, lambda s: _picture(s, "PDF")),
    "photo.png": (Format.PICTURE, lambda s: _picture(s, "PNG")),
    "letter.docx": (Format.DOCX, lambda s: office.docx(_paragraph(s))),
    "slides.pptx": (Format.PPTX, lambda s: office.pptx(("", s))),
    "table.xlsx": (Format.XLSX, _xlsx),
    "letter.doc": (Format.DOC, lambda s: office._doc(f"{s}\r".encode("cp1252"), 0x200)),
    "slides.ppt": (Format.PPT, _ppt),
    "table.xls": (Format.XLS, lambda s: office._xls(s.encode())),
    "letter.odt": (Format.ODT, lambda s: office.opendocument("text", f"<text:p>{s}</text:p>")),
    "slides.odp": (Format.ODP, lambda s: office.opendocument("presentation", _page(s))),
    "table.ods": (Format.ODS, lambda s: office.opendocument("spreadsheet", _cells(s))),
    "rich.rtf": (Format.RTF, lambda s: rf"{{\rtf1 {s}}}".encode()),
    "book.epub": (Format.EPUB, lambda s: texts._epub(("z.xhtml", s))),
    "page.html": (Format.HTML, lambda s: f"<html><body><p>{s}</p></body></html>".encode()),
    "paper.tex": (
        Format.LATEX,
        lambda s: rf"\documentclass{{article}}\begin{{document}}{s}\end{{document}}".encode(),
    ),
    "notes.ipynb": (Format.NOTEBOOK, _notebook),
    "notes.enex": (Format.EVERNOTE, _evernote),
    f"{'0' * 32}.md": (
        Format.JOPLIN,
        lambda s: f"Pass phrases\n\n{s}\n\nid: {'0' * 32}\ntype_: 1".encode(),
    ),
    "keep.json": (Format.KEEP, _keep),
    "page.webarchive": (Format.WEBARCHIVE, _webarchive),
    "bookmarks.html": (
        Format.BOOKMARKS,
        lambda s: f'<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF="x">{s}</A>'.encode(),
    ),
    "note.md": (Format.TEXT, lambda s: f"# Pass phrases\n\n{s}\n".encode()),
    "wide.txt": (Format.TEXT, lambda s: s.encode("utf-16")),
    "table.csv": (Format.TABLE, lambda s: f"what\n{s}\n".encode()),
    "WhatsApp Chat with Orla.txt": (
        Format.CHAT,
        lambda s: f"01.05.24, 10:03 - Orla Penhaligon: {s}\n".encode(),
    ),
    "result.json": (Format.CHAT, lambda s: json.dumps(_telegram(s)).encode()),
    "data.json": (Format.JSON, lambda s: json.dumps({"what": s}).encode()),
    "rows.jsonl": (Format.LINES, lambda s: (json.dumps({"what": s}) + "\n").encode()),
    "packed.zip": (Format.ZIP, lambda s: zipped({"note.txt": s})),
    "packed.tar": (Format.TAR, lambda s: _tar(s, "w")),
    "packed.tar.gz": (Format.TAR, lambda s: _tar(s, "w:gz")),
    "note.txt.bz2": (Format.PACKED, lambda s: bz2.compress(s.encode())),
    "note.txt.xz": (Format.PACKED, lambda s: lzma.compress(s.encode())),
    "note.txt.gz": (Format.PACKED, lambda s: gzip.compress(s.encode())),
}
"""By name: the format, or None for a mail of its own, and what makes the file."""

UNPLANTED = {
    Format.PST: "nothing here writes one",
    Format.SEALED: "its text cannot be read without its password",
    Format.OLE: "a container whose kind is not known: nothing is read",
    Format.FOREIGN: "read by packages that the person installs",
    Format.KEEP_PAGE: "the page of a note that is there as JSON",
    Format.ARCHIVE: "told apart from zip only while it is read",
}
"""Formats in which nothing is planted, and why."""


def plant(folder: Path, word: str, names: Iterable[str] = tuple(FILES)) -> Path:
    """Write these files, and one that breaks a reader, below a folder of `folder`; return it."""
    sentence, inner = sentence_of(word), folder / f"papers {stem_of(word)}"
    inner.mkdir(parents=True, exist_ok=True)
    for name in names:
        data = FILES[name][1](sentence)
        inside = {name: data} if isinstance(data, bytes) else data
        for part, content in inside.items():
            path = inner / part if isinstance(data, bytes) else inner / name / part
            if part.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    whole = pdf.paged(pdf.line(sentence.encode()))
    (inner / "broken.pdf").write_bytes(whole[: len(whole) // 2])
    return folder


def plant_long(folder: Path, word: str, mails: int = 5_000) -> Path:
    """Write a mailbox that is still being read a moment later; return the folder."""
    mail = _mbox(sentence_of(word))
    numbered = (mail.replace(b"plain.", b"plain.%d." % number) for number in range(mails))
    (folder / "long.mbox").write_bytes(b"".join(numbered))
    return folder

"""The plain way to read a tree: mailbox and email, pypdf, zipfile and ElementTree, one process."""

from __future__ import annotations

import logging
import mailbox
import zipfile
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses, parsedate_to_datetime
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from pypdf import PdfReader

logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read_plainly(tree: Path) -> tuple[int, int, int]:
    """Return how many files, mails and characters of text a tree holds."""
    if tree.suffix == ".mbox":
        return (1, *_mails(tree))
    files = [path for path in tree.rglob("*") if path.is_file()]
    return len(files), 0, sum(map(_characters, files))


def _mails(path: Path) -> tuple[int, int]:
    count = characters = 0
    box = mailbox.mbox(path, create=False)
    for message in box:
        fields = [str(one) for name in ("from", "to", "cc") for one in message.get_all(name, [])]
        getaddresses(fields)
        try:
            str(make_header(decode_header(message["subject"] or "")))
            parsedate_to_datetime(str(message["date"]))
        except (LookupError, TypeError, ValueError):
            pass
        characters += len(_body(message))
        count += 1
    box.close()
    return count, characters


def _body(message: Message) -> str:
    texts = []
    for part in message.walk():
        if part.get_content_maintype() == "text" and not part.get_filename():
            data = part.get_payload(decode=True)
            if not isinstance(data, bytes):
                continue
            try:
                texts.append(data.decode(part.get_content_charset("utf-8"), "replace"))
            except LookupError:
                texts.append(data.decode("latin-1"))
    return "\n".join(texts)


def _characters(path: Path) -> int:
    """Return how much text a document has; none where this way does not lead to it."""
    try:
        if path.suffix == ".pdf":
            return sum(len(page.extract_text()) for page in PdfReader(path).pages)
        if zipfile.is_zipfile(path):
            return _zipped(path)
        text = path.read_text("utf-8", "replace")
        if path.suffix in (".html", ".htm"):
            page = _Page()
            page.feed(text)
            return page.count
        return len(text)
    except Exception:  # noqa: BLE001 - whatever its libraries do not read
        return 0


def _zipped(path: Path) -> int:
    count = 0
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith((".xml", ".xhtml")):
                root = ElementTree.fromstring(archive.read(name))
                count += sum(len(text) for text in root.itertext())
    return count


class _Page(HTMLParser):
    count = 0

    def handle_data(self, data: str) -> None:
        self.count += len(data)

"""Joplin's exports, JEX (a tar) or RAW (a folder): a file a note, its properties below the text.

Joplin calls this serialisation `ID.md`: the title, the body, and lines `name: value` at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from ingest.documents.records import text_items
from ingest.item import Reason
from ingest.origin import Origin
from ingest.sieve import LeftOut, Read, Scope
from ingest.text.clean import clean, clean_line, decode

_PROPERTIES = re.compile(r"(?:\A|\n)((?:[a-z_]+: ?[^\n]*\n)*type_: ?(\d+))\s*\Z")
_NOTE = "1"


def joplin_items(data: bytes, origin: Origin, scope: Scope) -> Iterator[Read]:
    """Yield a note; folders, tags and the records of attachments are left out.

    What only has such a name is read as the text that it is.
    """
    text = decode(data, origin.charset).replace("\r\n", "\n")
    found = _PROPERTIES.search(text)
    values = dict(_pairs(found[1])) if found else {}
    if found is None or "id" not in values:
        yield from text_items(data, origin, scope)
        return
    if found[2] != _NOTE or values.get("encryption_applied") == "1":
        sealed = values.get("encryption_applied") == "1" and found[2] == _NOTE
        remedy = "It is encrypted; export it from Joplin as JEX."
        yield origin.skipped(Reason.ENCRYPTED, remedy) if sealed else LeftOut()
        return
    title, _, body = text[: found.start()].partition("\n")
    when = _moment(values.get("user_updated_time") or values.get("updated_time", ""))
    own = replace(origin, title=clean_line(title) or origin.title, when=when or origin.when)
    if not scope.admits_date(own.when):
        yield LeftOut()
        return
    cleaned, hidden = clean(body.strip("\n"))
    source = clean_line(values.get("source_url", ""))
    whole = "\n\n".join(filter(None, (cleaned, f"From: {source}" if source else "")))
    yield own.document(whole or own.title, hidden, title=own.title)


def _pairs(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.split("\n"):
        name, _, value = line.partition(":")
        yield name, value.strip()


def _moment(text: str) -> datetime | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when if when.tzinfo else None

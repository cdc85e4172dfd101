"""Header fields of mail: encoded words, people, dates."""

from __future__ import annotations

import base64
import binascii
import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import getaddresses, parsedate_tz
from functools import lru_cache

from ingest.item import Person
from ingest.text.clean import clean_line, decode

LIMIT = 32 << 10
"""Characters of a header that are read: decoders take quadratic time on longer ones."""

_SHOWN = ("subject", "from", "to", "cc")
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_SIMPLE = re.compile(
    r"\s*(?:\"?([^<>,\"()@:;\\]*?)\"?\s*<([^<>\s,\"()]+@[^<>\s,\"()]+)>|([^<>\s,\"():;]+@[^<>\s,\"():;]+))\s*(?:,|$)"
)
_BARE = re.compile(r"[^\s<>,;:\"()\[\]]+@[^\s<>,;:\"()\[\]]+")


class Headers:
    """The header fields of a message, raw; each is decoded on demand."""

    def __init__(self, fields: dict[str, str]) -> None:
        """Take the unfolded fields of a message, by lower-case name."""
        self._raw = fields

    def __bool__(self) -> bool:
        """Say whether there is any field at all."""
        return bool(self._raw)

    @property
    def is_cut(self) -> bool:
        """Whether a field that an item shows is too long to be read whole."""
        return any(len(self._raw.get(name, "")) > LIMIT for name in _SHOWN)

    def raw(self, name: str) -> str:
        """Return a field, unfolded and still encoded; empty when it is missing."""
        field = self._raw.get(name)
        return field[:LIMIT].strip() if field else ""

    def text(self, name: str) -> str:
        """Return a field decoded, on one line; empty when it is missing."""
        raw = self.raw(name)
        return raw and clean_line(decode_words(raw))

    def people(self, name: str) -> tuple[Person, ...]:
        """Return the persons in an address field."""
        raw = self.raw(name)
        return parse_people(raw) if raw else ()

    def date(self, name: str = "date") -> datetime | None:
        """Return the aware moment in a date field, in its own offset, else in UTC."""
        return parse_date(self.raw(name))


def decode_words(raw: str) -> str:
    """Return `raw` with its encoded words (RFC 2047) and stray 8-bit bytes decoded."""
    if not raw.isascii():
        raw = decode(raw.encode("utf-8", "surrogateescape"))
    if "=?" not in raw:
        return raw
    parts: list[str] = []
    pending, charset, end = b"", "", 0
    for word in _WORD.finditer(raw):
        between = raw[end : word.start()]
        name = word[1].split("*")[0].lower()
        data = _encoded_bytes(word[2], word[3])
        if end and not between.strip() and name == charset:
            # A character may be cut in two by the limit on the length of a word.
            pending += data
        else:
            parts.append(decode(pending, charset) if pending else "")
            parts.append(between if not end or between.strip() else "")
            pending, charset = data, name
        end = word.end()
    parts += (decode(pending, charset) if pending else "", raw[end:])
    return "".join(parts)


def _encoded_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(data, header=True)
    data = re.sub(rb"[^A-Za-z0-9+/]", b"", data)
    return base64.b64decode(data[: len(data) - (len(data) % 4 == 1)] + b"==")


@lru_cache(maxsize=2048)
def parse_people(raw: str) -> tuple[Person, ...]:
    """Return the persons of an address list, however badly it is written.

    The lists of one mailbox repeat: its owner is in most of them.
    """
    people: list[Person] = []
    at = 0
    if "  " in raw or "\t" in raw:
        raw = " ".join(raw.split())
    while at < len(raw):
        match = _SIMPLE.match(raw, at)
        if match is None:
            return tuple(_parse_awkward(raw))
        name = decode_words(match[1] or "")
        people.append(Person(_name(name), clean_line(match[2] or match[3])))
        at = match.end()
    return tuple(people)


def _parse_awkward(raw: str) -> list[Person]:
    """Parse a list with quotes, comments or groups: by the library, else any address in sight."""
    try:
        pairs = getaddresses([raw])
    except (IndexError, TypeError, ValueError, AttributeError, RecursionError):
        pairs = []
    people = [Person(_name(decode_words(n)), clean_line(a)) for n, a in pairs if n or a]
    if not any("@" in person.address for person in people):
        found = [Person("", clean_line(address)) for address in _BARE.findall(raw)]
        people = found or people
    return people


def _name(text: str) -> str:
    return clean_line(text).strip("'\" ")


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(
    r"(?:[A-Za-z]{3}, *)?(\d\d?) ([A-Za-z]{3}) ([12]\d{3}) (\d\d):(\d\d)(?::(\d\d))?"
    r" ([+-]\d{4}|GMT)(?: |$)",
    re.ASCII,
)
"""The usual form of a date; any other is left to the library."""


def parse_date(raw: str) -> datetime | None:
    """Return the moment in a date header; one without an offset is taken as UTC."""
    match = _DATE.match(raw)
    month = match[2].lower() if match else ""
    if not match or month not in _MONTHS:
        return _parse_awkward_date(raw) if raw else None
    day, _, year, hour, minute, second, offset = match.groups("0")
    number, seconds = _MONTHS.index(month) + 1, min(int(second), 59)
    try:
        zone = _zone(offset)
        return datetime(int(year), number, int(day), int(hour), int(minute), seconds, tzinfo=zone)
    except ValueError:
        return None


@lru_cache(maxsize=128)
def _zone(offset: str) -> timezone:
    minutes = 0 if offset == "GMT" else int(offset[1:3]) * 60 + int(offset[3:])
    if minutes == 0:
        return UTC
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))


def _parse_awkward_date(raw: str) -> datetime | None:
    try:
        fields = parsedate_tz(raw)
        if fields is None:
            return None
        offset = timezone(timedelta(seconds=fields[9])) if fields[9] else UTC
        year, month, day, hour, minute, second = fields[:6]
        when = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=offset)
        when.astimezone(UTC)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return when

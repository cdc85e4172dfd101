"""The header fields of a message that an item shows: subject, people, date."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from ingest.item import People, Person
from ingest.mail.exchange import named
from ingest.mail.headers import Headers, parse_date
from ingest.text.weekdays import stamp_in_words

_ENVELOPE_DATE = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} +\d.*")


class Envelope(NamedTuple):
    """The header fields of a message, decoded."""

    subject: str
    when: datetime | None
    people: People
    names: tuple[tuple[str, str], ...]
    """A header field, and the names in it that fit no address."""


def envelope_of(headers: Headers, separator: bytes = b"") -> Envelope:
    """Return the decoded header fields; the mbox or the last server gives a missing date."""
    sender, sender_names = named(headers.people("from"), "x-from", headers)
    to, to_names = named(headers.people("to"), "x-to", headers)
    cc, cc_names = named(headers.people("cc"), "x-cc", headers)
    names = (("From", sender_names), ("To", to_names), ("Cc", cc_names))
    people = People(sender or headers.people("sender"), to, cc)
    unmatched = tuple(n for n in names if n[1])
    return Envelope(headers.text("subject"), date_of(headers, separator), people, unmatched)


def date_of(headers: Headers, separator: bytes) -> datetime | None:
    """Return when a message was sent; without a date field, what the mbox or a server says."""
    when = headers.date()
    if when is not None:
        return when
    line = _ENVELOPE_DATE.search(separator.decode("ascii", "replace"))
    received = headers.raw("received").rpartition(";")[2]
    return (parse_date(line[0]) if line else None) or parse_date(received)


def header_lines(envelope: Envelope, attached: Sequence[str]) -> Iterator[str]:
    """Yield the header block at the top of a mail's text; `attached` are names, some empty."""
    people = envelope.people
    names = dict(envelope.names)
    if envelope.subject:
        yield f"Subject: {envelope.subject}"
    for header, persons in (("From", people.sender), ("To", people.to), ("Cc", people.cc)):
        if persons:
            yield f"{header}: {_listed(persons)}"
        if header in names:
            yield f"{header} (names): {names[header]}"
    if envelope.when is not None:
        yield f"Date: {stamp_in_words(envelope.when)}"
    if any(attached):
        yield "Attachments: " + ", ".join(name for name in attached if name)


@lru_cache(maxsize=2048)
def _listed(persons: tuple[Person, ...]) -> str:
    return ", ".join(str(person) for person in persons)

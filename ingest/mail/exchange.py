"""Names that Exchange and Notes exports keep beside bare addresses (X-From, X-To, X-cc)."""

from __future__ import annotations

import re

from ingest.item import Person, spoken_order
from ingest.mail.headers import Headers

# `Savidant, Michael </O=ENRON/OU=NA/CN=RECIPIENTS/CN=MSAVIDAN>`: names with commas, told apart
# by the angle brackets after each.
_ENTRY = re.compile(r"\s*(\"[^\"]*\"|[^<>]*?)\s*<([^<>]*)>(?:@[\w@ ]*)?\s*(?:[,;]|<[^<>]*>|$)\s*")
_ROUTE = re.compile(r"(?:/[^/,;]+)*@[\w ]*$|@SMTP@\w+$")


def named(
    people: tuple[Person, ...], header: str, headers: Headers
) -> tuple[tuple[Person, ...], str]:
    """Give `people` the display names of an X- header.

    Returns the people, and the names of the header as one readable line when they cannot be told
    which name belongs to which address (else empty).
    """
    if not headers.raw(header) or (people and all(person.name for person in people)):
        return people, ""
    entries = names_in(headers.text(header))
    readable = [name for name, _ in entries if name]
    if not people:
        return tuple(Person(name, address) for name, address in entries if name or address), ""
    if not readable:
        return people, ""
    by_address = {address.lower(): name for name, address in entries if name and "@" in address}
    if len(entries) == len(people):
        pairs = zip(people, entries, strict=True)
        return tuple(Person(p.name or name, p.address) for p, (name, _) in pairs), ""
    if by_address.keys() >= {person.address.lower() for person in people}:
        return tuple(Person(p.name or by_address[p.address.lower()], p.address) for p in people), ""
    return tuple(_by_local_part(person, readable) for person in people), "; ".join(readable)


def _by_local_part(person: Person, names: list[str]) -> Person:
    """Give a person the only name whose first and last word are in the address."""
    words = [word for word in person.address.lower().partition("@")[0].split(".") if word] or [""]
    fitting = [n for n in names if _ends(spoken_order(n).lower().split()) == _ends(words)]
    return Person(fitting[0], person.address) if len(fitting) == 1 and not person.name else person


def _ends(words: list[str]) -> tuple[str, str]:
    return words[0], words[-1]


def names_in(text: str) -> list[tuple[str, str]]:
    """Return the (name, address) pairs of an X- header; either may be empty."""
    if "<" in text:
        entries = _bracketed(text)
        if entries is not None:
            return entries
    return [_split_address(part) for part in re.split(r"\s*[,;]\s*", text) if part.strip()]


def _bracketed(text: str) -> list[tuple[str, str]] | None:
    """Return the pairs of a list in which every name is followed by brackets, else None."""
    entries: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        match = _ENTRY.match(text, at)
        if match is None or match.end() == at:
            break
        name, address = match[1], match[2]
        entries += [_split_address(part) for part in _unbracketed_before(name)]
        is_address = "@" in address and " " not in address
        entries.append((_readable(_last_of(name)), address if is_address else ""))
        at = match.end()
    if at < len(text):
        rest = text[at:]
        if not entries or "<" in rest:
            return None
        entries += [_split_address(part) for part in re.split(r"\s*[,;]\s*", rest) if part.strip()]
    return entries


def _unbracketed_before(name: str) -> list[str]:
    """Return the entries without brackets that precede an entry with brackets."""
    parts = [] if name.startswith('"') else re.split(r"\s*[,;]\s*", name)
    # Two parts are "Last, First"; only a third shows that some came before.
    return parts[:-2] if len(parts) > 2 else []


def _last_of(name: str) -> str:
    parts = [] if name.startswith('"') else re.split(r"\s*[,;]\s*", name)
    return ", ".join(parts[-2:]) if len(parts) > 2 else name


def _split_address(part: str) -> tuple[str, str]:
    """Return (name, address) of one entry without brackets."""
    part = part.strip(" '\"")
    if re.fullmatch(r"[^\s@<>]+@[^\s@<>]+\.[A-Za-z]{2,}(?:@\w+)?", part):
        return "", "@".join(part.split("@")[:2])
    return _readable(part), ""


def _readable(name: str) -> str:
    """Return a display name as written, without routes."""
    name = _ROUTE.sub("", name.strip(" '\"")).strip(" '\"")
    if "@" in name or name.startswith("/"):
        return ""
    return name

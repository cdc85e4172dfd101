"""Items and passages for tests that care about their text, and about little else."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from engine.values import Passage
from ingest.item import Item, Kind, Locator, People, Person, Shelf


def document(
    text: str = "text",
    title: str = "",
    *,
    kind: Kind = Kind.DOCUMENT,
    when: datetime | None = None,
    path: str = "/note",
    line: int | None = None,
    message_id: str | None = None,
    records: tuple[int, ...] = (),
) -> Item:
    """Return an item whose sender and recipients do not matter."""
    place = Locator(Path(path), line=line, message_id=message_id)
    return Item(kind, title, when, People(), text, place, records=records)


def sheet(text: str, name: str) -> Item:
    """Return the first sheet of a file of this name, in a folder that says nothing."""
    item = document(text, f"{name}, Sheet1")
    return replace(item, locator=replace(item.locator, path=Path(f"/home/{name}")))


def documents(texts: Iterable[str], title: str = "note") -> list[Item]:
    """Return a document for each text, each in a file of its own."""
    return [document(text, title, path=f"/{number}") for number, text in enumerate(texts)]


def passage(
    text: str = "text",
    title: str = "",
    *,
    kind: Kind = Kind.DOCUMENT,
    path: str = "/note",
    line: int | None = None,
    message_id: str | None = None,
) -> Passage:
    """Return a passage that is the whole of a document."""
    item = document(text, title, kind=kind, path=path, line=line, message_id=message_id)
    return Passage(item, 0, len(text))


def mail(
    title: str,
    sender: Person,
    when: datetime | None,
    body: str = "Hello.",
    shelf: Shelf | None = None,
    part: str | None = None,
    to: tuple[Person, ...] = (),
) -> Item:
    """Return a mail of the inbox; its text begins with its headers, as the readers write them."""
    addressed = f"To: {', '.join(map(str, to))}\n" if to else ""
    head = f"Subject: {title}\nFrom: {sender}\n{addressed}Date: {when}\n\n"
    place = Locator(Path("/mail/inbox.mbox"), message_id=f"<{title}{when}>", part=part)
    people = People(sender=(sender,), to=to)
    return Item(Kind.MAIL, title, when, people, head + body, place, shelf=shelf, body=len(head))


def event(
    title: str, when: datetime, calendar: str, minutes: int | None = 60, where: str = ""
) -> Item:
    """Return an event of a calendar; with no minutes, one without an end."""
    text = f"Event: {title}\nWhen: {when:%a %Y-%m-%d %H:%M}"
    text += f"\nWhere: {where}" if where else ""
    place = Locator(Path(f"/calendars/{calendar}.ics"), uid=title, occurrence=when.isoformat())
    ends = when + timedelta(minutes=minutes) if minutes else None
    return Item(Kind.EVENT, title, when, People(), text, place, until=ends)

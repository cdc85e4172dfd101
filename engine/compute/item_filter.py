"""Which items pass a source of a plan: each once, without spam, trash and cancelled events."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from engine.compute.fields import (
    calendar_of,
    day_of,
    folded,
    is_cancelled,
    is_done,
    last_day_of,
    place_of,
    thread_of,
    title_of,
)
from engine.language.stemming import stem
from engine.language.tokens import folded_words
from engine.plan import Source, Status
from engine.question.acquaintances import Acquaintances, Names
from ingest.item import Item, Kind, Person, Shelf


@dataclass(frozen=True, slots=True)
class Passed:
    """The items of a source."""

    items: tuple[Item, ...]
    """Oldest first, those without date at the end."""
    shelved: Counter[Shelf] = field(default_factory=Counter)
    """What would have passed, but lies there."""
    undated: tuple[Item, ...] = ()
    """What would have passed, but has no date to compare."""
    cancelled: tuple[Item, ...] = ()
    """What would have passed, but was called off."""


def passing(items: Iterable[Item], source: Source, known: Acquaintances) -> Passed:
    """Return the items that pass, and those left out by shelf, status or a missing date."""
    found: list[Item] = []
    shelved: Counter[Shelf] = Counter()
    undated: list[Item] = []
    cancelled: list[Item] = []
    tests = list(_tests(source, known))
    for item in items:
        if not all(test(item) for test in tests):
            continue
        shelf, called_off = shelf_of(item), is_cancelled(item)
        if source.shelf not in (shelf, "any"):
            shelved.update([shelf] if shelf else [])
        elif called_off and source.status not in ("cancelled", "any"):
            cancelled.append(item)
        elif not _has_status(item, source.status):
            continue
        elif (source.since or source.until) and item.when is None:
            undated.append(item)
        else:
            found.append(item)
    found.sort(key=oldest_first)
    return Passed(tuple(found), shelved, tuple(undated), tuple(cancelled))


def each_once(items: Iterable[Item]) -> list[Item]:
    """Return the items without invitations to events that a calendar has.

    Of several invitations to another event one stays, a cancellation first. Reading has left each
    mail once already.
    """
    read = list(items)
    calendars = {item.locator.uid for item in read if not _is_invitation(item)}
    kept: dict[tuple[str | None, str | None], Item] = {}
    for item in filter(_is_invitation, read):
        place = item.locator.uid, item.locator.occurrence
        if item.locator.uid not in calendars and (place not in kept or is_cancelled(item)):
            kept[place] = item
    ids = {id(item) for item in kept.values()}
    return [item for item in read if not _is_invitation(item) or id(item) in ids]


def _is_invitation(item: Item) -> bool:
    """Say whether an event is attached to a mail."""
    place = item.locator
    return item.kind is Kind.EVENT and place.part is not None and place.uid is not None


def _has_status(item: Item, wanted: Status | None) -> bool:
    if wanted == "cancelled":
        return is_cancelled(item)
    if wanted in ("open", "done"):
        return is_done(item) is (wanted == "done")
    return True


def oldest_first(item: Item) -> tuple[bool, float]:
    """Return the key that sorts items by date; those without one come last."""
    return item.when is None, item.when.timestamp() if item.when else 0.0


def shelf_of(item: Item) -> Shelf | None:
    """Return the shelf of an item. A mail with a copy elsewhere has none."""
    kept = any(copy.shelf is None for copy in item.copies)
    return None if kept else item.shelf


Test = Callable[[Item], bool]


def _tests(source: Source, known: Acquaintances) -> Iterator[Test]:
    """Yield the tests that an item must pass, the cheapest first. A missing date passes here."""
    yield lambda item: source.kind is None or item.kind is source.kind
    # A mail within a mail was not received.
    yield lambda item: item.kind is not Kind.MAIL or item.locator.part is None
    if source.has == "attachment":
        yield lambda item: bool(item.attachments)
    if source.since or source.until:
        yield lambda item: item.when is None or _in_days(item, source)
    by_field: tuple[tuple[Sequence[str], Callable[[Item, str], bool]], ...] = (
        (source.subjects, lambda item, wanted: folded(title_of(item)) == folded(wanted)),
        (source.titles, _titled),
        (source.threads, _same_thread),
        (source.calendars, lies_in),
        (source.senders, lambda item, one: is_one_of(item.people.sender, one, known.senders)),
        (
            source.recipients,
            lambda item, one: is_one_of(item.people.recipients, one, known.recipients),
        ),
        (source.people, lambda item, one: _takes_part(item, one, known)),
        (source.places, lambda item, wanted: folded(wanted) in folded(place_of(item))),
        (source.texts, _holds),
    )
    for values, test in by_field:
        if values:
            yield _any_of(values, test)


def _any_of(values: Sequence[str], test: Callable[[Item, str], bool]) -> Test:
    return lambda item: any(test(item, one) for one in values)


def _same_thread(item: Item, wanted: str) -> bool:
    return item.kind is Kind.MAIL and folded(thread_of(item)) == folded(wanted)


def _titled(item: Item, wanted: str) -> bool:
    """Say whether the title holds it as whole words."""
    title, part = folded(title_of(item)), folded(wanted)
    return part in title and bool(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", title))


def is_one_of(people: Iterable[Person], wanted: str, names: Names) -> bool:
    """Say whether one of the people bears a name, or has the address."""
    name = wanted.casefold()
    addresses = names.get(name, frozenset()) if "@" not in name else {name}
    for person in people:
        if person.address and person.address.casefold() in addresses:
            return True
        if "@" not in name and _bears(person, name):
            return True
    return False


def _bears(person: Person, name: str) -> bool:
    forms = f"{person.spoken}\n{person.without_initials}".casefold()
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", forms))


def _takes_part(item: Item, wanted: str, known: Acquaintances) -> bool:
    """Say whether a person is in any role, by a name that any item gives to the address.

    Who attends is often an address alone, and only mail says whose. Nobody takes part in an
    address card or a document.
    """
    if item.kind in (Kind.CONTACT, Kind.DOCUMENT):
        return False
    people = (*item.people.sender, *item.people.recipients)
    if any(is_one_of(people, wanted, names) for names in (known.senders, known.recipients)):
        return True
    return item.kind is Kind.EVENT and _holds(item, wanted)


def lies_in(item: Item, wanted: str) -> bool:
    """Say whether an item is in the calendar, mailbox or folder of that name."""
    name = folded(wanted)
    return name in _names_of(item.locator.path) or name == folded(calendar_of(item))


@lru_cache(maxsize=1024)
def _names_of(path: Path) -> frozenset[str]:
    return frozenset(
        name for part in path.parts for name in (folded(part), folded(Path(part).stem))
    )


def _holds(item: Item, wanted: str) -> bool:
    """Say whether title or text hold all the words; singular and plural are one word."""
    held = {stem(word) for word in folded_words(f"{item.title}\n{item.text}")}
    return all(stem(word) in held for word in folded_words(wanted))


def _in_days(item: Item, source: Source) -> bool:
    first, last = day_of(item), last_day_of(item)
    if source.since and (last is None or last < source.since):
        return False
    return not (source.until and (first is None or first > source.until))

"""Who is known: the people of the items that were read, by every name they go by."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.language.tokens import FUNCTION_WORDS
from ingest.item import Item, Person
from ingest.text.accents import unaccented

# "ann.lee@x.example"
ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
# "O'Brien", "Dr"
WORD = re.compile(r"[^\W\d_](?:[\w.'-]*\w)?")
WORDS_OF_A_NAME = 4

EVERYBODYS_HOSTS = frozenset(
    {"gmail", "googlemail", "yahoo", "hotmail", "outlook", "live", "icloud", "gmx", "web", "mail"}
    | {"aol", "msn", "example", "com", "org", "net", "edu", "gov", "co", "ac", "localhost"}
)
"""Parts of hosts that say nothing about who writes from there."""

Names = Mapping[str, frozenset[str]]
"""From a case-folded name to the addresses of those who bear it."""


@dataclass(frozen=True, slots=True)
class Acquaintances:
    """Names of the people who wrote, or were written to."""

    senders: Names = field(default_factory=dict)
    recipients: Names = field(default_factory=dict)

    @classmethod
    def of(cls, items: Iterable[Item]) -> Acquaintances:
        """Collect the people of items."""
        senders: set[Person] = set()
        recipients: set[Person] = set()
        for item in items:
            senders.update(item.people.sender)
            recipients.update(item.people.recipients)
        return cls(_by_name(senders), _by_name(recipients))


def _by_name(people: Iterable[Person]) -> Names:
    names: defaultdict[str, set[str]] = defaultdict(set)
    for person in people:
        address = person.address.casefold()
        for name in _names_of(person):
            names[name].add(address)
    return {name: frozenset(addresses - {""}) for name, addresses in names.items()}


def _names_of(person: Person) -> set[str]:
    """Return the names of one person: full, short, bare of accents, the address's name and host."""
    name = person.spoken.casefold()
    words = WORD.findall(name) if "@" not in name else []
    begun = (words[:count] for count in range(1, 1 + WORDS_OF_A_NAME))
    found = {" ".join(some) for some in begun if some == words or some[-1] not in FUNCTION_WORDS}
    found |= {*words[-1:], person.without_initials.casefold()}
    local, _, host = person.address.casefold().partition("@")
    found |= {local, *(part for part in host.split(".") if part not in EVERYBODYS_HOSTS)}
    found |= set(map(unaccented, found))
    return {one for one in found if len(one) > 1 and one not in FUNCTION_WORDS}


@dataclass(frozen=True, slots=True)
class FoundName:
    """A person named in a text."""

    name: str
    """As written in the text."""
    end: int
    """Offset after it."""


def name_at(text: str, position: int, known: Names) -> FoundName | None:
    """Return the known person named right at a position, the longest name first.

    A whole address needs nobody to know it. A single word must be written with a capital, and so
    must a later one of what begins with a common word: "the new" is not The New York Times. No
    further word of a name may follow: "Ann Miller" is not the Ann who is known.
    """
    if address := ADDRESS.match(text, position):
        return FoundName(address[0], address.end())
    words = _words_at(text, position)
    for count in range(len(words), 0, -1):
        start, end = words[0].start(), words[count - 1].end()
        name = re.sub(r"'s$", "", " ".join(text[start:end].split()))
        followed = count < len(words) and words[count][0][0].isupper() and name == text[start:end]
        if name.casefold() in known and not followed and _is_written_as_a_name(name):
            return FoundName(name, start + len(text[start:end].removesuffix("'s")))
    return None


def _is_written_as_a_name(name: str) -> bool:
    first, *later = name.split(" ")
    if first.casefold() in FUNCTION_WORDS:
        return any(word[0].isupper() for word in later)
    return bool(later) or first[0].isupper()


def _words_at(text: str, position: int) -> list[re.Match[str]]:
    words: list[re.Match[str]] = []
    while len(words) <= WORDS_OF_A_NAME and (word := WORD.match(text, position)):
        words.append(word)
        gap = re.compile(r"\s+").match(text, word.end())
        if gap is None:
            break
        position = gap.end()
    return words

"""Who a mail is meant for, of the people that it is addressed to."""

from __future__ import annotations

import re

from ingest.item import Item, Person

LEAST_SHORT_FORM = 3
"""Letters from which a greeting's word may shorten a name: "Cath" for Catherine."""
# "Christie,", "Hi Cath", "Dear Ms Lee:", "Brandon- I talked to"
_GREETING = re.compile(
    r"\s*(?:(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|cher|ch\xe8re)"
    r" )?([^\W\d_]+\.?(?: [^\W\d_]+){0,3}) *(?:[,:;!-]|\n|$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")
_COLLECTIVE = "all alle both colleagues everybody everyone folks friends guys team there"
_OF_ALL = frozenset(_COLLECTIVE.split())
"""Words of greetings that name nobody, though names may begin with them: Allen, Theresa."""


def addressees(item: Item) -> tuple[Person, ...]:
    """Return whom the greeting names of a mail's To line; everyone there, where it names nobody.

    Of people with the same first name those are meant of whose names it has most.
    """
    people = item.people.to
    if len(people) < 2 or not (found := _GREETING.match(item.text, item.body)):
        return people
    greeted = {word.casefold() for word in _WORD.findall(found[1])} - _OF_ALL
    counts = [_named(one, greeted) for one in people]
    most = max(counts)
    return tuple(one for one, count in zip(people, counts, strict=True) if count == most)


def _named(person: Person, greeted: set[str]) -> int:
    """Return how many words of a greeting are this person's names, or short for them."""
    names = _WORD.findall((person.name or person.address.partition("@")[0]).casefold())
    return sum(any(_is_short_for(word, name) for name in names) for word in greeted)


def _is_short_for(word: str, name: str) -> bool:
    return len(name) > 1 and (
        name == word or (len(word) >= LEAST_SHORT_FORM and name.startswith(word))
    )

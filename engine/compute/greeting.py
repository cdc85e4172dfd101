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


def addressees(item: Item) -> tuple[Person, ...]:
    """Return whom the greeting names of a mail's To line; everyone there, where it names nobody."""
    people = item.people.to
    if len(people) < 2 or not (found := _GREETING.match(item.text, item.body)):
        return people
    greeted = [word.casefold() for word in _WORD.findall(found[1])]
    return tuple(one for one in people if _is_one_of(one, greeted)) or people


def _is_one_of(person: Person, greeted: list[str]) -> bool:
    names = _WORD.findall((person.name or person.address.partition("@")[0]).casefold())
    return any(
        name == word or (len(word) >= LEAST_SHORT_FORM and name.startswith(word))
        for word in greeted
        for name in names
        if len(name) > 1
    )

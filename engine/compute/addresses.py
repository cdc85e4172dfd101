"""E-mail addresses of people, which headers state.

The comment above a pattern quotes phrases that it matches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.compute.fields import line_of
from engine.generation.draft import Draft
from engine.language.tokens import FUNCTION_WORDS, words
from engine.plan import Field
from engine.values import Argument, Citation, Passage
from ingest.item import Item, Person

MOST = 3
"""Different addresses that a name may stand for. Where it stands for more, it names nobody."""

_MAILED = r"(?:write|wrote|written|send|sent|mail|mailed|e-?mail|e-?mailed|use|used)"
# "what is the e-mail address of Ann Lee?", "give me the email address for Ann"
_OF = re.compile(
    r"\b(?:what(?:'s| is| was| are)?|which|give me|tell me|show me|find) (?:the |is the )?"
    r"e-?mail address(?:es)? (?:of|for) (?P<name>[^?:;,]+?)\W*$",
    re.IGNORECASE,
)
# "what is Ann Lee's e-mail address?"
_POSSESSIVE = re.compile(
    r"\b(?:what(?:'s| is| was| are)?|give me|tell me|show me|find) (?P<name>[^?:;,]+?)(?:'s|')"
    r" e-?mail address(?:es)?\W*$",
    re.IGNORECASE,
)
# "from which address did Ann write to me?", "which e-mail address does Ann Lee use?", "what email
# does Ann use"
_FROM = re.compile(
    r"\b(?:from )?(?:which|what) (?:(?:e-?mail )?address|e-?mail) (?:did|does|do|has|have) "
    rf"(?P<name>[^?:;,]+?) {_MAILED}\b",
    re.IGNORECASE,
)
# "Gerry the farmer", "Ann from the notary"
_APPOSED = re.compile(r" (?:the|our|my|from|at|in|of) .+$", re.IGNORECASE)
_PART = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class _Stated:
    """An address in the header of an item."""

    item: Item
    field: Field
    address: str

    @property
    def citation(self) -> Citation:
        """The line of the header that states it."""
        start, end = line_of(self.item, self.field)
        return Citation(1, Passage(self.item, start, end), start, end, "matched", support=True)


def addresses_asked_for(question: str, items: Sequence[Item]) -> Draft | None:
    """Return the addresses of the person whose e-mail address a question asks for.

    None for another question, and where no header names the person, or many share the name.
    """
    straight = " ".join(question.replace("\u2019", "'").split())
    found = next((m for one in (_OF, _POSSESSIVE, _FROM) if (m := one.search(straight))), None)
    if found is None:
        return None
    name, reasons = found["name"], tuple[Argument, ...]()
    stated = _stated_of(name, items)
    if not stated and (apposed := _APPOSED.search(name)):
        stated = _stated_of(name[: apposed.start()], items)
        reasons = (Argument(f'no header says "{apposed[0].strip()}"', False),)
    if not 0 < len(stated) <= MOST:
        return None
    citations = [replace(one.citation, id=number) for number, one in enumerate(stated, start=1)]
    text = "\n".join(f"{one.address} [{number}]" for number, one in enumerate(stated, start=1))
    evidence = tuple(one.passage for one in citations)
    return Draft(text, evidence, citations=tuple(citations), reasons=reasons)


def _stated_of(name: str, items: Sequence[Item]) -> list[_Stated]:
    """Return the addresses of who bears all words of a name, the newest first."""
    wanted = {word for word in words(name) if word not in FUNCTION_WORDS}
    return _newest_of_each(_stated(items, wanted)) if wanted else []


def _stated(items: Sequence[Item], wanted: set[str]) -> Iterator[_Stated]:
    for item in items:
        for person in item.people.sender:
            if _bears(person, wanted):
                yield _Stated(item, "sender", person.address)
        for person in item.people.recipients:
            if _bears(person, wanted):
                yield _Stated(item, "recipient", person.address)


def _bears(person: Person, wanted: set[str]) -> bool:
    """Say whether a person has an address and all words of a name, there or in the name."""
    local, at, _ = person.address.partition("@")
    known = {*words(person.name), *(part.casefold() for part in _PART.findall(local))}
    return bool(at) and wanted <= known


def _newest_of_each(stated: Iterator[_Stated]) -> list[_Stated]:
    """Return each address once, from the newest item that states it; the newest first."""
    dated = sorted(stated, key=lambda one: one.item.when.timestamp() if one.item.when else 0.0)
    by_address = {one.address.casefold(): one for one in dated}
    return list(by_address.values())[::-1]

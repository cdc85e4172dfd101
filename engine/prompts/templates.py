"""Fills the Markdown prompts in `engine/prompts/` and fences passages as data."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from engine.injection.order_guard import is_harmless
from engine.language.addresses import with_short_addresses
from engine.values import Excerpt, Passage
from ingest.item import Item, Kind
from models.protocols import Generator, Message

_SECTION = re.compile(r"^# ([a-z ]+)\n", re.MULTILINE)
_FIELD = re.compile(r"\{(\w+)\}")


@cache
def _sections(name: str) -> dict[str, str]:
    text = files("engine.prompts").joinpath(f"{name}.md").read_text("utf-8")
    parts = _SECTION.split(text)
    return {role: body.strip() for role, body in zip(parts[1::2], parts[2::2], strict=True)}


def fill(
    name: str, part: str = "user", *, system: str = "system", **fields: str
) -> tuple[list[Message], str]:
    """Return the messages of a prompt and the words its reply begins with (may be empty).

    `part` names the section of the person's turn; the section `PART primed` holds the reply's first
    words. `system` names the section before it, by default "system". Fields are filled once, so a
    passage that contains `{question}` is not changed.
    """
    sections = _sections(name)
    before = sections.get(system, sections.get("system"))
    turns = [Message("system", before)] if before is not None else []
    turns.append(Message("user", _FIELD.sub(lambda match: fields[match[1]], sections[part])))
    return turns, sections.get(f"{part} primed", "")


def section(name: str, title: str, **fields: str) -> str:
    """Return an optional section of a prompt, with a blank after it, for a field."""
    return _FIELD.sub(lambda match: fields[match[1]], _sections(name)[title]) + " "


def render(
    model: Generator, name: str, part: str = "user", *, system: str = "system", **fields: str
) -> str:
    """Return a prompt as the model's template writes it; arguments as for `fill`."""
    messages, primed = fill(name, part, system=system, **fields)
    return model.render(messages, primed)


def describe(item: Item, nameless: bool = True) -> str:
    """Return one line that says what an item is: kind, title, sender, date.

    With `nameless`, a title or sender that gives orders to a model is left out.
    """
    parts = [item.kind.value.capitalize()]
    if item.title:
        hidden = nameless and not is_harmless(item.title)
        parts.append(f'"{"without a usable title" if hidden else item.title}"')
    if item.people.sender:
        names = (
            "someone" if nameless and not is_harmless(str(person)) else str(person)
            for person in item.people.sender
        )
        parts.append("from " + ", ".join(names))
    if item.when is not None:
        parts.append(item.when.strftime("%a %Y-%m-%d"))
    return " ".join(parts)


def show(passages: Sequence[Passage], first: int = 1, fence: str = "") -> str:
    """Return passages numbered from `first`, each between fences that occur in none of them.

    Their long addresses are shortened, as `selection.tokens` counts them.
    """
    fence = fence or fence_of(passages)
    blocks = [
        f"[{number}] {_heading(passage)}<{fence}>\n{with_short_addresses(passage.text)}\n</{fence}>"
        for number, passage in enumerate(passages, start=first)
    ]
    return "Passages:\n\n" + "\n\n".join(blocks)


def fence_of(passages: Sequence[Passage]) -> str:
    """Return a fence that occurs in no passage.

    It is a hash over all of them, so no author of one can know it.
    """
    digest = hashlib.sha256("\0".join(p.text for p in passages).encode("utf-8", "replace"))
    fence = digest.hexdigest()[:6]
    while any(fence in passage.text for passage in passages):
        digest.update(b"+")
        fence = digest.hexdigest()[:6]
    return fence


def show_plain(passages: Sequence[Passage], first: int = 1) -> str:
    """Return passages as LongBench writes them, for data sets: a number, a title, the text."""
    return "\n\n".join(
        f"Passage {number}:\n{with_short_addresses(passage.searched.strip())}"
        for number, passage in enumerate(passages, start=first)
    )


def _heading(passage: Passage) -> str:
    """Describe the item; return nothing if the passage begins with the item's own header."""
    own_header = passage.item.kind in (Kind.MAIL, Kind.EVENT, Kind.TASK, Kind.CONTACT)
    if own_header and passage.start == 0:
        return ""
    nameless = isinstance(passage, Excerpt) and passage.nameless
    return describe(passage.item, nameless) + " "

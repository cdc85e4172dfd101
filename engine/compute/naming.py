"""Finds what a question names, and puts a tag in its place: `when did <p0> write <q0>`.

What stands in quotation marks is looked up among the titles, threads and places that were read;
so are titles and calendars without marks. Nothing is taken for a name that nobody has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date

from engine.compute import diary
from engine.compute.fields import PREFIX, folded
from engine.compute.words import ASKING, NEUTRAL, NOUNS, VERBS
from engine.compute.world import LEAST_TITLE, Called, World, joined, spans_of_words
from engine.language.dates import find_spans, parse_span
from engine.language.days import Direction, Span
from engine.language.tokens import FUNCTION_WORDS
from engine.question.acquaintances import name_at
from ingest.item import Kind

_OPENING, _CLOSING = '"\u201c\u201e\u00ab', '"\u201d\u201c\u00bb'
_TAG = re.compile(r"<[qcdp]\d+>")
_YEAR = re.compile(r"(?<![\w-])((?:19|20)\d\d)(?![\w-])")
_BEFORE_AGENT = re.compile(r"\b(?:did|from|by|has|had|does) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a title, a thread, a place, or of none."""

    text: str
    is_thread: bool = False
    """Whether mail has this subject."""
    is_subject: bool = False
    """Whether it is a mail's subject to the letter."""
    is_event: bool = False
    """Whether an event, a task or another item has this title."""
    is_place: bool = False
    in_title: bool = False
    """Whether it is a part of some title."""
    kind: Kind | None = None
    """Whose title it is a part of, where it stood in the question as a plain word."""


@dataclass
class Named:
    """A question whose names are tags, and what they stand for."""

    text: str
    """In small letters, "e-mail" as "email"."""
    quotes: dict[str, Quoted] = field(default_factory=dict)
    calendars: dict[str, tuple[Called, ...]] = field(default_factory=dict)
    dates: dict[str, Span] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)


def named(question: str, world: World, today: date) -> Named:
    """Return the question with tags; what was found first is not looked at again."""
    found = Named(" ".join(re.sub(r"[<>]", " ", question).replace("\u2019", "'").split()))
    _quotes(found, world)
    if not found.quotes:
        _bare_title(found, world)
    _people(found, world, only_addresses=True)
    if not diary.MAIL.search(found.text):
        _calendars(found, world)
    if not found.quotes:
        _part_of_a_title(found, world)
    _dates(found, today)
    _people(found, world)
    text = re.sub(r"\be-mail", "email", found.text.casefold())
    found.text = " ".join(re.sub(r"[^\w<>'@. -]+|\.(?=\s|$)", " ", text).split())
    return found


def _put(found: Named, start: int, end: int, letter: str, number: int) -> str:
    tag = f"<{letter}{number}>"
    found.text = f"{found.text[:start]}{tag}{found.text[end:]}"
    return tag


def _quotes(found: Named, world: World) -> None:
    position = 0
    while (start := _next_of(found.text, _OPENING, position)) is not None:
        ends = [at for at in range(start + 2, len(found.text)) if found.text[at] in _CLOSING]
        if not ends:
            return
        meanings = [(end, _meaning(found.text[start + 1 : end], world)) for end in ends]
        known = [one for one in meanings if one[1].is_thread or one[1].is_event or one[1].is_place]
        end, meaning = known[-1] if known else meanings[0]
        tag = _put(found, start, end + 1, "q", len(found.quotes))
        found.quotes[tag] = meaning
        position = start + len(tag)


def _next_of(text: str, marks: str, position: int) -> int | None:
    return next((at for at in range(position, len(text)) if text[at] in marks), None)


def _meaning(text: str, world: World) -> Quoted:
    words = folded(text)
    kinds = world.titles.get(words, frozenset())
    thread = folded(PREFIX.sub("", text))
    return Quoted(
        text.strip(),
        is_thread=thread in world.threads,
        is_subject=Kind.MAIL in kinds,
        is_event=bool(kinds - {Kind.MAIL}),
        is_place=words in world.places,
        in_title=bool(words) and world.has_title_with(words),
    )


def _bare_title(found: Named, world: World) -> None:
    """Tag the longest title that stands in the question without quotation marks."""
    for start, end in spans_of_words(found.text):
        words = found.text[start:end]
        several = len(words.split()) >= LEAST_TITLE
        if several and words[0].isupper() and folded(words) in world.titles:
            meaning = _meaning(words, world)
            found.quotes[_put(found, start, end, "q", 0)] = meaning
            return


def _part_of_a_title(found: Named, world: World) -> None:
    """Tag an event or a task that is named by a part of its title."""
    if part := diary.titled(found.text, world):
        start, end, words, kind = part
        tag = _put(found, start, end, "q", 0)
        found.quotes[tag] = Quoted(words, in_title=True, kind=kind)


def _calendars(found: Named, world: World) -> None:
    """Tag calendars, the longest names first."""
    while world.calendars and _calendar(found, world):
        pass


def _calendar(found: Named, world: World) -> bool:
    for start, end in spans_of_words(found.text, longest=5):
        if not _is_named_there(found.text, start, end):
            continue
        words = re.sub(r"'s$", "", found.text[start:end])
        plain = words.strip("().:,")
        key, word = joined([plain]), plain.casefold()
        if key in world.calendars and word not in FUNCTION_WORDS and word not in NOUNS:
            at = start + words.index(plain)
            tag = _put(found, at, at + len(plain), "c", len(found.calendars))
            found.calendars[tag] = world.calendars[key]
            return True
    return False


def _is_named_there(text: str, start: int, end: int) -> bool:
    """Say whether a word may be a calendar there: "work" is a verb, "my work" may be one."""
    words = text[start:end]
    if " " in words or not words.islower():
        return True
    before = re.search(r"\b(?:my|our|the|in|from|of|on|and|both|does|do) $", text[:start])
    after = re.match(r"(?:'s)? (?:calendar|event|meeting|appointment|holiday|and\b)", text[end:])
    return bool(before or after)


def _dates(found: Named, today: date) -> None:
    direction = diary.direction(found.text)
    if alternatives := _alternatives(found, today, direction):
        start, end, span = alternatives
        found.dates[_put(found, start, end, "d", 0)] = span
    for one in reversed(find_spans(_blank(found.text), today, direction)):
        tag = _put(found, one.start, one.end, "d", len(found.dates))
        found.dates[tag] = one.span
    while year := _YEAR.search(_blank(found.text)):
        whole = parse_span(year[1], today)
        if whole is None:
            return
        found.dates[_put(found, *year.span(), "d", len(found.dates))] = whole


def _alternatives(found: Named, today: date, direction: Direction) -> tuple[int, int, Span] | None:
    """Return the span of "in August or in September 2002", where the first lacks its year."""
    text = _blank(found.text)
    for match in re.finditer(r"\bin (\w+(?: \d{4})?) or (?:in )?(\w+(?: \d{4})?)", text):
        span = parse_span(f"from {match[1]} to {match[2]}", today, direction)
        if span is not None:
            return match.start(), match.end(), span
    return None


def _blank(text: str) -> str:
    """Return the text with its tags blanked, so that no number in them is a date."""
    return _TAG.sub(lambda tag: "\0" * len(tag[0]), text)


def _people(found: Named, world: World, *, only_addresses: bool = False) -> None:
    """Tag people: a known name with a capital, or in small letters where one who acts stands."""
    names = {**world.known.recipients, **world.known.senders}
    position = 0
    while position < len(found.text):
        end = _person_at(found.text, position, {} if only_addresses else names)
        if end is None:
            position = _after_word(found.text, position)
            continue
        name = re.sub(r"'s$", "", found.text[position:end])
        tag = _put(found, position, end, "p", len(found.people))
        found.people[tag] = name
        position += len(tag)


def _person_at(text: str, position: int, names: dict[str, frozenset[str]]) -> int | None:
    if position and (text[position - 1].isalnum() or text[position - 1] in "<@."):
        return None
    known = name_at(text, position, names)
    if known is not None:
        word = known.name.casefold()
        common = word in NEUTRAL | FUNCTION_WORDS | ASKING or word in NOUNS or word in VERBS
        # "Per" within a question is a person, where somebody bears that name.
        written_as_name = position > 0 and len(word) > 1 and text[position].isupper()
        return None if common and "@" not in word and not written_as_name else known.end
    if names and (position == 0 or _BEFORE_AGENT.search(text[:position])):
        for end in _word_ends(text, position, 4):
            name = re.sub(r"'s$", "", text[position:end]).strip("?.,:").casefold()
            followed = re.match(r" ?(\w+)", text[position + len(name) :])
            acts = position > 0 or (followed and followed[1] in VERBS)
            if name in names and name not in FUNCTION_WORDS and acts:
                return position + len(name)
    return None


def _word_ends(text: str, position: int, longest: int) -> list[int]:
    """Return where the next words end, the furthest first."""
    ends = [match.end() for match in re.finditer(r"\S+", text[position:])]
    return [position + end for end in reversed(ends[:longest])]


def _after_word(text: str, position: int) -> int:
    after = re.compile(r"<[qcdp]\d+>|[\w']+|.", re.DOTALL).match(text, position)
    return after.end() if after else position + 1


def tags_in(text: str, letter: str) -> Iterator[str]:
    """Yield the tags of one sort, in the order in which they stand."""
    for match in re.finditer(rf"<{letter}\d+>", text):
        yield match[0]

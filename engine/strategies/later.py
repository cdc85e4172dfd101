"""Reads what was written behind an answer's source in the same chat or thread.

A plan is moved a few messages later, in words that do not name it: "make that Thursday". Read
together with the plan, a small model takes what is said first and in full. Read alone, it tells
well whether they answer the question (docs/decisions.md, "What was written later").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise

from engine.agreement.votes import sameness
from engine.checking import abstention
from engine.checking.citation_check import Checked, check
from engine.checking.draft_sentences import MARKER
from engine.checking.newer import (
    DATES,
    changes,
    correcting,
    has_the_words,
    is_bare_weekday,
)
from engine.errors import BudgetTooSmall, TimeSpent
from engine.events import Noted, Provisional, Steps
from engine.generation.dated import asks_when, dated
from engine.generation.draft import Draft
from engine.generation.first_words import NO_DENIAL, opening_of
from engine.generation.reply import finish, form_asked, write
from engine.language.date_words import WEEKDAY_WORDS
from engine.language.overlap import token_f1
from engine.language.tokens import content_words
from engine.retrieval.versions import asks_for_something_former, moment_of, subject_of
from engine.routes import routing
from engine.routes.facts import Facts, by_now
from engine.routes.routing import When
from engine.stages import staged, unseen
from engine.strategies.further import decide
from engine.toolbox.steps import Toolbox
from engine.values import Argument, Citation, Excerpt, Passage
from ingest.item import Item, Kind
from models.errors import ContextExceeded

MOST_CHARACTERS = 1000
"""Of later messages, about a stretch: a plan is moved soon, or in other words."""
MOST_DENIED = 0.5
"""Probability of a denial above which later messages do not answer: of 30 questions about chats
four were mended below it, none was spoilt."""
MOST_DENIED_OF_A_CHANGE = 0.95
"""Likewise, of a message that gives another day or value in an answer's place and so need not name
what it is about."""
MOST_TURNS = 3
"""Messages behind an answer's source that may change it: five behind it is about something else."""
MOST_QUOTED = 120
"""Characters of a message that may change an answer, in the reasons."""
_COUNTED = re.compile(rf"\d|\b(?:{WEEKDAY_WORDS}|noon|midday|midnight|half past)\b", re.IGNORECASE)
# "Sunday", "10 January", "January 10", "the 14th", "14/1"
_DAY = re.compile(rf"\b(?:{WEEKDAY_WORDS}|{DATES})\b", re.IGNORECASE)
# "at 10:15", "4 to 5.30", "1pm"
_CLOCK = re.compile(r"\b\d\d?(?:[:.]\d\d)? ?(?:am|pm)?\b|\b(?:noon|midday|midnight)\b", re.I)
# "where are we having lunch", "so who drives"
_PLACE_OR_PERSON = re.compile(r"^(?:(?:and|so|but) )?(?:where|who|whom|whose)\b", re.IGNORECASE)
_OF_THE_CLOCK = re.compile(r"\b(?:what|which) time\b|\bhow (?:late|early)\b", re.IGNORECASE)


def read_later(tools: Toolbox, facts: Facts, draft: Draft, when: When) -> Steps[Draft]:
    """Return what later messages or mails answer, where they do and say otherwise; or the draft.

    Only an answer to a single question that names a number, a day or a time is looked after: what
    else is said later is mostly about something else.
    """
    question = tools.query.text
    is_single = form_asked(question) == "one" and not asks_for_something_former(question)
    if not (tools.task.personal and is_single) or draft.citations:
        return draft
    if abstention.denies(draft.text, draft.evidence) or not _COUNTED.search(draft.text):
        return draft
    checked = check(draft.text, draft.evidence, question)
    source = next((one for one in checked.citations if one.support), None)
    if source is None:
        return draft
    certain, possible = _corrections(tools, draft, checked, source)
    if source.passage.item.kind not in (Kind.MESSAGE, Kind.MAIL) and not (certain or possible):
        return draft
    if certain and all(one is not certain[0] for one in draft.evidence):
        draft = replace(draft, reasons=(*draft.reasons, _may_change(certain[0])))
    denies_well = tools.models.roles.denial_bias is not None
    rule = routing.read_later(by_now(tools, facts), len(certain) + len(possible), denies_well)
    if not (yield from decide(rule, when)) or not (certain or possible):
        return draft
    yield Provisional(draft.text, draft.confidence)
    try:
        return (yield from _changed(tools, certain, possible, draft))
    except (TimeSpent, BudgetTooSmall, ContextExceeded) as error:
        yield Noted(f"Further reading was broken off: {error.message}")
        return draft


def _may_change(later: Passage) -> Argument:
    """Return the reason that shows a message, whether it can be read for the answer or not.

    Of what the answer was read with, the check of its citations says so.
    """
    said = " ".join(later.text.split())
    if len(said) > MOST_QUOTED:
        said = f"{said[:MOST_QUOTED].rstrip()} …"
    return Argument(f'what was written later may change it: "{said}"', False)


def _changed(
    tools: Toolbox, certain: Sequence[Passage], possible: Sequence[Passage], draft: Draft
) -> Steps[Draft]:
    """Return what is read alone in what changes the answer, else in what may; else the draft."""
    if certain:
        body = _read(tools, certain, draft, may_deny=False)
        found = yield from staged("write", tools.timings, body)
        is_likely = (found.denied or 0.0) <= MOST_DENIED_OF_A_CHANGE
        if is_likely and _is_another(tools, found, draft):
            return replace(found, confidence=draft.confidence, signals=draft.signals)
    if possible:
        found = yield from staged("write", tools.timings, _read(tools, possible, draft))
        if _replaces(tools, found, draft, possible):
            return found
    return draft


def _replaces(tools: Toolbox, found: Draft, draft: Draft, later: Sequence[Passage]) -> bool:
    """Say whether a later answer is likely enough, of the same sort, and another one."""
    if found.denied is not None and found.denied > MOST_DENIED:
        return False
    if found.confidence is None or found.confidence < tools.settings.least_confidence:
        return False
    is_vague = is_bare_weekday(found.text, draft.text, later)
    if is_vague and not _OF_THE_CLOCK.search(tools.query.text):
        return False
    return _is_another(tools, found, draft)


def _is_another(tools: Toolbox, found: Draft, draft: Draft) -> bool:
    if abstention.denies(found.text, found.evidence) or not _COUNTED.search(found.text):
        return False
    texts = MARKER.sub("", found.text), MARKER.sub("", draft.text)
    named = _CLOCK.sub("", _DAY.sub("", texts[0]))
    if _PLACE_OR_PERSON.search(tools.query.text) and not content_words(named):
        return False  # A time is no place.
    is_moved = _DAY.search(texts[0]) or not _DAY.search(texts[1])
    if not (is_moved or _OF_THE_CLOCK.search(tools.query.text)):
        return False  # What time something else begins does not move a day.
    is_same = sameness(tools)(*texts, token_f1(*texts))
    return not is_same and check(found.text, found.evidence, tools.query.text).grounded != "none"


def _read(
    tools: Toolbox, later: Sequence[Passage], draft: Draft, *, may_deny: bool = True
) -> Steps[Draft]:
    asked = tools.asked_over(later)
    with tools.models.lend("generator") as model:
        prompt = asked.prompt(model, later)
        opening = opening_of(model, asked, prompt, tools.models.roles)
        held = opening.held if may_deny else opening.held or NO_DENIAL
        reply = yield from unseen(
            write(model, asked, prompt, constraint=held, adapted=opening.adapted)
        )
    margin = draft.signals.margin if draft.signals else 0.0
    reply = replace(reply, denied=opening.denied)
    found = finish(asked, later, reply, tools.calibration, margin)
    said = " ".join(MARKER.sub("", draft.text).split())
    earlier = Argument(f'an earlier source says "{said}"', False)
    return replace(found, evidence=(*found.evidence, *draft.evidence), reasons=(earlier,))


def _corrections(
    tools: Toolbox, draft: Draft, checked: Checked, source: Citation
) -> tuple[list[Passage], list[Passage]]:
    """Return what gives another day or value in the answer's place, and what else may.

    Whether the former answers the question the model need not say: it is about the same.
    """
    later = list(_later(source, tools))
    certain = _readable(tools, islice(_changing(later, checked.text), 1))
    possible, items = _readable(tools, later), {id(one.item) for one in later}
    meant = tools.passages.meant
    if meant is None or not meant.is_newest:
        return certain, possible
    question, cited = tools.query.text, source.passage
    for one, says_so in correcting(draft.evidence, [cited], question, checked.text):
        if not says_so:
            certain = certain or [one]
        elif id(one.item) not in items and has_the_words(one, cited, question):
            possible.append(one)
    return certain, sorted(possible, key=lambda one: moment_of(one.item))


def _changing(later: Iterable[Passage], answer: str) -> Iterator[Passage]:
    """Yield each of the next few messages that changes an answer."""
    for item, begin, end in islice(chain.from_iterable(map(_messages_of, later)), MOST_TURNS):
        if changes(item.text[begin:end], answer):
            yield Excerpt(item, begin, end, ((begin, end),))


def _messages_of(passage: Passage) -> Iterator[tuple[Item, int, int]]:
    """Yield the messages of a stretch, or a mail's own words, as spans of the item."""
    item = passage.item
    starts = [turn.start for turn in item.turns if turn.start >= passage.start]
    if starts:
        yield from ((item, *span) for span in pairwise((*starts, len(item.text))))
    elif isinstance(passage, Excerpt):
        yield from ((item, *span) for span in passage.runs)


def _readable(tools: Toolbox, later: Iterable[Passage]) -> list[Passage]:
    passages = [left for one in later if (left := tools.passages.readable(one)) is not None]
    return list(dated(passages)) if asks_when(tools.query.text) else passages


def _later(source: Citation, tools: Toolbox) -> Iterator[Passage]:
    """Yield what follows a source: the messages behind it, or the newer mails of its subject."""
    item = source.passage.item
    others = {id(one.item): one.item for one in tools.corpus.passages if one.item.kind is item.kind}
    newer = sorted((o for o in others.values() if moment_of(o) > moment_of(item)), key=moment_of)
    if item.kind is Kind.MESSAGE:
        yield from _messages(source, [one for one in newer if _is_of_room(one, item)])
    elif item.kind is Kind.MAIL and item.when is not None:
        own = frozenset(one.casefold() for one in tools.settings.own or tools.query.own_seen)
        yield from _mails([one for one in newer if _is_of_thread(one, item, own)])


def _is_of_room(one: Item, item: Item) -> bool:
    paths = one.locator.path, item.locator.path
    is_near = paths[0] == paths[1] or paths[0].parent == paths[1].parent
    return is_near and one.title == item.title


def _is_of_thread(one: Item, item: Item, own: frozenset[str]) -> bool:
    """Say whether two mails have one subject and somebody in common who is not the reader."""
    people = [
        {person.address.casefold() for person in (*mail.people.sender, *mail.people.recipients)}
        for mail in (one, item)
    ]
    return subject_of(one) == subject_of(item) and bool(people[0] & people[1] - own)


def _messages(source: Citation, newer: Sequence[Item]) -> Iterator[Passage]:
    """Yield the rest of a stretch and the next ones, up to a length."""
    item, left = source.passage.item, MOST_CHARACTERS
    at = bisect_right([turn.start for turn in item.turns], source.start)
    if at < len(item.turns):
        begin, end = item.turns[at].start, len(item.text)
        yield Excerpt(item, begin, end, ((begin, end),))
        left -= end - begin
    for one in newer:
        if left <= 0:
            return
        yield Passage(one, 0, len(one.text))
        left -= len(one.text)


def _mails(newer: Sequence[Item]) -> Iterator[Passage]:
    """Yield the newest mails of a subject, oldest first, without what they quote.

    Of a long one the beginning is read, as far as there is room.
    """
    kept, left = list[Passage](), 2 * MOST_CHARACTERS
    for one in reversed(newer):
        runs = list[tuple[int, int]]()
        for begin, end in _own(one):
            if left > 0:
                runs.append((begin, min(end, begin + left)))
                left -= end - begin
        if runs:
            kept.append(Excerpt(one, 0, len(one.text), tuple(runs)))
    yield from reversed(kept)


def _own(item: Item) -> Iterator[tuple[int, int]]:
    """Yield the spans of a mail's own words."""
    begin = item.body
    for start, stop in (*item.quoted, (len(item.text), len(item.text))):
        if item.text[begin:start].strip():
            yield begin, start
        begin = max(begin, stop)

"""What a question names that a follow-up may mean: people, things, dates and places.

These are rules for English. They rather find too much than too little: with several candidates a
model or the person decides. The comment above a pattern quotes phrases that it matches; a blank
before the closing mark belongs to the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from engine.language.dates import find_spans
from engine.language.tokens import FUNCTION_WORDS
from engine.question.analysis import Mention

# "whose"
WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
# "does", "must"
AUXILIARY = (
    r"(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|shall|should|may|might"
    r"|must)"
)
# "the", "every"
DETERMINER = r"(?:the|my|our|his|her|their|your|this|that|these|those|an?|any|all|every|each)"
# "from", "until"
PREPOSITION = (
    r"(?:from|to|with|by|for|about|at|in|of|on|before|after|since|until|during|between|near|under"
    r"|over|without)"
)
# "those?", "these are", "those sent by"; not "those mails"
THOSE = (
    rf"(?:these|those)\b(?=\s*(?:[?.!,]|$)|\s+(?:{AUXILIARY}|say|mention|contain|include|cost|due)\b"
    rf"|\s+(?:sent|paid|written|\w+ed)(?:\s*[?.!,]|$| {PREPOSITION}\b))"
)
"""Pronouns, and not determiners of a noun."""
_IMPERATIVES = frozenset(
    {"find", "show", "list", "tell", "give", "summarise", "summarize", "compare", "count", "name"}
    | {"explain", "describe", "search", "please", "quote", "translate", "check", "look", "get"}
)
_NO_NAMES = frozenset({"i", "i'm", "i've", "ok", "okay", "yes", "no", "also", "then", "thanks"})
_ENDING_ADJECTIVES = frozenset(
    {"due", "ready", "valid", "available", "open", "closed", "free", "late", "over", "done", "sent"}
    | {"paid", "held", "made", "written", "bought", "sold", "built", "signed", "supposed", "worth"}
)
# "Kim", "AT&T", "well-known"
_WORD = re.compile(r"[^\W_](?:[\w.&'’-]*[\w])?")  # noqa: RUF001
# "Kim's", "the tenants'"
_POSSESSIVE = re.compile(r"['’]s?$")  # noqa: RUF001
# "what's", "it's"
_CONTRACTED = re.compile(rf"(?:{WH}|it|that|there|here|he|she|let)['’]s$", re.IGNORECASE)  # noqa: RUF001
# "a room in ", "the flight to "
_PLACE = re.compile(
    r"\b(?:(?:in|at|near|via|on|of)|(?:flights?|trains?|bus|ferry|trips?|journey|tickets?|fly|flies"
    r"|flying|travel\w*|drive|get|go|going) (?:to|from))\s+$",
    re.IGNORECASE,
)
# "what is said about "
_AS_MATTER = re.compile(r"\b(?:about|for|of|than)\s+$", re.IGNORECASE)
# "when does "
_SUBJECT = re.compile(rf"\b{AUXILIARY}\s+$", re.IGNORECASE)
# "what was "
_COMPLEMENT = re.compile(r"\b(?:what|which|who|whose)\s+(?:is|are|was|were)\s+$", re.IGNORECASE)
# "my lease", "Kim's lease"
_DETERMINED = re.compile(rf"\b{DETERMINER}\s+|\b[A-Z]\w*['’]s\s+", re.IGNORECASE)  # noqa: RUF001
# " 3" in "Boathouse 3"; not " 3 pm"
_NUMBER = re.compile(r" \d{1,4}(?![\w:.]\w| (?:[ap]m\b|o'clock|[A-Z]))")
# " with "
_OF_PEOPLE = re.compile(r" (?:with|from|to|by|of|and) ")
# " of "
_OF_THINGS = re.compile(r" (?:with|from|to|by|of) ")
# " about "
_SAID_OF = re.compile(rf" {PREPOSITION} ", re.IGNORECASE)
# "people", "mails"; not "bus"
PLURAL = re.compile(r"\b(?:people|\w+(?<![sui])s)\b", re.IGNORECASE)
MOST_NAME_WORDS = 4
MOST_THING_WORDS = 4


def names_in(question: str, known: Sequence[str], today: date) -> list[Mention]:
    """Return the names of a question in its order: known ones, and runs of capitalised words."""
    taken = [(span.start, span.end) for span in find_spans(question, today)]
    found: list[Mention] = []
    for span in [*_known_in(question, known), *capitalised_in(question)]:
        apart = not any(span.start < end and begin < span.end for begin, end in taken)
        if apart and not (_AS_MATTER.search(question[: span.start]) and _is_month(span, today)):
            taken.append((span.start, span.end))
            found.append(span)
    return sorted(found, key=lambda span: span.start)


def months_in(question: str, today: date) -> list[Mention]:
    """Return the months that a question is about: "what is said about May?"."""
    return [one for one in capitalised_in(question, places=True) if _is_month(one, today)]


def _is_month(span: Mention, today: date) -> bool:
    return bool(find_spans(f"in {span.words}", today))


def is_name(text: str) -> bool:
    """Say whether a text from a file looks like a name and nothing else.

    Only then may it become a part of a question.
    """
    words = text.split()
    return 0 < len(words) <= MOST_NAME_WORDS and all(
        re.fullmatch(r"[^\W\d_][^\W\d_.'’-]*[.'’-]?(?:[^\W\d_]+\.?)?", word)  # noqa: RUF001
        for word in words
    )


def _known_in(question: str, known: Sequence[str]) -> Iterator[Mention]:
    forms = {name: name for name in known if is_name(name)}
    for name in list(forms):
        for part in (name.split()[0], name.split()[-1]):
            if len(part) > 2 and part.casefold() not in FUNCTION_WORDS:
                forms.setdefault(part, name)
    for form in sorted(forms, key=len, reverse=True):
        pattern = rf"(?<!\w){re.escape(form)}(?!\w)"
        # A first name in small letters may be a word ("will", "mark").
        flags = re.IGNORECASE if " " in form else 0
        for match in re.finditer(pattern, question, flags):
            yield Mention(match[0], match.start(), match.end(), "name")


def capitalised_in(question: str, places: bool = False) -> Iterator[Mention]:
    """Yield the runs of capitalised words of a question; with `places`, also "in Paris"."""
    words = list(_WORD.finditer(question))
    place = 0
    while place < len(words):
        run = _run_from(words, place, question)
        if run:
            start, end = words[place].start(), words[place + run - 1].end()
            text = _POSSESSIVE.sub("", question[start:end])
            if places or not _PLACE.search(question[:start]):
                yield Mention(text, start, start + len(text), "name")
        place += max(run, 1)


def _run_from(words: list[re.Match[str]], place: int, question: str) -> int:
    """Return how many capitalised words in a row begin at `place`."""
    count = 0
    for match in words[place : place + MOST_NAME_WORDS]:
        before = question[: match.start()].rstrip()
        apart = count and question[words[place + count - 1].end() : match.start()].strip()
        if apart or not _is_proper(match[0], begins=not before or before[-1] in ".?!:"):
            break
        count += 1
        if _POSSESSIVE.search(match[0]):
            break
    return count


def _is_proper(word: str, begins: bool) -> bool:
    plain = _POSSESSIVE.sub("", word).casefold()
    if not word[0].isupper() or (word.isupper() and len(word) > 1) or plain in _NO_NAMES:
        return False
    if plain in FUNCTION_WORDS or _CONTRACTED.match(word):
        return False
    return not (begins and (plain in _IMPERATIVES or re.fullmatch(f"{WH}|{AUXILIARY}", plain)))


def things_in(question: str) -> list[Mention]:
    """Return the noun phrases of a question that begin with "the", "my", "an" or "Kim's"."""
    found: list[Mention] = []
    for match in _DETERMINED.finditer(question):
        if _CONTRACTED.match(match[0].strip()) or (found and match.start() < found[-1].end):
            continue
        words = noun_words(question, match)
        if words:
            start, end = _with_whole_name(question, match.start()), words[-1].end()
            if found and question[found[-1].end : start].strip() == "of":
                start = found.pop().start  # "the invoice of the roofers" is one thing
            found.append(Mention(question[start:end], start, end))
    return found


def _with_whole_name(question: str, start: int) -> int:
    """Return where "Dr Lund's number" begins, for the place of "Lund"."""
    names = capitalised_in(question, places=True)
    return next((one.start for one in names if one.start <= start < one.end), start)


def things_of_people(question: str, known: Sequence[str], today: date) -> list[Mention]:
    """Return the things of a question, each with its people: "the call with Kim".

    So with places: "the flight to Paris".
    """
    places = (_numbered(question, name) for name in capitalised_in(question, places=True))
    names = [*names_in(question, known, today), *places]
    names.sort(key=lambda span: span.start)
    return [joined(question, thing, names, _OF_PEOPLE) for thing in things_in(question)]


def _numbered(question: str, name: Mention) -> Mention:
    """Return a name with the number behind it: "Boathouse 3"."""
    number = _NUMBER.match(question, name.end)
    end = number.end() if number else name.end
    return Mention(question[name.start : end], name.start, end, name.role)


def whole_things(question: str, known: Sequence[str], today: date) -> list[Mention]:
    """Return the things of a question with all they are of: "the call with the accountant"."""
    found: list[Mention] = []
    things = things_of_people(question, known, today)
    for thing in things:
        if not found or thing.start >= found[-1].end:
            found.append(joined(question, thing, things, _OF_THINGS))
    return found


def subject_in(question: str, things: Sequence[Mention]) -> Mention | None:
    """Return the thing that is asked about, with all that is said of it; None: it is no thing."""
    if not things or not _SUBJECT.search(question[: things[0].start]):
        return None
    return joined(question, things[0], things[1:], _SAID_OF)


def joined(
    question: str, thing: Mention, others: Sequence[Mention], by: re.Pattern[str]
) -> Mention:
    """Return the thing together with those of the others that follow it, joined by such words."""
    end = thing.end
    for other in others:
        if other.start >= end and by.fullmatch(question[end : other.start]):
            end = other.end
    return Mention(question[thing.start : end], thing.start, end, thing.role)


def noun_words(question: str, determiner: re.Match[str]) -> list[re.Match[str]]:
    """Return the words of a noun phrase: up to a function word, less the verb that follows."""
    words: list[re.Match[str]] = []
    end = determiner.end()
    for match in _WORD.finditer(question, determiner.end()):
        apart = question[end : match.start()].strip("'’ ")  # noqa: RUF001
        if apart or match[0].casefold() in FUNCTION_WORDS or len(words) > MOST_THING_WORDS:
            break
        words.append(match)
        end = match.end()
    before = question[: determiner.start()]
    if len(words) > 1 and _SUBJECT.search(before) and not _COMPLEMENT.search(before):
        last = words[-1][0].casefold()
        if not _is_copula(before) or last in _ENDING_ADJECTIVES or last.endswith("ed"):
            words.pop()
            if len(words) > 1 and not _is_copula(before) and PLURAL.fullmatch(last):
                words.pop()  # "does the lease mention cats"
    return words


def _is_copula(before: str) -> bool:
    return bool(re.search(r"\b(?:is|are|was|were)\s+$", before, re.IGNORECASE))


def dates_in(question: str, today: date) -> list[Mention]:
    """Return the dates of a question, each with the preposition before it."""
    found = []
    for span in find_spans(question, today):
        before = re.search(rf"\b{PREPOSITION}\s+$", question[: span.start], re.IGNORECASE)
        start = before.start() if before else span.start
        found.append(Mention(question[start : span.end], start, span.end, "date"))
    return found

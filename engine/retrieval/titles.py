"""Follows titles: documents that the best passages or the question name by title or file name.

A question of two steps shares no word with its second passage. The first passage often names it:
"the 1999 film Jawbreaker, with Rose McGowan", "the deposit is in boathouse-lease.pdf". No model is
asked, and nothing is kept. Subjects of mail are no titles: mailing lists have "Plan" and "Best",
and with them less evidence was found over mail (docs/decisions.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from engine.language.tokens import FUNCTION_WORDS
from engine.retrieval.recall import Scores, best_first
from engine.values import Passage
from ingest.item import Item, Kind

NAMING = 2
"""Best passages whose text may name others. With three or five they name more that is not meant."""
BONUS = 0.5
"""Share of the naming passage's score that what it names gets. From 0.4 to 0.75 the evidence found
is the same within 0.02, first halves of four sets."""
ASKED = 0.25
"""Share of the best score that what the question names gets."""
BEARERS = 2
"""Most documents with the same title, such as two versions: one that more have names none."""
LEAST_LETTERS = 4
"""Fewest letters of a title."""
MOST_WORDS = 8

# "Jawbreaker (film)", "Lease (signed)"
_EXPLANATION = re.compile(r"\s*\([^()]*\)\s*$")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Followed:
    """Scores after titles were followed."""

    scores: Scores
    """Shape (passages,)."""
    titles: tuple[str, ...]
    """The titles that were found, the longest of each text first."""


def follow(question: str, scores: Scores, passages: Sequence[Passage]) -> Followed:
    """Return the scores, shape (passages,), with those of named documents raised.

    Of each named document its best passage is raised, or its first where none has a score. A title
    is found where a passage has it letter by letter, over the end of a line too. In the question,
    case does not matter to a title of several words.
    """
    naming = [i for i in best_first(scores)[:NAMING].tolist() if scores[i] > 0]
    if not naming:
        return Followed(scores, ())
    texts = [passages[i].text for i in naming]
    bearers = _bearers(passages, "\n".join([*texts, question]))
    raised, gains, found = scores.copy(), dict[int, float](), dict[str, None]()
    for number, text in zip(naming, texts, strict=True):
        for title in _named(text, bearers):
            for best in _best_of(bearers[title], scores, passages, passages[number].item):
                gains[best] = max(gains.get(best, 0.0), BONUS * float(scores[number]))
                found[title] = None
    for title in _named(question, bearers, any_case=True):
        for best in _best_of(bearers[title], scores, passages):
            gains[best] = gains.get(best, 0.0) + ASKED * float(scores[naming[0]])
            found[title] = None
    for best, gain in gains.items():
        raised[best] += gain
    return Followed(raised, tuple(found))


def _best_of(
    runs: Sequence[range], scores: Scores, passages: Sequence[Passage], but: Item | None = None
) -> Iterator[int]:
    """Yield the best passage of each document, save one."""
    for run in runs:
        if passages[run.start].item is not but:
            yield run.start + int(scores[run.start : run.stop].argmax())


def _bearers(passages: Sequence[Passage], text: str) -> dict[str, list[range]]:
    """Return the documents whose title the text may have, as runs of their passages.

    Titles are many and the text is short, so that each is asked for its words alone.
    """
    words = {word.casefold() for word in _WORD.findall(text)}
    found: dict[str, list[range]] = {}
    last, named, begin = None, tuple[str, ...](), 0
    for number, passage in enumerate(passages):
        if passage.item is last:
            continue
        _add(found, named, range(begin, number))
        last, begin, named = passage.item, number, ()
        if last.kind is Kind.DOCUMENT:
            named = tuple(one for one in _titles(last) if _may_be_in(words, one))
    _add(found, named, range(begin, len(passages)))
    return {title: runs for title, runs in found.items() if len(runs) <= BEARERS and _tells(title)}


def _add(found: dict[str, list[range]], titles: Sequence[str], run: range) -> None:
    for title in titles:
        found.setdefault(title, []).append(run)


def _titles(item: Item) -> set[str]:
    """Return what a document is called: its title without an explanation, and its file name."""
    title = item.title
    if title.endswith(")"):
        title = _EXPLANATION.sub("", title)
    called = {title.strip()}
    if item.locator.line is None:
        called.add(item.locator.member or item.locator.path.name)
    return called


def _may_be_in(words: Set[str], title: str) -> bool:
    """Say whether these words may have a title; most of them fail by their first."""
    first = _WORD.search(title)
    if first is None or first[0].casefold() not in words:
        return False
    return all(word.casefold() in words for word in _WORD.findall(title, first.end()))


def _tells(title: str) -> bool:
    """Say whether a title is more than a word that any text may use."""
    words = title.split()
    letters = sum(map(str.isalpha, title))
    says = any(word.casefold() not in FUNCTION_WORDS for word in words)
    plain = len(words) == 1 and title.isalpha() and title.islower()
    return says and not plain and letters >= LEAST_LETTERS and len(words) <= MOST_WORDS


def _named(text: str, titles: Iterable[str], *, any_case: bool = False) -> list[str]:
    """Return the titles that a text names, the longest where one lies within another."""
    named, taken = list[str](), list[tuple[int, int]]()
    for title in sorted(titles, key=len, reverse=True):
        several = " " in title
        flags = re.IGNORECASE if any_case and several else 0
        written = r"\s+".join(map(re.escape, title.split()))
        for match in re.finditer(rf"(?<!\w){written}(?!\w)", text, flags):
            begin, end = match.span()
            if any(start <= begin and end <= stop for start, stop in taken):
                continue
            taken.append((begin, end))
            named.append(title)
            break
    return named

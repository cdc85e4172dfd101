"""A conversation: turns that follow on one another, and what each of them cited.

Conversations are frozen trees. A turn names the turn it follows; asking again or asking something
else at an earlier place adds a branch, and nothing that was said is lost. `at` is the turn that a
next question follows; `path` is what led there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from engine.answer_parts import Cited
from engine.values import Answer, Argument, Certainty, Grounded

TITLE_LENGTH = 60
AROUND = 40
"""Characters shown on both sides of what a search found."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and its answer."""

    id: int
    """Its place in `Conversation.turns`, from 0."""
    parent: int | None
    """The turn it follows; None for a first question."""
    asked: str
    """As typed."""
    question: str
    """As answered: on its own, with what it refers to. `asked` when that was complete."""
    answer: str
    """With markers `[1]`; empty where the question was not answered to the end."""
    grounded: Grounded
    cited: tuple[Cited, ...]
    when: datetime
    """Aware moment of the answer."""
    strategy: str = ""
    models: tuple[str, ...] = ()
    """Ids of the models that took part."""
    scope: tuple[Cited, ...] = ()
    """What alone it was about; empty: everything."""
    certainty: Certainty | None = None
    """None: an older version kept it, which did not say."""
    confidence: float | None = None
    """As in `Answer`; so with `reasons`."""
    reasons: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Standalone:
    """A question that can be answered on its own, and what was done to make it one."""

    text: str
    """What to answer; the question as typed where it was complete."""
    scope: tuple[Cited, ...] = ()
    """What was cited and is meant: only these items are to be read. Empty: all."""
    reason: str = ""
    """What was put in for what, in words for people; empty where nothing was."""
    changed: bool = False
    """Whether `text` is not what was typed, or `scope` narrows it."""
    sure: bool = True
    """False: the rules are not sure, and a model may know better."""
    choices: tuple[str, ...] = ()
    """Where they are not sure, the questions it may be, likeliest first."""


@dataclass(frozen=True, slots=True)
class Said:
    """A place in a conversation that a search found."""

    turn: int
    part: str
    """"asked", "answer" or "quote"."""
    text: str
    """The words around it."""


def new_id() -> str:
    """Return 16 hexadecimal digits, made at random."""
    return secrets.token_hex(8)


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in the order in which they were added."""

    id: str = field(default_factory=new_id)
    """16 hexadecimal digits, made at random."""
    began: datetime = field(default_factory=_now)
    turns: tuple[Turn, ...] = ()
    at: int | None = None
    """The turn that the next question follows; None: none."""

    @property
    def title(self) -> str:
        """The first question, cut at a word."""
        first = " ".join(self.turns[0].asked.split()) if self.turns else ""
        if len(first) <= TITLE_LENGTH:
            return first
        return f"{first[:TITLE_LENGTH].rsplit(' ', 1)[0]} …"

    @property
    def path(self) -> tuple[Turn, ...]:
        """The turns that led to where the conversation is, oldest first."""
        return tuple(reversed(list(self._upwards(self.at))))

    @property
    def last(self) -> Turn | None:
        """The turn that the next question follows."""
        return None if self.at is None else self.turns[self.at]

    def _upwards(self, at: int | None) -> Iterator[Turn]:
        while at is not None:
            yield self.turns[at]
            at = self.turns[at].parent

    def answered(
        self, answer: Answer, asked: str | None = None, when: datetime | None = None
    ) -> Conversation:
        """Return the conversation with an answer added where it is, and moved there.

        `asked` is what was typed, where a standalone question was answered instead.
        """
        models = (answer.models.lookahead, answer.models.generator, answer.models.encoder)
        turn = Turn(
            len(self.turns),
            self.at,
            asked or answer.question,
            answer.question,
            answer.text,
            answer.grounded,
            tuple(citation.kept for citation in answer.citations),
            when or _now(),
            answer.strategy,
            tuple(dict.fromkeys(model for model in models if model)),
            answer.query.scope,
            answer.certainty,
            answer.confidence,
            answer.reasons,
        )
        return replace(self, turns=(*self.turns, turn), at=turn.id)

    def moved_to(self, turn: int | None) -> Conversation:
        """Return it with the next question following `turn`: a branch, if that has one already.

        None begins anew from the top. Raises `IndexError` for a turn that is not there.
        """
        if turn is not None:
            self._checked(turn)
        return replace(self, at=turn)

    def before(self, turn: int) -> Conversation:
        """Return it as it was when `turn` was asked: to ask that again, or to edit it."""
        return replace(self, at=self._checked(turn).parent)

    def _checked(self, turn: int) -> Turn:
        if turn < 0:
            raise IndexError(turn)
        return self.turns[turn]

    def alternatives(self, turn: int) -> tuple[Turn, ...]:
        """Return the turns that follow the same one, `turn` among them."""
        parent = self._checked(turn).parent
        return tuple(other for other in self.turns if other.parent == parent)

    def newest_below(self, turn: int) -> int:
        """Return the end of the branch through `turn` that was last added to."""
        found = self._checked(turn).id
        for other in self.turns[turn + 1 :]:
            found = other.id if other.parent == found else found
        return found

    def search(self, words: str) -> list[Said]:
        """Return the places, in order of the turns, that hold all these words."""
        from engine.language.tokens import terms  # imports numpy, for which no screen waits

        wanted = set(terms(words))
        if not wanted:
            return []
        return [
            Said(turn.id, part, _around(text, words))
            for turn in self.turns
            for part, text in _parts(turn)
            if wanted <= set(terms(text))
        ]


def of_turns(turns: Iterable[Turn], **given: object) -> Conversation:
    """Return a conversation of turns kept elsewhere. Raises `ValueError` if they make no tree."""
    conversation = Conversation(turns=tuple(turns), **given)  # type: ignore[arg-type]
    for place, turn in enumerate(conversation.turns):
        parent = turn.parent
        if turn.id != place or (parent is not None and not 0 <= parent < place):
            raise ValueError(f"turn {place} follows no earlier one")
    if conversation.at is not None and not 0 <= conversation.at < len(conversation.turns):
        raise ValueError(f"there is no turn {conversation.at}")
    return conversation


def _parts(turn: Turn) -> Iterator[tuple[str, str]]:
    yield "asked", turn.asked
    yield "answer", turn.answer
    for cited in turn.cited:
        yield "quote", f"{cited.title}\n{cited.quote}"


def _around(text: str, words: str) -> str:
    """Return one line around the first of the words that occurs as written."""
    folded = text.casefold()
    places = [folded.find(word.casefold()) for word in words.split()]
    at = min((place for place in places if place >= 0), default=0)
    begin, end = max(0, at - AROUND), at + AROUND
    cut = " ".join(text[begin:end].split())
    return f"{'…' if begin else ''}{cut}{'…' if end < len(text) else ''}"

"""One conversation under way: always in memory, and in the history where that is on.

A history that cannot be opened or written never costs an answer: it is said, once, and the
conversation goes on in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

from app.history.errors import HistoryError
from app.history.files import HistoryFiles
from app.history.kept import History, open_history
from app.history.key import Ask
from app.settings.config import Config
from engine.conversation import Conversation
from engine.values import Answer

Say = Callable[[str], object]

IN_MEMORY = "This conversation is in memory only."


class Keeper:
    """A conversation and where it is kept. A context that closes the history at its end."""

    def __init__(
        self,
        history: History | None = None,
        *,
        days: int | None = None,
        temporary: bool = False,
        say: Say = lambda text: None,
    ) -> None:
        """Begin a conversation. Without a history, or `temporary`, memory is all it has.

        `days` is how long the history keeps what nobody adds to; `say` is told what went wrong.
        """
        self.conversation = Conversation()
        self.temporary = temporary
        self._history = history
        self._days = days
        self._say = say

    @property
    def keeps(self) -> bool:
        """Whether the next answer will be in the history."""
        return self._history is not None and not self.temporary

    @property
    def history(self) -> History | None:
        """The history, where it is on and open."""
        return self._history

    def begin(self, *, temporary: bool = False) -> None:
        """Begin a new conversation."""
        self.conversation = Conversation()
        self.temporary = temporary

    def go_on_with(self, conversation: Conversation) -> None:
        """Go on with a conversation from elsewhere: the history, or an exported file."""
        self.conversation = conversation

    def make_temporary(self) -> None:
        """Keep this conversation no longer: what the history has of it is removed."""
        self.temporary = True
        if self._history is not None:
            try:
                remove_kept(self._history, self.conversation)
            except HistoryError as error:
                self._say(str(error))

    def answered(self, answer: Answer, asked: str | None = None) -> None:
        """Add an answer; `asked` is what was typed, where that was not what was answered."""
        self.conversation = self.keep(self.conversation.answered(answer, asked))

    def keep(self, conversation: Conversation) -> Conversation:
        """Write what is new of a conversation, and return it as it is kept."""
        if self._history is None or self.temporary:
            return conversation
        try:
            conversation = self._history.keep(conversation)
            self._history.prune(self._days)
        except HistoryError as error:
            self._say(f"{error} {IN_MEMORY}")
        return conversation

    def close(self) -> None:
        """Wipe the key of the history."""
        if self._history is not None:
            self._history.close()

    def __enter__(self) -> Keeper:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Wipe the key of the history."""
        self.close()


def remove_kept(history: History, conversation: Conversation) -> None:
    """Remove what the history has of a conversation, if anything. Raises `HistoryError`."""
    if any(row.id == conversation.id for row in history.listed()):
        history.remove([conversation.id])


def keeper_of(
    config: Config, ask: Ask, say: Say, *, temporary: bool = False, needed: bool = False
) -> Keeper:
    """Return a keeper by the settings. With `needed` a history that stays closed is an error.

    Raises `HistoryError` then; else what is wrong is said, and memory is all there is.
    """
    days = config.number("history.days")
    history = None
    if config.values["history.enabled"] and (needed or not temporary):
        try:
            history = open_history(HistoryFiles.of(os.environ), ask)
        except HistoryError as error:
            if needed:
                raise
            say(f"{error} {IN_MEMORY}")
    return Keeper(history, days=days, temporary=temporary, say=say)


def branched(conversation: Conversation, turn: int) -> Conversation:
    """Return a conversation of its own with the turns that led to `turn`, under a new id."""
    path = conversation.moved_to(turn).path
    turns = tuple(
        replace(one, id=place, parent=place - 1 if place else None)
        for place, one in enumerate(path)
    )
    return Conversation(turns=turns, at=len(turns) - 1)
